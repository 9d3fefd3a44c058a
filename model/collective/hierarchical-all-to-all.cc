/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hierarchical-all-to-all.h"

#include "link-load.h"
#include "node-exchange-lane.h"
#include "rail-exchange-lane.h"

namespace ns3
{
namespace llmfabric
{

std::string
HierarchicalAllToAll::GetOp() const
{
    return "alltoall";
}

std::string
HierarchicalAllToAll::GetName() const
{
    return "hierarchical";
}

std::string
HierarchicalAllToAll::GetObstacle(const CollectiveLayout& layout) const
{
    return layout.IsUniform() ? "" : "its nodes have different numbers of members";
}

std::vector<std::unique_ptr<CollectiveLane>>
HierarchicalAllToAll::CreateLanes(const CollectiveTask& task) const
{
    const auto parts = std::make_shared<const AllToAllParts>(task);
    std::vector<std::unique_ptr<CollectiveLane>> lanes;
    for (uint32_t channel = 0; channel < task.cut.channels; ++channel)
    {
        lanes.push_back(std::make_unique<NodeExchangeLane>(task, channel, parts));
        lanes.push_back(std::make_unique<RailExchangeLane>(task, channel, parts, 2 * channel));
    }
    return lanes;
}

std::optional<CollectiveCost>
HierarchicalAllToAll::GetCost(const CollectiveTask& task) const
{
    const CollectiveLayout& layout = *task.layout;
    const bool far = layout.GetNodes() > 1;
    const uint64_t wait = far ? layout.GetNodeSize(0) - 1 : 0; // steps until the rails can begin
    LinkLoad first(layout);
    LinkLoad rest(layout);
    LinkLoad message(layout,
                     static_cast<double>(task.cut.slice) * task.cut.channels); // one of each
    CollectiveTask own = task;
    own.cut.channels = 1; // all channels at once
    const auto parts = std::make_shared<const AllToAllParts>(own);
    for (own.rank = 0; own.rank < task.GetRanks(); ++own.rank)
    {
        const NodeExchangeLane inNode(own, 0, parts);
        const RailExchangeLane onRail(own, 0, parts, 0);
        for (uint64_t i = 0; i < inNode.GetStepCount(); ++i)
        {
            (i < wait ? first : rest).Add(own.rank, inNode.GetStep(i));
        }
        for (uint64_t i = 0; i < onRail.GetStepCount(); ++i)
        {
            rest.Add(own.rank, onRail.GetStep(i));
        }
        if (task.GetRanks() > 1)
        {
            message.Add(own.rank, far ? onRail.GetStep(0) : inNode.GetStep(0));
        }
    }
    // Messages in flight do not wait for each other, so each phase is one long round.
    CollectiveCost cost = first.GetRound(false);
    for (CostPhase phase : rest.GetRound(false))
    {
        phase.slice = message.GetPhase(1, false).slice;
        cost.push_back(phase);
    }
    return cost;
}

} // namespace llmfabric
} // namespace ns3
