/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-run.h"
#include "collective-tasks.h"
#include "lane-rounds.h"

#include "ns3/hierarchical-all-to-all.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <utility>
#include <vector>

using namespace ns3::llmfabric;

namespace
{

/**
 * @param task an op
 * @return bytes that all ranks send within nodes, and between nodes
 */
std::pair<uint64_t, uint64_t>
GetNearAndFar(CollectiveTask task)
{
    std::pair<uint64_t, uint64_t> bytes;
    for (task.rank = 0; task.rank < task.GetRanks(); ++task.rank)
    {
        for (const auto& lane : HierarchicalAllToAll().CreateLanes(task))
        {
            for (uint64_t i = 0; i < lane->GetStepCount(); ++i)
            {
                const LaneStep step = lane->GetStep(i);
                const uint32_t to = step.sendTo.front();
                const bool far = task.layout->GetNode(task.rank) != task.layout->GetNode(to);
                (far ? bytes.second : bytes.first) += step.sendBytes;
                EXPECT_TRUE(!far || task.layout->GetLocal(task.rank) == task.layout->GetLocal(to))
                    << "messages between nodes stay on their rail";
            }
        }
    }
    return bytes;
}

TEST(HierarchicalAllToAll, BytesCrossTheNetworkOnceAndTheNodesOnceMore)
{
    for (const auto& [nodes, size] : std::vector<std::pair<uint32_t, uint32_t>>{{2, 4}, {5, 3}})
    {
        const uint64_t payload = 1000 * nodes * size;
        for (const SharedLayout& layout : {MakeNodes(nodes, size), MakeRoundRobin(nodes, size)})
        {
            const auto [near, far] = GetNearAndFar(MakeParts(layout, 1000));
            EXPECT_EQ(near, nodes * (size - 1) * payload);
            EXPECT_EQ(far, size * (nodes - 1) * payload);
        }
    }
}

TEST(HierarchicalAllToAll, TakesTwoRoundsOrOneIfThereIsNothingToGather)
{
    EXPECT_EQ(LaneRounds(HierarchicalAllToAll(), MakeParts(MakeNodes(4, 3), 10)).Get(), 2u);
    EXPECT_EQ(LaneRounds(HierarchicalAllToAll(), MakeParts(MakeRoundRobin(3, 4), 10)).Get(), 2u);
    EXPECT_EQ(LaneRounds(HierarchicalAllToAll(), MakeParts(MakeNodes(1, 6), 10)).Get(), 1u);
    EXPECT_EQ(LaneRounds(HierarchicalAllToAll(), MakeParts(MakeNodes(6, 1), 10)).Get(), 1u);
    EXPECT_EQ(LaneRounds(HierarchicalAllToAll(), MakeParts(MakeNodes(1, 1), 10)).Get(), 0u);
}

TEST(HierarchicalAllToAll, ARankSendsOneMessageToEachOtherNode)
{
    const CollectiveTask task = MakeParts(MakeNodes(3, 4), 10);
    const HierarchicalAllToAll algorithm;
    CollectiveRun run(algorithm, task, 4, 5);
    run.Run();
    const uint32_t near = 3 * (4 - 1); // to each mate for each node
    const uint32_t far = 3 - 1;
    EXPECT_EQ(run.GetMessages(), 12u * (near + far));
}

TEST(HierarchicalAllToAll, ARailMessageHoldsTheDataOfAllMates)
{
    CollectiveTask task = MakeParts(MakeNodes(3, 2), 10);
    task.rank = 1;
    const auto lanes = HierarchicalAllToAll().CreateLanes(task);
    ASSERT_EQ(lanes.size(), 2u);
    const LaneStep step = lanes[1]->GetStep(1); // two nodes on, from node 0
    EXPECT_EQ(step.sendTo, LanePeers{5});
    EXPECT_EQ(step.receiveFrom, LanePeers{3});
    EXPECT_EQ(step.sendBytes, 20u);
    const auto pieces = lanes[1]->GetPieces(1);
    ASSERT_EQ(pieces.size(), 2u);
    for (uint32_t origin = 0; origin < 2; ++origin)
    {
        EXPECT_EQ(pieces[origin].origin, origin);
        EXPECT_EQ(pieces[origin].offset, 50u);
    }
}

TEST(HierarchicalAllToAll, ARailMessageWaitsForTheDataOfItsNodeOnly)
{
    CollectiveTask task = MakeParts(MakeNodes(4, 3), 10);
    task.cut.channels = 2;
    task.rank = 4; // local index 1 of node 1
    const auto lanes = HierarchicalAllToAll().CreateLanes(task);
    ASSERT_EQ(lanes.size(), 4u);
    for (uint32_t channel = 0; channel < 2; ++channel)
    {
        for (uint32_t i = 0; i < 3; ++i)
        {
            const LaneStep rail = lanes[2 * channel + 1]->GetStep(i);
            ASSERT_EQ(rail.sendAfter.size(), 1u);
            EXPECT_EQ(rail.sendAfter[0].lane, 2 * channel);
            EXPECT_EQ(rail.sendAfter[0].step, 2 * i + 1) << "two mates for each node";
            EXPECT_EQ(rail.sendAfter[0].shift, LaneNeed::WHOLE);
            EXPECT_EQ(lanes[2 * channel + 1]->GetChannel(), channel);
        }
    }
    // The first two steps in the node move what goes to node 2, the last two what stays.
    EXPECT_EQ(lanes[0]->GetStep(0).sendTo, LanePeers{5});
    EXPECT_EQ(lanes[0]->GetPieces(0).front().offset, 80u) << "for 8, mate 2 of node 2";
    EXPECT_EQ(lanes[0]->GetPieces(1).front().offset, 60u) << "for 6, mate 0 of node 2";
    EXPECT_EQ(lanes[0]->GetPieces(6).front().offset, 50u) << "for 5 itself";
}

TEST(HierarchicalAllToAll, UsesTheNicsNearToTheGpus)
{
    const CollectiveTask task = MakeParts(MakeNodes(2, 2), 10);
    for (const auto& lane : HierarchicalAllToAll().CreateLanes(task))
    {
        EXPECT_FALSE(lane->UsesChannelNic());
    }
}

TEST(HierarchicalAllToAll, NeedsNodesOfOneSize)
{
    const HierarchicalAllToAll algorithm;
    EXPECT_EQ(algorithm.GetObstacle(*MakeNodes({4, 4, 3})),
              "its nodes have different numbers of members");
    EXPECT_EQ(algorithm.GetObstacle(*MakeNodes(3, 4)), "");
    EXPECT_EQ(algorithm.GetObstacle(*MakeNodes(1, 5)), "");
    EXPECT_EQ(algorithm.GetObstacle(*MakeNodes(5, 1)), "");
    EXPECT_EQ(algorithm.GetObstacle(*MakeRoundRobin(2, 3)), "");
}

TEST(HierarchicalAllToAll, CostsAPhaseInTheNodesAndOneOnTheRails)
{
    CollectiveTask task = MakeParts(MakeNodes(3, 4, 2), 1000);
    const auto cost = HierarchicalAllToAll().GetCost(task);
    ASSERT_TRUE(cost.has_value());
    ASSERT_EQ(cost->size(), 2u);
    const CostPhase& near = cost->front();
    EXPECT_FALSE(near.far);
    EXPECT_EQ(near.rounds, 1);
    EXPECT_EQ(near.nearBytes, 3000) << "for each mate a part for the next node";
    EXPECT_EQ(near.slice, 3000);
    EXPECT_EQ(near.farBytes, 0);
    const CostPhase& far = cost->back();
    EXPECT_TRUE(far.far);
    EXPECT_EQ(far.rounds, 1);
    EXPECT_EQ(far.nearBytes, 6000) << "the same for two nodes more";
    EXPECT_EQ(far.farBytes, 2 * 2 * 4000) << "2 GPUs at a NIC, 2 nodes, 4 parts for each";
    EXPECT_EQ(far.slice, 2 * 4000);
    task.cut.slice = 500;
    EXPECT_EQ(HierarchicalAllToAll().GetCost(task)->back().slice, 2 * 500);
}

TEST(HierarchicalAllToAll, CostsOnePhaseIfThereIsNothingToGather)
{
    const auto near = HierarchicalAllToAll().GetCost(MakeParts(MakeNodes(1, 6), 1000));
    ASSERT_EQ(near->size(), 1u);
    EXPECT_FALSE(near->front().far);
    EXPECT_EQ(near->front().nearBytes, 5000);
    const auto far = HierarchicalAllToAll().GetCost(MakeParts(MakeNodes(6, 1), 1000));
    ASSERT_EQ(far->size(), 1u);
    EXPECT_TRUE(far->front().far);
    EXPECT_EQ(far->front().farBytes, 5000);
    EXPECT_EQ(far->front().nearBytes, 0);
    EXPECT_TRUE(HierarchicalAllToAll().GetCost(MakeParts(MakeNodes(1, 1), 1000))->empty());
    EXPECT_TRUE(HierarchicalAllToAll().GetCost(MakeParts(MakeNodes(2, 2), 0))->empty());
}

TEST(HierarchicalAllToAll, CostsTheBusiestRailIfPartsAreUneven)
{
    CollectiveTask task = MakeParts(MakeNodes(2, 3), 0);
    task.bytes = [](uint32_t, uint32_t to) -> uint64_t { return to == 5 ? 1000 : 10; };
    const auto cost = HierarchicalAllToAll().GetCost(task);
    ASSERT_EQ(cost->size(), 2u);
    EXPECT_EQ(cost->front().nearBytes, 2000) << "2 takes what 0 and 1 have for 5";
    EXPECT_EQ(cost->back().farBytes, 3000) << "and gives it to 5";
}

} // namespace
