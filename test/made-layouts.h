/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MADE_LAYOUTS_H
#define MADE_LAYOUTS_H

#include "ns3/collective-layout.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/// A layout that tasks share.
using SharedLayout = std::shared_ptr<const CollectiveLayout>;

/**
 * @param sizes members of each node
 * @param perNic members that share a NIC
 * @return a layout whose members are numbered node by node
 */
inline SharedLayout
MakeNodes(const std::vector<uint32_t>& sizes, uint32_t perNic = 1)
{
    std::vector<CollectiveLayout::Place> places;
    for (uint32_t node = 0; node < sizes.size(); ++node)
    {
        for (uint32_t local = 0; local < sizes[node]; ++local)
        {
            places.push_back({node, local / perNic});
        }
    }
    return std::make_shared<const CollectiveLayout>(places);
}

/**
 * @param nodes nodes
 * @param size members of each
 * @param perNic members that share a NIC
 * @return a layout whose members are numbered node by node
 */
inline SharedLayout
MakeNodes(uint32_t nodes, uint32_t size, uint32_t perNic = 1)
{
    return MakeNodes(std::vector<uint32_t>(nodes, size), perNic);
}

/**
 * @param ranks members
 * @param size members of each node, but for the last one, which has the rest
 * @param perNic members that share a NIC
 * @return a layout whose members are numbered node by node
 */
inline SharedLayout
FillNodes(uint32_t ranks, uint32_t size, uint32_t perNic = 1)
{
    std::vector<uint32_t> sizes(ranks / size, size);
    if (ranks % size > 0)
    {
        sizes.push_back(ranks % size);
    }
    return MakeNodes(sizes, perNic);
}

/**
 * @param nodes nodes
 * @param size members of each
 * @return a layout whose members go round the nodes: member i is in node i mod nodes
 */
inline SharedLayout
MakeRoundRobin(uint32_t nodes, uint32_t size)
{
    std::vector<CollectiveLayout::Place> places;
    for (uint32_t index = 0; index < nodes * size; ++index)
    {
        places.push_back({index % nodes, index / nodes});
    }
    return std::make_shared<const CollectiveLayout>(places);
}

} // namespace llmfabric
} // namespace ns3

#endif /* MADE_LAYOUTS_H */
