/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "halving-doubling-all-reduce.h"

#include "binary-log.h"
#include "channel-lanes.h"
#include "folded-lane.h"

namespace ns3
{
namespace llmfabric
{

namespace
{

/// One rank of an AllReduce by halving and doubling.
class HalvingDoublingLane : public FoldedLane
{
  public:
    /**
     * @param task what the rank knows of the op
     * @param channel the channel
     */
    HalvingDoublingLane(const CollectiveTask& task, uint32_t channel)
        : FoldedLane(task, channel)
    {
    }

  protected:
    uint64_t GetExchanges() const override
    {
        return 2 * uint64_t{m_levels};
    }

    Exchange GetExchange(uint64_t index) const override
    {
        const bool halves = index < m_levels;
        const auto level = static_cast<uint32_t>(halves ? index : GetExchanges() - 1 - index);
        const uint32_t peer = m_rank ^ (1U << level);
        const ByteRange whole = GetKept(level);
        const ByteRange own = Cut(whole, 2, GetBit(m_rank, level));
        const ByteRange others = Cut(whole, 2, GetBit(peer, level));
        return halves ? Exchange{peer, others, own, true} : Exchange{peer, own, others, false};
    }

  private:
    /**
     * @param rank a rank
     * @param level number of a bit
     * @return the bit of its index
     */
    static uint32_t GetBit(uint32_t rank, uint32_t level)
    {
        return rank >> level & 1;
    }

    /**
     * @param level a number of halvings
     * @return what this rank cares for after them
     */
    ByteRange GetKept(uint32_t level) const
    {
        ByteRange kept = m_share;
        for (uint32_t i = 0; i < level; ++i)
        {
            kept = Cut(kept, 2, GetBit(m_rank, i));
        }
        return kept;
    }
};

} // namespace

std::string
HalvingDoublingAllReduce::GetOp() const
{
    return "allreduce";
}

std::string
HalvingDoublingAllReduce::GetName() const
{
    return "halving-doubling";
}

std::vector<std::unique_ptr<CollectiveLane>>
HalvingDoublingAllReduce::CreateLanes(const CollectiveTask& task) const
{
    return CreateChannelLanes<HalvingDoublingLane>(task);
}

std::optional<CollectiveCost>
HalvingDoublingAllReduce::GetCost(const CollectiveTask& task) const
{
    const uint32_t levels = GetFloorLog2(task.GetRanks());
    std::vector<FoldedLane::Round> rounds;
    double bytes = static_cast<double>(task.payload);
    for (uint32_t level = 0; level < levels; ++level)
    {
        bytes /= 2;
        rounds.push_back({1U << level, bytes, true, true});
    }
    for (uint32_t level = levels; level-- > 0; bytes *= 2)
    {
        rounds.push_back({1U << level, bytes, false, true});
    }
    return FoldedLane::GetCost(task, rounds);
}

} // namespace llmfabric
} // namespace ns3
