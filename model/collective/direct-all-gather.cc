/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "direct-all-gather.h"

#include "direct-lane.h"

namespace ns3
{
namespace llmfabric
{

std::string
DirectAllGather::GetOp() const
{
    return "allgather";
}

std::string
DirectAllGather::GetName() const
{
    return "direct";
}

std::vector<std::unique_ptr<CollectiveLane>>
DirectAllGather::CreateLanes(const CollectiveTask& task) const
{
    return DirectLane::CreateAll(task, false);
}

std::optional<CollectiveCost>
DirectAllGather::GetCost(const CollectiveTask& task) const
{
    return DirectLane::GetCost(task, false);
}

} // namespace llmfabric
} // namespace ns3
