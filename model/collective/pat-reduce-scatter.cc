/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pat-reduce-scatter.h"

#include "channel-lanes.h"
#include "pat-lane.h"

namespace ns3
{
namespace llmfabric
{

std::string
PatReduceScatter::GetOp() const
{
    return "reducescatter";
}

std::string
PatReduceScatter::GetName() const
{
    return "pat";
}

LatencyRow
PatReduceScatter::GetLatencyRow() const
{
    return LatencyRow::PAT;
}

std::vector<std::unique_ptr<CollectiveLane>>
PatReduceScatter::CreateLanes(const CollectiveTask& task) const
{
    return CreateChannelLanes<PatLane>(task, PatLane::Direction::REDUCE);
}

std::optional<CollectiveCost>
PatReduceScatter::GetCost(const CollectiveTask& task) const
{
    return PatLane::GetCost(task, PatLane::Direction::REDUCE);
}

} // namespace llmfabric
} // namespace ns3
