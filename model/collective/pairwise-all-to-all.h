/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PAIRWISE_ALL_TO_ALL_H
#define PAIRWISE_ALL_TO_ALL_H

#include "collective-algorithm.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * All-to-All in pairs: p - 1 exchanges one after the other, each member with another partner, as
 * MPI does with long messages. Each part goes straight to its receiver:
 *
 *     p = 4           step 1    2    3
 *     rank 0 sends    to 1      2    3
 *     rank 1 sends    to 2      3    0
 *     rank 2 sends    to 3      0    1
 *     rank 3 sends    to 0      1    2
 *
 * All ranks together send (p - 1) M bytes.
 */
class PairwiseAllToAll : public CollectiveAlgorithm
{
  public:
    std::string GetOp() const override;
    std::string GetName() const override;
    std::vector<std::unique_ptr<CollectiveLane>> CreateLanes(
        const CollectiveTask& task) const override;
    std::optional<CollectiveCost> GetCost(const CollectiveTask& task) const override;
};

} // namespace llmfabric
} // namespace ns3

#endif /* PAIRWISE_ALL_TO_ALL_H */
