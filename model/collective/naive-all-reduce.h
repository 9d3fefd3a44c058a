/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NAIVE_ALL_REDUCE_H
#define NAIVE_ALL_REDUCE_H

#include "collective-algorithm.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * AllReduce without an idea: each rank sends its whole input to each other rank, which adds up what
 * comes (Life of a Token, section 6).
 *
 * On lane d - 1, from 1 to p - 1, rank r sends to r + d and receives from r - d (mod p), by the
 * NICs of the GPUs. There is one round, and all ranks together send p (p - 1) M bytes.
 */
class NaiveAllReduce : public CollectiveAlgorithm
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

#endif /* NAIVE_ALL_REDUCE_H */
