/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DOUBLE_TREE_SHAPE_H
#define DOUBLE_TREE_SHAPE_H

#include "tree-shape.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The two trees of NCCL's algorithm Tree: binary trees between nodes, chains within nodes.
 *
 * In tree 0 node 0 is the root, and the height of any other node is that of the lowest bit that is
 * set in its number. Tree 1 is its mirror image, or if the number of nodes is odd the same tree
 * shifted by one:
 *
 *     N = 6   0-----------+                      +-----------5    tree 0: 0 over 4, 4 over 2,
 *                         4                      1                2 over 1 and 3, 4 over 5
 *                 2-------+---+              +---+-------3        tree 1: 5 over 1, ...
 *               1   3         5              0         2   4
 *
 * So nodes that pass on data in one tree are leaves of the other, and both directions of all links
 * are busy; of an odd number of nodes, node 0 has one child in each. The depth is ceil(log2 N).
 *
 * In a node the first member of the channel's ring is in the tree, and the others hang below it as
 * a chain along the ring. The shape can't be told a root.
 */
class DoubleTreeShape : public TreeShape
{
  public:
    std::string GetName() const override;
    uint32_t GetTrees() const override;
    TreePlace GetPlace(const ChannelTree& tree, uint32_t member) const override;

    /**
     * @param number number of the tree, 0 or 1
     * @param nodes N
     * @param node number of a node
     * @return its neighbors in the tree between nodes
     */
    static TreePlace GetNodePlace(uint32_t number, uint32_t nodes, uint32_t node);

  private:
    /**
     * @param nodes N
     * @param node number of a node
     * @return its neighbors in tree 0
     */
    static TreePlace GetFirstPlace(uint32_t nodes, uint32_t node);
};

} // namespace llmfabric
} // namespace ns3

#endif /* DOUBLE_TREE_SHAPE_H */
