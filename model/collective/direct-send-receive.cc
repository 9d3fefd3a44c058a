/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "direct-send-receive.h"

#include "chunk-grid.h"
#include "link-load.h"
#include "single-step-lane.h"

namespace ns3
{
namespace llmfabric
{

std::string
DirectSendReceive::GetOp() const
{
    return "sendrecv";
}

std::string
DirectSendReceive::GetName() const
{
    return "direct";
}

std::vector<std::unique_ptr<CollectiveLane>>
DirectSendReceive::CreateLanes(const CollectiveTask& task) const
{
    const uint32_t ranks = task.GetRanks();
    std::vector<std::unique_ptr<CollectiveLane>> lanes;
    for (uint32_t channel = 0; ranks > 1 && channel < task.cut.channels; ++channel)
    {
        const ByteRange share = Cut({0, task.payload}, task.cut.channels, channel);
        LaneStep step;
        step.SetReceive({(task.rank + ranks - 1) % ranks}, share);
        step.SetSend({(task.rank + 1) % ranks}, share);
        step.sendsInput = true;
        lanes.push_back(
            std::make_unique<SingleStepLane>(SingleStepLane::Place{channel, false, task.rank},
                                             step));
    }
    return lanes;
}

std::optional<CollectiveCost>
DirectSendReceive::GetCost(const CollectiveTask& task) const
{
    const uint32_t ranks = task.GetRanks();
    LinkLoad load(*task.layout, static_cast<double>(task.cut.slice) * task.cut.channels);
    for (uint32_t from = 0; ranks > 1 && from < ranks; ++from)
    {
        load.Add(from, (from + 1) % ranks, static_cast<double>(task.payload));
    }
    return load.GetRound(false);
}

} // namespace llmfabric
} // namespace ns3
