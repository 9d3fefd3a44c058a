/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "listed-fixture.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <utility>

using namespace ns3::llmfabric;

namespace
{

constexpr ListedAction SEND = ListedAction::SEND;
constexpr ListedAction RECEIVE = ListedAction::RECEIVE;
constexpr ListedAction REDUCE = ListedAction::REDUCE;

/**
 * @return the AllReduce of 2 ranks in which each adds up one chunk; it is right
 */
ListWriter
MakePair()
{
    ListWriter list("allreduce", 2, 2);
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        const uint32_t peer = 1 - rank;
        list.Add(rank, SEND, peer, peer);      // 0, lines 1 and 5
        list.Add(rank, REDUCE, peer, rank);    // 1, lines 2 and 6
        list.Add(rank, SEND, peer, rank, {1}); // 2, lines 3 and 7
        list.Add(rank, RECEIVE, peer, peer);   // 3, lines 4 and 8
    }
    return list;
}

/**
 * @tparam CHANGE a function
 * @param change changes the list of MakePair()
 * @return the message with which it is refused then
 */
template <typename CHANGE>
std::string
ErrorAfter(CHANGE change)
{
    ListWriter list = MakePair();
    change(list.Get());
    return list.GetError();
}

} // namespace

TEST(ListedChecks, ListThatTheTestsChangeIsRight)
{
    EXPECT_EQ(MakePair().GetError(), "no error");
}

TEST(ListedChecks, OrderOfTheLinesDoesNotMatter)
{
    ListWriter list = MakePair();
    std::mt19937 random(1);
    for (uint32_t i = 0; i < 20; ++i)
    {
        std::swap(list.Get().steps[random() % 8], list.Get().steps[random() % 8]);
        EXPECT_EQ(list.GetError(), "no error");
    }
}

TEST(ListedChecks, HeadMustBeRight)
{
    EXPECT_EQ(ErrorAfter([](auto& list) { list.op = "barrier"; }),
              "a.txt: a list can't do op 'barrier'; allowed: allreduce, reducescatter, allgather, "
              "broadcast, reduce, alltoall");
    EXPECT_EQ(ErrorAfter([](auto& list) { list.name = "auto"; }),
              "a.txt: 'auto' is no name for an algorithm; choose another");
    EXPECT_EQ(ErrorAfter([](auto& list) { list.ranks = 1; }),
              "a.txt: there are 1 ranks; allowed: 2 to 1024");
    EXPECT_EQ(ErrorAfter([](auto& list) { list.chunks = 0; }),
              "a.txt: there are 0 chunks; allowed: multiples of 1 up to 1048576");
    const auto chunksOf = [](const std::string& op, uint32_t chunks) {
        return ErrorAfter([&](auto& list) {
            list.op = op;
            list.chunks = chunks;
        });
    };
    EXPECT_EQ(chunksOf("allgather", 3),
              "a.txt: there are 3 chunks; allowed: multiples of 2 up to 1048576");
    EXPECT_EQ(chunksOf("reducescatter", 5),
              "a.txt: there are 5 chunks; allowed: multiples of 2 up to 1048576");
    EXPECT_EQ(chunksOf("alltoall", 6),
              "a.txt: there are 6 chunks; allowed: multiples of 4 up to 1048576");
}

TEST(ListedChecks, NumbersMustExist)
{
    const auto error = [](auto change) {
        return ErrorAfter([&](auto& list) { change(list.steps[2]); });
    };
    EXPECT_EQ(error([](auto& step) { step.rank = 2; }),
              "a.txt:3: rank 2 does not exist; allowed: 0 to 1");
    EXPECT_EQ(error([](auto& step) { step.peer = 2; }),
              "a.txt:3: peer 2 does not exist; allowed: 0 to 1");
    EXPECT_EQ(error([](auto& step) { step.peer = 0; }),
              "a.txt:3: rank 0 is its own peer; what a rank has need not be sent");
    EXPECT_EQ(error([](auto& step) { step.first = 2; }),
              "a.txt:3: chunk 2 does not exist; allowed: 0 to 1");
    EXPECT_EQ(error([](auto& step) { step.count = 3; }),
              "a.txt:3: chunk 2 does not exist; allowed: 0 to 1");
    EXPECT_EQ(error([](auto& step) { step.count = 0; }),
              "a.txt:3: the step handles no chunk; name at least one");
    EXPECT_EQ(error([](auto& step) { step.step = 9999; }),
              "a.txt:3: step 9999 does not exist; allowed: 0 to 8191");
    EXPECT_EQ(error([](auto& step) { step.after = {2}; }),
              "a.txt:3: step 2 is to wait for step 2; name steps of the rank with lower numbers");
    EXPECT_EQ(error([](auto& step) {
                  step.step = 1;
                  step.after.clear();
              }),
              "a.txt:3: step 1 of rank 0 stands twice; number the steps of a rank 0, 1, 2, ...");
    EXPECT_EQ(error([](auto& step) { step.step = 4; }),
              "a.txt:4: rank 0 has a step 3, but no step 2; number the steps of a rank 0, 1, 2, "
              "...");
}

