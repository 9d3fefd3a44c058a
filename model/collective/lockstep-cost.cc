/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lockstep-cost.h"

#include "link-load.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

CollectiveCost
GetLockstepCost(const CollectiveAlgorithm& algorithm, const CollectiveTask& task)
{
    CollectiveTask own = task;
    own.cut.channels = 1; // all channels at once
    std::vector<std::unique_ptr<CollectiveLane>> lanes;
    for (own.rank = 0; own.rank < task.GetRanks(); ++own.rank)
    {
        lanes.push_back(std::move(algorithm.CreateLanes(own).front()));
    }
    CollectiveCost cost;
    for (uint64_t i = 0; i < lanes.front()->GetStepCount(); ++i)
    {
        LinkLoad load(*task.layout);
        for (uint32_t rank = 0; rank < lanes.size(); ++rank)
        {
            load.Add(rank, lanes[rank]->GetStep(i));
        }
        for (const CostPhase& round : load.GetRound(false))
        {
            if (!cost.empty() && cost.back().nearBytes == round.nearBytes &&
                cost.back().farBytes == round.farBytes)
            {
                ++cost.back().rounds;
                continue;
            }
            cost.push_back(round);
        }
    }
    return cost;
}

} // namespace llmfabric
} // namespace ns3
