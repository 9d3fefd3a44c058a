/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "listed-result.h"

#include <optional>

namespace ns3
{
namespace llmfabric
{

ListedResult::ListedResult(const ListedProgram& program, const ListedUses& uses)
    : m_program(program),
      m_uses(uses),
      m_chunks(program.GetSchedule().op, program.GetSchedule().ranks, program.GetSchedule().chunks)
{
}

void
ListedResult::Check()
{
    for (uint32_t chunk = 0; chunk < m_program.GetSchedule().chunks; ++chunk)
    {
        Check(chunk);
    }
}

void
ListedResult::Check(uint32_t chunk)
{
    const uint32_t ranks = m_program.GetSchedule().ranks;
    const std::optional<uint32_t> giver = m_chunks.GetGiver(chunk);
    const std::optional<uint32_t> taker = m_chunks.GetTaker(chunk);
    m_held.assign(ranks, Values());
    m_moving.clear();
    Values all;
    for (uint32_t rank = giver.value_or(0); rank < (giver ? *giver + 1 : ranks); ++rank)
    {
        m_held[rank].set(rank);
        all.set(rank);
    }
    for (uint32_t id : m_uses.GetSteps(chunk))
    {
        Do(chunk, id);
    }
    for (uint32_t rank = taker.value_or(0); rank < (taker ? *taker + 1 : ranks); ++rank)
    {
        CheckEnd(chunk, rank, all);
    }
}

void
ListedResult::Do(uint32_t chunk, uint32_t id)
{
    const ListedStep& step = m_program.Get(id);
    Values& held = m_held[step.rank];
    if (step.action != ListedAction::RECEIVE && held.none())
    {
        Refuse(id,
               (step.action == ListedAction::SEND ? "sends chunk " : "adds to chunk ") +
                   std::to_string(chunk) + ", which the rank does not have by then",
               "let it receive the chunk before");
    }
    if (step.action == ListedAction::SEND)
    {
        m_moving[m_program.GetMate(id)] = held;
        return;
    }
    const auto came = m_moving.find(id);
    if (step.action == ListedAction::RECEIVE)
    {
        held = came->second;
    }
    else if ((held & came->second).any())
    {
        Refuse(id,
               "adds the values of " + List(held & came->second) + " to chunk " +
                   std::to_string(chunk) + " a second time",
               "a result has each rank's value once");
    }
    held |= came->second;
    m_moving.erase(came);
}

void
ListedResult::CheckEnd(uint32_t chunk, uint32_t rank, const Values& all) const
{
    const Values& held = m_held[rank];
    if (held == all)
    {
        return;
    }
    const std::string what = held.none() ? "" : "the values of " + List(all & ~held) + " in ";
    throw UserError("rank " + std::to_string(rank) + " ends without " + what + "chunk " +
                        std::to_string(chunk),
                    m_program.GetSchedule().source,
                    m_program.GetSchedule().op + " promises it; are steps missing?");
}

void
ListedResult::Refuse(uint32_t id, const std::string& what, const std::string& action) const
{
    throw UserError(m_program.GetName(id) + " " + what,
                    m_program.GetWhere(m_program.Get(id)),
                    action);
}

std::string
ListedResult::List(const Values& values)
{
    constexpr std::size_t told = 3;
    std::string list;
    std::size_t count = 0;
    for (std::size_t rank = 0; rank < values.size(); ++rank)
    {
        if (values[rank] && count++ < told)
        {
            list += (list.empty() ? "" : ", ") + std::to_string(rank);
        }
    }
    if (count > told)
    {
        list += " and " + std::to_string(count - told) + " more";
    }
    return (count == 1 ? "rank " : "ranks ") + list;
}

} // namespace llmfabric
} // namespace ns3
