/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HIERARCHICAL_ALL_TO_ALL_H
#define HIERARCHICAL_ALL_TO_ALL_H

#include "collective-algorithm.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * All-to-All by way of the GPU on the right rail, as NCCL's PXN does it: data changes its local
 * index over NVLink, in the sender's node, and its node on the rail of its receiver.
 *
 *     2 nodes of 4 GPUs, from 0 to 6      0 1 2 3 | 4 5 6 7
 *     0 gives it to 2, its mate           0 > > 2
 *     2 sends it to 6, by rail 2                2 > > > 6
 *
 * So each GPU sends N - 1 messages between nodes instead of p - g, of g parts each: all ranks
 * together (N - 1) M bytes for each of the g members of a node, and (g - 1) M bytes over NVLink for
 * each of the N nodes. Parts for the own node go straight to their receivers. With one node, or
 * one member of each, all parts do.
 *
 * Each channel has two lanes: NodeExchangeLane and RailExchangeLane. All nodes need the same number
 * of members.
 */
class HierarchicalAllToAll : public CollectiveAlgorithm
{
  public:
    std::string GetOp() const override;
    std::string GetName() const override;
    std::string GetObstacle(const CollectiveLayout& layout) const override;
    std::vector<std::unique_ptr<CollectiveLane>> CreateLanes(
        const CollectiveTask& task) const override;
    std::optional<CollectiveCost> GetCost(const CollectiveTask& task) const override;
};

} // namespace llmfabric
} // namespace ns3

#endif /* HIERARCHICAL_ALL_TO_ALL_H */
