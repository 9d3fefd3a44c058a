/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RING_LANE_H
#define RING_LANE_H

#include "chunk-grid.h"
#include "collective-cost.h"
#include "collective-lane.h"
#include "collective-task.h"

#include <cstdint>
#include <memory>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * One rank of a collective that passes chunks around the ring of a channel.
 *
 * At position q of the ring a rank sends to q + 1 and receives from q - 1 (mod p). The payload is a
 * ChunkGrid whose owners are the members. In each loop there is one schedule, of which each
 * collective takes a range: in place t the rank at position q sends the chunk of the member at
 * position q - t (mod p). What is received in a place is what is sent in the next one, slice by
 * slice.
 *
 *     p = 4            place 0   1   2   3   4   5
 *     position 0 sends      c0  c3  c2  c1  c0  c3
 *     position 1 sends      c1  c0  c3  c2  c1  c0
 *     position 2 sends      c2  c1  c0  c3  c2  c1
 *     position 3 sends      c3  c2  c1  c0  c3  c2
 *                          AllGather
 *                              ReduceScatter
 *                          AllReduce, all of it
 *
 * Of each loop's steps the first one sends only and the last one receives only.
 */
class RingLane : public CollectiveLane
{
  public:
    /// Which part of the schedule is done.
    enum class Range
    {
        ALL_REDUCE,
        REDUCE_SCATTER,
        ALL_GATHER
    };

    /**
     * @param task what the rank knows of the op
     * @param channel the channel
     * @param range which part of the schedule
     */
    RingLane(const CollectiveTask& task, uint32_t channel, Range range);

    uint32_t GetChannel() const override;
    bool UsesChannelNic() const override;
    uint64_t GetStepCount() const override;
    LaneStep GetStep(uint64_t index) const override;

    /**
     * @param task an op
     * @param range which part of the schedule
     * @return what it costs
     */
    static CollectiveCost GetCost(const CollectiveTask& task, Range range);

  private:
    /**
     * @param range which part of the schedule
     * @param ranks p
     * @return messages that a rank sends in a loop
     */
    static uint64_t GetSends(Range range, uint32_t ranks);

    std::shared_ptr<const CollectiveLayout> m_layout; //!< the ring
    ChunkGrid m_grid;                                 //!< the payload
    uint32_t m_rank;                                  //!< index of this rank
    uint32_t m_channel;                               //!< the channel
    uint32_t m_ranks;                                 //!< p
    Range m_range;                                    //!< which part of the schedule
};

} // namespace llmfabric
} // namespace ns3

#endif /* RING_LANE_H */
