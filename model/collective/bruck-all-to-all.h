/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BRUCK_ALL_TO_ALL_H
#define BRUCK_ALL_TO_ALL_H

#include "collective-algorithm.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * All-to-All for small messages: ceil(log2 p) messages of each rank instead of p - 1 (Bruck et al.,
 * "Efficient algorithms for all-to-all communications in multiport message-passing systems", IEEE
 * TPDS 8 (11), 1997).
 *
 * A block that has distance d to go (mod p) travels by way of other ranks, 2^k on for each bit k of
 * d. So of even parts all ranks together send M times the number of bits that are set in 1 to
 * p - 1, about p / 2 blocks of each rank in a step.
 */
class BruckAllToAll : public CollectiveAlgorithm
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

#endif /* BRUCK_ALL_TO_ALL_H */
