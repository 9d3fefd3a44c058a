/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FOLDED_LANE_H
#define FOLDED_LANE_H

#include "chunk-grid.h"
#include "collective-cost.h"
#include "collective-lane.h"
#include "collective-task.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * One rank of an AllReduce whose ranks exchange data in pairs, for any number of ranks.
 *
 * The pairs need a power of two, P. Of p ranks, rank P + i first sends its data to rank i, which
 * adds it to its own and sends the result back at the end:
 *
 *     p = 6, P = 4    0 <- 4    exchanges of    0 -> 4
 *                     1 <- 5    0 1 2 3         1 -> 5
 *
 * Each channel does that with its share of the payload. A send waits for exactly the bytes that it
 * carries, so slices of several exchanges are under way at a time. To tell an exchange takes up to
 * O(log p) time.
 */
class FoldedLane : public CollectiveLane
{
  public:
    /// Exchanges of all pairs of some distance, as the cost model sees them.
    struct Round
    {
        uint32_t distance; //!< each rank exchanges with its index XOR this
        double bytes;      //!< that each sends, all channels together
        bool reduces;      //!< they are added up
        bool overtakes;    //!< the next round begins with what came first, before this one is over
    };

    uint32_t GetChannel() const override;
    uint64_t GetStepCount() const override;
    LaneStep GetStep(uint64_t index) const override;

    /**
     * @param task an op
     * @param rounds the exchanges of P ranks
     * @return what they cost, and the messages of the other ranks
     */
    static CollectiveCost GetCost(const CollectiveTask& task, const std::vector<Round>& rounds);

  protected:
    /// What a rank does in a step; either range may be empty.
    struct Exchange
    {
        uint32_t peer;      //!< with whom
        ByteRange sends;    //!< what it sends
        ByteRange receives; //!< what it receives
        bool reduces;       //!< which is added to what it holds
    };

    /**
     * @param task what the rank knows of the op
     * @param channel the channel
     */
    FoldedLane(const CollectiveTask& task, uint32_t channel);

    /**
     * @return exchanges of a rank below P
     */
    virtual uint64_t GetExchanges() const = 0;

    /**
     * What a rank below P sends must be its input, or received in the exchange before, or sent in
     * it.
     *
     * @param index number of an exchange
     * @return the exchange
     */
    virtual Exchange GetExchange(uint64_t index) const = 0;

    const uint32_t m_rank;   //!< index of this rank
    const uint32_t m_levels; //!< log2 P
    const ByteRange m_share; //!< the channel's share of the payload

  private:
    /**
     * @param index number of a step
     * @return what is done in it
     */
    Exchange GetAny(uint64_t index) const;

    const uint32_t m_channel; //!< the channel
    const uint32_t m_ranks;   //!< p
};

} // namespace llmfabric
} // namespace ns3

#endif /* FOLDED_LANE_H */
