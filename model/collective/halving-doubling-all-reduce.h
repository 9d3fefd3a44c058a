/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HALVING_DOUBLING_ALL_REDUCE_H
#define HALVING_DOUBLING_ALL_REDUCE_H

#include "collective-algorithm.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * AllReduce by recursive halving and doubling (R. Thakur, R. Rabenseifner, W. Gropp: Optimization
 * of Collective Communication Operations in MPICH, 2005).
 *
 * A ReduceScatter: ranks exchange halves of what they still care for, with the nearest rank first,
 * so that the large messages go the short ways. Then an AllGather: the same exchanges backwards.
 *
 *     p = 4           step 0     1          2          3
 *     rank 0 sends    M/2 to 1   M/4 to 2   M/4 to 2   M/2 to 1
 *     rank 1 sends    M/2 to 0   M/4 to 3   M/4 to 3   M/2 to 0
 *                     ReduceScatter         AllGather
 *
 * Ranks beyond a power of two are folded in, see FoldedLane. All ranks together send 2 (p - 1) M
 * bytes, for any p, in 2 floor(log2 p) rounds, and two more if p is no power of two.
 */
class HalvingDoublingAllReduce : public CollectiveAlgorithm
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

#endif /* HALVING_DOUBLING_ALL_REDUCE_H */
