/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-fixture.h"

#include "ns3/user-error.h"

#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

constexpr auto ALL_REDUCE = CollectiveKind::ALL_REDUCE;
constexpr auto ALL_TO_ALL = CollectiveKind::ALL_TO_ALL;

/// Tests of ranks and of how jobs are installed.
class RankApplicationTest : public RankFixture
{
};

TEST_F(RankApplicationTest, ComputationsOfAStreamFollowEachOtherInEachStep)
{
    auto plan = std::make_shared<HandPlan>(1);
    plan->steps = 3;
    plan->Add(0, 0, ComputeOp{ComputePhase::FORWARD, 0, 2, 1, MicroSeconds(5)});
    plan->Add(0, 0, Compute(7, ComputePhase::BACKWARD));
    Run(plan);
    ASSERT_EQ(m_computes.size(), 6u);
    EXPECT_EQ(m_computes[0].microBatch, 2u);
    EXPECT_EQ(m_computes[0].part, 1u);
    EXPECT_EQ(m_computes[5].phase, ComputePhase::BACKWARD);
    EXPECT_EQ(m_computes[5].step, 2u);
    EXPECT_EQ(m_computes[5].start, MicroSeconds(2 * 12 + 5));
    EXPECT_EQ(m_computes[5].end, MicroSeconds(36));
    ASSERT_EQ(m_steps.size(), 3u);
    EXPECT_EQ(m_steps[1].start, MicroSeconds(12));
    EXPECT_EQ(m_steps[1].compute, MicroSeconds(12));
}

TEST_F(RankApplicationTest, AStepHasComputedWhileAnyStreamDid)
{
    auto plan = std::make_shared<HandPlan>(2);
    plan->Add(0, 0, Compute(10));
    plan->Add(0, 30, Compute(5));
    plan->Add(0, 30, Compute(9)); // 5 to 14 us
    const uint32_t message = plan->Add(0, 1, ReceiveOp{1, 0, 2 * MEGABYTE});
    plan->Add(0, 0, Compute(3), {message}); // 20 to 23 us
    plan->Add(1, 1, SendOp{0, 0, 2 * MEGABYTE});
    Run(plan);
    ASSERT_EQ(Of(m_steps, 0).size(), 1u);
    EXPECT_EQ(Of(m_steps, 0)[0].end, MicroSeconds(23));
    EXPECT_EQ(Of(m_steps, 0)[0].compute, MicroSeconds(17));
}

TEST_F(RankApplicationTest, AComputationAndACollectiveOverlap)
{
    auto plan = std::make_shared<HandPlan>(2);
    const uint32_t group = plan->AddGroup({0, 1});
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        const uint32_t first = plan->Add(rank, 0, Compute(10));
        // 2 steps of 1 MB: 20 us
        const uint32_t sum =
            plan->Add(rank, 1, Collective(ALL_REDUCE, group, 2 * MEGABYTE), {first});
        plan->Add(rank, 0, Compute(15));
        plan->Add(rank, 0, Compute(2, ComputePhase::UPDATE), {sum});
    }
    Run(plan);
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        const auto collectives = Of(m_collectives, rank);
        ASSERT_EQ(collectives.size(), 1u);
        EXPECT_EQ(collectives[0].start, MicroSeconds(10));
        EXPECT_EQ(collectives[0].end, MicroSeconds(30));
        EXPECT_EQ(collectives[0].groupName, "group10");
        const auto computes = Of(m_computes, rank);
        ASSERT_EQ(computes.size(), 3u);
        EXPECT_EQ(computes[1].start, MicroSeconds(10));
        EXPECT_EQ(computes[2].start, MicroSeconds(30));
        EXPECT_EQ(Of(m_steps, rank).at(0).end, MicroSeconds(32));
        EXPECT_EQ(Of(m_steps, rank).at(0).compute, MicroSeconds(27));
    }
}

