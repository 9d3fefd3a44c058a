/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ring-all-reduce.h"

#include "channel-lanes.h"
#include "ring-lane.h"

namespace ns3
{
namespace llmfabric
{

std::string
RingAllReduce::GetOp() const
{
    return "allreduce";
}

std::string
RingAllReduce::GetName() const
{
    return "ring";
}

std::vector<std::unique_ptr<CollectiveLane>>
RingAllReduce::CreateLanes(const CollectiveTask& task) const
{
    return CreateChannelLanes<RingLane>(task, RingLane::Range::ALL_REDUCE);
}

std::optional<CollectiveCost>
RingAllReduce::GetCost(const CollectiveTask& task) const
{
    return RingLane::GetCost(task, RingLane::Range::ALL_REDUCE);
}

} // namespace llmfabric
} // namespace ns3
