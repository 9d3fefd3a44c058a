/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Writes with immediate data, Sends, receiver-not-ready, completion queues.

#include "verbs-fixture.h"

#include "ns3/user-error.h"

#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/** Verbs that need receives. */
class RoceVerbsTest : public VerbsTest
{
  protected:
    /** @return when a Send of one packet comes, if it is posted at 0, ticks */
    static int64_t SendArrival()
    {
        return Way(4096 + 82);
    }

    /** @return from the arrival of a packet to that of the same packet after an RNR NAK, ticks */
    static int64_t RnrRound(int64_t wait)
    {
        return ACK_TIME + wait + SendArrival();
    }
};

TEST_F(RoceVerbsTest, AWriteWithImmediateTakesAReceiveAndTellsItsData)
{
    Build(2);
    VerbsPair& pair = MakePair();
    pair.b->PostReceive(0, 2);
    pair.a->Post({RoceVerb::WRITE, 3000, 0xcafe1234});
    Simulator::Run();
    ASSERT_EQ(pair.atB.size(), 1u);
    const WorkCompletion& receive = pair.atB[0].what;
    EXPECT_EQ(receive.verb, RoceVerb::RECEIVE);
    EXPECT_EQ(receive.number, 0u);
    EXPECT_EQ(receive.bytes, 3000u);
    EXPECT_EQ(receive.immediate, 0xcafe1234);
    EXPECT_EQ(receive.queuePair, pair.b->GetId());
    EXPECT_EQ(pair.b->GetResponder().GetReceives(), 1u);
    EXPECT_EQ(pair.atB[0].tick, Way(3000 + 82 + 16 + 4));
    ExpectDone(pair.atA, RoceVerb::WRITE, {3000});
    EXPECT_EQ(pair.atA[0].tick, pair.atB[0].tick + ACK_TIME);
}

TEST_F(RoceVerbsTest, AWriteWithoutImmediateTakesNoReceive)
{
    Build(2);
    VerbsPair& pair = MakePair();
    pair.b->PostReceive(4096);
    pair.a->PostWrite(3000);
    Simulator::Run();
    EXPECT_TRUE(pair.atB.empty());
    EXPECT_EQ(pair.b->GetResponder().GetReceives(), 1u);
}

TEST_F(RoceVerbsTest, OnlyTheLastPacketOfAWriteWithImmediateWaitsForAReceive)
{
    SetNic("RnrTimer", 1); // 10 us
    Build(2);
    VerbsPair& pair = MakePair();
    pair.a->Post({RoceVerb::WRITE, 5 * 4096, 7});
    At(MicroSeconds(5), [&pair]() { pair.b->PostReceive(0); });
    Simulator::Run();
    EXPECT_EQ(pair.b->GetResponder().GetReceivedBytes(), 5 * 4096u);
    EXPECT_EQ(pair.a->GetRequester().GetCounters().retransmitted, 1u);
    EXPECT_EQ(pair.a->GetRequester().GetCounters().rnrNaks, 1u);
    // The switch stores the first packet, the longest; the others follow without a gap.
    const int64_t wire = 2 * (4178 + 16) + 3 * 4178 + 4178 + 4;
    const int64_t last = wire * TICKS_PER_BYTE + PATH_DELAY;
    ASSERT_EQ(pair.atB.size(), 1u);
    EXPECT_EQ(pair.atB[0].tick, last + ACK_TIME + 10000000 + Way(4096 + 82 + 4));
    EXPECT_EQ(pair.atB[0].what.immediate, 7u);
}

TEST_F(RoceVerbsTest, ASendOfManyPacketsFillsOneReceive)
{
    Build(2);
    VerbsPair& pair = MakePair();
    pair.b->PostReceive(100000, 3);
    pair.a->PostSend(100000);
    pair.a->PostSend(0);
    pair.a->Post({RoceVerb::SEND, 4097, 0});
    Simulator::Run();
    ExpectDone(pair.atB, RoceVerb::RECEIVE, {100000, 0, 4097});
    ExpectDone(pair.atA, RoceVerb::SEND, {100000, 0, 4097});
    EXPECT_FALSE(pair.atB[0].what.immediate.has_value());
    EXPECT_EQ(pair.atB[2].what.immediate, 0u); // zero is data, too
    const int64_t bytes = 100000 + 25 * 82;
    EXPECT_EQ(pair.atB[0].tick, (bytes + 4096 + 82) * TICKS_PER_BYTE + PATH_DELAY);
}

