/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "recursive-doubling-all-reduce.h"

#include "binary-log.h"
#include "channel-lanes.h"
#include "folded-lane.h"

namespace ns3
{
namespace llmfabric
{

namespace
{

/// One rank of an AllReduce by recursive doubling.
class RecursiveDoublingLane : public FoldedLane
{
  public:
    /**
     * @param task what the rank knows of the op
     * @param channel the channel
     */
    RecursiveDoublingLane(const CollectiveTask& task, uint32_t channel)
        : FoldedLane(task, channel)
    {
    }

  protected:
    uint64_t GetExchanges() const override
    {
        return m_levels;
    }

    Exchange GetExchange(uint64_t index) const override
    {
        return {m_rank ^ (1U << index), m_share, m_share, true};
    }
};

} // namespace

std::string
RecursiveDoublingAllReduce::GetOp() const
{
    return "allreduce";
}

std::string
RecursiveDoublingAllReduce::GetName() const
{
    return "recursive-doubling";
}

std::vector<std::unique_ptr<CollectiveLane>>
RecursiveDoublingAllReduce::CreateLanes(const CollectiveTask& task) const
{
    return CreateChannelLanes<RecursiveDoublingLane>(task);
}

std::optional<CollectiveCost>
RecursiveDoublingAllReduce::GetCost(const CollectiveTask& task) const
{
    std::vector<FoldedLane::Round> rounds;
    for (uint32_t level = 0; level < GetFloorLog2(task.GetRanks()); ++level)
    {
        rounds.push_back({1U << level, static_cast<double>(task.payload), true, false});
    }
    return FoldedLane::GetCost(task, rounds);
}

} // namespace llmfabric
} // namespace ns3
