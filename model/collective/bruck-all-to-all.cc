/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "bruck-all-to-all.h"

#include "bruck-lane.h"
#include "channel-lanes.h"
#include "lockstep-cost.h"

namespace ns3
{
namespace llmfabric
{

std::string
BruckAllToAll::GetOp() const
{
    return "alltoall";
}

std::string
BruckAllToAll::GetName() const
{
    return "bruck";
}

std::vector<std::unique_ptr<CollectiveLane>>
BruckAllToAll::CreateLanes(const CollectiveTask& task) const
{
    return CreateChannelLanes<BruckLane>(task, std::make_shared<const AllToAllParts>(task));
}

std::optional<CollectiveCost>
BruckAllToAll::GetCost(const CollectiveTask& task) const
{
    return GetLockstepCost(*this, task);
}

} // namespace llmfabric
} // namespace ns3
