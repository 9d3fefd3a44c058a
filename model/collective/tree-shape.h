/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TREE_SHAPE_H
#define TREE_SHAPE_H

#include "collective-layout.h"
#include "collective-protocol.h"
#include "lane-step.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * One of the trees that a channel has.
 */
struct ChannelTree
{
    const CollectiveLayout& layout; //!< where the members are
    uint32_t channel{0};            //!< the channel
    uint32_t number{0};             //!< number of the tree, below TreeShape::GetTrees()
    std::optional<uint32_t> root{}; //!< the member at its top; none: the shape chooses one
};

/**
 * @ingroup llm-fabric
 * The neighbors of a member in a tree.
 */
struct TreePlace
{
    std::optional<uint32_t> parent{}; //!< none: it is the root
    LanePeers children{};             //!< none: it is a leaf
};

/**
 * @ingroup llm-fabric
 * What trees span the members of a group. A chain is a tree too.
 */
class TreeShape
{
  public:
    virtual ~TreeShape() = default;

    /**
     * @return name of the algorithms that use it, as scenarios call them
     */
    virtual std::string GetName() const = 0;

    /**
     * @return whose start-up costs they have; without an override those of trees
     */
    virtual LatencyRow GetLatencyRow() const
    {
        return LatencyRow::TREE;
    }

    /**
     * @return trees of a channel, which share its bytes
     */
    virtual uint32_t GetTrees() const
    {
        return 1;
    }

    /**
     * @param tree which tree
     * @param member index of a member
     * @return its neighbors
     */
    virtual TreePlace GetPlace(const ChannelTree& tree, uint32_t member) const = 0;
};

} // namespace llmfabric
} // namespace ns3

#endif /* TREE_SHAPE_H */