/** Code of the RNR timer and its time in microseconds (InfiniBand's table). */
class RnrTimerTest : public RoceVerbsTest,
                     public testing::WithParamInterface<std::pair<uint8_t, int64_t>>
{
};

TEST_P(RnrTimerTest, ASendComesAgainWhenTheTimerOfTheReceiverHasRunOut)
{
    const auto [code, micros] = GetParam();
    SetNic("RnrTimer", code);
    Build(2);
    const auto& seen = Watch(Port(0));
    VerbsPair& pair = MakePair();
    pair.a->PostSend(3 * 4096);
    At(MicroSeconds(9), [&pair]() { pair.b->PostReceive(1 << 20); });
    Simulator::Run();
    EXPECT_EQ(pair.a->GetRequester().GetCounters().rnrNaks, 1u);
    EXPECT_EQ(Sent(1, FrameKind::NAK), 1u);
    ASSERT_EQ(seen.size(), 6u); // all three packets again
    const int64_t again = SendArrival() + ACK_TIME + micros * 1000000;
    EXPECT_EQ(seen[3].outcome.started, again);
    ExpectDone(pair.atB, RoceVerb::RECEIVE, {3 * 4096});
    EXPECT_EQ(pair.atB[0].tick, again + SendArrival() + 2 * SLOT);
    EXPECT_EQ(pair.a->GetRequester().GetCounters().timeouts, 0u);
}

INSTANTIATE_TEST_SUITE_P(Codes,
                         RnrTimerTest,
                         testing::Values(std::make_pair(1, 10),
                                         std::make_pair(12, 640),
                                         std::make_pair(25, 61440),
                                         std::make_pair(31, 491520),
                                         std::make_pair(0, 655360)),
                         [](const auto& info) { return std::to_string(info.param.first); });

TEST_F(RoceVerbsTest, ASendGivesUpWhenTheReceiverWasNotReadyTooOften)
{
    SetNic("RnrRetryCount", 2);
    Build(2);
    VerbsPair& pair = MakePair();
    pair.a->PostSend(4096);
    pair.a->PostWrite(1);
    Simulator::Run();
    ASSERT_EQ(pair.atA.size(), 2u);
    for (const TimedCompletion& one : pair.atA)
    {
        EXPECT_TRUE(one.what.failed);
        EXPECT_EQ(one.what.reason,
                  "the receiver was not ready 3 times in a row: it has posted too few receives");
        EXPECT_EQ(one.tick, SendArrival() + 2 * RnrRound(640000000) + ACK_TIME);
    }
    EXPECT_EQ(pair.a->GetRequester().GetCounters().rnrNaks, 3u);
    EXPECT_TRUE(pair.a->GetRequester().IsFailed());
    EXPECT_TRUE(pair.atB.empty());
    EXPECT_EQ(pair.b->GetResponder().GetReceivedBytes(), 0u);
}

TEST_F(RoceVerbsTest, SevenRnrRetriesMeanForEver)
{
    Build(2);
    VerbsPair& pair = MakePair();
    pair.a->PostSend(4096);
    At(MilliSeconds(100), [&pair]() { pair.b->PostReceive(4096); });
    Simulator::Run();
    const int64_t round = RnrRound(640000000);
    const int64_t rounds = (100000000000 - SendArrival() + round - 1) / round;
    EXPECT_EQ(pair.a->GetRequester().GetCounters().rnrNaks, static_cast<uint64_t>(rounds));
    ExpectDone(pair.atB, RoceVerb::RECEIVE, {4096});
    EXPECT_EQ(pair.atB[0].tick, SendArrival() + rounds * round);
    EXPECT_EQ(pair.a->GetRequester().GetCounters().timeouts, 0u);
}

