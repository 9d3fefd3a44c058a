/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ring-reduce-scatter.h"

#include "channel-lanes.h"
#include "ring-lane.h"

namespace ns3
{
namespace llmfabric
{

std::string
RingReduceScatter::GetOp() const
{
    return "reducescatter";
}

std::string
RingReduceScatter::GetName() const
{
    return "ring";
}

std::vector<std::unique_ptr<CollectiveLane>>
RingReduceScatter::CreateLanes(const CollectiveTask& task) const
{
    return CreateChannelLanes<RingLane>(task, RingLane::Range::REDUCE_SCATTER);
}

std::optional<CollectiveCost>
RingReduceScatter::GetCost(const CollectiveTask& task) const
{
    return RingLane::GetCost(task, RingLane::Range::REDUCE_SCATTER);
}

} // namespace llmfabric
} // namespace ns3