TEST(ListedChecks, SendsAndReceivesMustMatch)
{
    EXPECT_EQ(ErrorAfter([](auto& list) { list.steps.pop_back(); }),
              "a.txt:3: rank 1 never receives what step 2 of rank 0 sends it; each send needs a "
              "receive, and each receive a send");
    ListWriter list = MakePair();
    list.Add(1, RECEIVE, 0, 0);
    EXPECT_EQ(list.GetError(),
              "a.txt:9: rank 0 never sends what step 4 of rank 1 receives from it; each send needs "
              "a receive, and each receive a send");
    EXPECT_EQ(ErrorAfter([](auto& list) { list.steps[5].first = 0; }),
              "a.txt:1: step 0 of rank 0 sends chunk 1, but step 1 of rank 1, which comes next to "
              "it, takes chunk 0; a rank takes what another sends it in the same order and chunks");
    EXPECT_EQ(ErrorAfter([](auto& list) {
                  list.steps[5].first = 0;
                  list.steps[5].count = 2;
              }),
              "a.txt:1: step 0 of rank 0 sends chunk 1, but step 1 of rank 1, which comes next to "
              "it, takes chunks 0-1; a rank takes what another sends it in the same order and "
              "chunks");
}

TEST(ListedChecks, StepsMustNotWaitForEachOther)
{
    ListWriter list("allgather", 2, 2);
    list.Add(0, RECEIVE, 1, 1);
    list.Add(0, SEND, 1, 0, {0});
    list.Add(1, RECEIVE, 0, 0);
    list.Add(1, SEND, 0, 1, {0});
    EXPECT_EQ(list.GetError(),
              "a.txt:1: steps wait for each other for ever: step 0 of rank 0 for step 1 of rank 1, "
              "that for step 0 of rank 1, that for step 1 of rank 0, that for step 0 of rank 0; "
              "take one of the waits away, or number the steps of a rank in another order");
}

TEST(ListedChecks, StepsMustNotWaitForEachOtherWhenBuffersAreFull)
{
    // Both ranks take only when all was sent, which needs the other to take.
    ListWriter list("allgather", 2, 4);
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        list.Add(rank, SEND, 1 - rank, 2 * rank);
        list.Add(rank, SEND, 1 - rank, 2 * rank + 1);
        list.Add(rank, RECEIVE, 1 - rank, 2 - 2 * rank, {1});
        list.Add(rank, RECEIVE, 1 - rank, 3 - 2 * rank);
    }
    EXPECT_EQ(
        list.GetError(),
        "a.txt:2: steps wait for each other for ever when buffers are full: step 1 of rank 0 "
        "for step 0 of rank 0, that for step 2 of rank 1, that for step 1 of rank 1, that for "
        "step 2 of rank 0, that for step 1 of rank 0; a send goes on only when what was sent "
        "before it was taken: take it earlier, or take a wait away");
    list.Get().steps[2].after.clear(); // one of them takes at once
    EXPECT_EQ(list.GetError(), "no error");
}

TEST(ListedChecks, WholeStepsOfManySlicesFillBuffersToo)
{
    // Each sends one chunk, and takes the other's when that has left: slices wait for slots.
    ListWriter list("allgather", 2, 2);
    list.Add(0, SEND, 1, 0);
    list.Add(0, RECEIVE, 1, 1, {0});
    list.Add(1, SEND, 0, 1);
    list.Add(1, RECEIVE, 0, 0, {0});
    EXPECT_NE(list.GetError().find("when buffers are full"), std::string::npos);
}

TEST(ListedChecks, OrderThatMakesADifferenceMustBeSaid)
{
    const std::string open = ", and it is left open which comes first; let one be after the other";
    EXPECT_EQ(ErrorAfter([](auto& list) { list.steps[2].after.clear(); }),
              "a.txt:3: step 1 of rank 0 and step 2 of rank 0 both handle chunk 0" + open)
        << "it is sent while it is added to";
    ListWriter list("allgather", 3, 3);
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        list.Add(rank, SEND, (rank + 1) % 3, rank);
        list.Add(rank, SEND, (rank + 2) % 3, rank);
        list.Add(rank, RECEIVE, (rank + 1) % 3, (rank + 1) % 3);
        list.Add(rank, RECEIVE, (rank + 2) % 3, (rank + 2) % 3);
    }
    EXPECT_EQ(list.GetError(), "no error");
    const uint32_t again = list.Add(1, SEND, 0, 2, {3 - 1});
    list.Add(0, RECEIVE, 1, 2);
    EXPECT_EQ(list.GetError(),
              "a.txt:14: step 3 of rank 0 and step 4 of rank 0 both handle chunk 2" + open)
        << "it is replaced twice, step " << again;
}

