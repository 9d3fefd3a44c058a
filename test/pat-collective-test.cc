/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-run.h"
#include "collective-tasks.h"
#include "lane-rounds.h"
#include "scripted-host.h"

#include "ns3/pat-all-gather.h"
#include "ns3/pat-reduce-scatter.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

using namespace ns3::llmfabric;

namespace
{

/// The parameter is p.
class PatCollective : public testing::TestWithParam<uint32_t>
{
  protected:
    /**
     * @return both algorithms
     */
    static std::vector<std::shared_ptr<const CollectiveAlgorithm>> GetBoth()
    {
        return {std::make_shared<const PatAllGather>(), std::make_shared<const PatReduceScatter>()};
    }
};

INSTANTIATE_TEST_SUITE_P(Each,
                         PatCollective,
                         testing::Values(2, 3, 4, 5, 6, 7, 8, 11, 16, 17, 31, 32, 64));

TEST_P(PatCollective, EachByteGoesToEachOtherRankOnce)
{
    const uint64_t p = GetParam();
    for (const auto& algorithm : GetBoth())
    {
        for (uint64_t payload : {uint64_t{1}, uint64_t{1000003}, uint64_t{5} << 30})
        {
            CollectiveRun run(*algorithm, MakeTask(GetParam(), payload), 0, 1);
            run.Run();
            EXPECT_EQ(run.GetTotal(), (p - 1) * payload);
        }
    }
}

TEST_P(PatCollective, TakesALogarithmOfRoundsWithOneMessagePerRankInEach)
{
    const uint32_t p = GetParam();
    for (const auto& algorithm : GetBoth())
    {
        const CollectiveTask task = MakeTask(p, 1000 * p);
        CollectiveRun run(*algorithm, task, 0, 1);
        run.Run();
        EXPECT_EQ(LaneRounds(*algorithm, task).Get(), CeilLog2(p));
        EXPECT_EQ(run.GetMessages(), uint64_t{p} * CeilLog2(p));
        EXPECT_EQ(run.GetSent(0), 1000 * (p - 1));
    }
}

TEST_P(PatCollective, PartsOfAGatherStepAreThoseOfTheReductionStepBackwards)
{
    const uint32_t p = GetParam();
    const uint32_t steps = CeilLog2(p);
    for (uint32_t rank = 0; rank < p; ++rank)
    {
        const auto gathers = PatAllGather().CreateLanes(MakeTask(p, 1000 * p, rank));
        for (uint32_t i = 0; i < steps; ++i)
        {
            const uint32_t peer = gathers[0]->GetStep(i).sendTo[0];
            const auto reduces = PatReduceScatter().CreateLanes(MakeTask(p, 1000 * p, peer));
            EXPECT_EQ(reduces[0]->GetStep(steps - 1 - i).sendTo[0], rank);
            const auto out = gathers[0]->GetPieces(i);
            const auto back = reduces[0]->GetPieces(steps - 1 - i);
            ASSERT_EQ(out.size(), back.size());
            for (uint32_t k = 0; k < out.size(); ++k)
            {
                EXPECT_EQ(out[k].offset, back[k].offset);
            }
        }
    }
}

TEST(PatAllGather, TheFarthestRankComesFirstWithTheSmallestMessage)
{
    EXPECT_EQ(GetReceivers(PatAllGather(), MakeTask(8, 800, 3)), (std::vector<uint32_t>{7, 5, 4}));
    EXPECT_EQ(GetSizes(PatAllGather(), MakeTask(8, 800, 3)),
              (std::vector<uint64_t>{100, 200, 400}));
}

TEST(PatReduceScatter, TheNearestRankComesFirstWithTheLargestMessage)
{
    EXPECT_EQ(GetReceivers(PatReduceScatter(), MakeTask(8, 800, 3)),
              (std::vector<uint32_t>{2, 1, 7}));
    EXPECT_EQ(GetSizes(PatReduceScatter(), MakeTask(8, 800, 3)),
              (std::vector<uint64_t>{400, 200, 100}));
}

TEST(PatAllGather, RanksThatAreNoPowerOfTwoHaveATreeToo)
{
    // The example of PatLane: 0 -> 1, 2 -> 3, 4 -> 5 are last, so rank 4 sends parts 4, 2 and 0.
    const auto lanes = PatAllGather().CreateLanes(MakeTask(6, 600, 4));
    std::vector<uint64_t> offsets;
    for (const DataPiece& piece : lanes[0]->GetPieces(2))
    {
        offsets.push_back(piece.offset);
        EXPECT_EQ(piece.bytes, 100u);
    }
    EXPECT_EQ(offsets, (std::vector<uint64_t>{400, 200, 0}));
    EXPECT_EQ(GetSizes(PatAllGather(), MakeTask(6, 600, 4)),
              (std::vector<uint64_t>{100, 100, 300}));
}

TEST(PatCollective, ChunksOfAPartFollowOneAnotherInLoops)
{
    CollectiveTask task = MakeTask(4, 4000);
    task.cut = {2, 200, 100}; // shares of 500 bytes in 3 chunks
    const auto lanes = PatAllGather().CreateLanes(task);
    ASSERT_EQ(lanes.size(), 2u);
    EXPECT_EQ(lanes[0]->GetStepCount(), 3u * 2);
    EXPECT_EQ(GetSizes(PatAllGather(), task),
              (std::vector<uint64_t>{200, 400, 200, 400, 100, 200}));
    EXPECT_EQ(lanes[1]->GetStep(0).sendOffset, 500u);
    EXPECT_EQ(lanes[1]->GetStep(2).sendOffset, 700u);
}

TEST(PatAllGather, TheOwnPartLeavesBeforeAnyOtherHasCome)
{
    ScriptedHost host;
    CollectiveState state(PatAllGather().CreateLanes(MakeTask(4, 40)), 1, host);
    host.slots[{0, 2}] = 100;
    host.slots[{0, 1}] = 100;
    state.Start();
    EXPECT_EQ(host.sent.size(), 10u + 10) << "to 2, and to 1 as the first of two parts";
    host.arrived[{0, 2}] = 1;
    state.OnProgress(0);
    EXPECT_EQ(host.sent.size(), 10u + 11);
}

TEST(PatReduceScatter, ASumLeavesWhenAllBeforeItWasAdded)
{
    // Rank 2 of 4 adds what rank 3 sends for owners 2 and 0, then sends the sum of owner 0 there.
    ScriptedHost host;
    CollectiveState state(PatReduceScatter().CreateLanes(MakeTask(4, 40, 2)), 10, host);
    host.slots[{0, 1}] = 100;
    host.slots[{0, 0}] = 100;
    state.Start();
    EXPECT_EQ(host.sent.size(), 2u) << "to 1, for owners 1 and 3";
    host.arrived[{0, 3}] = 1;
    state.OnProgress(0);
    EXPECT_EQ(host.sent.size(), 2u);
    host.arrived[{0, 3}] = 1;
    state.OnProgress(0);
    ASSERT_EQ(host.sent.size(), 3u);
    EXPECT_EQ(host.sent[2].peer, 0u);
}

TEST(PatCollective, CostsARoundPerLevelAndLoop)
{
    CollectiveTask task = MakeTask(8, 8000);
    task.layout = MakeNodes(4, 2, 2);
    task.cut = {1, 600, 50}; // parts of 1000: chunks of 600 and 400
    const auto cost = PatAllGather().GetCost(task);
    ASSERT_TRUE(cost);
    ASSERT_EQ(cost->size(), 6u);
    const std::vector<double> parts{1, 2, 4, 1, 2, 4};
    for (uint32_t i = 0; i < 6; ++i)
    {
        const double bytes = parts[i] * (i < 3 ? 600 : 400);
        const bool next = i % 3 == 2; // to r + 1: half of them in the node
        EXPECT_EQ((*cost)[i].rounds, 1) << i;
        EXPECT_TRUE((*cost)[i].far);
        EXPECT_EQ((*cost)[i].nearBytes, next ? bytes : 0) << i;
        EXPECT_EQ((*cost)[i].farBytes, next ? bytes : 2 * bytes) << i;
        EXPECT_EQ((*cost)[i].slice, next ? 50 : 100) << i;
        EXPECT_FALSE((*cost)[i].reduces);
    }
    const auto reversed = PatReduceScatter().GetCost(task);
    EXPECT_TRUE(reversed->front().reduces);
    EXPECT_EQ(reversed->front().nearBytes, (*cost)[2].nearBytes);
    EXPECT_TRUE(PatAllGather().GetCost(MakeTask(8, 0))->empty());
    EXPECT_TRUE(PatAllGather().GetCost(MakeTask(1, 100))->empty());
}

TEST(PatCollective, HasItsOwnStartUpCosts)
{
    EXPECT_EQ(PatAllGather().GetLatencyRow(), LatencyRow::PAT);
    EXPECT_EQ(PatReduceScatter().GetLatencyRow(), LatencyRow::PAT);
}

} // namespace
