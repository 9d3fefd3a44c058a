/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "schedule-writer.h"

#include "ns3/abort.h"
#include "ns3/user-error.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <vector>

namespace ns3
{
namespace llmfabric
{

namespace
{
using Json = nlohmann::json;

/**
 * @param plan the job
 * @throws UserError if it has too many ops for a file
 */
void
CheckSize(const RankPlan& plan)
{
    uint64_t left = ScheduleWriter::MAX_OPS;
    for (uint32_t rank = 0; rank < plan.GetRanks(); ++rank)
    {
        const uint64_t ops = plan.GetProgram(rank).GetOpCount();
        if (ops > left)
        {
            throw UserError("the schedule has more than " +
                                std::to_string(ScheduleWriter::MAX_OPS) + " ops",
                            "",
                            "write a job of fewer ranks or mini-batches");
        }
        left -= ops;
    }
}

/**
 * @param word any text
 * @return it as a JSON text; bytes that are not UTF-8 are replaced
 */
std::string
Quote(const std::string& word)
{
    return Json(word).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/**
 * @param name the name of a stream
 * @return it as a JSON value: a number if it is one
 */
std::string
QuoteStream(const std::string& name)
{
    const auto number = static_cast<uint32_t>(std::strtoul(name.c_str(), nullptr, 10));
    return name == std::to_string(number) ? name : Quote(name);
}

/// Writes one plan.
class Writing
{
  public:
    /**
     * @param plan the job
     * @param out where to write
     */
    Writing(const RankPlan& plan, std::ostream& out);

    /// Write the line that says what the file is.
    void WriteHeader();
    /// Write the groups that ops use.
    void WriteGroups();
    /**
     * @param rank whose ops to write
     */
    void WriteOps(uint32_t rank);

  private:
    /**
     * Begin a line or go on with it.
     *
     * @param key the key
     * @param value its value as JSON
     */
    void Add(const char* key, const std::string& value);

    /**
     * @param key the key
     * @param value its value
     */
    void Add(const char* key, uint64_t value)
    {
        Add(key, std::to_string(value));
    }

    /**
     * @param key the key
     * @param name its value, a name without special letters
     */
    void AddName(const char* key, const std::string& name)
    {
        Add(key, '"' + name + '"');
    }

    /// @param op what a rank computes
    void AddOp(const ComputeOp& op);

    /// @param op in which collective a rank takes part
    void AddOp(const CollectiveOp& op);

    /// @param op what a rank sends
    void AddOp(const SendOp& op)
    {
        AddMessage("send", op.peer, op.channel, op.bytes);
    }

    /// @param op what a rank receives
    void AddOp(const ReceiveOp& op)
    {
        AddMessage("receive", op.peer, op.channel, op.bytes);
    }

    /**
     * @param direction "send" or "receive"
     * @param peer the other rank
     * @param channel the channel
     * @param bytes the size
     */
    void AddMessage(const char* direction, uint32_t peer, uint32_t channel, uint64_t bytes);

    /**
     * @param stream a stream
     * @return its name as JSON
     */
    const std::string& GetStream(uint32_t stream);

    /// Write the line and forget it.
    void EndLine();

    const RankPlan& m_plan;                    //!< the job
    std::ostream& m_out;                       //!< where to write
    std::string m_line;                        //!< the current line, or empty
    std::map<uint32_t, std::string> m_streams; //!< names of streams as JSON
    std::set<uint32_t> m_shared;               //!< groups whose shares were written
};

Writing::Writing(const RankPlan& plan, std::ostream& out)
    : m_plan(plan),
      m_out(out)
{
}

void
Writing::Add(const char* key, const std::string& value)
{
    m_line += m_line.empty() ? "{\"" : ",\"";
    m_line += key;
    m_line += "\":";
    m_line += value;
}

void
Writing::EndLine()
{
    m_line += "}\n";
    m_out << m_line;
    m_line.clear();
}

void
Writing::WriteHeader()
{
    Add("llm_fabric_schedule", 1);
    Add("ranks", m_plan.GetRanks());
    Add("steps", m_plan.GetSteps());
    EndLine();
}

void
Writing::WriteGroups()
{
    std::set<uint32_t> groups;
    for (uint32_t rank = 0; rank < m_plan.GetRanks(); ++rank)
    {
        const RankProgram program = m_plan.GetProgram(rank);
        for (const ProgramUse& use : program.GetUses())
        {
            if (use.kind == ProgramOpKind::COLLECTIVE)
            {
                groups.insert(use.group);
            }
        }
    }
    for (uint32_t id : groups)
    {
        const RankGroup group = m_plan.GetGroup(id);
        std::vector<uint32_t> ranks;
        for (uint32_t i = 0; i < group.GetSize(); ++i)
        {
            ranks.push_back(group.GetRank(i));
        }
        Add("group", id);
        Add("name", Quote(m_plan.GetGroupName(id)));
        Add("ranks", Json(ranks).dump());
        if (m_plan.HasShares(id))
        {
            std::vector<double> shares;
            for (uint32_t i = 0; i < m_plan.GetGroup(id).GetSize(); ++i)
            {
                shares.push_back(m_plan.GetShare(id, i));
            }
            Add("shares", Json(shares).dump());
            m_shared.insert(id);
        }
        EndLine();
    }
}

const std::string&
Writing::GetStream(uint32_t stream)
{
    std::string& name = m_streams[stream];
    if (name.empty())
    {
        name = QuoteStream(m_plan.GetStreamName(stream));
    }
    return name;
}

void
Writing::WriteOps(uint32_t rank)
{
    const RankProgram program = m_plan.GetProgram(rank);
    for (uint64_t index = 0; index < program.GetOpCount(); ++index)
    {
        const ProgramOp op = program.GetOp(index);
        Add("rank", rank);
        Add("op", index);
        Add("stream", GetStream(op.stream));
        std::visit([this](const auto& what) { AddOp(what); }, op.what);
        const std::vector<uint64_t> after = program.GetAfter(index);
        if (!after.empty())
        {
            Add("after", Json(after).dump());
        }
        EndLine();
    }
}

void
Writing::AddOp(const ComputeOp& op)
{
    const auto picoseconds = static_cast<uint64_t>(op.duration.GetPicoSeconds());
    if (PicoSeconds(picoseconds) != op.duration)
    {
        throw UserError("a computation of " + std::to_string(op.duration.GetTimeStep()) +
                            " ticks is no whole number of picoseconds of 63 bits",
                        "",
                        "set the time resolution to picoseconds");
    }
    AddName("compute", GetName(op.phase));
    Add("mini_batch", op.miniBatch);
    Add("micro_batch", op.microBatch);
    Add("part", op.part);
    Add("duration_ps", picoseconds);
}

void
Writing::AddOp(const CollectiveOp& op)
{
    AddName("collective", GetName(op.kind));
    Add("group", op.group);
    Add("payload", op.payload);
    if (op.kind == CollectiveKind::BROADCAST || op.kind == CollectiveKind::REDUCE)
    {
        Add("root", m_plan.GetGroup(op.group).GetRank(op.root));
    }
    if (op.shares != AllToAllShares::EVEN)
    {
        NS_ABORT_MSG_IF(m_shared.count(op.group) == 0,
                        "ScheduleWriter: the shares of group " << op.group << " are not known");
        AddName("shares", GetName(op.shares));
    }
}

void
Writing::AddMessage(const char* direction, uint32_t peer, uint32_t channel, uint64_t bytes)
{
    Add(direction, peer);
    if (channel < MESSAGE_CHANNELS)
    {
        AddName("channel", GetName(static_cast<MessageChannel>(channel)));
    }
    else
    {
        Add("channel", channel);
    }
    Add("bytes", bytes);
}

} // namespace

void
ScheduleWriter::Write(const RankPlan& plan, std::ostream& out)
{
    CheckSize(plan);
    Writing writing(plan, out);
    writing.WriteHeader();
    writing.WriteGroups();
    for (uint32_t rank = 0; rank < plan.GetRanks(); ++rank)
    {
        writing.WriteOps(rank);
    }
}

void
ScheduleWriter::Write(const RankPlan& plan, const std::string& path)
{
    CheckSize(plan); // before a file of that name is overwritten
    std::ofstream file(path, std::ios::binary);
    if (!file)
    {
        throw UserError("the schedule can't be written",
                        path,
                        "choose a file in a folder that exists and can be written");
    }
    Write(plan, file);
    file.close();
    if (!file)
    {
        throw std::runtime_error("the schedule '" + path + "' could not be written to its end");
    }
}

} // namespace llmfabric
} // namespace ns3
