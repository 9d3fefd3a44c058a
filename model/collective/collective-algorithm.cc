/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-algorithm.h"

#include <set>

namespace ns3
{
namespace llmfabric
{

LatencyRow
CollectiveAlgorithm::GetLatencyRow() const
{
    return LatencyRow::RING;
}

std::string
CollectiveAlgorithm::GetObstacle(const CollectiveLayout& /* layout */) const
{
    return "";
}

std::optional<CollectiveCost>
CollectiveAlgorithm::GetCost(const CollectiveTask& /* task */) const
{
    return {};
}

std::vector<LanePeer>
GetPeersToSend(const CollectiveAlgorithm& algorithm, const CollectiveTask& task)
{
    std::vector<LanePeer> peers;
    const auto lanes = algorithm.CreateLanes(task);
    for (uint32_t index = 0; index < lanes.size(); ++index)
    {
        const CollectiveLane& lane = *lanes[index];
        std::set<uint32_t> known;
        for (uint64_t i = 0; i < lane.GetStepCount(); ++i)
        {
            const LaneStep step = lane.GetStep(i);
            for (uint32_t peer : step.sendTo)
            {
                if (step.sendBytes > 0 && known.insert(peer).second)
                {
                    peers.push_back({index, lane.GetChannel(), lane.UsesChannelNic(), peer});
                }
            }
        }
    }
    return peers;
}

uint64_t
GetBytesToSend(const CollectiveAlgorithm& algorithm, const CollectiveTask& task)
{
    uint64_t bytes = 0;
    for (const auto& lane : algorithm.CreateLanes(task))
    {
        for (uint64_t i = 0; i < lane->GetStepCount(); ++i)
        {
            const LaneStep step = lane->GetStep(i);
            bytes += step.sendBytes * step.sendTo.size();
        }
    }
    return bytes;
}

} // namespace llmfabric
} // namespace ns3
