/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "program-text.h"

#include "ns3/listed-plan.h"
#include "ns3/step-timeline.h"

#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// Group of the collectives below.
constexpr auto GROUP = static_cast<uint32_t>(GroupKind::DATA);

/**
 * @param programs by rank; the collectives' group has all ranks
 * @return the plan
 */
ListedPlan
PlanOf(const std::vector<OpList>& programs)
{
    ListedPlan plan(static_cast<uint32_t>(programs.size()), 1);
    std::vector<uint32_t> members;
    for (uint32_t rank = 0; rank < programs.size(); ++rank)
    {
        plan.SetProgram(rank, std::make_shared<OpList>(programs[rank]));
        members.push_back(rank);
    }
    plan.AddGroup(RankGroup(GROUP, members), "data");
    return plan;
}

/**
 * @param ops ops
 * @return each of them waits for the one before
 */
OpList
ChainOf(const std::vector<ProgramOp>& ops)
{
    OpList list;
    uint32_t last = 0;
    for (const ProgramOp& op : ops)
    {
        last = list.Add(op,
                        last == 0 && list.GetOpCount() == 0 ? std::vector<uint32_t>{}
                                                            : std::vector<uint32_t>{last});
    }
    return list;
}

/**
 * @return a tick for each byte of a payload and rank of a group, and 10 ticks and one a byte for a
 *         message
 */
TimelineCosts
SlowNetwork()
{
    TimelineCosts costs;
    costs.collective = [](const CollectiveOp& op, const RankGroup& group) {
        return TimeStep(op.payload * group.GetSize());
    };
    costs.message = [](uint32_t, uint32_t, uint64_t bytes) { return TimeStep(10 + bytes); };
    return costs;
}

/**
 * @param plan the job
 * @return a timeline of all its ranks in a slow network
 */
StepTimeline
TimelineOf(const ListedPlan& plan)
{
    std::vector<uint32_t> ranks(plan.GetRanks());
    std::iota(ranks.begin(), ranks.end(), 0);
    return StepTimeline(plan, ranks, SlowNetwork());
}

/**
 * @param timeline a timeline
 * @return a line for each op: rank, place, begin, end
 */
std::string
WriteSpans(const StepTimeline& timeline)
{
    std::string text;
    for (const TimelineSpan& span : timeline.GetSpans())
    {
        text += std::to_string(span.rank) + "." + std::to_string(span.index) + " " +
                std::to_string(span.start.GetTimeStep()) + "-" +
                std::to_string(span.end.GetTimeStep()) + "\n";
    }
    return text;
}

using Problems = std::vector<std::string>;

TEST(StepTimeline, OfOneRankAddsUpWhatWaitsForEachOther)
{
    const StepTimeline timeline = TimelineOf(
        PlanOf({ChainOf({MakeCompute(5), MakeCollective(GroupKind::DATA, 7), MakeCompute(3)})}));
    EXPECT_EQ(WriteSpans(timeline), "0.0 0-5\n0.1 5-12\n0.2 12-15\n");
    EXPECT_EQ(timeline.GetEnd(), TimeStep(15));
    EXPECT_EQ(timeline.GetComputeTime(0), TimeStep(8));
    EXPECT_EQ(timeline.GetProblems(), Problems());
}

TEST(StepTimeline, WithoutCostsCommunicationTakesNoTime)
{
    const OpList sender =
        ChainOf({MakeCompute(5), MakeSend(1, 9), MakeCollective(GroupKind::DATA, 7)});
    const OpList receiver =
        ChainOf({MakeReceive(0, 9), MakeCompute(4), MakeCollective(GroupKind::DATA, 7)});
    const StepTimeline timeline(PlanOf({sender, receiver}), {0, 1}, TimelineCosts());
    EXPECT_EQ(timeline.GetEnd(), TimeStep(9));
    EXPECT_EQ(timeline.GetProblems(), Problems());
}

TEST(StepTimeline, CollectivesBeginWhenTheLastMemberIsThere)
{
    const auto program = [](uint64_t ticks) {
        return ChainOf({MakeCompute(ticks), MakeCollective(GroupKind::DATA, 7), MakeCompute(1)});
    };
    const StepTimeline timeline = TimelineOf(PlanOf({program(5), program(20), program(2)}));
    EXPECT_EQ(WriteSpans(timeline),
              "2.0 0-2\n0.0 0-5\n1.0 0-20\n"
              "2.1 2-41\n0.1 5-41\n1.1 20-41\n"
              "2.2 41-42\n0.2 41-42\n1.2 41-42\n");
    EXPECT_EQ(timeline.GetComputeTime(1), TimeStep(21));
    EXPECT_EQ(timeline.GetEnd(), TimeStep(42));
}

