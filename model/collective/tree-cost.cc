/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tree-cost.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace ns3
{
namespace llmfabric
{

TreeCost::TreeCost(const CollectiveTask& task, const TreeShape& shape)
    : m_shape(shape),
      m_bytes(static_cast<double>(task.payload) / task.cut.channels / shape.GetTrees()),
      m_first(m_bytes > 0 ? std::min(1.0, static_cast<double>(task.cut.slice) / m_bytes) : 0),
      m_down(*task.layout),
      m_both(*task.layout)
{
}

void
TreeCost::Add(const ChannelTree& tree)
{
    uint32_t root = 0;
    for (auto up = m_shape.GetPlace(tree, root).parent; up;
         up = m_shape.GetPlace(tree, root).parent)
    {
        root = *up;
    }
    std::vector<Way> open{{root, 0, 0}};
    while (!open.empty())
    {
        const Way way = open.back();
        open.pop_back();
        if (std::tie(way.far, way.near) > std::tie(m_longest.far, m_longest.near))
        {
            m_longest = way;
        }
        for (uint32_t child : m_shape.GetPlace(tree, way.member).children)
        {
            const bool far = tree.layout.GetNode(child) != tree.layout.GetNode(way.member);
            m_down.AddOnChannel(tree.channel, way.member, child, m_bytes);
            m_both.AddOnChannel(tree.channel, way.member, child, m_bytes);
            m_both.AddOnChannel(tree.channel, child, way.member, m_bytes);
            open.push_back({child, way.far + (far ? 1 : 0), way.near + (far ? 0 : 1)});
        }
    }
}

CollectiveCost
TreeCost::Get(bool up, bool down) const
{
    CollectiveCost cost;
    const auto addWay = [&](bool reduces) { // of the first slice; up or down, links are as busy
        const double far = m_down.GetFar() * m_first;
        const double near = m_down.GetNear() * m_first;
        cost.push_back({static_cast<double>(m_longest.far), true, far, 0, far, reduces});
        cost.push_back({static_cast<double>(m_longest.near), false, near, near, 0, reduces});
    };
    if (m_first > 0 && up)
    {
        addWay(true);
    }
    if (m_first > 0 && down)
    {
        addWay(false);
    }
    if (m_first > 0 && m_first < 1)
    {
        const LinkLoad& load = up && down ? m_both : m_down;
        const double rest = 1 - m_first;
        cost.push_back({1, load.GetFar() > 0, 0, load.GetNear() * rest, load.GetFar() * rest, up});
    }
    cost.erase(std::remove_if(cost.begin(),
                              cost.end(),
                              [](const CostPhase& phase) { return phase.rounds == 0; }),
               cost.end());
    return cost;
}

} // namespace llmfabric
} // namespace ns3
