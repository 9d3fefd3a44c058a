/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DIRECT_LANE_H
#define DIRECT_LANE_H

#include "collective-cost.h"
#include "collective-lane.h"
#include "collective-task.h"
#include "payload-split.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The messages of one distance d of a collective in which each rank sends straight to each other,
 * all at once: rank r sends to r + d and receives from r - d (mod p), in one step.
 *
 * There is a lane for each distance from 1 to p - 1, in this order, so ranks send to the next one
 * first and not all of them to the same. Where there are more channels than distances, messages are
 * cut in as many shares as there are channels for each, and lanes are ordered by share first, which
 * is their channel.
 */
class DirectLane : public CollectiveLane
{
  public:
    /**
     * @param task what the rank knows of an AllGather or ReduceScatter
     * @param share number of the share of the messages
     * @param distance d
     * @param reduces it is a ReduceScatter: a message is the receiver's part, which is added; else
     *        it is the sender's
     */
    DirectLane(const CollectiveTask& task, uint32_t share, uint32_t distance, bool reduces);

    uint32_t GetChannel() const override;
    uint64_t GetStepCount() const override;
    LaneStep GetStep(uint64_t index) const override;

    /**
     * @param task what the rank knows of the op
     * @param reduces it is a ReduceScatter, else an AllGather
     * @return the lanes
     */
    static std::vector<std::unique_ptr<CollectiveLane>> CreateAll(const CollectiveTask& task,
                                                                  bool reduces);

    /**
     * @param task an op whose parts are even
     * @param reduces what is received is added to what the rank holds
     * @return what it costs
     */
    static CollectiveCost GetCost(const CollectiveTask& task, bool reduces);

    /**
     * @param task an op
     * @return in how many shares its messages are cut
     */
    static uint32_t GetShares(const CollectiveTask& task);

    /**
     * @param task an op
     * @return the first slices of a message, those of all shares together, bytes
     */
    static double GetSlices(const CollectiveTask& task);

  private:
    PayloadSplit m_parts; //!< parts of the payload, by owner
    uint32_t m_shares;    //!< in how many shares messages are cut
    uint32_t m_share;     //!< number of the share
    uint32_t m_rank;      //!< index of this rank
    uint32_t m_distance;  //!< d
    bool m_reduces;       //!< a message is the receiver's part
};

} // namespace llmfabric
} // namespace ns3

#endif /* DIRECT_LANE_H */
