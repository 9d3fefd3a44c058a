/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DIRECT_ALL_TO_ALL_H
#define DIRECT_ALL_TO_ALL_H

#include "collective-algorithm.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * All-to-All in one step: each rank sends each other its part at once, see DirectLane.
 *
 * The parts are those of a PayloadSplit, or what CollectiveTask::bytes says. Even parts make
 * (p - 1) M bytes of all ranks together.
 */
class DirectAllToAll : public CollectiveAlgorithm
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

#endif /* DIRECT_ALL_TO_ALL_H */
