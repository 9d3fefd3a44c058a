/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ring-all-gather.h"

#include "channel-lanes.h"
#include "ring-lane.h"

namespace ns3
{
namespace llmfabric
{

std::string
RingAllGather::GetOp() const
{
    return "allgather";
}

std::string
RingAllGather::GetName() const
{
    return "ring";
}

std::vector<std::unique_ptr<CollectiveLane>>
RingAllGather::CreateLanes(const CollectiveTask& task) const
{
    return CreateChannelLanes<RingLane>(task, RingLane::Range::ALL_GATHER);
}

std::optional<CollectiveCost>
RingAllGather::GetCost(const CollectiveTask& task) const
{
    return RingLane::GetCost(task, RingLane::Range::ALL_GATHER);
}

} // namespace llmfabric
} // namespace ns3
