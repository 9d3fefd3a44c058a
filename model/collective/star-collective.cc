/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "star-collective.h"

#include "link-load.h"
#include "single-step-lane.h"

namespace ns3
{
namespace llmfabric
{

StarCollective::StarCollective(const std::string& op, bool toRoot)
    : m_op(op),
      m_toRoot(toRoot)
{
}

std::shared_ptr<const StarCollective>
StarCollective::Broadcast()
{
    return std::shared_ptr<const StarCollective>(new StarCollective("broadcast", false));
}

std::shared_ptr<const StarCollective>
StarCollective::Reduce()
{
    return std::shared_ptr<const StarCollective>(new StarCollective("reduce", true));
}

std::string
StarCollective::GetOp() const
{
    return m_op;
}

std::string
StarCollective::GetName() const
{
    return "direct";
}

std::vector<std::unique_ptr<CollectiveLane>>
StarCollective::CreateLanes(const CollectiveTask& task) const
{
    const uint32_t ranks = task.GetRanks();
    std::vector<std::unique_ptr<CollectiveLane>> lanes;
    for (uint32_t distance = 1; distance < ranks; ++distance)
    {
        const uint32_t other = (task.root + distance) % ranks;
        const uint32_t sender = m_toRoot ? other : task.root;
        const uint32_t receiver = m_toRoot ? task.root : other;
        LaneStep step;
        if (task.rank == sender)
        {
            step.SetSend({receiver}, {0, task.payload});
        }
        if (task.rank == receiver)
        {
            step.SetReceive({sender}, {0, task.payload});
            step.reduces = m_toRoot;
        }
        lanes.push_back(std::make_unique<SingleStepLane>(SingleStepLane::Place{}, step));
    }
    return lanes;
}

std::optional<CollectiveCost>
StarCollective::GetCost(const CollectiveTask& task) const
{
    // The root's links are as busy as any, whichever way the bytes go.
    LinkLoad load(*task.layout, static_cast<double>(task.cut.slice));
    load.AddAll(task.root, static_cast<double>(task.payload));
    return load.GetRound(m_toRoot);
}

} // namespace llmfabric
} // namespace ns3
