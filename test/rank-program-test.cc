/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "program-text.h"
#include "small-training.h"

#include "ns3/training-job.h"

#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// An OpList beside the plain list that it stands for.
struct TwinLists
{
    OpList blocks;                             //!< in blocks
    std::vector<ProgramOp> ops;                //!< every op
    std::vector<std::vector<uint64_t>> afters; //!< what it waits for
};

/**
 * @param random source of randomness
 * @return a computation, a message, or a collective
 */
ProgramOp
AnyOp(std::mt19937& random)
{
    switch (random() % 4)
    {
    case 0:
        return MakeCompute(random() % 100);
    case 1:
        return MakeSend(random() % 4, 1 + random() % 9);
    case 2:
        return MakeReceive(random() % 4, 1 + random() % 9);
    default:
        return MakeCollective(GroupKind::DATA, 1 + random() % 9);
    }
}

/**
 * @param random source of randomness
 * @return up to 6 blocks, some of them empty
 */
TwinLists
AnyLists(std::mt19937& random)
{
    TwinLists lists;
    for (uint32_t blocks = random() % 7; blocks > 0; --blocks)
    {
        const uint64_t repeats = 1 + random() % 4;
        const uint32_t count = random() % 6;
        std::vector<ProgramOp> ops;
        std::vector<std::vector<uint32_t>> afters(count);
        lists.blocks.BeginBlock(repeats);
        for (uint32_t i = 0; i < count; ++i)
        {
            ops.push_back(AnyOp(random));
            for (uint32_t before = 0; before < i; ++before)
            {
                if (random() % 3 == 0)
                {
                    afters[i].push_back(before);
                }
            }
            EXPECT_EQ(lists.blocks.Add(ops[i], afters[i]), i);
        }
        for (uint64_t repeat = 0; repeat < repeats; ++repeat)
        {
            const uint64_t base = lists.ops.size();
            for (uint32_t i = 0; i < count; ++i)
            {
                ProgramOp op = ops[i];
                if (auto* compute = std::get_if<ComputeOp>(&op.what))
                {
                    compute->miniBatch += repeat;
                }
                std::vector<uint64_t> after;
                for (uint32_t before : afters[i])
                {
                    after.push_back(base + before);
                }
                for (uint64_t j = base; after.empty() && j-- > 0;)
                {
                    const bool waits = op.GetKind() == ProgramOpKind::COLLECTIVE ||
                                       op.GetKind() == ProgramOpKind::SEND;
                    if (waits && lists.ops[j].GetKind() == ProgramOpKind::COMPUTE)
                    {
                        after.push_back(j);
                    }
                }
                lists.ops.push_back(op);
                lists.afters.push_back(after);
            }
        }
    }
    return lists;
}

TEST(OpList, WithoutBlocksHasNoOps)
{
    EXPECT_EQ(OpList().GetOpCount(), 0u);
    EXPECT_EQ(OpList().GetStoredCount(), 0u);
    EXPECT_DEATH(OpList().GetOp(0), "op 0 of 0");
}

TEST(OpList, RepetitionsCountMiniBatchesAndWaitWithinThemselves)
{
    OpList list;
    list.BeginBlock(2);
    list.Add(MakeCompute(3), {});
    list.Add(MakeSend(1, 5), {0});
    list.Add(MakeCompute(4), {1, 0});
    list.BeginBlock(1);
    list.Add(MakeCompute(6), {});
    EXPECT_EQ(WriteOps(list),
              "0 compute forward 3\n"
              "1 forward-send 5 to 1 after 0\n"
              "2 compute forward 4 after 1 0\n"
              "3 compute forward 3 of 1.0\n"
              "4 forward-send 5 to 1 after 3\n"
              "5 compute forward 4 of 1.0 after 4 3\n"
              "6 compute forward 6\n");
    EXPECT_EQ(list.GetStoredCount(), 4u);
}

TEST(OpList, ACollectiveThatWaitsForNothingWaitsForTheMiniBatchBefore)
{
    OpList list;
    list.BeginBlock(2);
    list.Add(MakeCollective(GroupKind::DATA, 7), {});
    list.Add(MakeCompute(3), {0});
    list.Add(MakeReceive(1, 5), {});
    list.BeginBlock(2);
    list.Add(MakeCollective(GroupKind::TENSOR, 8), {});
    list.Add(MakeCollective(GroupKind::TENSOR, 9), {0});
    EXPECT_EQ(WriteOps(list),
              "0 data allreduce 7\n"
              "1 compute forward 3 after 0\n"
              "2 forward-receive 5 from 1\n"
              "3 data allreduce 7 after 1\n"
              "4 compute forward 3 of 1.0 after 3\n"
              "5 forward-receive 5 from 1\n"
              "6 tensor allreduce 8 after 4\n"
              "7 tensor allreduce 9 after 6\n"
              "8 tensor allreduce 8 after 4\n"
              "9 tensor allreduce 9 after 8\n");
}

