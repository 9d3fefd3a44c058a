/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-run.h"
#include "collective-tasks.h"
#include "lane-rounds.h"
#include "scripted-host.h"

#include "ns3/halving-doubling-all-reduce.h"
#include "ns3/recursive-doubling-all-reduce.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

using namespace ns3::llmfabric;

namespace
{

/// The parameter is p.
class PairedAllReduce : public testing::TestWithParam<uint32_t>
{
  protected:
    /**
     * @return log2 of the largest power of two that is not above p
     */
    static uint64_t GetLevels()
    {
        return FloorLog2(GetParam());
    }

    /**
     * @return that power of two
     */
    static uint64_t GetPower()
    {
        return 1ULL << GetLevels();
    }
};

INSTANTIATE_TEST_SUITE_P(Each, PairedAllReduce, testing::Values(2, 3, 4, 5, 6, 7, 8, 13, 16, 32));

TEST_P(PairedAllReduce, HalvingDoublingSendsTwiceNMinusOnePayloadsForAnyN)
{
    const uint64_t p = GetParam();
    for (uint64_t payload : {uint64_t{1}, uint64_t{1000003}, uint64_t{5} << 30})
    {
        CollectiveRun run(HalvingDoublingAllReduce(), MakeTask(GetParam(), payload), 0, 1);
        run.Run();
        EXPECT_EQ(run.GetTotal(), 2 * (p - 1) * payload);
    }
}

TEST_P(PairedAllReduce, HalvingDoublingTakesTwoRoundsPerLevelAndTwoToFold)
{
    LaneRounds rounds(HalvingDoublingAllReduce(), MakeTask(GetParam(), 1000003));
    EXPECT_EQ(rounds.Get(), 2 * GetLevels() + (GetPower() == GetParam() ? 0 : 2));
}

TEST_P(PairedAllReduce, RecursiveDoublingSendsThePayloadInEachExchange)
{
    const uint64_t p = GetParam();
    for (uint64_t payload : {uint64_t{1}, uint64_t{1000003}})
    {
        CollectiveRun run(RecursiveDoublingAllReduce(), MakeTask(GetParam(), payload), 0, 1);
        run.Run();
        EXPECT_EQ(run.GetTotal(), (GetPower() * GetLevels() + 2 * (p - GetPower())) * payload);
    }
}

TEST_P(PairedAllReduce, RecursiveDoublingTakesARoundPerLevelAndUpToTwoToFold)
{
    LaneRounds rounds(RecursiveDoublingAllReduce(), MakeTask(GetParam(), 1000003));
    if (GetPower() == GetParam())
    {
        EXPECT_EQ(rounds.Get(), GetLevels());
    }
    else
    {
        // Ranks without a partner beyond the power of two are a round ahead.
        EXPECT_GE(rounds.Get(), GetLevels() + 1);
        EXPECT_LE(rounds.Get(), GetLevels() + 2);
    }
}

TEST(HalvingDoubling, RanksExchangeHalvesWithTheNearestRankFirstAndBackwards)
{
    const HalvingDoublingAllReduce algorithm;
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        const CollectiveTask task = MakeTask(8, 800, rank);
        EXPECT_EQ(
            GetReceivers(algorithm, task),
            (std::vector<uint32_t>{rank ^ 1, rank ^ 2, rank ^ 4, rank ^ 4, rank ^ 2, rank ^ 1}));
        EXPECT_EQ(GetSizes(algorithm, task), (std::vector<uint64_t>{400, 200, 100, 100, 200, 400}));
        EXPECT_EQ(GetBytesToSend(algorithm, task), 2u * 7 * 800 / 8) << "as a ring";
    }
}

TEST(HalvingDoubling, RanksBeyondAPowerOfTwoSendAllAndGetAllBack)
{
    const HalvingDoublingAllReduce algorithm;
    EXPECT_EQ(GetReceivers(algorithm, MakeTask(6, 80, 4)), (std::vector<uint32_t>{0}));
    EXPECT_EQ(GetSizes(algorithm, MakeTask(6, 80, 4)), (std::vector<uint64_t>{80}));
    EXPECT_EQ(GetSizes(algorithm, MakeTask(6, 80, 0)),
              (std::vector<uint64_t>{0, 40, 20, 20, 40, 80}));
    EXPECT_EQ(GetSizes(algorithm, MakeTask(6, 80, 2)), (std::vector<uint64_t>{40, 20, 20, 40}));
}

/**
 * Lets rank 0 or 2 of 4 take slices of its first exchange, which brings the first half of 16 bytes.
 *
 * @param rank 0, which then sends the third quarter of them, or 2, which sends the first
 * @return how many of them it had to take to send the first byte of the second exchange
 */
uint32_t
GetSlicesBeforeNextExchange(uint32_t rank)
{
    CollectiveTask task = MakeTask(4, 16, rank);
    ScriptedHost host;
    CollectiveState state(HalvingDoublingAllReduce().CreateLanes(task), 1, host);
    host.slots[{0, rank ^ 1}] = 100;
    host.slots[{0, rank ^ 2}] = 100;
    state.Start();
    EXPECT_EQ(host.sent.size(), 8u) << "its input leaves at once";
    uint32_t slices = 0;
    while (host.sent.size() == 8 && slices < 8)
    {
        ++slices;
        host.arrived[{0, rank ^ 1}] = 1;
        state.OnProgress(0);
    }
    return slices;
}

