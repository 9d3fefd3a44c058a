/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HIERARCHICAL_ALL_REDUCE_H
#define HIERARCHICAL_ALL_REDUCE_H

#include "collective-algorithm.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * AllReduce that crosses the network with as few bytes as can be, on the rails: ReduceScatter in
 * each node, AllReduce of each g-th over the nodes, AllGather in each node. All three go by rings,
 * and loops overlap: see HierarchicalReduceLane.
 *
 *                  sent by each rank           sent by all N nodes of g    one after the other
 *     in nodes     2 (g - 1) / g M             2 N (g - 1) M               2 (g - 1)
 *     on rails     2 (N - 1) / N M / g         2 (N - 1) M                 2 (N - 1)
 *
 * That is 2 (p - 1) M bytes in all, as a ring, but 2 (N + g - 2) steps instead of 2 (p - 1). With
 * one node, or one member of each, it is a ring. All nodes need the same number of members.
 */
class HierarchicalAllReduce : public CollectiveAlgorithm
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

#endif /* HIERARCHICAL_ALL_REDUCE_H */
