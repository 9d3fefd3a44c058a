/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "made-layouts.h"

#include "ns3/link-load.h"

#include <cstdint>
#include <gtest/gtest.h>

using namespace ns3::llmfabric;

namespace
{

TEST(LinkLoad, MembersThatShareANicAddUp)
{
    const SharedLayout layout = MakeNodes(2, 4, 2);
    LinkLoad load(*layout);
    load.Add(0, 4, 100);
    load.Add(2, 5, 30);
    EXPECT_EQ(load.GetFar(), 130) << "4 and 5 receive by the same NIC";
    load.Add(1, 6, 50);
    EXPECT_EQ(load.GetFar(), 150) << "0 and 1 send by the same NIC";
    EXPECT_EQ(load.GetNear(), 0);
}

TEST(LinkLoad, GpusHaveLinksOfTheirOwnInTheNode)
{
    const SharedLayout layout = MakeNodes(2, 4, 4);
    LinkLoad load(*layout);
    load.Add(0, 1, 100);
    load.Add(1, 0, 120);
    EXPECT_EQ(load.GetNear(), 120) << "both ways at once";
    load.Add(2, 1, 30);
    EXPECT_EQ(load.GetNear(), 130);
    EXPECT_EQ(load.GetFar(), 0);
}

TEST(LinkLoad, AMessageOfAChannelUsesItsNic)
{
    const SharedLayout layout = MakeNodes(2, 4, 2);
    LinkLoad load(*layout);
    load.AddOnChannel(1, 0, 4, 100); // whose own NIC is the other one
    load.AddOnChannel(1, 3, 5, 20);
    load.AddOnChannel(0, 2, 6, 110);
    EXPECT_EQ(load.GetFar(), 120);
    load.AddOnChannel(1, 0, 1, 70);
    EXPECT_EQ(load.GetNear(), 70);
}

TEST(LinkLoad, AStepCountsForEachOfItsReceivers)
{
    const SharedLayout layout = MakeNodes(3, 1);
    LinkLoad load(*layout);
    LaneStep step;
    step.sendTo = {1, 2};
    step.sendBytes = 100;
    load.Add(0, step);
    EXPECT_EQ(load.GetFar(), 200);
}

TEST(LinkLoad, AMemberThatTalksToAllIsLoadedBothWays)
{
    const SharedLayout layout = MakeNodes(2, 4, 2);
    LinkLoad load(*layout);
    load.AddAll(3, 10);
    EXPECT_EQ(load.GetNear(), 3 * 10);
    EXPECT_EQ(load.GetFar(), 4 * 10);
    load.AddAll(2, 10);
    EXPECT_EQ(load.GetNear(), 3 * 10) << "what it loads at others is not counted";
    EXPECT_EQ(load.GetFar(), 2 * 4 * 10) << "by the same NIC";
}

TEST(LinkLoad, AddingForEachMemberIsTheSameAsEachMessage)
{
    const SharedLayout layout = MakeNodes({4, 3, 1}, 2);
    LinkLoad all(*layout, 3);
    LinkLoad each(*layout, 3);
    for (uint32_t from = 0; from < 8; ++from)
    {
        all.AddAll(from, 10);
        for (uint32_t to = 0; to < 8; ++to)
        {
            if (to != from)
            {
                each.Add(from, to, 10);
            }
        }
    }
    EXPECT_EQ(all.GetNear(), each.GetNear());
    EXPECT_EQ(all.GetFar(), each.GetFar());
    EXPECT_EQ(all.GetPhase(1, false).slice, each.GetPhase(1, false).slice);
}

TEST(LinkLoad, APhaseHasTheFirstSlicesOfTheMessagesThatShareANic)
{
    const SharedLayout layout = MakeNodes(2, 4, 2);
    LinkLoad load(*layout, 20);
    load.Add(0, 1, 100); // near
    load.Add(2, 1, 30);  // near, to the same GPU
    load.Add(2, 6, 70);  // far, by the second NIC
    load.Add(3, 4, 15);  // far, by the same NIC; smaller than a slice
    const CostPhase phase = load.GetPhase(5, true);
    EXPECT_EQ(phase.rounds, 5);
    EXPECT_TRUE(phase.far);
    EXPECT_TRUE(phase.reduces);
    EXPECT_EQ(phase.nearBytes, 130) << "what GPU 1 receives";
    EXPECT_EQ(phase.farBytes, 85) << "what GPUs 2 and 3 send";
    EXPECT_EQ(phase.slice, 20 + 15) << "the first slices of both";
}

TEST(LinkLoad, APhaseInNodesIsNear)
{
    const SharedLayout layout = MakeNodes(1, 4);
    LinkLoad load(*layout, 20);
    load.Add(2, 0, 50);
    const CostPhase phase = load.GetPhase(1, false);
    EXPECT_FALSE(phase.far);
    EXPECT_EQ(phase.nearBytes, 50);
    EXPECT_EQ(phase.farBytes, 0);
    EXPECT_EQ(phase.slice, 20);
}

TEST(LinkLoad, WithoutSlicesAllOfItHasToCome)
{
    const SharedLayout layout = MakeNodes(2, 1);
    LinkLoad load(*layout);
    load.Add(0, 1, 50);
    const CollectiveCost cost = load.GetRound(true);
    ASSERT_EQ(cost.size(), 1u);
    EXPECT_EQ(cost[0].rounds, 1);
    EXPECT_EQ(cost[0].slice, 50);
    EXPECT_TRUE(cost[0].reduces);
}

TEST(LinkLoad, NoBytesAreNoRound)
{
    const SharedLayout layout = MakeNodes(4, 1);
    LinkLoad load(*layout);
    EXPECT_TRUE(load.GetRound(false).empty());
    load.AddAll(0, 0);
    EXPECT_TRUE(load.GetRound(false).empty());
}

} // namespace
