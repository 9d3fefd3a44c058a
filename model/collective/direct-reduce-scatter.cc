/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "direct-reduce-scatter.h"

#include "direct-lane.h"

namespace ns3
{
namespace llmfabric
{

std::string
DirectReduceScatter::GetOp() const
{
    return "reducescatter";
}

std::string
DirectReduceScatter::GetName() const
{
    return "direct";
}

std::vector<std::unique_ptr<CollectiveLane>>
DirectReduceScatter::CreateLanes(const CollectiveTask& task) const
{
    return DirectLane::CreateAll(task, true);
}

std::optional<CollectiveCost>
DirectReduceScatter::GetCost(const CollectiveTask& task) const
{
    return DirectLane::GetCost(task, true);
}

} // namespace llmfabric
} // namespace ns3
