/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "schedule-reader.h"

#include "schedule-line.h"
#include "schedule-op-reader.h"

#include "ns3/step-timeline.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <vector>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// Version of the format.
constexpr uint64_t VERSION = 1;

/// The largest number of 32 bits.
constexpr uint32_t MAX32 = std::numeric_limits<uint32_t>::max();

/// The largest number of 64 bits.
constexpr uint64_t MAX64 = std::numeric_limits<uint64_t>::max();

/// Problems that are told of those that the ops have together.
constexpr std::size_t TOLD_PROBLEMS = 3;

/// What the first line must be.
const std::string HEADER = "{\"llm_fabric_schedule\":1,\"ranks\":...,\"steps\":...}";

/// Reads one file.
class Reading
{
  public:
    /**
     * @param in what to read
     * @param name what to call it in messages
     */
    Reading(std::istream& in, const std::string& name);

    /**
     * @return the plan
     */
    std::shared_ptr<ListedPlan> Read();

  private:
    /**
     * @return whether there is another line; m_line has it then
     */
    bool NextLine();
    /// Take the line that says what the file is.
    void ReadHeader();
    /// Take a line after the header.
    void ReadLine();
    /// Take a group.
    void ReadGroup();
    /**
     * @param members how many ranks the group of the line has
     * @return their shares, if the line has any
     */
    std::vector<double> ReadShares(uint32_t members) const;
    /// Refuse ops that can't all be done.
    void CheckStep() const;

    std::istream& m_in;                      //!< what to read
    std::string m_name;                      //!< what to call it
    std::string m_text;                      //!< the current line
    uint64_t m_number{0};                    //!< its number, from 1
    ScheduleLine m_line;                     //!< its keys and values
    std::shared_ptr<ListedPlan> m_plan;      //!< the plan so far, once the header was read
    std::unique_ptr<ScheduleOpReader> m_ops; //!< takes its ops
    std::set<uint32_t> m_ranks;              //!< ranks that are in groups or do something
    bool m_hasOps{false};                    //!< whether any does
};

Reading::Reading(std::istream& in, const std::string& name)
    : m_in(in),
      m_name(name)
{
}

std::shared_ptr<ListedPlan>
Reading::Read()
{
    try
    {
        while (NextLine())
        {
            m_plan ? ReadLine() : ReadHeader();
        }
    }
    catch (const UserError& mistake)
    {
        throw mistake.At(m_name + ":" + std::to_string(m_number));
    }
    if (m_in.bad())
    {
        throw UserError("the file can't be read to its end", m_name, "");
    }
    if (!m_hasOps)
    {
        throw UserError(m_plan ? "no rank has an op" : "the file is empty",
                        m_name,
                        m_plan ? "was the file cut off?" : "begin it with " + HEADER);
    }
    m_ranks.merge(m_ops->Finish());
    CheckStep();
    return m_plan;
}

bool
Reading::NextLine()
{
    while (std::getline(m_in, m_text))
    {
        ++m_number;
        const std::size_t first = m_text.find_first_not_of(" \t\r");
        if (first != std::string::npos && m_text[first] != '#')
        {
            m_line.Parse(m_text);
            return true;
        }
    }
    return false;
}

void
Reading::ReadHeader()
{
    if (!m_line.Has("llm_fabric_schedule"))
    {
        throw UserError("the header is missing", "", "begin the file with " + HEADER);
    }
    const uint64_t version = m_line.GetNumber("llm_fabric_schedule", 1, MAX64);
    if (version != VERSION)
    {
        throw UserError("version " + std::to_string(version) + " of the format is not known",
                        "",
                        "known is " + std::to_string(VERSION));
    }
    m_line.CheckKeys({"llm_fabric_schedule", "ranks", "steps"}, {});
    const uint64_t ranks = m_line.GetNumber("ranks", 1, ScheduleReader::MAX_RANKS);
    m_plan = std::make_shared<ListedPlan>(static_cast<uint32_t>(ranks),
                                          m_line.GetNumber("steps", 1, MAX32));
    m_ops = std::make_unique<ScheduleOpReader>(*m_plan);
}

