/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RING_ALL_GATHER_H
#define RING_ALL_GATHER_H

#include "collective-algorithm.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * AllGather by a ring: the second half of RingAllReduce (Life of a Token, section 6).
 *
 * The payload is the whole tensor that each rank holds in the end, a ChunkGrid as there; rank r
 * owns part r. In step s of a loop, from 0 to p - 2, rank r of the ring sends the chunk of owner (r
 * - s) mod p. All ranks together send (p - 1) M bytes. With p = 1 or M = 0 the op is over when it
 * starts.
 */
class RingAllGather : public CollectiveAlgorithm
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

#endif /* RING_ALL_GATHER_H */
