/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-run.h"
#include "lane-rounds.h"
#include "listed-fixture.h"

#include "ns3/ring-all-gather.h"
#include "ns3/ring-all-reduce.h"
#include "ns3/ring-reduce-scatter.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>

using namespace ns3::llmfabric;

namespace
{

constexpr ListedAction SEND = ListedAction::SEND;
constexpr ListedAction RECEIVE = ListedAction::RECEIVE;
constexpr ListedAction REDUCE = ListedAction::REDUCE;

/**
 * Run a list in random orders, with many, few and one slot, and see that all ranks get the result.
 *
 * @param algorithm the list
 * @param task the op
 */
void
ExpectResult(const ListedAlgorithm& algorithm, const CollectiveTask& task)
{
    ASSERT_EQ(algorithm.GetObstacle(*task.layout), "");
    for (uint32_t seed = 1; seed <= 10; ++seed)
    {
        for (uint32_t slots : {0u, 1u, 4u})
        {
            SCOPED_TRACE("payload " + std::to_string(task.payload) + ", slots " +
                         std::to_string(slots) + ", seed " + std::to_string(seed));
            CollectiveRun run(algorithm, task, slots, seed);
            run.Run();
            for (uint32_t rank = 0; rank < task.GetRanks(); ++rank)
            {
                EXPECT_TRUE(run.HoldsResult(rank)) << "rank " << rank;
                CollectiveTask own = task;
                own.rank = rank;
                EXPECT_EQ(run.GetSent(rank), GetBytesToSend(algorithm, own));
            }
        }
    }
}

/**
 * See that a list does what another algorithm does, and so in payloads of all sizes.
 *
 * @param listed the list
 * @param other the other algorithm
 * @param ranks p
 */
void
ExpectSame(const ListedAlgorithm& listed, const CollectiveAlgorithm& other, uint32_t ranks)
{
    for (uint64_t payload : {uint64_t{0}, uint64_t{1}, uint64_t{ranks - 1}, uint64_t{10007}})
    {
        const CollectiveTask task = MakeTask(ranks, payload, 301);
        ExpectResult(listed, task);
        CollectiveRun a(listed, task, 0, 1);
        CollectiveRun b(other, task, 0, 1);
        a.Run();
        b.Run();
        EXPECT_EQ(a.GetMessages(), b.GetMessages());
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            EXPECT_EQ(a.GetSent(rank), b.GetSent(rank));
        }
    }
    const CollectiveTask whole = MakeTask(ranks, 10007, 10007);
    EXPECT_EQ(LaneRounds(listed, whole).Get(), LaneRounds(other, whole).Get());
}

/**
 * @param each chunks of a part
 * @return an All-to-All of 3 ranks, in which what goes to the rank before passes the one between
 */
ListWriter
MakeAllToAll(uint32_t each)
{
    ListWriter list("alltoall", 3, 9 * each);
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        const uint32_t next = (rank + 1) % 3;
        const uint32_t last = (rank + 2) % 3;
        list.Add(rank, SEND, next, (rank * 3 + next) * each, {}, each);
        list.Add(rank, SEND, next, (rank * 3 + last) * each, {}, each);
        list.Add(rank, RECEIVE, last, (last * 3 + rank) * each, {}, each);
        const uint32_t passing = list.Add(rank, RECEIVE, last, (last * 3 + next) * each, {}, each);
        list.Add(rank, SEND, next, (last * 3 + next) * each, {passing}, each);
        list.Add(rank, RECEIVE, last, (next * 3 + rank) * each, {}, each);
    }
    return list;
}

} // namespace

TEST(ListedAlgorithm, RingsWrittenAsListsDoWhatTheBuiltInOnesDo)
{
    for (uint32_t p : {2u, 3u, 4u, 7u, 16u})
    {
        SCOPED_TRACE(p);
        ListWriter allReduce("allreduce", p, p);
        allReduce.AddRing(2 * (p - 1), 0, p - 1);
        ExpectSame(allReduce.Make(), RingAllReduce(), p);
        ListWriter reduceScatter("reducescatter", p, p);
        reduceScatter.AddRing(p - 1, 1, p - 1);
        ExpectSame(reduceScatter.Make(), RingReduceScatter(), p);
        ListWriter allGather("allgather", p, p);
        allGather.AddRing(p - 1, 0, 0);
        ExpectSame(allGather.Make(), RingAllGather(), p);
    }
}

TEST(ListedAlgorithm, SlicesArePassedOnBeforeTheStepIsOver)
{
    const uint32_t p = 4;
    ListWriter list("broadcast", p, 1);
    list.Add(0, SEND, 1, 0);
    for (uint32_t rank = 1; rank < p; ++rank)
    {
        list.Add(rank, RECEIVE, rank - 1, 0);
        if (rank + 1 < p)
        {
            list.Add(rank, SEND, rank + 1, 0, {0});
        }
    }
    // Of 10 slices the first takes p - 1 hops, and the last leaves after 9 others.
    CollectiveTask task = MakeTask(p, 1000, 100);
    const auto lanes = list.Make().CreateLanes([&] {
        CollectiveTask own = task;
        own.rank = 1;
        return own;
    }());
    ASSERT_EQ(lanes.size(), p - 1);
    ASSERT_EQ(lanes[0]->GetStepCount(), 1u);
    const LaneStep step = lanes[0]->GetStep(0);
    ASSERT_EQ(step.sendAfter.size(), 1u);
    EXPECT_EQ(step.sendAfter[0].shift, 0);
    EXPECT_FALSE(step.sendAfter[0].sent);
    EXPECT_EQ(lanes[1]->GetStepCount(), 0u);
    for (task.root = 0; task.root < p; ++task.root)
    {
        ExpectResult(list.Make(), task);
    }
}

