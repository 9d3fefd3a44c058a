/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "schedule-fixture.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::llmfabric;

TEST(ListedPlan, RanksWithoutProgramDoNothing)
{
    const ListedPlan plan(1U << 28, 7);
    EXPECT_EQ(plan.GetRanks(), 1U << 28);
    EXPECT_EQ(plan.GetSteps(), 7U);
    EXPECT_EQ(plan.GetProgram((1U << 28) - 1).GetOpCount(), 0U);
    EXPECT_TRUE(plan.GetProgram(0).GetUses().empty());
}

TEST(ListedPlan, KnownStreamsKeepTheirNumbers)
{
    ListedPlan plan(1, 1);
    EXPECT_EQ(plan.FindStream("compute"), COMPUTE_STREAM);
    EXPECT_EQ(plan.FindStream("expert-data"), GetStream(GroupKind::EXPERT_DATA));
    EXPECT_EQ(plan.FindStream("context-receive"), GetReceiveStream(MessageChannel::CONTEXT));
    EXPECT_EQ(plan.GetStreamName(GetSendStream(MessageChannel::BACKWARD)), "backward-send");
}

TEST(ListedPlan, OwnStreamsCountUpAboveTheKnownOnes)
{
    ListedPlan plan(1, 1);
    const uint32_t first = GetReceiveStream(MessageChannel::CONTEXT) + 1;
    EXPECT_EQ(plan.FindStream("copy"), first);
    EXPECT_EQ(plan.FindStream("0"), first + 1);
    EXPECT_EQ(plan.FindStream("copy"), first);
    EXPECT_EQ(plan.GetStreamName(first + 1), "0");
    EXPECT_EQ(plan.GetStreamName(first + 2), std::to_string(first + 2));
}

TEST(ListedPlan, GroupsAreFoundById)
{
    ListedPlan plan(6, 1);
    plan.AddGroup(RankGroup(9, 1, 2, 3), "odd", {0.5, 0.25, 0.25});
    plan.AddGroup(RankGroup(4, {5, 0}), "ends");
    EXPECT_TRUE(plan.HasGroup(9));
    EXPECT_FALSE(plan.HasGroup(5));
    EXPECT_EQ(plan.GetGroup(9).GetRank(2), 5U);
    EXPECT_EQ(plan.GetGroup(4).GetRank(0), 5U);
    EXPECT_EQ(plan.GetGroupName(9), "odd");
    EXPECT_EQ(plan.GetGroupName(4), "ends");
    EXPECT_TRUE(plan.HasShares(9));
    EXPECT_FALSE(plan.HasShares(4));
}

TEST(ListedPlan, EqualPartsOfAnAllToAllAddUpToThePayload)
{
    ListedPlan plan(3, 1);
    plan.AddGroup(RankGroup(0, {2, 1, 0}), "g");
    for (const uint64_t payload : {uint64_t{0}, uint64_t{1}, uint64_t{10}, UINT64_MAX})
    {
        const CollectiveOp op{CollectiveKind::ALL_TO_ALL, 0, payload, AllToAllShares::EVEN};
        uint64_t sum = 0;
        for (uint32_t to = 0; to < 3; ++to)
        {
            const uint64_t bytes = plan.GetAllToAllBytes(op, plan.GetGroup(0), 1, to);
            EXPECT_LE(bytes - payload / 3, 1U);
            sum += bytes;
        }
        EXPECT_EQ(sum, payload);
    }
}

TEST(ListedPlanDeathTest, MisuseEndsTheProgram)
{
    ListedPlan plan(2, 1);
    plan.AddGroup(RankGroup(0, {0, 1}), "g");
    const RankGroup group = plan.GetGroup(0);
    const CollectiveOp op{CollectiveKind::ALL_TO_ALL, 0, 8, AllToAllShares::BY_SOURCE};
    EXPECT_DEATH(plan.AddGroup(group, "h"), "group 0 is added twice");
    EXPECT_DEATH(plan.AddGroup(RankGroup(1, {2}), "h"), "no rank 2 for group 1");
    EXPECT_DEATH(plan.AddGroup(RankGroup(1, {0}), ""), "group 1 has no name");
    EXPECT_DEATH(plan.AddGroup(RankGroup(1, {0}), "h", {0.5, 0.5}), "2 shares for 1 members");
    EXPECT_DEATH(plan.AddGroup(RankGroup(1, {0}), "h", {1.5}), "a share of 1.5");
    EXPECT_DEATH(plan.GetAllToAllBytes(op, group, 0, 1), "group 0 has no shares");
    EXPECT_DEATH(plan.GetProgram(2), "no rank 2");
    EXPECT_DEATH(plan.GetGroup(3), "no group 3");
}

TEST(ListedPlan, RepeatedBlocksAreWrittenOut)
{
    const auto ops = std::make_shared<OpList>();
    ops->BeginBlock(3);
    ops->Add({0, ComputeOp{ComputePhase::FORWARD, 4, 0, 0, PicoSeconds(10)}}, {});
    ops->Add({1, CollectiveOp{CollectiveKind::ALL_REDUCE, 0, 8, AllToAllShares::EVEN}}, {0});
    ListedPlan plan(2, 1);
    plan.AddGroup(RankGroup(0, {0, 1}), "data");
    plan.SetProgram(0, ops);
    plan.SetProgram(1, ops);
    plan.SetSteps(4);
    const std::shared_ptr<ListedPlan> copy = FromText(ToText(plan));
    EXPECT_EQ(copy->GetSteps(), 4U);
    EXPECT_EQ(copy->GetProgram(1).GetList()->GetStoredCount(), 6U);
    EXPECT_EQ(std::get<ComputeOp>(copy->GetProgram(1).GetOp(4).what).miniBatch, 6U);
    EXPECT_EQ(copy->GetProgram(1).GetAfter(5), (std::vector<uint64_t>{4}));
}

TEST(ListedPlan, TooManyOpsAreNotWritten)
{
    const auto ops = std::make_shared<OpList>();
    ops->BeginBlock(ScheduleWriter::MAX_OPS / 2 + 1);
    ops->Add({COMPUTE_STREAM, ComputeOp()}, {});
    ListedPlan plan(2, 1);
    plan.SetProgram(0, ops);
    plan.SetProgram(1, ops);
    try
    {
        ToText(plan);
        ADD_FAILURE() << "written";
    }
    catch (const UserError& error)
    {
        EXPECT_STREQ(error.what(),
                     "the schedule has more than 50000000 ops; write a job of fewer ranks or "
                     "mini-batches");
    }
}
