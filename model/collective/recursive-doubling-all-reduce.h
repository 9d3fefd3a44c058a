/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECURSIVE_DOUBLING_ALL_REDUCE_H
#define RECURSIVE_DOUBLING_ALL_REDUCE_H

#include "collective-algorithm.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * AllReduce by recursive doubling (R. Thakur, R. Rabenseifner, W. Gropp, 2005): ranks exchange all
 * that they have added up so far, with the rank at distance 1, then 2, then 4 and so on.
 *
 *     p = 4           step 0    1
 *     rank 0 sends    M to 1    M to 2
 *     rank 1 sends    M to 0    M to 3
 *
 * It takes half the rounds of halving and doubling and sends more: P log2 P M bytes, if P is the
 * largest power of two that is not above p, and 2 (p - P) M more for the ranks that are folded in,
 * see FoldedLane.
 */
class RecursiveDoublingAllReduce : public CollectiveAlgorithm
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

#endif /* RECURSIVE_DOUBLING_ALL_REDUCE_H */
