/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DIRECT_REDUCE_SCATTER_H
#define DIRECT_REDUCE_SCATTER_H

#include "collective-algorithm.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * ReduceScatter in one step: each rank sends each part of its tensor straight to the owner, see
 * DirectLane. All ranks together send (p - 1) M bytes.
 */
class DirectReduceScatter : public CollectiveAlgorithm
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

#endif /* DIRECT_REDUCE_SCATTER_H */
