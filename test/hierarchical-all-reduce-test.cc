/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-run.h"
#include "collective-tasks.h"
#include "lane-rounds.h"

#include "ns3/hierarchical-all-reduce.h"
#include "ns3/hierarchical-reduce-lane.h"
#include "ns3/ring-lane.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <utility>
#include <vector>

using namespace ns3::llmfabric;

namespace
{

using Lane = HierarchicalReduceLane;

/// Nodes and members of each.
const std::vector<std::pair<uint32_t, uint32_t>> SHAPES{{2, 4}, {4, 2}, {3, 5}, {1, 6}, {6, 1}};

/**
 * @param task an op of a rank
 * @param channel a channel
 * @param stage a stage
 * @return bytes that the rank sends in that stage of the channel
 */
uint64_t
GetBytes(const CollectiveTask& task, uint32_t channel, Lane::Stage stage)
{
    const Lane lane(task, channel, stage);
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < lane.GetStepCount(); ++i)
    {
        const LaneStep step = lane.GetStep(i);
        bytes += step.sendBytes * step.sendTo.size();
    }
    return bytes;
}

TEST(HierarchicalAllReduce, SendsTheLeastOnTheRailsAndARingOfBytesInTheNodes)
{
    for (const auto& [nodes, size] : SHAPES)
    {
        const uint64_t payload = 7001 * nodes * size;
        CollectiveTask task = MakeTask(MakeNodes(nodes, size), payload);
        task.cut = {1, 100, 30};
        for (task.rank = 0; task.rank < task.GetRanks(); ++task.rank)
        {
            EXPECT_EQ(GetBytes(task, 0, Lane::SCATTER), (size - 1) * payload / size);
            EXPECT_EQ(GetBytes(task, 0, Lane::GATHER), (size - 1) * payload / size);
            EXPECT_NEAR(GetBytes(task, 0, Lane::RAIL),
                        2 * (nodes - 1) * payload / nodes / size,
                        150)
                << "but for pieces of a byte more or less";
        }
    }
}

TEST(HierarchicalAllReduce, AllTogetherSendAsMuchAsARing)
{
    for (const auto& [nodes, size] : SHAPES)
    {
        CollectiveTask task = MakeTask(MakeRoundRobin(nodes, size), 100003);
        task.cut = {3, 1000, 300};
        uint64_t near = 0;
        uint64_t far = 0;
        for (task.rank = 0; task.rank < task.GetRanks(); ++task.rank)
        {
            for (uint32_t channel = 0; channel < 3; ++channel)
            {
                near += GetBytes(task, channel, Lane::SCATTER);
                near += GetBytes(task, channel, Lane::GATHER);
                far += GetBytes(task, channel, Lane::RAIL);
            }
        }
        EXPECT_EQ(near, 2 * nodes * (size - 1) * task.payload);
        EXPECT_EQ(far, 2 * (nodes - 1) * task.payload);
        EXPECT_EQ(near + far, 2 * (task.GetRanks() - 1) * task.payload);
    }
}

TEST(HierarchicalAllReduce, TakesTheRoundsOfARingInANodeAndOfOneOverTheNodes)
{
    for (const auto& [nodes, size] : SHAPES)
    {
        const HierarchicalAllReduce algorithm;
        LaneRounds rounds(algorithm, MakeTask(MakeNodes(nodes, size), 1000 * nodes * size));
        EXPECT_EQ(rounds.Get(), 2 * (nodes - 1) + 2 * (size - 1)) << nodes << " x " << size;
    }
}

TEST(HierarchicalAllReduce, LoopsOverlap)
{
    // One loop takes 2 + 2 + 2 rounds; each other one adds those of the slowest lane, not all.
    CollectiveTask task = MakeTask(MakeNodes(2, 3), 6 * 1000);
    task.cut = {1, 100, 1000};
    EXPECT_EQ(Lane(task, 0, Lane::RAIL).GetStepCount() / 3, 10u) << "loops";
    EXPECT_LE(LaneRounds(HierarchicalAllReduce(), task).Get(), 6u + 9 * 2);
}

TEST(HierarchicalAllReduce, RailMessagesHaveTheChunkOfTheCut)
{
    CollectiveTask task = MakeTask(MakeNodes(4, 2), 8 * 5000);
    task.cut = {1, 500, 100};
    EXPECT_EQ(Lane(task, 0, Lane::RAIL).GetStep(0).sendBytes, 500u);
    EXPECT_EQ(Lane(task, 0, Lane::SCATTER).GetStep(0).sendBytes, 4 * 500u);
    EXPECT_EQ(Lane(task, 0, Lane::GATHER).GetStep(0).sendBytes, 4 * 500u);
}

TEST(HierarchicalAllReduce, TalksToTheNextOfTheNodeAndTheNextOfTheRail)
{
    CollectiveTask task = MakeTask(MakeRoundRobin(3, 4), 12000);
    task.rank = 4; // node 1, local index 1
    const auto lanes = HierarchicalAllReduce().CreateLanes(task);
    ASSERT_EQ(lanes.size(), 3u);
    EXPECT_EQ(lanes[Lane::SCATTER]->GetStep(1).sendTo, LanePeers{7});
    EXPECT_EQ(lanes[Lane::SCATTER]->GetStep(1).receiveFrom, LanePeers{1});
    EXPECT_EQ(lanes[Lane::RAIL]->GetStep(1).sendTo, LanePeers{5});
    EXPECT_EQ(lanes[Lane::RAIL]->GetStep(1).receiveFrom, LanePeers{3});
    EXPECT_EQ(lanes[Lane::GATHER]->GetStep(1).sendTo, LanePeers{7});
    EXPECT_FALSE(lanes[Lane::RAIL]->UsesChannelNic()) << "but the NIC near to the GPU";
}