TEST(OpList, IsThePlainListThatItStandsFor)
{
    std::mt19937 random(1);
    for (int i = 0; i < 200; ++i)
    {
        const TwinLists lists = AnyLists(random);
        ASSERT_EQ(lists.blocks.GetOpCount(), lists.ops.size());
        for (uint64_t index = 0; index < lists.ops.size(); ++index)
        {
            EXPECT_EQ(Write(lists.blocks.GetOp(index)), Write(lists.ops[index]));
            EXPECT_EQ(lists.blocks.GetAfter(index), lists.afters[index]);
        }
        uint64_t visited = 0;
        lists.blocks.ForEachStored([&](const ProgramOp&, uint64_t times) { visited += times; });
        EXPECT_EQ(visited, lists.ops.size());
    }
}

TEST(OpList, ManyRepetitionsTakeTheMemoryOfOne)
{
    OpList list;
    list.BeginBlock(1000000000000);
    list.Add(MakeCompute(3), {});
    list.Add(MakeCollective(GroupKind::DATA, 7), {0});
    EXPECT_EQ(list.GetStoredCount(), 2u);
    EXPECT_EQ(list.GetOpCount(), 2000000000000u);
    EXPECT_EQ(Write(list.GetOp(1999999999998)), "forward 3 of 999999999999.0");
    EXPECT_EQ(list.GetAfter(1999999999999), std::vector<uint64_t>{1999999999998});
}

TEST(OpList, MoreOpsThan64BitsCountAreRefused)
{
    OpList list;
    list.BeginBlock(std::numeric_limits<uint64_t>::max() / 2);
    list.Add(MakeCompute(1), {});
    list.Add(MakeCompute(1), {});
    const std::string message =
        "the ops of a step do not fit 64 bits; make the model, batch or corpus smaller";
    EXPECT_EQ(ErrorOf([&] { list.Add(MakeCompute(1), {}); }), message);
    EXPECT_EQ(list.GetOpCount(), std::numeric_limits<uint64_t>::max() - 1);
    list.BeginBlock(1);
    list.Add(MakeCompute(1), {});
    EXPECT_EQ(ErrorOf([&] { list.Add(MakeCompute(1), {}); }), message);
}

TEST(OpList, WrongUseAborts)
{
    OpList list;
    EXPECT_DEATH(list.BeginBlock(0), "never done");
    list.Add(MakeCompute(1), {});
    EXPECT_DEATH(list.Add(MakeCompute(1), {1}), "op 1 can't wait for 1");
    list.BeginBlock(1);
    EXPECT_DEATH(list.Add(MakeCompute(1), {0}), "op 0 can't wait for 0"); // other blocks are away
}

/**
 * @param list ops
 * @param plan the grid
 * @param rank a rank
 * @return the program of that rank
 */
RankProgram
ProgramOf(const OpList& list, const ParallelPlan& plan, uint32_t rank)
{
    return RankProgram(std::make_shared<OpList>(list), std::make_shared<RankGrid>(plan), rank);
}

/**
 * @return tensor 2, context 3, expert 2, data 4, pipeline 2: 48 ranks
 */
ParallelPlan
ManyAxes()
{
    ParallelPlan plan;
    plan.tensor = 2;
    plan.context = 3;
    plan.expert = 2;
    plan.data = 4;
    plan.pipeline = 2;
    return plan;
}

TEST(RankProgram, PutsTheGroupsOfTheRankForTheirKinds)
{
    const RankGrid grid(ManyAxes());
    for (uint32_t kind = 0; kind < GROUP_KINDS; ++kind)
    {
        OpList list;
        list.Add(MakeCollective(static_cast<GroupKind>(kind), 7), {});
        for (uint32_t rank = 0; rank < grid.GetRanks(); ++rank)
        {
            const ProgramOp op = ProgramOf(list, ManyAxes(), rank).GetOp(0);
            const RankGroup group = grid.GetGroup(std::get<CollectiveOp>(op.what).group);
            EXPECT_TRUE(group.Contains(rank));
            EXPECT_EQ(grid.GetKind(group.GetId()), static_cast<GroupKind>(kind));
            EXPECT_EQ(op.stream, 1 + kind);
        }
    }
}

TEST(RankProgram, PeersOfMessagesAreOtherStagesOfTheSameColumn)
{
    OpList list;
    list.Add(MakeSend(1, 5), {});
    list.Add(MakeReceive(0, 6, MessageChannel::BACKWARD_MIRROR), {});
    for (uint32_t rank = 0; rank < 48; ++rank)
    {
        EXPECT_EQ(WriteOps(ProgramOf(list, ManyAxes(), rank)),
                  "0 forward-send 5 to " + std::to_string(24 + rank % 24) +
                      "\n1 backward-mirror-receive 6 from " + std::to_string(rank % 24) + "\n");
    }
}

