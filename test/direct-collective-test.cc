/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-run.h"
#include "collective-tasks.h"
#include "lane-rounds.h"

#include "ns3/all-reduce-cost.h"
#include "ns3/barrier-algorithm.h"
#include "ns3/collective-registry.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace ns3::llmfabric;

namespace
{

/// An AllReduce that can't be done anywhere.
class ImpossibleAllReduce : public CollectiveAlgorithm
{
  public:
    std::string GetOp() const override
    {
        return "allreduce";
    }

    std::string GetName() const override
    {
        return "impossible";
    }

    LatencyRow GetLatencyRow() const override
    {
        return LatencyRow::PAT;
    }

    std::string GetObstacle(const CollectiveLayout& /* layout */) const override
    {
        return "never";
    }

    std::vector<std::unique_ptr<CollectiveLane>> CreateLanes(
        const CollectiveTask& /* task */) const override
    {
        return {};
    }
};

TEST(NaiveAllReduce, TakesOneRoundAndTheBytesOfTheFormula)
{
    const auto algorithm = CollectiveRegistry().Get("allreduce", "naive");
    for (uint32_t ranks = 2; ranks <= 20; ++ranks)
    {
        const CollectiveTask task = MakeTask(ranks, 1000);
        CollectiveRun run(*algorithm, task, 0, ranks);
        run.Run();
        const AllReduceCost formula = AllReduceCost::GetAll(ranks, 1000)[0];
        EXPECT_EQ(LaneRounds(*algorithm, task).Get(), formula.steps);
        EXPECT_EQ(run.GetTotal(), static_cast<uint64_t>(formula.totalBytes));
        EXPECT_EQ(run.GetSent(ranks / 2), static_cast<uint64_t>(formula.bytesPerRank));
        EXPECT_EQ(run.GetMessages(), uint64_t{ranks} * (ranks - 1));
    }
}

TEST(NaiveAllReduce, HasALaneForEachPeerByTheNicOfTheGpu)
{
    const auto algorithm = CollectiveRegistry().Get("allreduce", "naive");
    CollectiveTask task = MakeTask(6, 1000);
    task.rank = 4;
    std::set<uint32_t> peers;
    for (const LanePeer& one : GetPeersToSend(*algorithm, task))
    {
        EXPECT_EQ(one.lane, peers.size());
        EXPECT_EQ(one.peer, (4 + one.lane + 1) % 6);
        EXPECT_FALSE(one.channelNic);
        peers.insert(one.peer);
    }
    EXPECT_EQ(peers, std::set<uint32_t>({0, 1, 2, 3, 5}));
}

TEST(DirectBroadcast, OnlyTheRootSends)
{
    const auto algorithm = CollectiveRegistry().Get("broadcast", "direct");
    CollectiveTask task = MakeTask(5, 1000);
    task.root = 3;
    for (task.rank = 0; task.rank < 5; ++task.rank)
    {
        EXPECT_EQ(GetBytesToSend(*algorithm, task), task.rank == 3 ? 4000u : 0u);
    }
}

TEST(DirectReduce, OnlyTheRootGets)
{
    const auto algorithm = CollectiveRegistry().Get("reduce", "direct");
    CollectiveTask task = MakeTask(5, 1000);
    task.root = 3;
    for (task.rank = 0; task.rank < 5; ++task.rank)
    {
        const auto peers = GetPeersToSend(*algorithm, task);
        ASSERT_EQ(peers.size(), task.rank == 3 ? 0u : 1u);
        EXPECT_EQ(GetBytesToSend(*algorithm, task), task.rank == 3 ? 0u : 1000u);
        EXPECT_TRUE(peers.empty() || peers[0].peer == 3);
    }
}

TEST(DirectSendReceive, EachRankSendsThePayloadToTheNextOneInSharesOfTheChannels)
{
    const auto algorithm = CollectiveRegistry().Get("sendrecv", "direct");
    CollectiveTask task = MakeTask(4, 1001);
    task.cut.channels = 2;
    task.rank = 3;
    const auto peers = GetPeersToSend(*algorithm, task);
    ASSERT_EQ(peers.size(), 2u);
    for (uint32_t channel : {0u, 1u})
    {
        EXPECT_EQ(peers[channel].peer, 0u);
        EXPECT_EQ(peers[channel].channel, channel);
        EXPECT_FALSE(peers[channel].channelNic);
    }
    CollectiveRun run(*algorithm, task, 0, 1);
    run.Run();
    EXPECT_EQ(run.GetSent(3), 1001u);
    EXPECT_EQ(run.GetTotal(), 4004u);
    EXPECT_EQ(LaneRounds(*algorithm, task).Get(), 1u);
}

TEST(Barrier, IsAnAllReduceOfFourBytesWhateverThePayloadAndTheChannels)
{
    const CollectiveRegistry registry;
    EXPECT_EQ(registry.GetNames("barrier"), registry.GetNames("allreduce"));
    for (const std::string& name : registry.GetNames("barrier"))
    {
        CollectiveTask barrier = MakeTask(8, 0);
        barrier.cut.channels = 4;
        const CollectiveTask sum = MakeTask(8, 4);
        const auto algorithm = registry.Get("barrier", name);
        const auto allReduce = registry.Get("allreduce", name);
        CollectiveRun run(*algorithm, barrier, 0, 1);
        CollectiveRun expected(*allReduce, sum, 0, 1);
        run.Run();
        expected.Run();
        EXPECT_GT(run.GetTotal(), 0u) << name;
        EXPECT_EQ(run.GetTotal(), expected.GetTotal()) << name;
        EXPECT_EQ(run.GetMessages(), expected.GetMessages()) << name;
        EXPECT_EQ(LaneRounds(*algorithm, barrier).Get(), LaneRounds(*allReduce, sum).Get()) << name;
    }
}

TEST(Barrier, HasTheObstaclesAndStartUpCostsOfItsAllReduce)
{
    const BarrierAlgorithm barrier(std::make_shared<const ImpossibleAllReduce>());
    EXPECT_EQ(barrier.GetOp(), "barrier");
    EXPECT_EQ(barrier.GetName(), "impossible");
    EXPECT_EQ(barrier.GetObstacle(CollectiveLayout::Spread(2)), "never");
    EXPECT_EQ(barrier.GetLatencyRow(), LatencyRow::PAT);
    EXPECT_FALSE(barrier.GetCost(MakeTask(2, 0)));
}

TEST(AllAlgorithms, AreOverWhenTheyStartIfARankIsAlone)
{
    const CollectiveRegistry registry;
    for (const std::string& op : registry.GetOps())
    {
        for (const std::string& name : registry.GetNames(op))
        {
            const CollectiveTask task = MakeTask(1, 1000);
            const auto algorithm = registry.Get(op, name);
            if (!algorithm->GetObstacle(*task.layout).empty())
            {
                continue;
            }
            CollectiveRun run(*algorithm, task, 1, 1);
            run.Run();
            EXPECT_TRUE(run.IsDone(0)) << op << " " << name;
            EXPECT_TRUE(run.HoldsResult(0)) << op << " " << name;
            EXPECT_EQ(run.GetTotal(), 0u) << op << " " << name;
        }
    }
}

} // namespace