void
Reading::ReadLine()
{
    if (m_line.Has("llm_fabric_schedule"))
    {
        throw UserError("the header stands twice", "", "a file holds one schedule");
    }
    const bool isOp = m_line.Has("collective") || (m_line.Has("rank") && !m_line.Has("name"));
    if (m_line.Has("group") && !isOp)
    {
        ReadGroup();
        return;
    }
    m_ops->Take(m_line);
    m_hasOps = true;
}

void
Reading::ReadGroup()
{
    m_line.CheckKeys({"group", "name", "ranks"}, {"shares"});
    const auto id = static_cast<uint32_t>(m_line.GetNumber("group", 0, MAX32));
    const std::string where = "group " + std::to_string(id);
    if (m_plan->HasGroup(id))
    {
        throw UserError(where + " is defined twice", "", "give each group a number of its own");
    }
    const std::vector<uint32_t> ranks = m_line.GetNumbers("ranks", m_plan->GetRanks() - 1);
    if (ranks.empty())
    {
        throw UserError(where + " has no ranks", "", "name at least one");
    }
    std::set<uint32_t> seen;
    for (uint32_t rank : ranks)
    {
        if (!seen.insert(rank).second)
        {
            throw UserError("rank " + std::to_string(rank) + " is twice in " + where,
                            "",
                            "name each rank once");
        }
    }
    m_ranks.insert(ranks.begin(), ranks.end());
    m_plan->AddGroup(RankGroup(id, ranks),
                     m_line.GetWord("name"),
                     ReadShares(static_cast<uint32_t>(ranks.size())));
}

std::vector<double>
Reading::ReadShares(uint32_t members) const
{
    if (!m_line.Has("shares"))
    {
        return {};
    }
    const std::vector<double> shares = m_line.GetFractions("shares");
    if (shares.size() != members)
    {
        throw UserError(std::to_string(shares.size()) + " shares for " + std::to_string(members) +
                            " ranks",
                        "",
                        "give each rank one");
    }
    double sum = 0;
    for (double share : shares)
    {
        sum += share;
    }
    // What is lacking to 1 is not sent; what is above may come from rounding only.
    if (sum <= 0 || sum > 1 + 1e-9)
    {
        throw UserError("the shares add up to " + std::to_string(sum),
                        "",
                        "their sum must be above 0, and 1 at most");
    }
    return shares;
}

void
Reading::CheckStep() const
{
    const StepTimeline step(*m_plan, {m_ranks.begin(), m_ranks.end()}, TimelineCosts());
    const std::vector<std::string>& problems = step.GetProblems();
    if (problems.empty())
    {
        return;
    }
    std::string told;
    for (std::size_t i = 0; i < std::min(problems.size(), TOLD_PROBLEMS); ++i)
    {
        told += (i == 0 ? "" : "; ") + problems[i];
    }
    if (problems.size() > TOLD_PROBLEMS)
    {
        told += "; and " + std::to_string(problems.size() - TOLD_PROBLEMS) + " more";
    }
    throw UserError("the step can't be done: " + told,
                    m_name,
                    "each rank of a group must call its collectives in the same order, and each "
                    "message needs a send and a receive of its size");
}

} // namespace

std::shared_ptr<ListedPlan>
ScheduleReader::Read(std::istream& in, const std::string& name)
{
    return Reading(in, name).Read();
}

std::shared_ptr<ListedPlan>
ScheduleReader::Read(const std::string& path)
{
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
    {
        throw UserError("this is a folder", path, "name a schedule file");
    }
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file)
    {
        throw UserError(std::string("the schedule can't be read (") + std::strerror(errno) + ")",
                        path,
                        "name a file that exists and that you may read, from the working folder");
    }
    return Read(file, path);
}

} // namespace llmfabric
} // namespace ns3
