/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NODE_EXCHANGE_LANE_H
#define NODE_EXCHANGE_LANE_H

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
 * The part in its node of one rank of a hierarchical All-to-All.
 *
 * With N nodes of g members, the rank with local index i in node n gives to its mate j what it has
 * for the member j of each node: that of node n + 1 (mod N) first, and what the mate itself gets
 * last, for nobody else waits for it. For each node there are g - 1 steps; in step k, from 1, it
 * sends to i + k and receives from i - k (mod g). Sends wait for nothing but slots. Offsets are
 * told by GetPieces() only: with uneven parts they take O(p).
 */
class NodeExchangeLane : public CollectiveLane
{
  public:
    /**
     * @param task what the rank knows of the op
     * @param channel the channel
     * @param parts who has what for whom
     */
    NodeExchangeLane(const CollectiveTask& task,
                     uint32_t channel,
                     std::shared_ptr<const AllToAllParts> parts);

    uint32_t GetChannel() const override;
    uint64_t GetStepCount() const override;
    LaneStep GetStep(uint64_t index) const override;
    std::vector<DataPiece> GetPieces(uint64_t index) const override;

  private:
    /**
     * @param index number of a step
     * @param local a local index
     * @return the member of that index in the node whose data the step moves
     */
    uint32_t GetTarget(uint64_t index, uint32_t local) const;
    /**
     * @param index number of a step
     * @return local index of the mate that it sends to
     */
    uint32_t GetMate(uint64_t index) const;

    std::shared_ptr<const CollectiveLayout> m_layout; //!< where the members are
    std::shared_ptr<const AllToAllParts> m_parts;     //!< who has what for whom
    uint32_t m_rank;                                  //!< index of this rank
    uint32_t m_local;                                 //!< its local index
    uint32_t m_size;                                  //!< g
    uint32_t m_channel;                               //!< the channel
};

} // namespace llmfabric
} // namespace ns3

#endif /* NODE_EXCHANGE_LANE_H */
