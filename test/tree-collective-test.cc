/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-run.h"
#include "collective-tasks.h"
#include "lane-rounds.h"

#include "ns3/all-reduce-cost.h"
#include "ns3/collective-registry.h"
#include "ns3/double-tree-shape.h"
#include "ns3/heap-shape.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

using namespace ns3::llmfabric;

namespace
{

/**
 * Follows parents to the root; a test failure if they don't lead there, or a parent does not know
 * its child.
 *
 * @param shape a shape
 * @param tree one of its trees
 * @return hops from the root to the farthest member
 */
uint32_t
GetDepth(const TreeShape& shape, const ChannelTree& tree)
{
    const uint32_t ranks = tree.layout.GetSize();
    uint32_t deepest = 0;
    std::set<uint32_t> roots;
    for (uint32_t member = 0; member < ranks; ++member)
    {
        uint32_t depth = 0;
        uint32_t at = member;
        for (auto place = shape.GetPlace(tree, at); place.parent && depth < ranks; ++depth)
        {
            const uint32_t child = at;
            at = *place.parent;
            place = shape.GetPlace(tree, at);
            EXPECT_EQ(std::count(place.children.begin(), place.children.end(), child), 1)
                << at << " over " << child;
        }
        roots.insert(at);
        deepest = std::max(deepest, depth);
    }
    EXPECT_EQ(roots.size(), 1u);
    return deepest;
}

TEST(BinaryTreeAllReduce, TakesTwiceFloorLog2RoundsAndTheBytesOfTheFormula)
{
    const auto algorithm = CollectiveRegistry().Get("allreduce", "binary-tree");
    for (uint32_t ranks = 2; ranks <= 40; ++ranks)
    {
        const CollectiveTask task = MakeTask(MakeNodes(ranks, 1), 1000);
        CollectiveRun run(*algorithm, task, 0, ranks);
        run.Run();
        const AllReduceCost formula = AllReduceCost::GetAll(ranks, 1000)[2];
        EXPECT_EQ(LaneRounds(*algorithm, task).Get(), formula.steps) << ranks;
        EXPECT_EQ(formula.steps, 2 * FloorLog2(ranks)) << ranks;
        EXPECT_EQ(run.GetTotal(), static_cast<uint64_t>(formula.totalBytes)) << ranks;
        EXPECT_EQ(run.GetMessages(), 2 * (ranks - 1)) << ranks;
    }
}

TEST(BinaryTreeAllReduce, TheRootSendsToItsChildrenOnlyAndALeafToItsParentOnly)
{
    const auto algorithm = CollectiveRegistry().Get("allreduce", "binary-tree");
    CollectiveTask task = MakeTask(MakeNodes(7, 1), 1000);
    EXPECT_EQ(GetBytesToSend(*algorithm, task), 2000u);
    task.rank = 1; // up to 0, down to 3 and 4
    const auto peers = GetPeersToSend(*algorithm, task);
    ASSERT_EQ(peers.size(), 3u);
    EXPECT_EQ(peers[0].peer, 0u);
    EXPECT_EQ(peers[0].lane, 0u);
    EXPECT_EQ(peers[1].peer, 3u);
    EXPECT_EQ(peers[2].peer, 4u);
    EXPECT_EQ(peers[2].lane, 1u);
    EXPECT_TRUE(peers[0].channelNic);
    task.rank = 6;
    EXPECT_EQ(GetBytesToSend(*algorithm, task), 1000u);
}

TEST(BinaryTreeAllReduce, TheChannelOfARailHasItsRootNearTheRail)
{
    const HeapShape shape;
    const auto layout = MakeNodes(3, 4);
    for (uint32_t channel = 0; channel < 4; ++channel)
    {
        EXPECT_FALSE(shape.GetPlace({*layout, channel, 0, {}}, channel).parent);
        EXPECT_EQ(GetDepth(shape, {*layout, channel, 0, {}}), 3u);
    }
}

TEST(BinaryTreeAllReduce, SlicesAreOnAllLevelsAtOnce)
{
    const auto algorithm = CollectiveRegistry().Get("allreduce", "binary-tree");
    CollectiveTask task = MakeTask(MakeNodes(15, 1), 1000);
    task.cut.slice = 10;
    task.rank = 1;
    for (const auto& lane : algorithm->CreateLanes(task))
    {
        ASSERT_EQ(lane->GetStepCount(), 1u);
        const LaneStep step = lane->GetStep(0);
        ASSERT_EQ(step.sendAfter.size(), 1u);
        EXPECT_EQ(step.sendAfter[0].shift,
                  0); // a slice goes on when it is there, before the others
    }
    CollectiveRun run(*algorithm, task, 2, 1);
    run.Run();
    EXPECT_EQ(run.GetMessages(), 2u * 14 * 100);
}

TEST(DoubleTree, TheTreesOfEightNodesAreThoseOfTheLowestSetBitAndTheirMirror)
{
    struct Expected
    {
        int up;
        std::vector<uint32_t> down;
    };

    const std::vector<Expected>
        first{{-1, {4}}, {2, {}}, {4, {1, 3}}, {2, {}}, {0, {2, 6}}, {6, {}}, {4, {5, 7}}, {6, {}}};
    for (uint32_t node = 0; node < 8; ++node)
    {
        const TreePlace place = DoubleTreeShape::GetNodePlace(0, 8, node);
        const TreePlace mirror = DoubleTreeShape::GetNodePlace(1, 8, 7 - node);
        EXPECT_EQ(place.parent ? static_cast<int>(*place.parent) : -1, first[node].up);
        EXPECT_EQ(std::vector<uint32_t>(place.children.begin(), place.children.end()),
                  first[node].down);
        ASSERT_EQ(mirror.parent.has_value(), place.parent.has_value());
        EXPECT_EQ(mirror.parent.value_or(7), 7 - place.parent.value_or(0));
        EXPECT_EQ(mirror.children.size(), place.children.size());
    }
}

TEST(DoubleTree, TheSecondTreeOfAnOddNumberOfNodesIsTheFirstShiftedByOne)
{
    for (uint32_t nodes : {3u, 5u, 7u, 13u})
    {
        for (uint32_t node = 0; node < nodes; ++node)
        {
            const TreePlace place = DoubleTreeShape::GetNodePlace(0, nodes, node);
            const TreePlace next = DoubleTreeShape::GetNodePlace(1, nodes, (node + 1) % nodes);
            ASSERT_EQ(place.parent.has_value(), next.parent.has_value());
            EXPECT_EQ((place.parent.value_or(0) + 1) % nodes, next.parent.value_or(1));
            ASSERT_EQ(place.children.size(), next.children.size());
            for (std::size_t i = 0; i < place.children.size(); ++i)
            {
                EXPECT_EQ((place.children[i] + 1) % nodes, next.children[i]);
            }
        }
    }
}

TEST(DoubleTree, EachIsABinaryTreeOfDepthCeilLog2)
{
    const DoubleTreeShape shape;
    for (uint32_t nodes = 1; nodes <= 70; ++nodes)
    {
        const auto layout = MakeNodes(nodes, 1);
        for (uint32_t number : {0u, 1u})
        {
            EXPECT_EQ(GetDepth(shape, {*layout, 0, number, {}}), CeilLog2(nodes)) << nodes;
            for (uint32_t node = 0; node < nodes; ++node)
            {
                EXPECT_LE(shape.GetPlace({*layout, 0, number, {}}, node).children.size(), 2u);
            }
        }
    }
}

TEST(DoubleTree, ARankInteriorInOneTreeIsALeafOfTheOther)
{
    for (uint32_t nodes = 2; nodes <= 70; ++nodes)
    {
        for (uint32_t node = 0; node < nodes; ++node)
        {
            const auto first = DoubleTreeShape::GetNodePlace(0, nodes, node).children.size();
            const auto second = DoubleTreeShape::GetNodePlace(1, nodes, node).children.size();
            if (nodes % 2 == 1 && node == 0) // a shift by one gives it one child in each
            {
                EXPECT_EQ(first, 1u);
                EXPECT_EQ(second, 1u);
                continue;
            }
            EXPECT_TRUE(first == 0 || second == 0) << node << " of " << nodes;
        }
    }
}

TEST(DoubleTree, NoRankSendsMoreThanTwiceThePayload)
{
    // Up and down each half to the parents, and to at most two children in both trees together.
    const auto algorithm = CollectiveRegistry().Get("allreduce", "double-binary-tree");
    for (uint32_t ranks = 2; ranks <= 33; ++ranks)
    {
        CollectiveTask task = MakeTask(MakeNodes(ranks, 1), 1000);
        uint64_t total = 0;
        for (task.rank = 0; task.rank < ranks; ++task.rank)
        {
            const uint64_t sent = GetBytesToSend(*algorithm, task);
            EXPECT_LE(sent, 2000u) << task.rank << " of " << ranks;
            total += sent;
        }
        EXPECT_EQ(total, 2000u * (ranks - 1));
    }
}

TEST(DoubleTree, InANodeIsAChainThatBeginsAtTheRail)
{
    const DoubleTreeShape shape;
    const auto layout = MakeNodes(4, 4);
    const ChannelTree tree{*layout, 1, 0, {}};
    EXPECT_EQ(shape.GetPlace(tree, 5).parent, 9u); // node 1 hangs below node 2
    EXPECT_EQ(shape.GetPlace(tree, 5).children, LanePeers({6}));
    EXPECT_EQ(shape.GetPlace(tree, 6).parent, 5u);
    EXPECT_EQ(shape.GetPlace(tree, 7).children, LanePeers({4}));
    EXPECT_TRUE(shape.GetPlace(tree, 4).children.empty());
    EXPECT_EQ(shape.GetPlace(tree, 9).parent, 1u);
    EXPECT_EQ(shape.GetPlace(tree, 9).children, LanePeers({5, 13, 10})); // the three of NCCL
    EXPECT_EQ(GetDepth(shape, tree), 2u + 3);
}

TEST(DoubleTree, TakesTheRoundsOfChainsAndTrees)
{
    const auto algorithm = CollectiveRegistry().Get("allreduce", "double-binary-tree");
    for (uint32_t nodes : {1u, 2u, 4u, 5u, 8u, 9u})
    {
        for (uint32_t perNode : {1u, 4u})
        {
            if (nodes * perNode == 1)
            {
                continue;
            }
            const CollectiveTask task = MakeTask(MakeNodes(nodes, perNode), 1024, 2);
            CollectiveRun run(*algorithm, task, 0, nodes);
            run.Run();
            EXPECT_EQ(LaneRounds(*algorithm, task).Get(), 2 * (perNode - 1 + CeilLog2(nodes)));
            EXPECT_EQ(run.GetTotal(), 2u * 1024 * (nodes * perNode - 1));
        }
    }
}

TEST(BroadcastAndReduce, TakeTheRoundsOfTheirShape)
{
    const CollectiveRegistry registry;
    for (const std::string op : {"broadcast", "reduce"})
    {
        for (uint32_t ranks : {2u, 3u, 7u, 8u, 15u, 16u})
        {
            const auto getRounds = [&](const std::string& name) {
                CollectiveTask task = MakeTask(MakeNodes(ranks, 1), 1000);
                task.root = ranks / 2;
                CollectiveRun run(*registry.Get(op, name), task, 0, ranks);
                run.Run();
                EXPECT_EQ(run.GetTotal(), 1000u * (ranks - 1)) << op << " " << name;
                return LaneRounds(*registry.Get(op, name), task).Get();
            };
            EXPECT_EQ(getRounds("ring"), ranks - 1);
            EXPECT_EQ(getRounds("binary-tree"), FloorLog2(ranks));
            EXPECT_EQ(getRounds("direct"), 1u);
        }
    }
}

TEST(BroadcastAndReduce, TheChainRunsAlongTheRingFromTheRoot)
{
    const CollectiveRegistry registry;
    CollectiveTask task = MakeTask(MakeNodes(2, 3), 1000, 2);
    task.root = 4;
    task.rank = 4; // channel 0: 0 1 2 3 4 5; channel 1: 1 2 0 4 5 3
    auto peers = GetPeersToSend(*registry.Get("broadcast", "ring"), task);
    ASSERT_EQ(peers.size(), 2u);
    EXPECT_EQ(peers[0].peer, 5u);
    EXPECT_EQ(peers[1].peer, 5u);
    EXPECT_EQ(peers[1].channel, 1u);
    EXPECT_TRUE(GetPeersToSend(*registry.Get("reduce", "ring"), task).empty());
    task.rank = 3; // last of channel 0; goes on to position 0 in channel 1
    peers = GetPeersToSend(*registry.Get("broadcast", "ring"), task);
    ASSERT_EQ(peers.size(), 1u);
    EXPECT_EQ(peers[0].peer, 1u);
    EXPECT_EQ(peers[0].lane, 1u);
}

} // namespace
