/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-run.h"
#include "collective-tasks.h"
#include "lane-rounds.h"

#include "ns3/collective-state.h"
#include "ns3/ring-all-gather.h"
#include "ns3/ring-all-reduce.h"
#include "ns3/ring-lane.h"
#include "ns3/ring-reduce-scatter.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

using namespace ns3::llmfabric;

namespace
{

/// A ring, and how often its ranks send (p - 1) / p of the payload.
struct RingCase
{
    std::shared_ptr<const CollectiveAlgorithm> algorithm; //!< the ring
    uint64_t turns;                                       //!< turns around it
};

/**
 * @return all rings
 */
std::vector<RingCase>
GetRings()
{
    return {{std::make_shared<const RingAllReduce>(), 2},
            {std::make_shared<const RingReduceScatter>(), 1},
            {std::make_shared<const RingAllGather>(), 1}};
}

/// The parameter is p.
class RingCollective : public testing::TestWithParam<uint32_t>
{
};

INSTANTIATE_TEST_SUITE_P(Each, RingCollective, testing::Values(2, 3, 4, 5, 7, 8, 13, 16, 17, 32));

TEST_P(RingCollective, EachTurnSendsNMinusOnePayloads)
{
    const uint64_t p = GetParam();
    for (const auto& [algorithm, turns] : GetRings())
    {
        for (uint64_t payload : {uint64_t{1}, p - 1, uint64_t{1000003}, uint64_t{5} << 30})
        {
            CollectiveRun run(*algorithm, MakeTask(GetParam(), payload), 0, 1);
            run.Run();
            EXPECT_EQ(run.GetTotal(), turns * (p - 1) * payload);
            for (uint32_t rank = 0; rank < p; ++rank)
            {
                EXPECT_LE(run.GetSent(rank), turns * (payload - payload / p));
            }
        }
    }
}

TEST_P(RingCollective, EachTurnTakesNMinusOneRounds)
{
    const uint32_t p = GetParam();
    for (const auto& [algorithm, turns] : GetRings())
    {
        const CollectiveTask task = MakeTask(p, 1000003);
        CollectiveRun run(*algorithm, task, 0, 1);
        run.Run();
        EXPECT_EQ(LaneRounds(*algorithm, task).Get(), turns * (p - 1));
        EXPECT_EQ(run.GetMessages(), turns * p * (p - 1)) << "no empty ones";
    }
}

TEST_P(RingCollective, RanksSendToTheNextOneOnly)
{
    const uint32_t p = GetParam();
    for (const auto& [algorithm, turns] : GetRings())
    {
        for (uint32_t rank = 0; rank < p; ++rank)
        {
            const auto peers = GetPeersToSend(*algorithm, MakeTask(p, 1000003, rank));
            ASSERT_EQ(peers.size(), 1u);
            EXPECT_EQ(peers[0].peer, (rank + 1) % p);
        }
    }
}

TEST(RingAllReduce, EightRanksSend448MegabytesEachForThePaperExample)
{
    for (uint32_t channels : {1u, 16u})
    {
        CollectiveTask task = MakeTask(8, 256000000);
        task.layout = MakeNodes(1, 8);
        task.cut = CollectiveCut();
        task.cut.channels = channels;
        for (task.rank = 0; task.rank < 8; ++task.rank)
        {
            EXPECT_EQ(GetBytesToSend(RingAllReduce(), task), 448000000u);
        }
    }
}

TEST(RingAllReduce, TakesHalfAKilobyteOfARankWhateverThePayload)
{
    CollectiveTask task = MakeTask(1024, 1ULL << 40);
    task.cut = CollectiveCut();
    task.cut.channels = 2;
    const auto lanes = RingAllReduce().CreateLanes(task);
    ASSERT_EQ(lanes.size(), 2u);
    EXPECT_EQ(lanes[0]->GetStepCount(), 256u * 2047) << "none of which is kept";
    EXPECT_LE(sizeof(CollectiveState) + 2 * (CollectiveState::LANE_BYTES + sizeof(RingLane)), 512u);
}

TEST(RingAllReduce, SendsFollowTheChunksAroundTheRing)
{
    const auto lanes = RingAllReduce().CreateLanes(MakeTask(4, 400, 1));
    std::vector<uint64_t> offsets;
    for (uint32_t i = 0; i < 6; ++i)
    {
        const LaneStep step = lanes[0]->GetStep(i);
        EXPECT_EQ(step.sendBytes, 100u);
        offsets.push_back(step.sendOffset);
    }
    EXPECT_EQ(offsets, (std::vector<uint64_t>{100, 0, 300, 200, 100, 0}));
    EXPECT_EQ(lanes[0]->GetStepCount(), 7u) << "the last one only receives";
    EXPECT_EQ(lanes[0]->GetStep(6).sendBytes, 0u);
}

TEST(RingReduceScatter, OneByteGoesRoundWithoutEmptyMessages)
{
    // Of 4 chunks the last one holds the byte: rank 3 ends with it, so rank 0 sends it first.
    CollectiveRun run(RingReduceScatter(), MakeTask(4, 1), 1, 1);
    run.Run();
    EXPECT_EQ(run.GetMessages(), 3u);
    EXPECT_EQ(run.GetSent(3), 0u);
    EXPECT_EQ(run.GetSent(0), 1u);
}

TEST(RingCollective, EachChannelCrossesEachNodeBorderOnceByItsOwnNic)
{
    CollectiveTask task = MakeTask(8, 80000);
    task.layout = MakeNodes(2, 4, 2);
    task.cut.channels = 2;
    for (uint32_t channel = 0; channel < 2; ++channel)
    {
        uint32_t borders = 0;
        for (task.rank = 0; task.rank < 8; ++task.rank)
        {
            const auto lanes = RingAllReduce().CreateLanes(task);
            ASSERT_EQ(lanes.size(), 2u);
            EXPECT_EQ(lanes[channel]->GetChannel(), channel);
            EXPECT_TRUE(lanes[channel]->UsesChannelNic());
            const uint32_t to = lanes[channel]->GetStep(0).sendTo[0];
            borders += task.rank / 4 != to / 4 ? 1 : 0;
            if (task.rank < 4 && to >= 4)
            {
                EXPECT_EQ(to, channel == 0 ? 4u : 6u) << "where the NIC of the channel is near";
            }
        }
        EXPECT_EQ(borders, 2u);
    }
}

TEST(RingCollective, NothingIsSentWithoutPartnersOrBytes)
{
    for (const auto& [algorithm, turns] : GetRings())
    {
        for (const CollectiveTask& task : {MakeTask(1, 1000), MakeTask(8, 0, 2)})
        {
            EXPECT_EQ(GetBytesToSend(*algorithm, task), 0u);
            EXPECT_TRUE(GetPeersToSend(*algorithm, task).empty());
            EXPECT_TRUE(algorithm->GetCost(task)->empty());
        }
    }
}

TEST(RingCollective, CostsAChunkOfEachRankInEachRound)
{
    for (const auto& [algorithm, turns] : GetRings())
    {
        CollectiveTask task = MakeTask(8, 8000);
        task.cut = {2, 300, 100}; // a share of 500 makes chunks of 300 and 200
        const auto cost = algorithm->GetCost(task);
        ASSERT_TRUE(cost);
        double rounds = 0;
        double bytes = 0;
        for (const CostPhase& phase : *cost)
        {
            EXPECT_TRUE(phase.far || phase.rounds == 0) << "each rank is in its own node";
            rounds += phase.rounds;
            bytes += phase.rounds * phase.farBytes;
        }
        EXPECT_DOUBLE_EQ(rounds, 2 * turns * 7) << "of each loop";
        EXPECT_DOUBLE_EQ(bytes, turns * 7 * 1000);
    }
}

TEST(RingAllReduce, CostsThoseOfAReduceScatterAndAnAllGatherOfWhichOnlyTheFirstReduce)
{
    CollectiveTask task = MakeTask(MakeNodes(2, 4, 2), 8000, 2);
    task.cut = {2, 300, 100};
    double rounds[] = {0, 0}; // without a reduction, and with one
    double bytes[] = {0, 0};
    const auto whole = RingAllReduce().GetCost(task);
    for (const CostPhase& phase : *whole)
    {
        rounds[phase.reduces] += phase.rounds;
        bytes[phase.reduces] += phase.rounds * phase.farBytes;
    }
    const std::vector<std::shared_ptr<const CollectiveAlgorithm>> halves{
        std::make_shared<const RingAllGather>(),
        std::make_shared<const RingReduceScatter>()};
    for (uint32_t half : {0u, 1u})
    {
        EXPECT_DOUBLE_EQ(rounds[half], 2 * 7) << "two loops";
        const auto cost = halves[half]->GetCost(task);
        for (const CostPhase& phase : *cost)
        {
            EXPECT_EQ(phase.reduces, half == 1);
            rounds[half] -= phase.rounds;
            bytes[half] -= phase.rounds * phase.farBytes;
        }
        EXPECT_NEAR(rounds[half], 0, 1e-9);
        EXPECT_NEAR(bytes[half], 0, 1e-9);
    }
}

TEST(RingCollective, ChannelsSpreadTheFarBytesOverTheNics)
{
    CollectiveTask task = MakeTask(8, 8000);
    task.layout = MakeNodes(2, 4, 2);
    for (uint32_t channels : {1u, 2u, 4u})
    {
        task.cut = {channels, 1000, 1000};
        const auto cost = RingAllGather().GetCost(task);
        const double part = channels == 1 ? 1 : 0.5;
        EXPECT_DOUBLE_EQ(cost->back().farBytes, 1000 * part) << channels;
        EXPECT_DOUBLE_EQ(cost->back().nearBytes, 1000) << channels;
    }
}

} // namespace