TEST_F(RoceVerbsTest, ProgressRenewsTheRnrRetries)
{
    SetNic("RnrRetryCount", 1);
    SetNic("RnrTimer", 1);
    Build(2);
    VerbsPair& pair = MakePair();
    Ptr<CompletionQueue> queue = Create<CompletionQueue>();
    const auto postSoon = [&pair]() { pair.b->PostReceive(100); };
    queue->SetCallback(Callback<void, const WorkCompletion&>(
        [&](const WorkCompletion&) { At(MicroSeconds(5), postSoon); }));
    pair.b->SetCompletionQueue(queue);
    At(MicroSeconds(5), postSoon);
    for (int i = 0; i < 5; ++i)
    {
        pair.a->PostSend(100);
    }
    Simulator::Run();
    ExpectDone(pair.atA, RoceVerb::SEND, {100, 100, 100, 100, 100});
    EXPECT_EQ(pair.a->GetRequester().GetCounters().rnrNaks, 5u); // each came too early once
}

TEST_F(RoceVerbsTest, ASendLongerThanItsReceiveIsRefused)
{
    for (uint64_t room : {4095, 4096, 8192})
    {
        Build(2);
        VerbsPair& pair = MakePair();
        pair.b->PostReceive(room);
        pair.a->PostSend(room + 1);
        pair.a->PostWrite(5);
        Simulator::Run();
        ASSERT_EQ(pair.atA.size(), 2u) << room;
        EXPECT_TRUE(pair.atA[0].what.failed);
        EXPECT_EQ(pair.atA[0].what.reason,
                  "the receiver refused it: a Send is longer than the receive posted for it");
        EXPECT_TRUE(pair.atA[1].what.failed);
        EXPECT_TRUE(pair.atB.empty());
        EXPECT_EQ(pair.a->GetRequester().GetCounters().timeouts, 0u);
        Simulator::Destroy();
    }
}

TEST_F(RoceVerbsTest, AReceiveThatIsJustLargeEnoughIsTaken)
{
    Build(2);
    VerbsPair& pair = MakePair();
    pair.b->PostReceive(1);
    pair.b->PostReceive(8193);
    pair.b->PostReceive(8193);
    pair.a->PostSend(1);
    pair.a->PostSend(8193);
    pair.a->PostSend(2);
    Simulator::Run();
    ExpectDone(pair.atB, RoceVerb::RECEIVE, {1, 8193, 2});
}

TEST_F(RoceVerbsTest, ManyMessagesFollowEachOtherWithoutAGap)
{
    Build(2);
    VerbsPair& pair = MakePair();
    std::vector<uint64_t> sizes;
    int64_t wire = 0;
    for (uint64_t i = 0; i < 50; ++i)
    {
        sizes.push_back(4096 + i * 512);
        wire += WireBytes(sizes.back(), 4096);
        EXPECT_EQ(pair.a->PostWrite(sizes.back()), i);
    }
    const auto& seen = Watch(Port(0));
    Simulator::Run();
    ExpectDone(pair.atA, RoceVerb::WRITE, sizes);
    EXPECT_EQ(seen.back().outcome.ended, wire * TICKS_PER_BYTE);
}

TEST_F(RoceVerbsTest, ACompletionQueueKeepsWhatNobodyTakes)
{
    Build(2);
    VerbsPair& pair = MakePair();
    Ptr<CompletionQueue> queue = Create<CompletionQueue>();
    EXPECT_FALSE(queue->Poll().has_value());
    pair.a->SetCompletionQueue(queue);
    for (uint64_t bytes : {1, 2, 3, 4})
    {
        pair.a->PostWrite(bytes);
    }
    Simulator::Run();
    EXPECT_EQ(queue->GetSize(), 4u);
    const auto first = queue->Poll();
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(first->number, 0u);
    EXPECT_EQ(first->bytes, 1u);
    EXPECT_EQ(queue->GetSize(), 3u);
    std::vector<uint64_t> told;
    queue->SetCallback(Callback<void, const WorkCompletion&>(
        [&told](const WorkCompletion& one) { told.push_back(one.bytes); }));
    EXPECT_EQ(told, (std::vector<uint64_t>{2, 3, 4})); // those that waited, at once
    EXPECT_EQ(queue->GetSize(), 0u);
    pair.a->PostWrite(5);
    Simulator::Run();
    EXPECT_EQ(told.back(), 5u);
}

