/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-run.h"
#include "collective-tasks.h"
#include "lane-rounds.h"

#include "ns3/direct-all-gather.h"
#include "ns3/direct-all-to-all.h"
#include "ns3/direct-reduce-scatter.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

using namespace ns3::llmfabric;

namespace
{

/// Numbers of ranks to try.
const auto RANKS = testing::Values(2, 3, 4, 5, 8, 13, 17, 32);

/**
 * @return all direct algorithms
 */
std::vector<std::shared_ptr<const CollectiveAlgorithm>>
GetAll()
{
    return {std::make_shared<const DirectAllGather>(),
            std::make_shared<const DirectReduceScatter>(),
            std::make_shared<const DirectAllToAll>()};
}

/**
 * @param algorithm an algorithm
 * @param task an op of a rank
 * @return to whom the rank sends, by lane
 */
std::vector<uint32_t>
GetPeers(const CollectiveAlgorithm& algorithm, const CollectiveTask& task)
{
    std::vector<uint32_t> peers;
    for (const LanePeer& peer : GetPeersToSend(algorithm, task))
    {
        peers.push_back(peer.peer);
    }
    return peers;
}

/// The parameter is p.
class DirectCollective : public testing::TestWithParam<uint32_t>
{
};

INSTANTIATE_TEST_SUITE_P(Each, DirectCollective, RANKS);

TEST_P(DirectCollective, EachPartGoesStraightToItsPlaceInOneRound)
{
    const uint64_t p = GetParam();
    for (const auto& algorithm : GetAll())
    {
        for (uint64_t payload : {p, uint64_t{1000003}, uint64_t{5} << 30})
        {
            const CollectiveTask task = MakeTask(GetParam(), payload);
            CollectiveRun run(*algorithm, task, 0, 1);
            run.Run();
            EXPECT_EQ(run.GetTotal(), (p - 1) * payload);
            EXPECT_EQ(LaneRounds(*algorithm, task).Get(), 1u);
            EXPECT_EQ(run.GetMessages(), p * (p - 1));
        }
    }
}

TEST_P(DirectCollective, OneByteLeavesNoEmptyMessages)
{
    // PayloadSplit gives it to the last rank, or it is the last rank's.
    const uint64_t p = GetParam();
    for (const auto& algorithm : GetAll())
    {
        CollectiveRun run(*algorithm, MakeTask(GetParam(), 1), 0, 1);
        run.Run();
        EXPECT_EQ(run.GetMessages(), p - 1);
        const bool gathers = algorithm->GetOp() == "allgather";
        EXPECT_EQ(run.GetSent(GetParam() - 1), gathers ? p - 1 : 0);
    }
}

TEST(DirectCollective, RanksSendToTheNextOneFirst)
{
    for (const auto& algorithm : GetAll())
    {
        EXPECT_EQ(GetPeers(*algorithm, MakeTask(4, 400, 2)), (std::vector<uint32_t>{3, 0, 1}));
    }
}

TEST(DirectCollective, MoreChannelsThanPeersShareTheMessages)
{
    CollectiveTask task = MakeTask(4, 4000, 1);
    for (uint32_t channels : {1u, 3u, 5u})
    {
        task.cut.channels = channels;
        EXPECT_EQ(DirectAllToAll().CreateLanes(task).size(), 3u) << channels;
    }
    task.cut.channels = 7;
    const auto lanes = DirectAllToAll().CreateLanes(task);
    ASSERT_EQ(lanes.size(), 6u);
    EXPECT_EQ(lanes[3]->GetChannel(), 1u);
    EXPECT_EQ(lanes[3]->GetStep(0).sendTo[0], 2u);
    EXPECT_EQ(lanes[3]->GetPieces(0).front().offset, 2500u);
    EXPECT_EQ(lanes[3]->GetStep(0).sendBytes, 500u);
}

TEST(DirectCollective, MessagesAreCutInSlices)
{
    CollectiveTask task = MakeTask(4, 400);
    task.cut.slice = 30;
    CollectiveRun run(DirectReduceScatter(), task, 1, 1);
    run.Run();
    EXPECT_EQ(run.GetMessages(), 4u * 3 * 4);
}

TEST(DirectCollective, CostsOneRoundOfAllParts)
{
    CollectiveTask task = MakeTask(8, 800);
    task.layout = MakeNodes(2, 4, 2);
    task.cut = {2, 100, 30};
    for (const auto& algorithm : GetAll())
    {
        const auto cost = algorithm->GetCost(task);
        ASSERT_TRUE(cost);
        ASSERT_EQ(cost->size(), 1u);
        EXPECT_EQ(cost->front().rounds, 1);
        EXPECT_TRUE(cost->front().far);
        EXPECT_EQ(cost->front().nearBytes, 3 * 100);
        EXPECT_EQ(cost->front().farBytes, 2 * 4 * 100) << "two GPUs share a NIC";
        EXPECT_EQ(cost->front().slice, 2 * 4 * 30) << "the first ones of all messages";
        EXPECT_EQ(cost->front().reduces, algorithm->GetOp() == "reducescatter");
        EXPECT_TRUE(algorithm->GetCost(MakeTask(8, 0))->empty());
        EXPECT_TRUE(algorithm->GetCost(MakeTask(1, 100))->empty());
    }
}

/// Bytes from one rank to another.
using Parts = std::vector<std::vector<uint64_t>>;

/**
 * @param ranks p
 * @return sizes drawn at random, of which one in four is 0
 */
Parts
DrawParts(uint32_t ranks)
{
    std::mt19937 random(ranks);
    Parts parts(ranks, std::vector<uint64_t>(ranks));
    for (auto& row : parts)
    {
        for (uint64_t& bytes : row)
        {
            bytes = random() % 4 * 1000003;
        }
    }
    return parts;
}

/// The parameter is p.
class UnequalAllToAll : public testing::TestWithParam<uint32_t>
{
};

INSTANTIATE_TEST_SUITE_P(Each, UnequalAllToAll, RANKS);

TEST_P(UnequalAllToAll, PartsGoAsTheyAreGiven)
{
    const uint32_t p = GetParam();
    const Parts parts = DrawParts(p);
    CollectiveTask task = MakeTask(p, 5ULL << 30);
    task.bytes = [&](uint32_t from, uint32_t to) { return parts[from][to]; };
    task.cut = {2, 1 << 20, 1 << 18};
    CollectiveRun run(DirectAllToAll(), task, 2, p);
    run.Run();
    for (task.rank = 0; task.rank < p; ++task.rank)
    {
        EXPECT_TRUE(run.HoldsResult(task.rank)) << task.rank;
        const auto& own = parts[task.rank];
        const uint64_t all = std::accumulate(own.begin(), own.end(), uint64_t{0});
        EXPECT_EQ(run.GetSent(task.rank), all - own[task.rank]) << "its own part stays";
        std::vector<uint32_t> expected;
        for (uint32_t distance = 1; distance < p; ++distance)
        {
            const uint32_t to = (task.rank + distance) % p;
            if (own[to] > 0)
            {
                expected.push_back(to);
            }
        }
        task.cut.channels = 1;
        EXPECT_EQ(GetPeers(DirectAllToAll(), task), expected);
    }
}

TEST(UnequalAllToAll, CostsWhatTheBusiestRankSendsOrReceives)
{
    const Parts parts{{9, 0, 300, 0}, {0, 9, 400, 0}, {10, 0, 9, 20}, {0, 0, 0, 9}};
    CollectiveTask task = MakeTask(4, 1000);
    task.bytes = [&](uint32_t from, uint32_t to) { return parts[from][to]; };
    const auto spread = DirectAllToAll().GetCost(task);
    EXPECT_EQ(spread->front().farBytes, 700) << "what rank 2 gets";
    EXPECT_EQ(spread->front().nearBytes, 0);
    task.layout = MakeNodes(1, 4);
    const auto together = DirectAllToAll().GetCost(task);
    EXPECT_FALSE(together->front().far);
    EXPECT_EQ(together->front().nearBytes, 700);
}

TEST(DirectAllToAll, NothingIsSentWithoutPartnersOrBytes)
{
    for (const CollectiveTask& task : {MakeTask(1, 1000), MakeTask(8, 0, 2)})
    {
        EXPECT_EQ(GetBytesToSend(DirectAllToAll(), task), 0u);
        EXPECT_TRUE(GetPeersToSend(DirectAllToAll(), task).empty());
        CollectiveRun run(DirectAllToAll(), task, 1, 1);
        run.Run();
        EXPECT_EQ(LaneRounds(DirectAllToAll(), task).Get(), 0u);
    }
}

} // namespace
