/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hierarchical-all-reduce.h"

#include "hierarchical-reduce-lane.h"
#include "link-load.h"
#include "ring-lane.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param layout where the members are
 * @param bytes size of a message
 * @param slice its first slice, bytes
 * @return what is loaded if each member sends a message to the next node on its rail
 */
LinkLoad
GetRailLoad(const CollectiveLayout& layout, double bytes, double slice)
{
    LinkLoad load(layout, slice);
    for (uint32_t member = 0; member < layout.GetSize(); ++member)
    {
        const uint32_t next = (layout.GetNode(member) + 1) % layout.GetNodes();
        load.Add(member, layout.GetMember(next, layout.GetLocal(member)), bytes);
    }
    return load;
}

} // namespace

std::string
HierarchicalAllReduce::GetOp() const
{
    return "allreduce";
}

std::string
HierarchicalAllReduce::GetName() const
{
    return "hierarchical";
}

std::string
HierarchicalAllReduce::GetObstacle(const CollectiveLayout& layout) const
{
    return layout.IsUniform() ? "" : "its nodes have different numbers of members";
}

std::vector<std::unique_ptr<CollectiveLane>>
HierarchicalAllReduce::CreateLanes(const CollectiveTask& task) const
{
    using Lane = HierarchicalReduceLane;
    std::vector<std::unique_ptr<CollectiveLane>> lanes;
    for (uint32_t channel = 0; channel < task.cut.channels; ++channel)
    {
        for (Lane::Stage stage : {Lane::SCATTER, Lane::RAIL, Lane::GATHER})
        {
            lanes.push_back(std::make_unique<Lane>(task, channel, stage));
        }
    }
    return lanes;
}

std::optional<CollectiveCost>
HierarchicalAllReduce::GetCost(const CollectiveTask& task) const
{
    const uint32_t nodes = task.layout->GetNodes();
    const uint32_t size = task.layout->GetNodeSize(0);
    const uint32_t channels = task.cut.channels;
    const ChunkGrid grid(task.payload, size, channels, task.cut.chunk * nodes);
    const std::vector<ChunkGrid::Run> runs = grid.GetRuns();
    if (nodes == 1 || size == 1 || runs.empty())
    {
        return RingLane::GetCost(task, RingLane::Range::ALL_REDUCE); // it is a ring, or nothing
    }
    const double part = static_cast<double>(task.payload) / size; // of a rank
    const double first = runs.front().bytes;
    const double last = runs.back().bytes;
    const double slice = static_cast<double>(task.cut.slice) * channels;
    // In between the rails are at work, and the nodes with other loops.
    const uint32_t turn = nodes - 1;
    const double meanwhile =
        (size - 1) * (2 * part - first - last) / (static_cast<double>(grid.GetLoops()) * 2 * turn);
    CollectiveCost cost{{size - 1.0, false, std::min(first, slice), first, 0, true}};
    for (const ChunkGrid::Run& run : runs)
    {
        const LinkLoad load = GetRailLoad(*task.layout, run.bytes / nodes, slice);
        for (bool reduces : {true, false})
        {
            cost.push_back(load.GetPhase(run.loops * turn, reduces));
            cost.back().nearBytes = meanwhile;
        }
    }
    cost.push_back({size - 1.0, false, std::min(last, slice), last, 0, false});
    return cost;
}

} // namespace llmfabric
} // namespace ns3