TEST_F(RoceVerbsTest, QueuePairsShareACompletionQueue)
{
    Build(2);
    VerbsPair& one = MakePair(0);
    VerbsPair& two = MakePair(1);
    two.a->SetCompletionQueue(one.a->GetCompletionQueue());
    one.b->SetCompletionQueue(one.a->GetCompletionQueue());
    one.b->PostReceive(100);
    one.a->PostSend(100);
    two.a->PostWrite(200);
    Simulator::Run();
    std::vector<std::tuple<uint64_t, RoceVerb, uint64_t>> told;
    for (const TimedCompletion& done : one.atA)
    {
        told.emplace_back(done.what.queuePair, done.what.verb, done.what.bytes);
    }
    const std::vector<std::tuple<uint64_t, RoceVerb, uint64_t>> expected{
        {one.b->GetId(), RoceVerb::RECEIVE, 100},
        {one.a->GetId(), RoceVerb::SEND, 100},
        {two.a->GetId(), RoceVerb::WRITE, 200}};
    EXPECT_EQ(told, expected);
    EXPECT_TRUE(two.atA.empty());
}

TEST_F(RoceVerbsTest, APostToAQueuePairInErrorFailsAtOnce)
{
    SetNic("RnrRetryCount", 0);
    Build(2);
    VerbsPair& pair = MakePair();
    pair.a->PostSend(10);
    Simulator::Run();
    ASSERT_TRUE(pair.a->GetRequester().IsFailed());
    const uint64_t sent = Sent(0, FrameKind::DATA);
    const int64_t now = Simulator::Now().GetTimeStep();
    EXPECT_EQ(pair.a->PostWrite(20), 1u);
    EXPECT_EQ(pair.a->PostRead(30), 2u);
    Simulator::Run();
    ASSERT_EQ(pair.atA.size(), 3u);
    for (std::size_t i : {1, 2})
    {
        EXPECT_EQ(pair.atA[i].what.number, i);
        EXPECT_TRUE(pair.atA[i].what.failed);
        EXPECT_EQ(pair.atA[i].what.reason, "the queue pair is in error");
        EXPECT_EQ(pair.atA[i].tick, now);
    }
    EXPECT_EQ(Sent(0, FrameKind::DATA), sent);
    EXPECT_TRUE(pair.a->GetRequester().IsIdle());
    EXPECT_EQ(pair.a->GetRequester().GetBytesInFlight(), 0u);
}

TEST_F(RoceVerbsTest, ASendIsOneMessage)
{
    Build(2);
    VerbsPair& pair = MakePair();
    EXPECT_THROW(pair.a->PostSend(MAX_MESSAGE_BYTES + 1), UserError);
    EXPECT_TRUE(pair.a->GetRequester().IsIdle());
    EXPECT_EQ(pair.a->PostWrite(1), 0u); // the refused one took no number
}

TEST_F(RoceVerbsTest, TwoNicsAgreeOnTheSmallerMtu)
{
    Build(2);
    m_fabric.nics[1]->SetAttribute("Mtu", UintegerValue(1024));
    VerbsPair& pair = MakePair();
    const auto& requests = Watch(Port(0));
    const auto& responses = Watch(Port(1));
    pair.a->PostWrite(4096);
    pair.a->PostRead(4096);
    Simulator::Run();
    EXPECT_EQ(requests.size(), 4u + 1);
    EXPECT_EQ(responses.size(), 1u + 4);
    EXPECT_EQ(pair.atA.size(), 2u);
}

TEST_F(RoceVerbsTest, TwoKindsOfLossRecoveryDoNotConnect)
{
    Build(2);
    m_fabric.nics[1]->SetAttribute("LossRecovery", StringValue("ns3::llmfabric::SelectiveRepeat"));
    EXPECT_THROW(MakePair(), UserError);
}

} // namespace
