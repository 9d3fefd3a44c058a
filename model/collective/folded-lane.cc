/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "folded-lane.h"

#include "binary-log.h"
#include "link-load.h"

namespace ns3
{
namespace llmfabric
{

FoldedLane::FoldedLane(const CollectiveTask& task, uint32_t channel)
    : m_rank(task.rank),
      m_levels(GetFloorLog2(task.GetRanks())),
      m_share(Cut({0, task.payload}, task.cut.channels, channel)),
      m_channel(channel),
      m_ranks(task.GetRanks())
{
}

uint32_t
FoldedLane::GetChannel() const
{
    return m_channel;
}

uint64_t
FoldedLane::GetStepCount() const
{
    const uint32_t power = 1U << m_levels;
    if (m_share.bytes == 0 || m_rank >= power)
    {
        return m_share.bytes == 0 ? 0 : 1;
    }
    return GetExchanges() + (m_rank < m_ranks - power ? 2 : 0);
}

FoldedLane::Exchange
FoldedLane::GetAny(uint64_t index) const
{
    const uint32_t power = 1U << m_levels;
    if (m_rank >= power)
    {
        return {m_rank - power, m_share, m_share, false};
    }
    if (m_rank >= m_ranks - power)
    {
        return GetExchange(index);
    }
    if (index == 0)
    {
        return {m_rank + power, {}, m_share, true};
    }
    const bool isLast = index > GetExchanges();
    return isLast ? Exchange{m_rank + power, m_share, {}, false} : GetExchange(index - 1);
}

LaneStep
FoldedLane::GetStep(uint64_t index) const
{
    const auto [peer, sends, receives, reduces] = GetAny(index);
    LaneStep step;
    step.SetReceive({peer}, receives);
    step.reduces = reduces;
    step.SetSend({peer}, sends);
    if (sends.bytes > 0 && sends.offset == receives.offset)
    {
        // Both sides send the bytes that they receive: first they leave, then they change.
        step.receiveAfter = {{LaneNeed::SAME, index, 0, true}};
    }
    const ByteRange before = index > 0 ? GetAny(index - 1).receives : ByteRange{};
    if (before.bytes > 0)
    {
        const auto shift = static_cast<int64_t>(sends.offset - before.offset);
        step.sendAfter = {{LaneNeed::SAME, index - 1, shift, false}};
    }
    return step;
}

CollectiveCost
FoldedLane::GetCost(const CollectiveTask& task, const std::vector<Round>& rounds)
{
    const uint32_t ranks = task.GetRanks();
    const uint32_t power = 1U << GetFloorLog2(ranks);
    const auto payload = static_cast<double>(task.payload);
    const double slices = static_cast<double>(task.cut.slice) * task.cut.channels;
    if (ranks == 1 || task.payload == 0)
    {
        return {};
    }
    CollectiveCost cost;
    for (const Round& round : rounds)
    {
        LinkLoad load(*task.layout, slices);
        for (uint32_t rank = 0; rank < power; ++rank)
        {
            load.Add(rank, rank ^ round.distance, round.bytes);
        }
        cost.push_back(load.GetPhase(1, round.reduces));
        if (round.overtakes && round.bytes > slices)
        {
            // Slices of the next round share links with the rest of this one, which comes later by
            // about one slice.
            CostPhase late = cost.back();
            late.nearBytes = late.farBytes = 0;
            cost.push_back(late);
        }
    }
    if (ranks > power)
    {
        LinkLoad load(*task.layout, slices);
        for (uint32_t rank = power; rank < ranks; ++rank)
        {
            load.Add(rank, rank - power, payload);
        }
        cost.insert(cost.begin(), load.GetPhase(1, true));
        cost.push_back(load.GetPhase(1, false));
    }
    return cost;
}

} // namespace llmfabric
} // namespace ns3
