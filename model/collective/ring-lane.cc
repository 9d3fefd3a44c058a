/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ring-lane.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace llmfabric
{

RingLane::RingLane(const CollectiveTask& task, uint32_t channel, Range range)
    : m_layout(task.layout),
      m_grid(task.payload, task.GetRanks(), task.cut.channels, task.cut.chunk),
      m_rank(task.rank),
      m_channel(channel),
      m_ranks(task.GetRanks()),
      m_range(range)
{
}

uint32_t
RingLane::GetChannel() const
{
    return m_channel;
}

bool
RingLane::UsesChannelNic() const
{
    return true;
}

uint64_t
RingLane::GetStepCount() const
{
    if (m_ranks == 1)
    {
        return 0;
    }
    return m_grid.GetLoops() * (GetSends(m_range, m_ranks) + 1);
}

uint64_t
RingLane::GetSends(Range range, uint32_t ranks)
{
    return (range == Range::ALL_REDUCE ? 2 : 1) * (ranks - uint64_t{1});
}

LaneStep
RingLane::GetStep(uint64_t index) const
{
    const uint64_t sends = GetSends(m_range, m_ranks);
    const uint64_t loop = index / (sends + 1);
    const auto k = static_cast<uint32_t>(index % (sends + 1));
    const uint32_t position = m_layout->GetPosition(m_channel, m_rank);
    const uint32_t place = (m_range == Range::REDUCE_SCATTER ? 1 : 0) + k;
    const uint32_t owner =
        m_layout->GetMemberAt(m_channel, (position + 2 * m_ranks - place) % m_ranks);
    const ByteRange chunk = m_grid.GetRange(owner, m_channel, loop);
    LaneStep step;
    if (k > 0)
    {
        const uint32_t before = (position + m_ranks - 1) % m_ranks;
        step.SetReceive({m_layout->GetMemberAt(m_channel, before)}, chunk);
        step.reduces = m_range != Range::ALL_GATHER && k < m_ranks;
        step.sendAfter = {{LaneNeed::SAME, index, 0, false}};
    }
    if (k < sends)
    {
        step.SetSend({m_layout->GetMemberAt(m_channel, (position + 1) % m_ranks)}, chunk);
    }
    return step;
}

CollectiveCost
RingLane::GetCost(const CollectiveTask& task, Range range)
{
    const CollectiveLayout& layout = *task.layout;
    const uint32_t ranks = task.GetRanks();
    const uint32_t nodes = layout.GetNodes();
    const uint32_t channels = task.cut.channels;
    if (ranks == 1)
    {
        return {};
    }
    // Every hop is as busy as any other, and of the hops of a chunk every p / N-th leaves a node.
    const double farPart = nodes > 1 ? static_cast<double>(nodes) / ranks : 0;
    const uint32_t rails = std::min(channels, layout.GetRails());
    const double railPart = std::ceil(static_cast<double>(channels) / rails) / channels;
    CollectiveCost cost;
    const auto addTurns = [&](const ChunkGrid::Run& run, bool reduces) {
        const double slice = std::min(run.bytes, static_cast<double>(task.cut.slice) * channels);
        const double far = nodes > 1 ? run.bytes * railPart : 0;
        const double near = nodes < ranks ? run.bytes : 0;
        const double rounds = run.loops * (ranks - 1);
        cost.push_back({rounds * farPart, true, slice * railPart, near, far, reduces});
        cost.push_back({rounds * (1 - farPart), false, slice, near, far, reduces});
    };
    for (const auto& run : ChunkGrid(task.payload, ranks, channels, task.cut.chunk).GetRuns())
    {
        if (range != Range::ALL_GATHER)
        {
            addTurns(run, true);
        }
        if (range != Range::REDUCE_SCATTER)
        {
            addTurns(run, false);
        }
    }
    return cost;
}

} // namespace llmfabric
} // namespace ns3
