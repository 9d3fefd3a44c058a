/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chain-shape.h"

namespace ns3
{
namespace llmfabric
{

std::string
ChainShape::GetName() const
{
    return "ring";
}

LatencyRow
ChainShape::GetLatencyRow() const
{
    return LatencyRow::RING;
}

TreePlace
ChainShape::GetPlace(const ChannelTree& tree, uint32_t member) const
{
    const CollectiveLayout& layout = tree.layout;
    const uint32_t ranks = layout.GetSize();
    const uint32_t first = tree.root ? layout.GetPosition(tree.channel, *tree.root) : 0;
    const uint32_t position = layout.GetPosition(tree.channel, member);
    const uint32_t next = (position + 1) % ranks;
    TreePlace place;
    if (position != first)
    {
        place.parent = layout.GetMemberAt(tree.channel, (position + ranks - 1) % ranks);
    }
    if (next != first)
    {
        place.children = {layout.GetMemberAt(tree.channel, next)};
    }
    return place;
}

} // namespace llmfabric
} // namespace ns3
