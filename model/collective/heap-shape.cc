/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "heap-shape.h"

namespace ns3
{
namespace llmfabric
{

std::string
HeapShape::GetName() const
{
    return "binary-tree";
}

TreePlace
HeapShape::GetPlace(const ChannelTree& tree, uint32_t member) const
{
    const CollectiveLayout& layout = tree.layout;
    const uint32_t ranks = layout.GetSize();
    const uint32_t first = tree.root ? layout.GetPosition(tree.channel, *tree.root) : 0;
    const uint32_t number = (layout.GetPosition(tree.channel, member) + ranks - first) % ranks;
    const auto get = [&](uint32_t other) {
        return layout.GetMemberAt(tree.channel, (other + first) % ranks);
    };
    TreePlace place;
    if (number > 0)
    {
        place.parent = get((number - 1) / 2);
    }
    for (uint32_t child = 2 * number + 1; child <= 2 * number + 2 && child < ranks; ++child)
    {
        place.children.push_back(get(child));
    }
    return place;
}

} // namespace llmfabric
} // namespace ns3