TEST_F(RankApplicationTest, GroupsRunAtTheSameTimeAndOpsOfAGroupInOrder)
{
    auto plan = std::make_shared<HandPlan>(2);
    const uint32_t one = plan->AddGroup({0, 1});
    const uint32_t other = plan->AddGroup({1, 0});
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        plan->Add(rank, 1, Collective(ALL_REDUCE, one, 2 * MEGABYTE));
        plan->Add(rank, 2, Collective(ALL_REDUCE, other, 2 * MEGABYTE));
        plan->Add(rank, 3, Collective(ALL_REDUCE, one, 4 * MEGABYTE));
    }
    Run(plan);
    const auto spans = Of(m_collectives, 0);
    ASSERT_EQ(spans.size(), 3u);
    // The link serves 2 channels of each group in turn, a segment each. 500,000 B of a channel are
    // 3 segments of 128 KiB and one of 106,784 B: of 4 MB in all, the first group's end two such
    // before the other's.
    const Time firstEnd = PicoSeconds(10 * (4 * MEGABYTE - 2 * 106784));
    EXPECT_EQ(spans[0].group, one);
    EXPECT_EQ(spans[0].end, firstEnd);
    EXPECT_EQ(spans[1].group, other);
    EXPECT_EQ(spans[1].start, Time(0));
    EXPECT_EQ(spans[1].end, MicroSeconds(40));
    EXPECT_EQ(spans[1].sequence, 0u);
    EXPECT_EQ(spans[2].sequence, 1u);
    EXPECT_EQ(spans[2].payload, 4 * MEGABYTE);
    EXPECT_EQ(spans[2].start, firstEnd) << "the group was busy";
    EXPECT_EQ(spans[2].sentBefore, 2 * MEGABYTE) << "what the other group sent does not count";
}

TEST_F(RankApplicationTest, AllKindsOfCollectivesOfAGroupShareItsConnections)
{
    auto plan = std::make_shared<HandPlan>(4);
    const uint32_t group = plan->AddGroup({3, 1, 0, 2});
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        plan->Add(rank, 1, Collective(CollectiveKind::REDUCE_SCATTER, group, 4 * MEGABYTE));
        plan->Add(rank, 1, Collective(ALL_TO_ALL, group, 4 * MEGABYTE));
        plan->Add(rank, 1, Collective(CollectiveKind::ALL_GATHER, group, 4 * MEGABYTE));
    }
    Run(plan, 2);
    EXPECT_EQ(m_collectives.size(), 12u);
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        EXPECT_EQ(m_ranks[rank]->GetSentBytes(), 9 * MEGABYTE) << "3/4 of each payload";
    }
    // Each rank has 2 peers on the other server, which are 8 queue pairs of the All-to-All's lanes.
    // The rings of 2 channels cross twice each: one is on a lane of the All-to-All, one is not.
    EXPECT_EQ(m_fabric.nics[0]->GetQueuePairs().size(), 10u);
}

TEST_F(RankApplicationTest, ARankMayBeOneAllToAllAheadOfAnother)
{
    auto plan = std::make_shared<HandPlan>(3);
    plan->shares = {0.25, 0.25, 0.5}; // 0 and 1 are done before 2, which gets more
    const uint32_t group = plan->AddGroup({0, 1, 2});
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        CollectiveOp op = Collective(ALL_TO_ALL, group, 4 * MEGABYTE);
        op.shares = AllToAllShares::BY_DESTINATION;
        if (rank == 2)
        {
            plan->Add(rank, 0, Compute(100));
        }
        for (int i = 0; i < 3; ++i)
        {
            plan->Add(rank, 1, op, rank == 2 ? std::vector<uint32_t>{0} : std::vector<uint32_t>{});
        }
    }
    Run(plan);
    EXPECT_EQ(m_collectives.size(), 9u);
    EXPECT_EQ(m_ranks[2]->GetSentBytes(), 6 * MEGABYTE);
    EXPECT_EQ(m_ranks[0]->GetSentBytes(), 9 * MEGABYTE);
    EXPECT_GE(Of(m_collectives, 0)[0].end, MicroSeconds(100)) << "rank 2 holds it up";
}

TEST_F(RankApplicationTest, ASendWaitsUntilItsReceiveIsReached)
{
    auto plan = std::make_shared<HandPlan>(2);
    plan->Add(0, 1, SendOp{1, 0, MEGABYTE});
    plan->Add(0, 1, SendOp{1, 0, MEGABYTE});
    plan->Add(0, 2, ReceiveOp{1, 0, 2 * MEGABYTE});
    plan->Add(1, 0, Compute(100));
    plan->Add(1, 1, ReceiveOp{0, 0, MEGABYTE}, {0});
    plan->Add(1, 1, ReceiveOp{0, 0, MEGABYTE});
    plan->Add(1, 2, SendOp{0, 0, 2 * MEGABYTE}, {0});
    Run(plan);
    const auto of0 = Of(m_transfers, 0);
    ASSERT_EQ(of0.size(), 3u);
    EXPECT_TRUE(of0[0].sent);
    EXPECT_EQ(of0[0].end, MicroSeconds(100)) << "over when handed over";
    EXPECT_EQ(of0[1].end, MicroSeconds(110)) << "its receive is reached when the first is over";
    EXPECT_FALSE(of0[2].sent);
    EXPECT_EQ(of0[2].peer, 1u);
    EXPECT_EQ(of0[2].bytes, 2 * MEGABYTE);
    EXPECT_EQ(of0[2].start, Time(0));
    EXPECT_EQ(of0[2].end, MicroSeconds(120));
    const auto of1 = Of(m_transfers, 1);
    ASSERT_EQ(of1.size(), 3u);
    EXPECT_TRUE(of1[0].sent);
    EXPECT_EQ(of1[0].end, MicroSeconds(100)) << "rank 0 has waited for it";
    EXPECT_EQ(of1[1].start, MicroSeconds(100));
    EXPECT_EQ(of1[1].end, MicroSeconds(110));
}