TEST(RankProgram, PeersInARingAreAtADistance)
{
    OpList list;
    list.Add(MakeSend(1, 5, MessageChannel::CONTEXT), {});
    list.Add(MakeReceive(2, 5, MessageChannel::CONTEXT), {});
    const auto text = [](uint32_t to, uint32_t from) {
        return "0 context-send 5 to " + std::to_string(to) + "\n1 context-receive 5 from " +
               std::to_string(from) + "\n";
    };
    EXPECT_EQ(WriteOps(ProgramOf(list, ManyAxes(), 0)), text(2, 4));
    EXPECT_EQ(WriteOps(ProgramOf(list, ManyAxes(), 2)), text(4, 0));
    EXPECT_EQ(WriteOps(ProgramOf(list, ManyAxes(), 5)), text(1, 3));
    EXPECT_EQ(WriteOps(ProgramOf(list, ManyAxes(), 47)), text(43, 45));
}

TEST(RankProgram, WithoutAGridStandsAsItIs)
{
    OpList list;
    list.Add(MakeCollective(GroupKind::CONTEXT, 7), {});
    list.Add(MakeSend(1000, 5, MessageChannel::CONTEXT), {0});
    const RankProgram program(std::make_shared<OpList>(list));
    EXPECT_EQ(WriteOps(program), "0 context allreduce 7\n1 context-send 5 to 1000 after 0\n");
}

TEST(RankProgram, NamesEachWayOfCommunicatingOnce)
{
    OpList list;
    list.BeginBlock(5);
    list.Add(MakeCompute(1), {});
    list.Add(MakeCollective(GroupKind::TENSOR, 7), {});
    list.Add(MakeCollective(GroupKind::TENSOR, 9), {});
    list.Add(MakeCollective(GroupKind::TENSOR, 7, CollectiveKind::ALL_GATHER), {});
    list.BeginBlock(1);
    list.Add(MakeReceive(1, 5), {});
    list.Add(MakeSend(1, 5), {});
    list.Add(MakeSend(1, 5, MessageChannel::BACKWARD), {});
    list.Add(MakeCollective(GroupKind::TENSOR, 7), {});
    const std::vector<ProgramUse> uses = ProgramOf(list, ManyAxes(), 3).GetUses();
    ASSERT_EQ(uses.size(), 5u);
    const uint32_t group = RankGrid(ManyAxes()).GetGroup(GroupKind::TENSOR, 3).GetId();
    EXPECT_EQ(uses[0].kind, ProgramOpKind::COLLECTIVE);
    EXPECT_EQ(uses[0].collective, CollectiveKind::ALL_REDUCE);
    EXPECT_EQ(uses[0].group, group);
    EXPECT_EQ(uses[1].collective, CollectiveKind::ALL_GATHER);
    EXPECT_EQ(uses[1].group, group);
    EXPECT_EQ(uses[2].kind, ProgramOpKind::RECEIVE);
    EXPECT_EQ(uses[2].peer, 27u);
    EXPECT_EQ(uses[3].kind, ProgramOpKind::SEND);
    EXPECT_EQ(uses[3].channel, static_cast<uint32_t>(MessageChannel::FORWARD));
    EXPECT_EQ(uses[4].channel, static_cast<uint32_t>(MessageChannel::BACKWARD));
}

TEST(RankProgram, WrongUseAborts)
{
    const auto list = std::make_shared<OpList>();
    const auto grid = std::make_shared<RankGrid>(ManyAxes());
    EXPECT_DEATH(RankProgram(nullptr), "no ops");
    EXPECT_DEATH(RankProgram(list, nullptr, 0), "no grid");
    EXPECT_DEATH(RankProgram(list, grid, 48), "no rank 48");
}

TEST(RankProgram, RanksOfAHugeJobShareOneList)
{
    TrainingSpec spec = SmallTraining(2);
    spec.parallel.data = 1000000;
    spec.parallel.pipeline = 2;
    const TrainingJob job(spec);
    EXPECT_EQ(job.GetProgram(0).GetList(), job.GetProgram(999999).GetList());
    EXPECT_EQ(job.GetProgram(1000000).GetList(), job.GetProgram(1999999).GetList());
    EXPECT_NE(job.GetProgram(0).GetList(), job.GetProgram(1000000).GetList());
    EXPECT_EQ(job.GetProgram(3).GetOp(1).what.index(), job.GetProgram(4).GetOp(1).what.index());
    EXPECT_EQ(std::get<SendOp>(job.GetProgram(3).GetOp(1).what).peer, 1000003u);
}

} // namespace
