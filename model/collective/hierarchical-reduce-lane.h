/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HIERARCHICAL_REDUCE_LANE_H
#define HIERARCHICAL_REDUCE_LANE_H

#include "chunk-grid.h"
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
 * One stage of one rank of a hierarchical AllReduce, over N nodes of g members.
 *
 * A channel has three lanes, one for each stage. In each loop:
 *
 *     SCATTER   ring over the g members of the node: each ends with its chunk of the node's sum
 *     RAIL      ring over the N members of its local index: AllReduce of that chunk, cut in N
 *     GATHER    ring over the node: each passes on what has come by rail
 *
 * The payload is a ChunkGrid with g owners: the chunk of a loop is N times that of the cut, so that
 * messages on a rail have that of the cut. In the ring of channel c place 0 is the local index c
 * (mod g), so that the channels' first chunks belong to different rails.
 *
 * The rail takes and sends bytes of its chunk as soon as SCATTER has summed them up; GATHER waits
 * for the whole chunk of a loop, since a rail ends each of its pieces at another time. Meanwhile
 * the other lanes do other loops. Lanes that have no peers have no steps.
 */
class HierarchicalReduceLane : public CollectiveLane
{
  public:
    /// Which stage it does; in the order of a channel's lanes.
    enum Stage : uint32_t
    {
        SCATTER,
        RAIL,
        GATHER,
        STAGES //!< number of stages
    };

    /**
     * @param task what the rank knows of the op; all nodes have as many members
     * @param channel the channel, whose lanes begin with lane channel * STAGES
     * @param stage which stage
     */
    HierarchicalReduceLane(const CollectiveTask& task, uint32_t channel, Stage stage);

    uint32_t GetChannel() const override;
    uint64_t GetStepCount() const override;
    LaneStep GetStep(uint64_t index) const override;

  private:
    /**
     * @param index number of a step of SCATTER or GATHER
     * @return the step
     */
    LaneStep GetNodeStep(uint64_t index) const;
    /**
     * @param index number of a step of RAIL
     * @return the step
     */
    LaneStep GetRailStep(uint64_t index) const;
    /**
     * @param loop a loop
     * @param shift bytes of this rank's chunk beyond the end of the slice that waits
     * @param needs what waits until the node's sum of these is there
     */
    void AddScatter(uint64_t loop, int64_t shift, LaneNeeds& needs) const;
    /**
     * @param loop a loop
     * @param needs what waits until a slice of this rank's chunk has its final value
     */
    void AddRail(uint64_t loop, LaneNeeds& needs) const;
    /**
     * @param place a place in the ring of the node, at most twice g
     * @return the member there
     */
    uint32_t GetMate(uint32_t place) const;

    std::shared_ptr<const CollectiveLayout> m_layout; //!< where the members are
    uint32_t m_nodes;                                 //!< N
    uint32_t m_size;                                  //!< g
    uint32_t m_node;                                  //!< number of this rank's node
    uint32_t m_local;                                 //!< its local index
    uint32_t m_channel;                               //!< the channel
    uint32_t m_place;                                 //!< place in the ring of its node
    Stage m_stage;                                    //!< which stage
    ChunkGrid m_grid;                                 //!< the payload, owners by place
};

} // namespace llmfabric
} // namespace ns3

#endif /* HIERARCHICAL_REDUCE_LANE_H */