TEST_F(RankApplicationTest, WithoutSlotsAMessageThatComesEarlyWaits)
{
    auto plan = std::make_shared<HandPlan>(2);
    plan->Add(0, 1, SendOp{1, 0, MEGABYTE});
    plan->Add(0, 1, SendOp{1, 0, MEGABYTE});
    plan->Add(1, 0, Compute(100));
    plan->Add(1, 1, ReceiveOp{0, 0, MEGABYTE}, {0});
    plan->Add(1, 1, ReceiveOp{0, 0, MEGABYTE});
    Config::SetDefault("ns3::llmfabric::CollectiveSettings::Slots", UintegerValue(0));
    Run(plan);
    const auto of0 = Of(m_transfers, 0);
    ASSERT_EQ(of0.size(), 2u);
    EXPECT_EQ(of0[1].end, Time(0)) << "over when handed over";
    const auto of1 = Of(m_transfers, 1);
    ASSERT_EQ(of1.size(), 2u);
    EXPECT_EQ(of1[1].start, MicroSeconds(100));
    EXPECT_EQ(of1[1].end, MicroSeconds(100));
}

TEST_F(RankApplicationTest, ChannelsBetweenTheSameRanksAreApart)
{
    auto plan = std::make_shared<HandPlan>(2);
    plan->Add(0, 1, SendOp{1, 7, MEGABYTE});
    plan->Add(0, 1, SendOp{1, 3, MEGABYTE});
    plan->Add(1, 1, ReceiveOp{0, 3, MEGABYTE});
    plan->Add(1, 2, ReceiveOp{0, 7, MEGABYTE});
    Run(plan, 1);
    const auto of1 = Of(m_transfers, 1);
    ASSERT_EQ(of1.size(), 2u);
    EXPECT_EQ(m_fabric.nics[0]->GetQueuePairs().size(), 2u);
    const std::set<uint32_t> channels{of1[0].channel, of1[1].channel};
    EXPECT_EQ(channels, (std::set<uint32_t>{3, 7}));
}

TEST_F(RankApplicationTest, AMillionEmptyOpsDoNotPileUpCalls)
{
    auto plan = std::make_shared<HandPlan>(1);
    const uint32_t group = plan->AddGroup({0});
    plan->steps = 2;
    plan->Ops(0).BeginBlock(250000);
    plan->Add(0, 0, Compute(0));
    plan->Add(0, 1, Collective(ALL_REDUCE, group, MEGABYTE), {0});
    Run(plan);
    EXPECT_EQ(m_computes.size(), 500000u);
    EXPECT_EQ(m_collectives.size(), 500000u);
    EXPECT_EQ(Simulator::Now(), Time(0));
}

TEST_F(RankApplicationTest, ProgressCountsTheStepThatIsUnderWay)
{
    auto plan = std::make_shared<HandPlan>(2);
    plan->steps = 2;
    plan->Add(0, 0, Compute(100));
    plan->Add(0, 1, SendOp{1, 0, MEGABYTE});
    plan->Add(1, 1, ReceiveOp{0, 0, MEGABYTE});
    Install(plan);
    Simulator::Stop(MicroSeconds(130));
    Simulator::Run();
    const StepProgress progress = m_ranks[0]->GetProgress();
    EXPECT_EQ(progress.step, 1u);
    EXPECT_EQ(progress.computed, MicroSeconds(30));
    EXPECT_EQ(progress.sentBytes, MEGABYTE);
    EXPECT_EQ(m_ranks[0]->DescribeWait(),
              "rank 0, step 1: computes forward of mini-batch 0 since +0.1ms");
    Simulator::Run();
    EXPECT_TRUE(m_observer.IsFinished());
}

