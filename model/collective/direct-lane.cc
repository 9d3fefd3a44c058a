/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "direct-lane.h"

#include "chunk-grid.h"
#include "link-load.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

DirectLane::DirectLane(const CollectiveTask& task, uint32_t share, uint32_t distance, bool reduces)
    : m_parts(task.payload, task.GetRanks()),
      m_shares(GetShares(task)),
      m_share(share),
      m_rank(task.rank),
      m_distance(distance),
      m_reduces(reduces)
{
}

uint32_t
DirectLane::GetChannel() const
{
    return m_share;
}

uint64_t
DirectLane::GetStepCount() const
{
    return 1;
}

LaneStep
DirectLane::GetStep(uint64_t /* index */) const
{
    const uint32_t ranks = m_parts.GetChunks();
    const uint32_t to = (m_rank + m_distance) % ranks;
    const uint32_t from = (m_rank + ranks - m_distance) % ranks;
    LaneStep step;
    step.SetReceive({from}, Cut(m_parts.GetRange(m_reduces ? m_rank : from), m_shares, m_share));
    step.reduces = m_reduces;
    step.SetSend({to}, Cut(m_parts.GetRange(m_reduces ? to : m_rank), m_shares, m_share));
    return step;
}

uint32_t
DirectLane::GetShares(const CollectiveTask& task)
{
    const uint32_t distances = task.GetRanks() - 1;
    return distances == 0 ? 1 : std::max(task.cut.channels / distances, 1U);
}

double
DirectLane::GetSlices(const CollectiveTask& task)
{
    return static_cast<double>(task.cut.slice) * GetShares(task);
}

std::vector<std::unique_ptr<CollectiveLane>>
DirectLane::CreateAll(const CollectiveTask& task, bool reduces)
{
    const uint32_t shares = GetShares(task);
    std::vector<std::unique_ptr<CollectiveLane>> lanes;
    for (uint32_t share = 0; share < shares; ++share)
    {
        for (uint32_t distance = 1; distance < task.GetRanks(); ++distance)
        {
            lanes.push_back(std::make_unique<DirectLane>(task, share, distance, reduces));
        }
    }
    return lanes;
}

CollectiveCost
DirectLane::GetCost(const CollectiveTask& task, bool reduces)
{
    LinkLoad load(*task.layout, GetSlices(task));
    for (uint32_t rank = 0; rank < task.GetRanks(); ++rank)
    {
        load.AddAll(rank, static_cast<double>(task.payload) / task.GetRanks());
    }
    return load.GetRound(reduces);
}

} // namespace llmfabric
} // namespace ns3