TEST(HalvingDoubling, ASliceLeavesAsSoonAsTheBytesItCarriesAreThere)
{
    EXPECT_EQ(GetSlicesBeforeNextExchange(2), 1u);
    EXPECT_EQ(GetSlicesBeforeNextExchange(0), 5u);
}

TEST(RecursiveDoubling, RanksExchangeAllWithPartnersAtDoubledDistances)
{
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        const CollectiveTask task = MakeTask(8, 800, rank);
        EXPECT_EQ(GetReceivers(RecursiveDoublingAllReduce(), task),
                  (std::vector<uint32_t>{rank ^ 1, rank ^ 2, rank ^ 4}));
        EXPECT_EQ(GetSizes(RecursiveDoublingAllReduce(), task),
                  (std::vector<uint64_t>{800, 800, 800}));
    }
}

TEST(RecursiveDoubling, BytesChangeOnlyAfterTheyWereSent)
{
    ScriptedHost host;
    CollectiveState state(RecursiveDoublingAllReduce().CreateLanes(MakeTask(2, 3)), 1, host);
    host.arrived[{0, 1}] = 3;
    state.Start();
    EXPECT_TRUE(host.taken.empty());
    for (uint32_t slices = 1; slices <= 3; ++slices)
    {
        host.slots[{0, 1}] = 1;
        state.OnProgress(0);
        EXPECT_EQ(host.sent.size(), slices);
        EXPECT_EQ(host.taken.size(), slices);
    }
    EXPECT_TRUE(state.IsDone());
}

TEST(HalvingDoubling, CostsHalvesInNodesAndTheRestBetweenThem)
{
    CollectiveTask task = MakeTask(16, 1600);
    task.layout = MakeNodes(2, 8, 2);
    task.cut = {2, 2000, 10};
    const auto cost = HalvingDoublingAllReduce().GetCost(task);
    ASSERT_TRUE(cost);
    ASSERT_EQ(cost->size(), 16u) << "each round is cut in slices, which the next one overtakes";
    const std::vector<double> bytes{800, 400, 200, 100, 100, 200, 400, 800};
    for (uint32_t i = 0; i < 8; ++i)
    {
        const CostPhase& phase = (*cost)[2 * i];
        EXPECT_EQ((*cost)[2 * i + 1].slice, phase.slice) << "one more slice";
        EXPECT_EQ((*cost)[2 * i + 1].nearBytes + (*cost)[2 * i + 1].farBytes, 0);
        const bool far = i == 3 || i == 4;
        EXPECT_EQ(phase.rounds, 1);
        EXPECT_EQ(phase.far, far) << i;
        EXPECT_EQ(phase.nearBytes, far ? 0 : bytes[i]) << i;
        EXPECT_EQ(phase.farBytes, far ? 2 * bytes[i] : 0) << "two GPUs share a NIC";
        EXPECT_EQ(phase.slice, far ? 2 * 2 * 10 : 2 * 10) << "of two channels";
        EXPECT_EQ(phase.reduces, i < 4) << i;
    }
}

TEST(RecursiveDoubling, CostsThePayloadInEachRoundAndInBothFolds)
{
    CollectiveTask task = MakeTask(6, 1000);
    task.layout = MakeNodes(2, 3);
    const auto cost = RecursiveDoublingAllReduce().GetCost(task);
    ASSERT_TRUE(cost);
    // Folds 4 -> 0 and 5 -> 1; exchanges 0 1 | 2 3, then 0 2 | 1 3; ranks 0, 1, 2 share a node.
    const std::vector<std::pair<double, double>> bytes{{0, 1000},
                                                       {1000, 1000},
                                                       {1000, 1000},
                                                       {0, 1000}};
    ASSERT_EQ(cost->size(), bytes.size());
    for (uint32_t i = 0; i < bytes.size(); ++i)
    {
        EXPECT_TRUE((*cost)[i].far);
        EXPECT_EQ((*cost)[i].nearBytes, bytes[i].first) << i;
        EXPECT_EQ((*cost)[i].farBytes, bytes[i].second) << i;
        EXPECT_EQ((*cost)[i].reduces, i < 3);
    }
}

TEST(PairedAllReduce, CostsNothingWithoutPartnersOrBytes)
{
    for (const CollectiveTask& task : {MakeTask(1, 1000), MakeTask(8, 0)})
    {
        EXPECT_TRUE(HalvingDoublingAllReduce().GetCost(task)->empty());
        EXPECT_TRUE(RecursiveDoublingAllReduce().GetCost(task)->empty());
        EXPECT_EQ(GetBytesToSend(HalvingDoublingAllReduce(), task), 0u);
        EXPECT_EQ(GetBytesToSend(RecursiveDoublingAllReduce(), task), 0u);
    }
}

} // namespace
