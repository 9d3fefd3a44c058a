/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pairwise-lane.h"

#include <utility>

namespace ns3
{
namespace llmfabric
{

PairwiseLane::PairwiseLane(const CollectiveTask& task,
                           uint32_t channel,
                           std::shared_ptr<const AllToAllParts> parts,
                           const Distances& distances)
    : m_parts(std::move(parts)),
      m_rank(task.rank),
      m_ranks(task.GetRanks()),
      m_channel(channel),
      m_distances(distances)
{
}

uint32_t
PairwiseLane::GetChannel() const
{
    return m_channel;
}

uint64_t
PairwiseLane::GetStepCount() const
{
    return m_distances.count;
}

LaneStep
PairwiseLane::GetStep(uint64_t index) const
{
    const auto distance = static_cast<uint32_t>(m_distances.first + index);
    const uint32_t from = (m_rank + m_ranks - distance) % m_ranks;
    const uint32_t to = (m_rank + distance) % m_ranks;
    LaneStep step;
    step.SetReceive({from}, {0, m_parts->GetBytes(m_channel, from, m_rank)});
    step.SetSend({to}, {0, m_parts->GetBytes(m_channel, m_rank, to)});
    if (index > 0)
    {
        step.sendAfter = {{LaneNeed::SAME, index - 1, LaneNeed::WHOLE, false}};
    }
    return step;
}

std::vector<DataPiece>
PairwiseLane::GetPieces(uint64_t index) const
{
    return {m_parts->GetPiece(m_channel, m_rank, GetStep(index).sendTo.front())};
}

} // namespace llmfabric
} // namespace ns3
