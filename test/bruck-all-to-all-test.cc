/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-run.h"
#include "collective-tasks.h"
#include "lane-rounds.h"

#include "ns3/bruck-all-to-all.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3::llmfabric;

namespace
{

/**
 * @param rank a rank
 * @param ranks p
 * @param step a step
 * @param block an origin
 * @param to the receiver of its block
 * @return whether the rank sends that block in the step
 */
bool
Sends(uint32_t rank, uint32_t ranks, uint64_t step, uint32_t block, uint32_t to)
{
    CollectiveTask task = MakeParts(MakeNodes(ranks, 1), 10);
    task.rank = rank;
    for (const DataPiece& piece : BruckAllToAll().CreateLanes(task)[0]->GetPieces(step))
    {
        if (piece.origin == block && piece.offset == 10 * to)
        {
            return true;
        }
    }
    return false;
}

TEST(BruckAllToAll, TakesTheLogarithmOfTheRanksInRounds)
{
    for (uint32_t p = 1; p <= 17; ++p)
    {
        const BruckAllToAll algorithm;
        EXPECT_EQ(LaneRounds(algorithm, MakeParts(MakeNodes(p, 1), 100)).Get(), CeilLog2(p)) << p;
        CollectiveRun run(algorithm, MakeParts(MakeNodes(p, 1), 100), 1, p);
        run.Run();
        EXPECT_EQ(run.GetMessages(), p * CeilLog2(p)) << p;
    }
}

TEST(BruckAllToAll, StepKGoesTwoToTheKOn)
{
    CollectiveTask task = MakeParts(MakeNodes(6, 1), 10);
    task.rank = 4;
    const auto lanes = BruckAllToAll().CreateLanes(task);
    ASSERT_EQ(lanes[0]->GetStepCount(), 3u);
    const std::vector<uint32_t> to{5, 0, 2};
    const std::vector<uint32_t> from{3, 2, 0};
    for (uint32_t k = 0; k < 3; ++k)
    {
        EXPECT_EQ(lanes[0]->GetStep(k).sendTo, LanePeers{to[k]});
        EXPECT_EQ(lanes[0]->GetStep(k).receiveFrom, LanePeers{from[k]});
    }
}

TEST(BruckAllToAll, StepKSendsTheBlocksWhoseDistanceHasBitK)
{
    // Distances below 5: 1 and 3 have bit 0, 2 and 3 bit 1, 4 bit 2. Below 8 each bit has 4.
    const std::vector<uint64_t> ofFive{2, 2, 1};
    const auto five = BruckAllToAll().CreateLanes(MakeParts(MakeNodes(5, 1), 10));
    const auto eight = BruckAllToAll().CreateLanes(MakeParts(MakeNodes(8, 1), 10));
    for (uint32_t k = 0; k < 3; ++k)
    {
        EXPECT_EQ(five[0]->GetStep(k).sendBytes, 10 * ofFive[k]);
        EXPECT_EQ(eight[0]->GetStep(k).sendBytes, 40u);
    }
}

TEST(BruckAllToAll, ABlockTravelsBitByBit)
{
    // From 1 to 7 of 8 is distance 6, bits 1 and 2: by way of 3.
    EXPECT_FALSE(Sends(1, 8, 0, 1, 7));
    EXPECT_TRUE(Sends(1, 8, 1, 1, 7));
    EXPECT_TRUE(Sends(3, 8, 2, 1, 7));
    EXPECT_FALSE(Sends(1, 8, 2, 1, 7));
    EXPECT_FALSE(Sends(3, 8, 1, 1, 7));
}

TEST(BruckAllToAll, EachBlockIsSentOnceForEachBitOfItsDistance)
{
    for (uint32_t p : {2u, 3u, 6u, 8u, 13u, 16u})
    {
        uint64_t bits = 0;
        for (uint32_t distance = 1; distance < p; ++distance)
        {
            bits += static_cast<uint64_t>(__builtin_popcount(distance));
        }
        const BruckAllToAll algorithm;
        CollectiveRun run(algorithm, MakeParts(MakeNodes(p, 1), 100), 4, p);
        run.Run();
        EXPECT_EQ(run.GetTotal(), bits * 100 * p) << p;
    }
}

TEST(BruckAllToAll, BlocksOfAStepAreCutAsOne)
{
    CollectiveTask task = MakeParts(MakeNodes(8, 1), 10); // 40 bytes a step: slices of 16, 16 and 8
    task.cut.slice = 16;
    const BruckAllToAll algorithm;
    CollectiveRun run(algorithm, task, 1, 3);
    run.Run();
    EXPECT_EQ(run.GetMessages(), 8u * 3 * 3);
}

TEST(BruckAllToAll, AStepWithoutBytesIsSkipped)
{
    CollectiveTask task = MakeParts(MakeNodes(8, 1), 0);
    task.bytes = [](uint32_t from, uint32_t to) -> uint64_t {
        return from == 1 && to == 7 ? 9 : 0;
    };
    const BruckAllToAll algorithm;
    CollectiveRun run(algorithm, task, 1, 1);
    run.Run();
    EXPECT_EQ(run.GetMessages(), 2u) << "1 to 3, 3 to 7";
    EXPECT_EQ(run.GetSent(3), 9u);
    EXPECT_TRUE(run.HoldsResult(7));
}

TEST(BruckAllToAll, CostsTheBlocksOfEachStep)
{
    const auto eight = BruckAllToAll().GetCost(MakeParts(MakeNodes(8, 1), 1000));
    ASSERT_TRUE(eight.has_value());
    ASSERT_EQ(eight->size(), 1u);
    EXPECT_EQ(eight->front().rounds, 3);
    EXPECT_EQ(eight->front().farBytes, 4000);
    EXPECT_EQ(eight->front().slice, 4000) << "the next step waits for all of it";
    EXPECT_TRUE(eight->front().far);
    const auto five = BruckAllToAll().GetCost(MakeParts(MakeNodes(5, 1), 1000));
    ASSERT_EQ(five->size(), 2u);
    EXPECT_EQ(five->front().rounds, 2);
    EXPECT_EQ(five->front().farBytes, 2000);
    EXPECT_EQ(five->back().rounds, 1);
    EXPECT_EQ(five->back().farBytes, 1000);
}

TEST(BruckAllToAll, CostsWhatTheMembersThatShareANicSendInAStep)
{
    const auto cost = BruckAllToAll().GetCost(MakeParts(MakeNodes(2, 4, 2), 1000));
    ASSERT_EQ(cost->size(), 3u);
    EXPECT_EQ((*cost)[0].farBytes, 4000) << "3 to 4 and 7 to 0 only";
    EXPECT_EQ((*cost)[0].nearBytes, 4000);
    EXPECT_EQ((*cost)[1].farBytes, 8000) << "2 to 4, 3 to 5";
    EXPECT_EQ((*cost)[2].farBytes, 8000);
    EXPECT_EQ((*cost)[2].nearBytes, 0);
}

} // namespace
