/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TREE_COLLECTIVE_H
#define TREE_COLLECTIVE_H

#include "chunk-grid.h"
#include "collective-algorithm.h"
#include "tree-shape.h"

#include <memory>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Collectives over trees: a Reduce goes up, a Broadcast goes down, an AllReduce does both. Chains
 * and binary trees are shapes of trees.
 *
 * Each tree of each channel has its share of the payload. A direction has a lane of one step: what
 * a rank gets on it, it passes on slice by slice, so the slices of a large payload are on all
 * levels at once. The root of an AllReduce sends down what its lane up has.
 *
 *     lanes of channel c, two trees, AllReduce      4 c      tree 0 up
 *                                                   4 c + 1  tree 0 down
 *                                                   4 c + 2  tree 1 up
 *                                                   4 c + 3  tree 1 down
 *
 * A slice takes as many rounds in a direction as the tree is deep. All ranks together send
 * (p - 1) M bytes in a direction.
 */
class TreeCollective : public CollectiveAlgorithm
{
  public:
    /**
     * @param shape the trees
     * @return AllReduce over them; the shape chooses the roots
     */
    static std::shared_ptr<const TreeCollective> AllReduce(std::shared_ptr<const TreeShape> shape);

    /**
     * @param shape the trees
     * @return Broadcast over them, from the root of the op
     */
    static std::shared_ptr<const TreeCollective> Broadcast(std::shared_ptr<const TreeShape> shape);

    /**
     * @param shape the trees
     * @return Reduce over them, to the root of the op
     */
    static std::shared_ptr<const TreeCollective> Reduce(std::shared_ptr<const TreeShape> shape);

    std::string GetOp() const override;
    std::string GetName() const override;
    LatencyRow GetLatencyRow() const override;
    std::vector<std::unique_ptr<CollectiveLane>> CreateLanes(
        const CollectiveTask& task) const override;
    std::optional<CollectiveCost> GetCost(const CollectiveTask& task) const override;

  private:
    /// What an op does with trees.
    struct Use
    {
        std::string op; //!< the op, as scenarios call it
        bool up;        //!< sums go to the root
        bool down;      //!< what the root has goes to all
    };

    /**
     * @param use what is done
     * @param shape the trees
     */
    TreeCollective(const Use& use, std::shared_ptr<const TreeShape> shape);

    /**
     * @param task what the rank knows of the op
     * @param channel a channel
     * @param number number of a tree
     * @return the tree
     */
    ChannelTree GetTree(const CollectiveTask& task, uint32_t channel, uint32_t number) const;

    Use m_use;                                //!< what is done
    std::shared_ptr<const TreeShape> m_shape; //!< the trees
};

} // namespace llmfabric
} // namespace ns3

#endif /* TREE_COLLECTIVE_H */