TEST(ListedAlgorithm, RootOfAReduceCanBeAnyMember)
{
    ListWriter list("reduce", 3, 2);
    list.Add(2, SEND, 1, 0, {}, 2);
    list.Add(1, REDUCE, 2, 0, {}, 2);
    list.Add(1, SEND, 0, 0, {0});
    list.Add(1, SEND, 0, 1, {0});
    list.Add(0, REDUCE, 1, 0);
    list.Add(0, REDUCE, 1, 1);
    CollectiveTask task = MakeTask(3, 1001, 10);
    for (task.root = 0; task.root < 3; ++task.root)
    {
        ExpectResult(list.Make(), task);
    }
}

TEST(ListedAlgorithm, AdditionsOfAChunkMayComeInAnyOrder)
{
    for (uint64_t slice : {7, 1000})
    {
        ExpectResult(MakeOneShot().Make(), MakeTask(3, 1000, slice));
    }
    CollectiveRun run(MakeOneShot().Make(), MakeTask(3, 1000, 1000), 0, 1);
    run.Run();
    EXPECT_EQ(LaneRounds(MakeOneShot().Make(), MakeTask(3, 1000, 1000)).Get(), 1u);
    EXPECT_EQ(run.GetTotal(), 6000u);
}

TEST(ListedAlgorithm, MeshTakesTwoRounds)
{
    const uint64_t payload = 4000;
    CollectiveRun run(MakeMesh(4).Make(), MakeTask(4, payload, payload), 0, 1);
    run.Run();
    EXPECT_EQ(LaneRounds(MakeMesh(4).Make(), MakeTask(4, payload, payload)).Get(), 2u);
    EXPECT_EQ(run.GetTotal(), 2 * 3 * payload) << "as much as a ring";
    EXPECT_EQ(run.GetMessages(), 2u * 4 * 3);
    ExpectResult(MakeMesh(4).Make(), MakeTask(4, payload, 101));
}

TEST(ListedAlgorithm, PartsOfAnAllToAllCanPassOtherRanks)
{
    for (uint32_t each : {1u, 2u})
    {
        const ListedAlgorithm algorithm = MakeAllToAll(each).Make();
        for (uint64_t payload : {uint64_t{0}, uint64_t{1}, uint64_t{4}, uint64_t{5000}})
        {
            ExpectResult(algorithm, MakeTask(3, payload, 100));
        }
        CollectiveTask task = MakeTask(3, 1000, 31);
        task.bytes = [](uint32_t from, uint32_t to) -> uint64_t {
            return from == 1 && to == 2 ? 0 : 100 * from + 37 * to + 1;
        };
        ExpectResult(algorithm, task);
    }
}

TEST(ListedAlgorithm, EmptyStepsPassOnWhatTheyWaitFor)
{
    // Rank 0 gets chunk 1 from rank 2. That it left to rank 1 before is said by way of chunk 0,
    // which is empty if the payload is a byte.
    ListWriter list("allreduce", 3, 2);
    const uint32_t away = list.Add(0, SEND, 1, 1);
    list.Add(0, SEND, 1, 0);
    list.Add(0, SEND, 2, 1);
    const uint32_t then = list.Add(0, SEND, 2, 0, {away});
    list.Add(0, RECEIVE, 2, 1, {then});
    list.Add(0, RECEIVE, 2, 0, {1});
    for (uint32_t rank : {1u, 2u})
    {
        list.Add(rank, SEND, 3 - rank, 1);
        list.Add(rank, SEND, 3 - rank, 0);
        for (uint32_t peer : {0u, 3 - rank})
        {
            list.Add(rank, REDUCE, peer, 1, {0});
            list.Add(rank, REDUCE, peer, 0, {1});
        }
    }
    list.Add(2, SEND, 0, 1, {2, 4});
    list.Add(2, SEND, 0, 0, {3, 5});
    const ListedAlgorithm algorithm = list.Make();
    for (uint64_t payload : {1, 2, 100})
    {
        ExpectResult(algorithm, MakeTask(3, payload, 7));
    }
    const LaneStep step = algorithm.CreateLanes(MakeTask(3, 1, 7))[0]->GetStep(0);
    ASSERT_EQ(step.receiveFrom.size(), 1u);
    EXPECT_EQ(step.receiveFrom[0], 2u);
    ASSERT_EQ(step.receiveAfter.size(), 2u);
    EXPECT_EQ(step.receiveAfter[0].lane, 1u);
    EXPECT_EQ(step.receiveAfter[1].lane, 0u) << "what the empty send would wait for";
    EXPECT_EQ(step.receiveAfter[1].step, 0u);
    EXPECT_TRUE(step.receiveAfter[1].sent);
}

TEST(ListedAlgorithm, OnlyGroupsOfItsSizeCanDoIt)
{
    const ListedAlgorithm algorithm = MakeOneShot().Make();
    EXPECT_EQ(algorithm.GetName(), "listed");
    EXPECT_EQ(algorithm.GetOp(), "allreduce");
    EXPECT_EQ(algorithm.GetObstacle(CollectiveLayout::Spread(3)), "");
    EXPECT_EQ(algorithm.GetObstacle(CollectiveLayout::Spread(4)),
              "it is listed for 3 ranks, and the group has 4");
    EXPECT_FALSE(algorithm.GetCost(MakeTask(3, 1000, 10)));
}