TEST_F(RankApplicationTest, ARankTellsAllThatItWaitsFor)
{
    auto plan = std::make_shared<HandPlan>(8);
    std::vector<uint32_t> members{0, 1, 2, 3, 4, 5, 6, 7};
    const uint32_t all = plan->AddGroup(members);
    const uint32_t pair = plan->AddGroup({0, 7});
    plan->Add(0, 0, Compute(5, ComputePhase::BACKWARD));
    plan->Add(0, 1, Collective(ALL_REDUCE, pair, MEGABYTE));
    plan->Add(0, 2, Collective(ALL_TO_ALL, all, MEGABYTE));
    plan->Add(0, 3, ReceiveOp{3, 9, MEGABYTE});
    for (uint32_t rank = 1; rank < 8; ++rank)
    {
        plan->Add(rank, 3, ReceiveOp{0, 1, MEGABYTE}); // never sent
        plan->Add(rank, 3, Collective(ALL_TO_ALL, all, MEGABYTE));
        plan->Add(rank, 3, Collective(ALL_REDUCE, pair, MEGABYTE));
    }
    plan->Ops(1) = OpList(); // rank 1 takes part in the All-to-All at once
    plan->Add(1, 1, Collective(ALL_TO_ALL, all, MEGABYTE));
    for (uint32_t rank = 2; rank < 7; ++rank)
    {
        plan->Ops(rank) = OpList();
        plan->Add(rank, 3, ReceiveOp{0, 1, MEGABYTE});
        plan->Add(rank, 3, Collective(ALL_TO_ALL, all, MEGABYTE));
    }
    Install(plan);
    Simulator::Run();
    EXPECT_FALSE(m_observer.IsFinished());
    ASSERT_EQ(m_observer.GetWaits().size(), 8u);
    EXPECT_EQ(
        m_observer.GetWaits()[0],
        "rank 0, step 0: alltoall (direct) in group group10 since +0ms, waits for data of rank 7 "
        "(step 0 of lane 0), data of rank 6 (step 0 of lane 1), a slot at rank 2 (step 0 of lane "
        "1), data of rank 5 (step 0 of lane 2) and 8 others; allreduce (ring) in group group15 "
        "since +0ms, waits for data of rank 7 (step 1 of lane 0), a slot at rank 7 (step 0 of lane "
        "0), data of rank 7 (step 1 of lane 1), a slot at rank 7 (step 0 of lane 1); waits for "
        "message from rank 3 on channel 9 since +0ms");
    EXPECT_EQ(m_observer.GetWaits()[5],
              "rank 5, step 0: waits for message from rank 0 on channel 1 since +0ms");
}

TEST_F(RankApplicationTest, AStoppedRankSendsNoMoreThanItHandedOver)
{
    auto plan = std::make_shared<HandPlan>(3);
    const uint32_t pair = plan->AddGroup({0, 1});
    for (uint32_t rank : {0, 1})
    {
        plan->Add(rank, 0, Collective(ALL_REDUCE, pair, 100 * MEGABYTE));
    }
    plan->Add(0, 1, SendOp{2, 0, 100 * MEGABYTE});
    plan->Add(2, 1, ReceiveOp{0, 0, 100 * MEGABYTE});
    Install(plan, 1, 3);
    m_ranks[0]->SetStopTime(MilliSeconds(1));
    Simulator::Stop(MilliSeconds(1));
    Simulator::Run();
    const uint64_t sent = m_ranks[0]->GetSentBytes();
    EXPECT_GT(sent, 0u);
    Simulator::Run();
    EXPECT_LE(m_ranks[0]->GetSentBytes(), sent + 3 * 4 * (1 << 20)) << "the slots of a connection";
    EXPECT_EQ(m_observer.GetWaits().size(), 3u);
    EXPECT_EQ(m_observer.GetWaits()[0], "rank 0, step 0: was stopped");
}

TEST_F(RankApplicationTest, ABrokenConnectionStopsItsRank)
{
    SetNic("TimeoutExponent", 1);
    SetNic("RetryCount", 1);
    auto plan = std::make_shared<HandPlan>(2);
    plan->steps = 1000000;
    plan->Add(0, 0, Compute(10));
    plan->Add(0, 1, SendOp{1, 0, 1000}, {0});
    plan->Add(1, 1, ReceiveOp{0, 0, 1000});
    Install(plan, 1);
    LoseAt(1, [](uint32_t, uint32_t) { return true; });
    Simulator::Run();
    EXPECT_LT(m_ranks[0]->GetProgress().step, 100u) << "it went on without its peer";
    ASSERT_EQ(m_observer.GetWaits().size(), 2u);
    EXPECT_NE(
        m_observer.GetWaits()[0].find("queue pair 10.0.0.1 to 10.0.0.2 (index 0): no progress"),
        std::string::npos)
        << m_observer.GetWaits()[0];
    EXPECT_EQ(m_observer.GetWaits()[1],
              "rank 1, step 0: waits for message from rank 0 on channel 0 since +0ms");
}

} // namespace
