/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pairwise-all-to-all.h"

#include "channel-lanes.h"
#include "lockstep-cost.h"
#include "pairwise-lane.h"

namespace ns3
{
namespace llmfabric
{

std::string
PairwiseAllToAll::GetOp() const
{
    return "alltoall";
}

std::string
PairwiseAllToAll::GetName() const
{
    return "pairwise";
}

std::vector<std::unique_ptr<CollectiveLane>>
PairwiseAllToAll::CreateLanes(const CollectiveTask& task) const
{
    const PairwiseLane::Distances all{1, task.GetRanks() - 1};
    return CreateChannelLanes<PairwiseLane>(task, std::make_shared<const AllToAllParts>(task), all);
}

std::optional<CollectiveCost>
PairwiseAllToAll::GetCost(const CollectiveTask& task) const
{
    return GetLockstepCost(*this, task);
}

} // namespace llmfabric
} // namespace ns3
