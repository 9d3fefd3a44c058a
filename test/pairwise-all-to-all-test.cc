/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-run.h"
#include "collective-tasks.h"
#include "lane-rounds.h"

#include "ns3/pairwise-all-to-all.h"

#include <cstdint>
#include <gtest/gtest.h>

using namespace ns3::llmfabric;

namespace
{

TEST(PairwiseAllToAll, EachStepSendsToTheNextRankAndReceivesFromTheOneAsFarBack)
{
    CollectiveTask task = MakeParts(MakeNodes(7, 1), 100);
    task.rank = 5;
    const auto lanes = PairwiseAllToAll().CreateLanes(task);
    ASSERT_EQ(lanes.size(), 1u);
    ASSERT_EQ(lanes[0]->GetStepCount(), 6u);
    for (uint32_t s = 1; s <= 6; ++s)
    {
        const LaneStep step = lanes[0]->GetStep(s - 1);
        EXPECT_EQ(step.sendTo, LanePeers{(5 + s) % 7});
        EXPECT_EQ(step.receiveFrom, LanePeers{(5 + 7 - s) % 7});
        EXPECT_EQ(step.sendBytes, 100u);
        EXPECT_EQ(lanes[0]->GetPieces(s - 1).front().offset, (5 + s) % 7 * 100);
    }
}

TEST(PairwiseAllToAll, ExchangesFollowOneAnother)
{
    for (uint32_t p = 1; p <= 9; ++p)
    {
        LaneRounds rounds(PairwiseAllToAll(), MakeParts(MakeNodes(p, 1), 1000));
        EXPECT_EQ(rounds.Get(), p - 1);
    }
}

TEST(PairwiseAllToAll, EachPartIsSentOnce)
{
    for (uint32_t p : {2u, 5u, 8u})
    {
        const PairwiseAllToAll algorithm;
        CollectiveRun run(algorithm, MakeParts(MakeNodes(p, 1), 1000), 0, p);
        run.Run();
        EXPECT_EQ(run.GetTotal(), uint64_t{p - 1} * 1000 * p) << "(p - 1) M";
        EXPECT_EQ(run.GetMessages(), p * (p - 1));
    }
}

TEST(PairwiseAllToAll, ChannelsShareEachPart)
{
    CollectiveTask task = MakeParts(MakeNodes(4, 1), 10);
    task.cut.channels = 3;
    const auto lanes = PairwiseAllToAll().CreateLanes(task);
    ASSERT_EQ(lanes.size(), 3u);
    uint64_t bytes = 0;
    for (uint32_t channel = 0; channel < 3; ++channel)
    {
        EXPECT_EQ(lanes[channel]->GetChannel(), channel);
        EXPECT_EQ(lanes[channel]->GetPieces(0).front().offset, 10 + bytes);
        bytes += lanes[channel]->GetStep(0).sendBytes;
    }
    EXPECT_EQ(bytes, 10u);
}

TEST(PairwiseAllToAll, MembersWithNothingForEachOtherSkipTheMessage)
{
    CollectiveTask task = MakeParts(MakeNodes(5, 1), 0);
    task.bytes = [](uint32_t from, uint32_t to) -> uint64_t {
        return from == 1 && to == 4 ? 9 : 0;
    };
    const PairwiseAllToAll algorithm;
    CollectiveRun run(algorithm, task, 1, 1);
    run.Run();
    EXPECT_EQ(run.GetMessages(), 1u);
    EXPECT_EQ(run.GetSent(1), 9u);
    EXPECT_EQ(LaneRounds(algorithm, task).Get(), 1u);
}

TEST(PairwiseAllToAll, CostsARoundForEachOtherMember)
{
    const auto far = PairwiseAllToAll().GetCost(MakeParts(MakeNodes(6, 1), 1000));
    ASSERT_TRUE(far.has_value());
    ASSERT_EQ(far->size(), 1u) << "all rounds are alike";
    EXPECT_EQ(far->front().rounds, 5);
    EXPECT_TRUE(far->front().far);
    EXPECT_EQ(far->front().slice, 1000) << "the next round waits for all of it";
    EXPECT_EQ(far->front().farBytes, 1000);
    EXPECT_EQ(far->front().nearBytes, 0);
    const auto near = PairwiseAllToAll().GetCost(MakeParts(MakeNodes(1, 6), 1000));
    ASSERT_EQ(near->size(), 1u);
    EXPECT_EQ(near->front().rounds, 5);
    EXPECT_FALSE(near->front().far);
    EXPECT_EQ(near->front().nearBytes, 1000);
    EXPECT_TRUE(PairwiseAllToAll().GetCost(MakeParts(MakeNodes(1, 1), 1000))->empty());
}

TEST(PairwiseAllToAll, CostsWhatTheMembersThatShareANicSendInARound)
{
    // Nodes 0 to 3 and 4 to 7, NICs of 0 1, 2 3, 4 5 and 6 7. At distance 1 only 3 and 7 leave
    // their node; at 2 both of a NIC do, and one of the other none; at 4 all do.
    const auto cost = PairwiseAllToAll().GetCost(MakeParts(MakeNodes(2, 4, 2), 1000));
    ASSERT_EQ(cost->size(), 5u);
    const double rounds[] = {1, 2, 1, 2, 1};
    const double farBytes[] = {1000, 2000, 2000, 2000, 1000};
    const double nearBytes[] = {1000, 1000, 0, 1000, 1000};
    for (uint32_t i = 0; i < 5; ++i)
    {
        EXPECT_EQ((*cost)[i].rounds, rounds[i]) << i;
        EXPECT_EQ((*cost)[i].farBytes, farBytes[i]) << i;
        EXPECT_EQ((*cost)[i].nearBytes, nearBytes[i]) << i;
        EXPECT_TRUE((*cost)[i].far) << i;
    }
}

TEST(PairwiseAllToAll, CostsTheLargestPartOfEachRoundIfTheyAreUneven)
{
    CollectiveTask task = MakeParts(MakeNodes(4, 1), 0);
    task.bytes = [](uint32_t from, uint32_t to) -> uint64_t { return 10 * from + to; };
    const auto cost = PairwiseAllToAll().GetCost(task);
    ASSERT_EQ(cost->size(), 3u);
    EXPECT_EQ((*cost)[0].farBytes, 30) << "3 to 0";
    EXPECT_EQ((*cost)[1].farBytes, 31) << "3 to 1";
    EXPECT_EQ((*cost)[2].farBytes, 32) << "3 to 2";
}

} // namespace