TEST(HierarchicalAllReduce, ChannelsGiveThePartsToOtherRails)
{
    CollectiveTask task = MakeTask(MakeNodes(2, 4), 8000);
    task.cut.channels = 2;
    for (uint32_t channel = 0; channel < 2; ++channel)
    {
        for (uint32_t local = 0; local < 4; ++local)
        {
            task.rank = local;
            const uint64_t offset = Lane(task, channel, Lane::GATHER).GetStep(0).sendOffset;
            const uint32_t part = (local + 4 - channel) % 4;
            EXPECT_EQ(offset, part * 2000 + channel * 1000);
        }
    }
}

TEST(HierarchicalAllReduce, RailsBeginWithTheFirstSliceOfTheNodesSum)
{
    CollectiveTask task = MakeTask(MakeNodes(2, 4), 8000);
    task.cut.channels = 2;
    const auto lanes = HierarchicalAllReduce().CreateLanes(task);
    const LaneStep first = lanes[3 + Lane::RAIL]->GetStep(0); // of channel 1, sends piece 0
    ASSERT_EQ(first.sendAfter.size(), 1u);
    EXPECT_EQ(first.sendAfter[0].lane, 3u + Lane::SCATTER);
    EXPECT_EQ(first.sendAfter[0].step, 3u);
    EXPECT_EQ(first.sendAfter[0].shift, 0);
    const LaneStep second = lanes[3 + Lane::RAIL]->GetStep(1); // gets piece 1, of 500 bytes
    ASSERT_EQ(second.receiveAfter.size(), 1u);
    EXPECT_EQ(second.receiveAfter[0].lane, 3u + Lane::SCATTER);
    EXPECT_EQ(second.receiveAfter[0].shift, 500);
    EXPECT_TRUE(second.reduces);
    EXPECT_FALSE(lanes[3 + Lane::RAIL]->GetStep(2).reduces);
}

TEST(HierarchicalAllReduce, EachRankEndsWithTheSumWhereverTheMembersAre)
{
    const HierarchicalAllReduce algorithm;
    for (const SharedLayout& layout : {MakeRoundRobin(3, 4), MakeRoundRobin(5, 2), MakeNodes(4, 3)})
    {
        for (uint32_t slots : {0u, 1u, 4u})
        {
            CollectiveTask task = MakeTask(layout, 12347);
            task.cut = {2, 100, 33};
            CollectiveRun run(algorithm, task, slots, slots + 9);
            run.Run();
            for (uint32_t rank = 0; rank < task.GetRanks(); ++rank)
            {
                EXPECT_TRUE(run.HoldsResult(rank));
            }
        }
    }
}

TEST(HierarchicalAllReduce, NeedsNodesOfOneSize)
{
    const HierarchicalAllReduce algorithm;
    EXPECT_EQ(algorithm.GetObstacle(*MakeNodes({2, 3})),
              "its nodes have different numbers of members");
    EXPECT_EQ(algorithm.GetObstacle(*MakeRoundRobin(2, 3)), "");
}

TEST(HierarchicalAllReduce, CostsTheRoundsOfOneLoopAndThoseOfTheRailsForEachOther)
{
    CollectiveTask task = MakeTask(MakeNodes(2, 4, 2), 4 * 2500); // loops of 4 * 2 * 500 bytes
    task.cut = {1, 500, 200};
    const auto cost = HierarchicalAllReduce().GetCost(task);
    ASSERT_TRUE(cost.has_value());
    ASSERT_EQ(cost->size(), 6u);
    const double rounds[] = {3, 2, 2, 1, 1, 3};
    const double farBytes[] = {0, 2 * 500, 2 * 500, 2 * 250, 2 * 250, 0};
    const double slices[] = {200, 2 * 200, 2 * 200, 2 * 200, 2 * 200, 200};
    double near = 0;
    double far = 0;
    for (uint32_t i = 0; i < 6; ++i)
    {
        const CostPhase& phase = (*cost)[i];
        EXPECT_EQ(phase.rounds, rounds[i]) << i;
        EXPECT_EQ(phase.farBytes, farBytes[i]) << i;
        EXPECT_EQ(phase.slice, slices[i]) << i;
        EXPECT_EQ(phase.far, i > 0 && i < 5) << i;
        EXPECT_EQ(phase.reduces, i == 0 || i == 1 || i == 3) << i;
        near += phase.rounds * phase.nearBytes;
        far += phase.rounds * phase.farBytes;
    }
    EXPECT_EQ(cost->front().nearBytes, 1000);
    EXPECT_EQ(cost->back().nearBytes, 500);
    EXPECT_DOUBLE_EQ(near, 2 * 3 * 2500) << "2 (g - 1) / g M";
    EXPECT_DOUBLE_EQ(far, 2 * 2500) << "2 (N - 1) / N M / g for each of the two at a NIC";
}

TEST(HierarchicalAllReduce, CostsARingWhereItIsOne)
{
    for (const CollectiveTask& task :
         {MakeTask(MakeNodes(1, 4), 1000), MakeTask(MakeNodes(4, 1), 1000)})
    {
        const auto cost = HierarchicalAllReduce().GetCost(task);
        const CollectiveCost ring = RingLane::GetCost(task, RingLane::Range::ALL_REDUCE);
        ASSERT_TRUE(cost);
        ASSERT_EQ(cost->size(), ring.size());
        EXPECT_EQ(cost->front().rounds, ring.front().rounds);
        EXPECT_EQ(cost->front().slice, ring.front().slice);
    }
}

} // namespace
