/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "listed-lane.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ns3
{
namespace llmfabric
{

ListedLane::ListedLane(std::shared_ptr<const ListedProgram> program,
                       const CollectiveTask& task,
                       uint32_t lane)
    : m_program(std::move(program)),
      m_task(task),
      m_chunks(m_program->GetSchedule().op, task.GetRanks(), m_program->GetSchedule().chunks),
      m_shift(m_chunks.HasRoot() ? task.root : 0)
{
    const uint32_t rank = (task.rank + task.GetRanks() - m_shift) % task.GetRanks();
    m_sends = m_program->GetStrand(rank, lane, true);
    m_receives = m_program->GetStrand(rank, lane, false);
}

uint64_t
ListedLane::GetStepCount() const
{
    return std::max(m_sends.GetSize(), m_receives.GetSize());
}

LaneStep
ListedLane::GetStep(uint64_t index) const
{
    LaneStep step;
    if (index < m_receives.GetSize())
    {
        const uint32_t id = m_receives.begin[index];
        step.SetReceive({GetPeer(id)}, GetRange(id));
        step.reduces = m_program->Get(id).action == ListedAction::REDUCE;
        step.receiveAfter = GetNeeds(id);
    }
    if (index < m_sends.GetSize())
    {
        const uint32_t id = m_sends.begin[index];
        step.SetSend({GetPeer(id)}, GetRange(id));
        step.sendAfter = GetNeeds(id);
    }
    return step;
}

std::vector<DataPiece>
ListedLane::GetPieces(uint64_t index) const
{
    if (index >= m_sends.GetSize())
    {
        return {};
    }
    const ListedStep& step = m_program->Get(m_sends.begin[index]);
    return m_chunks.GetPieces(m_task, step.first, step.count);
}

ByteRange
ListedLane::GetRange(uint32_t id) const
{
    const ListedStep& step = m_program->Get(id);
    return m_chunks.GetRange(m_task, step.first, step.count);
}

uint32_t
ListedLane::GetPeer(uint32_t id) const
{
    return (m_program->Get(id).peer + m_shift) % m_task.GetRanks();
}

LaneNeeds
ListedLane::GetNeeds(uint32_t id) const
{
    LaneNeeds needs;
    std::set<uint32_t> empty; // steps whose waits were taken over
    std::vector<uint32_t> open{id};
    const auto takeOver = [&](uint32_t before) {
        if (GetRange(before).bytes == 0 && empty.insert(before).second)
        {
            open.push_back(before);
        }
    };
    while (!open.empty())
    {
        const uint32_t at = open.back();
        const ListedStep& step = m_program->Get(at);
        open.pop_back();
        for (uint32_t after : step.after)
        {
            const uint32_t before = m_program->GetFirst(step.rank) + after;
            needs.push_back({m_program->GetLane(before),
                             m_program->GetPlace(before),
                             m_program->HaveSameChunks(before, id) ? 0 : LaneNeed::WHOLE,
                             m_program->Get(before).action == ListedAction::SEND});
            takeOver(before);
        }
        if (m_program->GetPrevious(at) != ListedProgram::NONE)
        {
            takeOver(m_program->GetPrevious(at));
        }
    }
    return needs;
}

} // namespace llmfabric
} // namespace ns3
