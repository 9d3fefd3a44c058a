/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "direct-all-to-all.h"

#include "direct-lane.h"
#include "link-load.h"
#include "pairwise-lane.h"

namespace ns3
{
namespace llmfabric
{

std::string
DirectAllToAll::GetOp() const
{
    return "alltoall";
}

std::string
DirectAllToAll::GetName() const
{
    return "direct";
}

std::vector<std::unique_ptr<CollectiveLane>>
DirectAllToAll::CreateLanes(const CollectiveTask& task) const
{
    CollectiveTask own = task;
    own.cut.channels = DirectLane::GetShares(task);
    const auto parts = std::make_shared<const AllToAllParts>(own);
    std::vector<std::unique_ptr<CollectiveLane>> lanes;
    for (uint32_t share = 0; share < own.cut.channels; ++share)
    {
        for (uint32_t distance = 1; distance < task.GetRanks(); ++distance)
        {
            const PairwiseLane::Distances one{distance, 1};
            lanes.push_back(std::make_unique<PairwiseLane>(own, share, parts, one));
        }
    }
    return lanes;
}

std::optional<CollectiveCost>
DirectAllToAll::GetCost(const CollectiveTask& task) const
{
    const uint32_t ranks = task.GetRanks();
    if (!task.bytes)
    {
        return DirectLane::GetCost(task, false);
    }
    LinkLoad load(*task.layout, DirectLane::GetSlices(task));
    for (uint32_t from = 0; from < ranks; ++from)
    {
        for (uint32_t distance = 1; distance < ranks; ++distance)
        {
            const uint32_t to = (from + distance) % ranks;
            load.Add(from, to, static_cast<double>(task.bytes(from, to)));
        }
    }
    return load.GetRound(false);
}

} // namespace llmfabric
} // namespace ns3
