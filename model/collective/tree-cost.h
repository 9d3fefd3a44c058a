/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TREE_COST_H
#define TREE_COST_H

#include "collective-cost.h"
#include "collective-task.h"
#include "link-load.h"
#include "tree-shape.h"

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * What it costs to send bytes up and down trees, slice by slice: the first slice goes from level to
 * level; the others follow it as fast as the busiest link allows, on which both directions meet.
 */
class TreeCost
{
  public:
    /**
     * @param task the op; must outlive this
     * @param shape its trees; must outlive this
     */
    TreeCost(const CollectiveTask& task, const TreeShape& shape);

    /**
     * @param tree a tree whose share of the payload is sent too
     */
    void Add(const ChannelTree& tree);

    /**
     * @param up the bytes go up
     * @param down the bytes go down, after that
     * @return what it costs
     */
    CollectiveCost Get(bool up, bool down) const;

  private:
    /// A way from the root to a member.
    struct Way
    {
        uint32_t member; //!< the member
        uint32_t far;    //!< hops between nodes
        uint32_t near;   //!< hops within nodes
    };

    const TreeShape& m_shape; //!< the trees
    double m_bytes;           //!< share of a tree, bytes
    double m_first;           //!< which part of it the first slice is
    LinkLoad m_down;          //!< what links carry on the way down
    LinkLoad m_both;          //!< what they carry up and down
    Way m_longest{0, 0, 0};   //!< the way with the most hops, first of all those between nodes
};

} // namespace llmfabric
} // namespace ns3

#endif /* TREE_COST_H */
