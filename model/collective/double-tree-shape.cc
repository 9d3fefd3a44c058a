/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "double-tree-shape.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

std::string
DoubleTreeShape::GetName() const
{
    return "double-binary-tree";
}

uint32_t
DoubleTreeShape::GetTrees() const
{
    return 2;
}

TreePlace
DoubleTreeShape::GetFirstPlace(uint32_t nodes, uint32_t node)
{
    TreePlace place;
    uint32_t reach = 1; // the lowest bit that is set; for node 0 one beyond all nodes
    while (reach < nodes && (node & reach) == 0)
    {
        reach *= 2;
    }
    if (node > 0)
    {
        const uint32_t up = (node - reach) | (2 * reach);
        place.parent = up < nodes ? up : node - reach;
        if (reach > 1)
        {
            place.children.push_back(node - reach / 2);
        }
    }
    // To the right there may be too few nodes for a subtree of full height.
    uint32_t right = reach / 2;
    while (right > 0 && node + right >= nodes)
    {
        right /= 2;
    }
    if (right > 0)
    {
        place.children.push_back(node + right);
    }
    return place;
}

TreePlace
DoubleTreeShape::GetNodePlace(uint32_t number, uint32_t nodes, uint32_t node)
{
    // Which node of tree 0 a node of this tree stands for, and the other way round.
    const bool isMirror = number == 1 && nodes % 2 == 0;
    const uint32_t shift = number == 1 && !isMirror ? 1 : 0;
    const auto toFirst = [&](uint32_t own) {
        return isMirror ? nodes - 1 - own : (own + nodes - shift) % nodes;
    };
    const auto fromFirst = [&](uint32_t first) {
        return isMirror ? nodes - 1 - first : (first + shift) % nodes;
    };
    TreePlace place = GetFirstPlace(nodes, toFirst(node));
    if (place.parent)
    {
        place.parent = fromFirst(*place.parent);
    }
    std::transform(place.children.begin(), place.children.end(), place.children.begin(), fromFirst);
    return place;
}

TreePlace
DoubleTreeShape::GetPlace(const ChannelTree& tree, uint32_t member) const
{
    NS_ABORT_MSG_IF(tree.root, "DoubleTreeShape: it has roots of its own");
    const CollectiveLayout& layout = tree.layout;
    // The ring of channel 0 begins in each node with the member of local index 0.
    const auto getFirst = [&](uint32_t node) {
        return layout.GetPosition(0, layout.GetMember(node, 0));
    };
    const uint32_t node = layout.GetNode(member);
    const uint32_t position = layout.GetPosition(tree.channel, member);
    TreePlace place;
    if (position > getFirst(node))
    {
        place.parent = layout.GetMemberAt(tree.channel, position - 1);
    }
    else
    {
        place = GetNodePlace(tree.number, layout.GetNodes(), node);
        const auto toMember = [&](uint32_t n) {
            return layout.GetMemberAt(tree.channel, getFirst(n));
        };
        place.parent = place.parent ? std::optional(toMember(*place.parent)) : std::nullopt;
        for (uint32_t& child : place.children)
        {
            child = toMember(child);
        }
    }
    if (position + 1 < getFirst(node) + layout.GetNodeSize(node))
    {
        place.children.push_back(layout.GetMemberAt(tree.channel, position + 1));
    }
    return place;
}

} // namespace llmfabric
} // namespace ns3