TEST(StepTimeline, RanksThatAreNotLookedAtAreTakenAsBeingThere)
{
    const auto program = [](uint64_t ticks) {
        return ChainOf({MakeCompute(ticks), MakeCollective(GroupKind::DATA, 7)});
    };
    const ListedPlan plan = PlanOf({program(5), program(50), program(6)});
    const StepTimeline timeline(plan, {2, 0}, SlowNetwork());
    EXPECT_EQ(timeline.GetEnd(), TimeStep(6 + 3 * 7)); // of all three members
    EXPECT_EQ(timeline.GetProblems(), Problems());
    EXPECT_DEATH(timeline.GetComputeTime(1), "rank 1 is not looked at");
    EXPECT_DEATH(StepTimeline(plan, {0, 0}, SlowNetwork()), "rank 0 is named twice");
}

TEST(StepTimeline, SendersGoOnAndMessagesArriveOneAfterTheOther)
{
    const OpList sender =
        ChainOf({MakeSend(1, 5), MakeSend(1, 90), MakeCompute(3), MakeSend(1, 1)});
    const OpList receiver = ChainOf({MakeReceive(0, 5), MakeReceive(0, 90), MakeReceive(0, 1)});
    const StepTimeline timeline = TimelineOf(PlanOf({sender, receiver}));
    EXPECT_EQ(WriteSpans(timeline),
              "0.0 0-0\n0.1 0-0\n0.2 0-3\n0.3 3-3\n"
              "1.0 0-15\n1.1 15-115\n1.2 115-126\n");
    EXPECT_EQ(timeline.GetProblems(), Problems());
}

TEST(StepTimeline, ChannelsDoNotWaitForEachOther)
{
    const OpList sender = ChainOf({MakeSend(1, 90), MakeSend(1, 1, MessageChannel::BACKWARD)});
    OpList receiver;
    receiver.Add(MakeReceive(0, 90), {});
    receiver.Add(MakeReceive(0, 1, MessageChannel::BACKWARD), {});
    EXPECT_EQ(WriteSpans(TimelineOf(PlanOf({sender, receiver}))),
              "0.0 0-0\n0.1 0-0\n1.1 0-11\n1.0 0-100\n");
}

TEST(StepTimeline, AMessageThatIsThereDoesNotKeepTheReceiver)
{
    const OpList sender = ChainOf({MakeSend(1, 5)});
    const OpList receiver = ChainOf({MakeCompute(100), MakeReceive(0, 5)});
    EXPECT_EQ(WriteSpans(TimelineOf(PlanOf({sender, receiver}))),
              "0.0 0-0\n1.0 0-100\n1.1 100-100\n");
}

TEST(StepTimeline, EachRepetitionOfABlockIsRun)
{
    OpList list;
    list.BeginBlock(1000);
    list.Add(MakeCompute(2), {});
    list.Add(MakeCollective(GroupKind::DATA, 1), {0}); // overlaps with the next computation
    const StepTimeline timeline = TimelineOf(PlanOf({list, list}));
    EXPECT_EQ(timeline.GetSpans().size(), 4000u);
    EXPECT_EQ(timeline.GetEnd(), TimeStep(2002));
    EXPECT_EQ(timeline.GetComputeTime(0), TimeStep(2000));
}

TEST(StepTimeline, ReceiversWithoutASenderAreFound)
{
    const StepTimeline timeline = TimelineOf(
        PlanOf({ChainOf({MakeCompute(4)}), ChainOf({MakeReceive(0, 5), MakeCompute(9)})}));
    EXPECT_EQ(timeline.GetProblems(),
              Problems{"rank 1 waits for ever in op 0, message of 5 B from rank 0 on channel 0"});
    EXPECT_EQ(timeline.GetEnd(), TimeStep(4));
}

TEST(StepTimeline, MessagesWithoutAReceiverAreFound)
{
    const OpList sender = ChainOf({MakeSend(1, 5), MakeSend(1, 5)});
    EXPECT_EQ(TimelineOf(PlanOf({sender, OpList()})).GetProblems(),
              Problems{"rank 0 sends 2 messages to rank 1 on channel 0 that nobody receives"});
    const ListedPlan plan = PlanOf({sender, OpList()});
    EXPECT_EQ(StepTimeline(plan, {0}, SlowNetwork()).GetProblems(), Problems()); // who knows
}

TEST(StepTimeline, ReceiversOnAnotherChannelAreFound)
{
    const StepTimeline timeline = TimelineOf(PlanOf(
        {ChainOf({MakeSend(1, 5)}), ChainOf({MakeReceive(0, 5, MessageChannel::BACKWARD)})}));
    EXPECT_EQ(timeline.GetProblems(),
              (Problems{"rank 1 waits for ever in op 0, message of 5 B from rank 0 on channel 1",
                        "rank 0 sends 1 messages to rank 1 on channel 0 that nobody receives"}));
}

