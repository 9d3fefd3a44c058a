/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tree-collective.h"

#include "single-step-lane.h"
#include "tree-cost.h"

#include <utility>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param place neighbors of a rank
 * @param range bytes of the tree
 * @return its step on the way up
 */
LaneStep
MakeUpStep(const TreePlace& place, const ByteRange& range)
{
    LaneStep step;
    step.SetReceive(place.children, range);
    step.reduces = true;
    if (place.parent)
    {
        step.SetSend({*place.parent}, range);
    }
    if (!place.children.empty())
    {
        step.sendAfter = {{LaneNeed::SAME, 0, 0, false}};
    }
    return step;
}

/**
 * @param place neighbors of a rank
 * @param range bytes of the tree
 * @return its step on the way down; that of the root waits for nothing
 */
LaneStep
MakeDownStep(const TreePlace& place, const ByteRange& range)
{
    LaneStep step;
    step.SetSend(place.children, range);
    if (place.parent)
    {
        step.SetReceive({*place.parent}, range);
        step.sendAfter = {{LaneNeed::SAME, 0, 0, false}};
    }
    return step;
}

} // namespace

TreeCollective::TreeCollective(const Use& use, std::shared_ptr<const TreeShape> shape)
    : m_use(use),
      m_shape(std::move(shape))
{
}

std::shared_ptr<const TreeCollective>
TreeCollective::AllReduce(std::shared_ptr<const TreeShape> shape)
{
    const Use use{"allreduce", true, true};
    return std::shared_ptr<const TreeCollective>(new TreeCollective(use, std::move(shape)));
}

std::shared_ptr<const TreeCollective>
TreeCollective::Broadcast(std::shared_ptr<const TreeShape> shape)
{
    const Use use{"broadcast", false, true};
    return std::shared_ptr<const TreeCollective>(new TreeCollective(use, std::move(shape)));
}

std::shared_ptr<const TreeCollective>
TreeCollective::Reduce(std::shared_ptr<const TreeShape> shape)
{
    const Use use{"reduce", true, false};
    return std::shared_ptr<const TreeCollective>(new TreeCollective(use, std::move(shape)));
}

std::string
TreeCollective::GetOp() const
{
    return m_use.op;
}

std::string
TreeCollective::GetName() const
{
    return m_shape->GetName();
}

LatencyRow
TreeCollective::GetLatencyRow() const
{
    return m_shape->GetLatencyRow();
}

ChannelTree
TreeCollective::GetTree(const CollectiveTask& task, uint32_t channel, uint32_t number) const
{
    ChannelTree tree{*task.layout, channel, number, {}};
    if (!m_use.up || !m_use.down)
    {
        tree.root = task.root;
    }
    return tree;
}

std::vector<std::unique_ptr<CollectiveLane>>
TreeCollective::CreateLanes(const CollectiveTask& task) const
{
    const uint32_t trees = m_shape->GetTrees();
    std::vector<std::unique_ptr<CollectiveLane>> lanes;
    for (uint32_t i = 0; i < task.cut.channels * trees; ++i)
    {
        const uint32_t channel = i / trees;
        const TreePlace place = m_shape->GetPlace(GetTree(task, channel, i % trees), task.rank);
        const ByteRange range =
            Cut(Cut({0, task.payload}, task.cut.channels, channel), trees, i % trees);
        const auto upLane = static_cast<uint32_t>(lanes.size());
        if (m_use.up)
        {
            lanes.push_back(
                std::make_unique<SingleStepLane>(SingleStepLane::Place{channel, true, 0},
                                                 MakeUpStep(place, range)));
        }
        if (m_use.down)
        {
            LaneStep step = MakeDownStep(place, range);
            if (m_use.up && !place.parent)
            {
                step.sendAfter = {{upLane, 0, 0, false}};
            }
            lanes.push_back(
                std::make_unique<SingleStepLane>(SingleStepLane::Place{channel, true, 0}, step));
        }
    }
    return lanes;
}

std::optional<CollectiveCost>
TreeCollective::GetCost(const CollectiveTask& task) const
{
    TreeCost cost(task, *m_shape);
    for (uint32_t channel = 0; channel < task.cut.channels; ++channel)
    {
        for (uint32_t number = 0; number < m_shape->GetTrees(); ++number)
        {
            cost.Add(GetTree(task, channel, number));
        }
    }
    return cost.Get(m_use.up, m_use.down);
}

} // namespace llmfabric
} // namespace ns3
