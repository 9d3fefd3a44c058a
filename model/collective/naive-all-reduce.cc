/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "naive-all-reduce.h"

#include "link-load.h"
#include "single-step-lane.h"

namespace ns3
{
namespace llmfabric
{

std::string
NaiveAllReduce::GetOp() const
{
    return "allreduce";
}

std::string
NaiveAllReduce::GetName() const
{
    return "naive";
}

std::vector<std::unique_ptr<CollectiveLane>>
NaiveAllReduce::CreateLanes(const CollectiveTask& task) const
{
    const uint32_t ranks = task.GetRanks();
    std::vector<std::unique_ptr<CollectiveLane>> lanes;
    for (uint32_t distance = 1; distance < ranks; ++distance)
    {
        LaneStep step;
        step.SetReceive({(task.rank + ranks - distance) % ranks}, {0, task.payload});
        step.reduces = true;
        step.SetSend({(task.rank + distance) % ranks}, {0, task.payload});
        step.sendsInput = true;
        lanes.push_back(std::make_unique<SingleStepLane>(SingleStepLane::Place{}, step));
    }
    return lanes;
}

std::optional<CollectiveCost>
NaiveAllReduce::GetCost(const CollectiveTask& task) const
{
    LinkLoad load(*task.layout, static_cast<double>(task.cut.slice));
    for (uint32_t member = 0; member < task.GetRanks(); ++member)
    {
        load.AddAll(member, static_cast<double>(task.payload));
    }
    return load.GetRound(true);
}

} // namespace llmfabric
} // namespace ns3