TEST(StepTimeline, MessagesOfAnotherSizeAreFound)
{
    const StepTimeline timeline =
        TimelineOf(PlanOf({ChainOf({MakeSend(1, 5)}), ChainOf({MakeReceive(0, 6)})}));
    EXPECT_EQ(timeline.GetProblems(),
              Problems{"rank 1 waits for a message of 6 B from rank 0 on channel 0, but 5 B were "
                       "sent"});
}

TEST(StepTimeline, MembersThatCallDifferentOpsAreFound)
{
    const auto problem = [](const ProgramOp& one, const ProgramOp& other) {
        const StepTimeline timeline =
            TimelineOf(PlanOf({ChainOf({MakeCollective(GroupKind::DATA, 1), one}),
                               ChainOf({MakeCollective(GroupKind::DATA, 1), other})}));
        return timeline.GetProblems().size() == 1 ? timeline.GetProblems().front() : "not one";
    };
    EXPECT_EQ(problem(MakeCollective(GroupKind::DATA, 7), MakeCollective(GroupKind::DATA, 8)),
              "rank 1 calls allreduce of 8 B in group 0, but rank 0 allreduce of 7 B in group 0 as "
              "number 1");
    EXPECT_EQ(problem(MakeCollective(GroupKind::DATA, 7),
                      MakeCollective(GroupKind::DATA, 7, CollectiveKind::ALL_GATHER)),
              "rank 1 calls allgather of 7 B in group 0, but rank 0 allreduce of 7 B in group 0 as "
              "number 1");
    ProgramOp dispatch = MakeCollective(GroupKind::DATA, 7, CollectiveKind::ALL_TO_ALL);
    ProgramOp combine = dispatch;
    std::get<CollectiveOp>(dispatch.what).shares = AllToAllShares::BY_DESTINATION;
    std::get<CollectiveOp>(combine.what).shares = AllToAllShares::BY_SOURCE;
    EXPECT_NE(problem(dispatch, combine), "not one");
}

TEST(StepTimeline, MembersThatNeverCallAreFound)
{
    const StepTimeline timeline =
        TimelineOf(PlanOf({ChainOf({MakeCollective(GroupKind::DATA, 7)}), OpList()}));
    EXPECT_EQ(timeline.GetProblems(),
              Problems{"rank 0 waits for ever in op 0, allreduce of 7 B in group 0"});
}

TEST(StepTimeline, RanksThatAreNoMembersAreFound)
{
    const OpList program = ChainOf({MakeCollective(GroupKind::DATA, 7)});
    ListedPlan plan(2, 1);
    plan.SetProgram(0, std::make_shared<OpList>(program));
    plan.SetProgram(1, std::make_shared<OpList>(program));
    plan.AddGroup(RankGroup(GROUP, {0}), "data");
    const StepTimeline timeline(plan, {1, 0}, SlowNetwork());
    EXPECT_EQ(timeline.GetProblems(),
              Problems{"rank 1 calls allreduce of 7 B in group 0, of which it is no member"});
    EXPECT_EQ(WriteSpans(timeline), "1.0 0-0\n0.0 0-7\n");
}

TEST(StepTimeline, CrossedReceivesAreFound)
{
    const auto program = [](uint32_t peer) {
        return ChainOf({MakeReceive(peer, 5), MakeCompute(2), MakeSend(peer, 5)});
    };
    const StepTimeline timeline = TimelineOf(PlanOf({program(1), program(0)}));
    EXPECT_EQ(timeline.GetProblems(),
              (Problems{"rank 0 waits for ever in op 0, message of 5 B from rank 1 on channel 0",
                        "rank 1 waits for ever in op 0, message of 5 B from rank 0 on channel 0"}));
    EXPECT_EQ(timeline.GetEnd(), Time(0));
    const auto other = [](uint32_t peer) {
        return ChainOf({MakeSend(peer, 5), MakeReceive(peer, 5)});
    };
    EXPECT_EQ(TimelineOf(PlanOf({other(1), other(0)})).GetProblems(), Problems());
}

TEST(StepTimeline, CrossedCollectivesAreFound)
{
    ListedPlan plan = PlanOf(
        {ChainOf({MakeCollective(GroupKind::DATA, 7), MakeCollective(GroupKind::TENSOR, 7)}),
         ChainOf({MakeCollective(GroupKind::TENSOR, 7), MakeCollective(GroupKind::DATA, 7)})});
    plan.AddGroup(RankGroup(static_cast<uint32_t>(GroupKind::TENSOR), {0, 1}), "tensor");
    EXPECT_EQ(TimelineOf(plan).GetProblems(),
              (Problems{"rank 0 waits for ever in op 0, allreduce of 7 B in group 0",
                        "rank 1 waits for ever in op 0, allreduce of 7 B in group 1"}));
}

} // namespace
