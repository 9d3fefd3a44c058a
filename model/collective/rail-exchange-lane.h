/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RAIL_EXCHANGE_LANE_H
#define RAIL_EXCHANGE_LANE_H

#include "all-to-all-parts.h"
#include "collective-lane.h"
#include "collective-task.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The part between nodes of one rank of a hierarchical All-to-All.
 *
 * With N nodes of g members, the rank with local index j in node n sends in step d, from 1 to N -
 * 1, to the member j of node n + d what all members of its node have for that one, and receives the
 * like from node n - d (mod N). A message of g pieces leaves when the mates have given theirs: see
 * NodeExchangeLane, whose steps come in the same order of nodes. To tell a step takes O(g) time if
 * parts are uneven.
 */
class RailExchangeLane : public CollectiveLane
{
  public:
    /**
     * @param task what the rank knows of the op
     * @param channel the channel
     * @param parts who has what for whom
     * @param nodeLane index of the channel's NodeExchangeLane
     */
    RailExchangeLane(const CollectiveTask& task,
                     uint32_t channel,
                     std::shared_ptr<const AllToAllParts> parts,
                     uint32_t nodeLane);

    uint32_t GetChannel() const override;
    uint64_t GetStepCount() const override;
    LaneStep GetStep(uint64_t index) const override;
    std::vector<DataPiece> GetPieces(uint64_t index) const override;

  private:
    /**
     * @param from a node
     * @param to a member
     * @return what all members of the node have for that one, bytes
     */
    uint64_t GetBytes(uint32_t from, uint32_t to) const;

    std::shared_ptr<const CollectiveLayout> m_layout; //!< where the members are
    std::shared_ptr<const AllToAllParts> m_parts;     //!< who has what for whom
    uint32_t m_rank;                                  //!< index of this rank
    uint32_t m_node;                                  //!< number of its node
    uint32_t m_local;                                 //!< its local index
    uint32_t m_size;                                  //!< g
    uint32_t m_channel;                               //!< the channel
    uint32_t m_nodeLane;                              //!< index of the lane that it waits for
};

} // namespace llmfabric
} // namespace ns3

#endif /* RAIL_EXCHANGE_LANE_H */
