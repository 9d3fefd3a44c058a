/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RING_REDUCE_SCATTER_H
#define RING_REDUCE_SCATTER_H

#include "collective-algorithm.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * ReduceScatter by a ring: the first half of RingAllReduce (Life of a Token, section 6).
 *
 * The payload is the whole tensor that each rank holds, a ChunkGrid as there. In step s of a loop,
 * from 0 to p - 2, rank r of the ring sends the chunk of owner (r - 1 - s) mod p; the receiver adds
 * it to its own. So rank r ends with part r of the sum. All ranks together send (p - 1) M bytes.
 * With p = 1 or M = 0 the op is over when it starts.
 */
class RingReduceScatter : public CollectiveAlgorithm
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

#endif /* RING_REDUCE_SCATTER_H */
