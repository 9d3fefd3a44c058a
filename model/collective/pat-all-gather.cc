/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pat-all-gather.h"

#include "channel-lanes.h"
#include "pat-lane.h"

namespace ns3
{
namespace llmfabric
{

std::string
PatAllGather::GetOp() const
{
    return "allgather";
}

std::string
PatAllGather::GetName() const
{
    return "pat";
}

LatencyRow
PatAllGather::GetLatencyRow() const
{
    return LatencyRow::PAT;
}

std::vector<std::unique_ptr<CollectiveLane>>
PatAllGather::CreateLanes(const CollectiveTask& task) const
{
    return CreateChannelLanes<PatLane>(task, PatLane::Direction::GATHER);
}

std::optional<CollectiveCost>
PatAllGather::GetCost(const CollectiveTask& task) const
{
    return PatLane::GetCost(task, PatLane::Direction::GATHER);
}

} // namespace llmfabric
} // namespace ns3