TEST(ListedChecks, OrderMayComeFromMessagesThatCarryTheChunk)
{
    // In a ring the second half replaces what the first half sent: it went around in between.
    ListWriter ring("allreduce", 5, 5);
    ring.AddRing(8, 0, 4);
    EXPECT_EQ(ring.GetError(), "no error");
    for (std::size_t i = 0; i < ring.Get().steps.size(); ++i)
    {
        ListWriter changed = ring;
        if (!changed.Get().steps[i].after.empty())
        {
            changed.Get().steps[i].after.clear();
            EXPECT_NE(changed.GetError().find("left open"), std::string::npos) << "line " << i + 1;
        }
    }
}

TEST(ListedChecks, OrderDoesNotComeFromOtherMessages)
{
    // Rank 1 sends chunk 1 when chunk 0 has come, which left after chunk 1; but empty chunks don't.
    ListWriter list("allreduce", 2, 2);
    list.Add(0, SEND, 1, 1);
    list.Add(0, SEND, 1, 0, {0});
    list.Add(0, REDUCE, 1, 1);
    list.Add(0, REDUCE, 1, 0, {1});
    list.Add(1, SEND, 0, 1, {});
    list.Add(1, SEND, 0, 0);
    list.Add(1, REDUCE, 0, 1, {0});
    list.Add(1, REDUCE, 0, 0, {1});
    EXPECT_NE(list.GetError().find("step 0 of rank 0 and step 2 of rank 0 both handle chunk 1"),
              std::string::npos);
}

TEST(ListedChecks, ValuesMustNotCountTwice)
{
    EXPECT_EQ(ErrorAfter([](auto& list) { list.steps[7].action = REDUCE; }),
              "a.txt:8: step 3 of rank 1 adds the values of rank 1 to chunk 0 a second time; a "
              "result has each rank's value once");
}

TEST(ListedChecks, EveryRankMustGetItsResult)
{
    EXPECT_EQ(ErrorAfter([](auto& list) { list.steps[1].action = RECEIVE; }),
              "a.txt: rank 0 ends without the values of rank 0 in chunk 0; allreduce promises it; "
              "are steps missing?");
    ListWriter list("allgather", 3, 3);
    list.Add(0, SEND, 1, 0);
    list.Add(1, RECEIVE, 0, 0);
    EXPECT_EQ(list.GetError(),
              "a.txt: rank 2 ends without chunk 0; allgather promises it; are steps missing?");
    ListWriter none("reduce", 9, 1);
    EXPECT_EQ(none.GetError(),
              "a.txt: rank 0 ends without the values of ranks 1, 2, 3 and 5 more in chunk 0; "
              "reduce promises it; are steps missing?");
}

TEST(ListedChecks, RanksSendAndAddToWhatTheyHave)
{
    ListWriter list("allgather", 2, 2);
    list.Add(1, SEND, 0, 0);
    list.Add(0, RECEIVE, 1, 0);
    EXPECT_EQ(list.GetError(),
              "a.txt:1: step 0 of rank 1 sends chunk 0, which the rank does not have by then; let "
              "it receive the chunk before");
    ListWriter adds("allgather", 2, 2);
    adds.Add(0, SEND, 1, 0);
    adds.Add(1, REDUCE, 0, 0);
    EXPECT_EQ(adds.GetError(),
              "a.txt:2: step 0 of rank 1 adds to chunk 0, which the rank does not have by then; "
              "let it receive the chunk before");
}

TEST(ListedChecks, AnyMissingLineIsNoticed)
{
    ListWriter ring("allreduce", 4, 4);
    ring.AddRing(6, 0, 3);
    for (std::size_t i = 0; i < ring.Get().steps.size(); ++i)
    {
        ListWriter changed = ring;
        changed.Get().steps.erase(changed.Get().steps.begin() + static_cast<std::ptrdiff_t>(i));
        EXPECT_NE(changed.GetError(), "no error") << "line " << i + 1;
    }
}

TEST(ListedChecks, LongListsAreCheckedToo)
{
    ListWriter ring("allreduce", 128, 128);
    ring.AddRing(254, 0, 127);
    EXPECT_EQ(ring.GetError(), "no error");
    ListWriter wide("broadcast", 2, ListedSchedule::MAX_CHUNKS);
    for (uint32_t i = 0; i < 2; ++i)
    {
        wide.Add(0, SEND, 1, 0, {}, ListedSchedule::MAX_CHUNKS);
        wide.Add(1, RECEIVE, 0, 0, {}, ListedSchedule::MAX_CHUNKS);
    }
    EXPECT_NE(wide.GetError().find("the steps up to here handle too many chunks"),
              std::string::npos);
}
