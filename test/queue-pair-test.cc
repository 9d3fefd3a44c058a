/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nic-fixture.h"

#include "ns3/data-rate.h"
#include "ns3/global-value.h"
#include "ns3/hash-mix.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

using QueuePairTest = StarFixture;

/** Sizes of a transfer; each with one fabric event in an ns-3 event, and with many. */
class TransferTest : public QueuePairTest,
                     public testing::WithParamInterface<std::tuple<uint64_t, uint64_t>>
{
};

TEST_P(TransferTest, ArrivesWholeAtTheClosedFormInstant)
{
    const auto [bytes, batch] = GetParam();
    GlobalValue::Bind("SchedulerType", StringValue("ns3::llmfabric::FabricScheduler"));
    Build(2);
    FabricEngine::Get()->SetBatch(batch);
    const Connection& flow = RunOne(bytes);
    ExpectWhole(flow, bytes);
    EXPECT_EQ(flow.ReceivedAt(), ArrivalOf(bytes, 4096));
    EXPECT_EQ(flow.CompletedAt(), ArrivalOf(bytes, 4096) + ACK_TIME);
    EXPECT_EQ(flow.Counters().sentBytes, bytes);
    EXPECT_EQ(static_cast<int64_t>(Port(0)->GetCounters().wireBytesSent), WireBytes(bytes, 4096));
}

INSTANTIATE_TEST_SUITE_P(Sizes,
                         TransferTest,
                         testing::Combine(testing::Values(0, 1, 4095, 4096, 4097, 8192, 1000000),
                                          testing::Values(1, 1000)),
                         [](const auto& info) {
                             return std::to_string(std::get<0>(info.param)) + "BytesBatch" +
                                    std::to_string(std::get<1>(info.param));
                         });

TEST_F(QueuePairTest, ALargeTransferIsCutIntoMessagesOfAtMostTwoGib)
{
    Build(2, 1000000);
    std::vector<uint64_t> messages;
    m_fabric.nics[1]->TraceConnectWithoutContext(
        "MessageReceived",
        Callback<void, int64_t, const MessageEvent&>(
            [&messages](int64_t, const MessageEvent& message) {
                messages.push_back(message.bytes);
            }));
    ExpectWhole(RunOne(5368709120), 5368709120);
    EXPECT_EQ(messages, (std::vector<uint64_t>{1ULL << 31, 1ULL << 31, 1ULL << 30}));
    EXPECT_EQ(Sent(0, FrameKind::DATA), 2148u + 2148u + 1074u);
}

TEST_F(QueuePairTest, PsnDistanceIsSignedAcrossTheWrap)
{
    EXPECT_EQ(PsnDistance(5, 5), 0);
    EXPECT_EQ(PsnDistance(0, 0xffffff), 1);
    EXPECT_EQ(PsnDistance(0xffffff, 1ULL << 24), -1);
    EXPECT_EQ(PsnDistance(0x7fffff, 0), 0x7fffff);
    EXPECT_EQ(PsnDistance(0x800000, 0), -0x800000);
    EXPECT_EQ(PsnDistance(3, (7ULL << 24) - 2), 5);
}

TEST_F(QueuePairTest, SequenceNumbersWrapAndALossAtTheWrapIsRepaired)
{
    SetNic("TimeoutExponent", 0);
    SetNic("AckInterval", 1 << 22);
    Build(2, 1);
    Connection& flow = Connect(0, 1);
    Requester& requester = flow.sender->GetRequester();
    Responder& responder = flow.receiver->GetResponder();
    constexpr uint64_t wrap = 1 << 24;
    requester.Post({RoceVerb::WRITE, wrap + 1000, {}});
    while (requester.HasPacket()) // no network: 16.8 million packets go from hand to hand
    {
        Frame* frame = requester.MakePacket(0);
        const bool lost = frame->psn == 0xffffff && flow.Counters().naks == 0;
        if (!lost)
        {
            responder.OnData(*frame);
        }
        if (frame->psn == 0 && responder.GetReceivedBytes() == wrap - 1)
        {
            Answer(flow, FrameKind::NAK, 0xffffff); // it was refused
        }
        else if (frame->ackRequest && !lost)
        {
            Answer(flow, FrameKind::ACK, frame->psn);
        }
        FramePool::Free(frame);
    }
    EXPECT_EQ(flow.Counters().retransmitted, 2u);
    Simulator::Run(); // the callbacks; the responder's own answers are old news
    ExpectWhole(flow, wrap + 1000);
}

TEST_F(QueuePairTest, TheLastPacketThatTheWindowAllowsAsksForAnAck)
{
    SetNic("AckInterval", 1 << 30);
    Build(2, 256);
    Connection& flow = Connect(0, 1);
    Requester& requester = flow.sender->GetRequester();
    requester.Post({RoceVerb::WRITE, MAX_MESSAGE_BYTES, {}});
    uint32_t made = 0;
    bool asked = false;
    for (; requester.HasPacket(); ++made)
    {
        ASSERT_FALSE(asked) << "packet " << made;
        Frame* frame = requester.MakePacket(0);
        asked = frame->ackRequest;
        FramePool::Free(frame);
    }
    EXPECT_EQ(made, (1u << 23) - 1);
    EXPECT_TRUE(asked);
    Answer(flow, FrameKind::ACK, 9);
    EXPECT_TRUE(requester.HasPacket());
}

TEST_F(QueuePairTest, EachAckIntervalAndTheLastPacketAskForAnAck)
{
    for (auto [interval, acks] :
         std::map<uint32_t, uint32_t>{{1, 100}, {16, 7}, {50, 2}, {1000, 1}})
    {
        SetNic("AckInterval", interval);
        Build(2);
        const auto& seen = Watch(Port(0));
        const Connection& flow = RunOne(100 * 4096);
        ExpectWhole(flow, 100 * 4096);
        EXPECT_EQ(Sent(1, FrameKind::ACK), acks);
        EXPECT_EQ(seen.size(), 100u);
        for (const SeenFrame& one : seen)
        {
            const bool asks = (one.frame.psn + 1) % interval == 0 || one.frame.psn == 99;
            EXPECT_EQ(one.frame.ackRequest, asks) << "interval " << interval;
        }
        Simulator::Destroy();
    }
}

TEST_F(QueuePairTest, ALostPacketIsAskedForOnceAndAllAfterItComeAgain)
{
    Build(2);
    LoseAt(1, [](uint32_t arrival, uint32_t) { return arrival == 90; });
    const Connection& flow = RunOne(100 * 4096);
    ExpectWhole(flow, 100 * 4096);
    EXPECT_EQ(Sent(1, FrameKind::NAK), 1u);
    EXPECT_EQ(flow.Counters().naks, 1u);
    EXPECT_EQ(flow.Counters().retransmitted, 10u); // 90 to 99: all had left before the NAK came
    EXPECT_EQ(Sent(0, FrameKind::DATA), 110u);
    EXPECT_EQ(flow.Counters().timeouts, 0u);
    EXPECT_EQ(Port(1)->GetCounters().drops[static_cast<std::size_t>(DropReason::LINK_ERROR)], 1u);
}

TEST_F(QueuePairTest, ManyLossesStillDeliverEveryByteOnce)
{
    Build(2);
    LoseAt(1, [](uint32_t arrival, uint32_t) { return arrival % 97 == 96; });
    LoseAt(0, [](uint32_t arrival, uint32_t) { return arrival % 11 == 10; });
    const Connection& flow = RunOne(1000 * 4096);
    ExpectWhole(flow, 1000 * 4096);
    EXPECT_EQ(Sent(0, FrameKind::DATA), 1000 + flow.Counters().retransmitted);
}

TEST_F(QueuePairTest, ALostLastPacketIsRepairedByTimeout)
{
    Build(2);
    LoseAt(1, [](uint32_t arrival, uint32_t) { return arrival == 19; });
    const Connection& flow = RunOne(20 * 4096);
    ExpectWhole(flow, 20 * 4096);
    EXPECT_EQ(flow.Counters().timeouts, 1u);
    EXPECT_EQ(flow.Counters().retransmitted, 4u); // 16 to 19
    EXPECT_EQ(flow.Counters().naks, 0u);
    // The ACK of packet 15 set the timer anew.
    const int64_t ack = ArrivalOf(16 * 4096, 4096) + ACK_TIME;
    const int64_t again = (4 + 1) * (4096 + 82) * TICKS_PER_BYTE + PATH_DELAY;
    EXPECT_EQ(flow.ReceivedAt(), ack + 67108864000 + again);
}

TEST_F(QueuePairTest, ALostLastAckEndsByTimeoutAndTheDuplicateIsAcknowledged)
{
    Build(2);
    LoseAt(0, [](uint32_t arrival, uint32_t) { return arrival == 0; });
    const Connection& flow = RunOne(4096);
    ExpectWhole(flow, 4096);
    EXPECT_EQ(flow.ReceivedAt(), ArrivalOf(4096, 4096));
    EXPECT_EQ(flow.CompletedAt(), TIMEOUT + ArrivalOf(4096, 4096) + ACK_TIME);
    EXPECT_EQ(flow.Counters().timeouts, 1u);
    EXPECT_EQ(flow.Counters().retransmitted, 1u);
    EXPECT_EQ(Sent(1, FrameKind::ACK), 2u);
}

TEST_F(QueuePairTest, ADeadLinkFailsItsQueuePairAfterSevenRetriesAndNoOther)
{
    Build(3);
    LoseAt(2, [](uint32_t, uint32_t) { return true; });
    Connection& dead = Connect(0, 2); // it goes first
    Connection& alive = Connect(0, 1);
    Post(dead, 4096);
    Post(dead, 1);
    Post(alive, 4096);
    Post(alive, 8192, Seconds(1));
    Simulator::Run();
    EXPECT_TRUE(dead.received.empty());
    EXPECT_TRUE(dead.sender->GetRequester().IsFailed());
    ASSERT_EQ(dead.completions.size(), 2u);
    for (const auto& [tick, result] : dead.completions)
    {
        EXPECT_EQ(tick, 8 * TIMEOUT);
        EXPECT_TRUE(result.failed);
        EXPECT_EQ(result.reason, "no progress after 7 retries, the last ones timeouts");
    }
    EXPECT_EQ(dead.Counters().timeouts, 8u);
    ASSERT_EQ(alive.received.size(), 2u);
    EXPECT_EQ(alive.received[1].first, Seconds(1).GetTimeStep() + ArrivalOf(8192, 4096));
    EXPECT_EQ(alive.completions.size(), 2u);
    EXPECT_FALSE(alive.sender->GetRequester().IsFailed());
}

TEST_F(QueuePairTest, ANakWithoutProgressCountsAsARetry)
{
    Build(2);
    LoseAt(1, [](uint32_t, uint32_t psn) { return psn == 0; });
    const Connection& flow = RunOne(2 * 4096);
    ASSERT_EQ(flow.completions.size(), 1u);
    EXPECT_TRUE(flow.completions[0].second.failed);
    EXPECT_EQ(flow.Counters().naks, 1u); // a gap is reported once
    EXPECT_EQ(flow.Counters().timeouts, 7u);
}

TEST_F(QueuePairTest, NaksWithoutProgressAloneFailTheQueuePair)
{
    Build(2);
    Connection& flow = Connect(0, 1);
    flow.sender->PostWrite(4096);
    FramePool::Free(flow.sender->GetRequester().MakePacket(0));
    for (int nak = 0; nak < 8; ++nak)
    {
        EXPECT_FALSE(flow.sender->GetRequester().IsFailed()) << nak;
        Answer(flow, FrameKind::NAK, 0);
    }
    EXPECT_TRUE(flow.sender->GetRequester().IsFailed());
    Simulator::Run();
    ASSERT_EQ(flow.completions.size(), 1u);
    EXPECT_EQ(flow.completions[0].second.reason,
              "no progress after 7 retries, the last ones negative acknowledgments");
}

TEST_F(QueuePairTest, ACnpGoesAtMostOnceInFiftyMicrosecondsAQueuePair)
{
    MarkAll();
    Build(3);
    const auto& seen = Watch(Port(2));
    Connection& a = Connect(0, 2);
    Connection& b = Connect(1, 2);
    Post(a, 4000000); // 652.8 us at half the line
    Post(b, 4000000);
    Simulator::Run();
    std::map<uint64_t, std::vector<int64_t>> cnps;
    for (const SeenFrame& one : seen)
    {
        if (one.frame.kind == FrameKind::CNP)
        {
            EXPECT_EQ(one.frame.priority, 6);
            EXPECT_EQ(one.frame.wireBytes, 98u);
            cnps[one.frame.queuePair].push_back(one.frame.enqueued);
        }
    }
    ASSERT_EQ(cnps.size(), 2u);
    for (const auto& [pair, times] : cnps)
    {
        EXPECT_EQ(times.size(), 14u); // at 0, 50, ... 650 us of it
        for (std::size_t i = 1; i < times.size(); ++i)
        {
            EXPECT_GE(times[i] - times[i - 1], 50000000);
            EXPECT_LT(times[i] - times[i - 1], 50000000 + 3 * 4194 * TICKS_PER_BYTE);
        }
    }
    EXPECT_EQ(m_fabric.nics[2]->GetCounters().cnpSent, 28u);
    EXPECT_EQ(a.sender->GetCnps(), 14u);
    EXPECT_EQ(b.sender->GetCnps(), 14u);
}

TEST_F(QueuePairTest, TheUdpSourcePortIsAHashOfSeedAddressesAndIndex)
{
    std::set<uint16_t> ports;
    for (uint32_t seed = 1; seed <= 3; ++seed)
    {
        RngSeedManager::SetSeed(seed);
        Build(2);
        for (uint32_t index = 0; index < 4; ++index)
        {
            const Connection& one = Connect(0, 1, index);
            const uint32_t a = FabricHelper::AddressOf(0).Get();
            const uint32_t b = FabricHelper::AddressOf(1).Get();
            const uint64_t hash = HashValues({seed, a, b, index});
            EXPECT_EQ(one.sender->GetSourcePort(), 0xc000 | (hash & 0x3fff));
            ports.insert(one.sender->GetSourcePort());
        }
        Simulator::Destroy();
    }
    EXPECT_EQ(ports.size(), 12u);
}

TEST_F(QueuePairTest, FourFlowsShareALineFairlyWhateverTheOrderOfCreation)
{
    std::map<uint32_t, int64_t> first;
    for (const std::vector<uint32_t>& order : {std::vector<uint32_t>{0, 1, 2, 3}, {3, 1, 0, 2}})
    {
        Build(3);
        std::map<uint32_t, int64_t> received;
        std::map<uint32_t, Connection*> flows;
        for (uint32_t number : order)
        {
            flows[number] = &Connect(0, 1 + number % 2, number / 2);
            Post(*flows[number], 1000000);
        }
        Simulator::Run();
        std::vector<double> rates;
        for (const auto& [number, flow] : flows)
        {
            received[number] = flow->ReceivedAt();
            rates.push_back(1e6 / static_cast<double>(flow->ReceivedAt()));
        }
        EXPECT_GT(JainIndex(rates), 0.99);
        first = first.empty() ? received : first;
        EXPECT_EQ(received, first);
        Simulator::Destroy();
    }
}

TEST_F(QueuePairTest, ASlowPacedQueuePairHoldsUpNoOther)
{
    Build(3);
    Config::SetDefault("ns3::llmfabric::FixedRate::Rate", DataRateValue(DataRate("1Gbps")));
    Connection& slow = Connect(0, 1);
    Config::SetDefault("ns3::llmfabric::FixedRate::Rate", DataRateValue(DataRate(0)));
    Connection& fast = Connect(0, 2);
    Post(slow, 1000000);
    Post(fast, 1000000);
    Simulator::Run();
    // The fast one waits for the few slow packets that leave meanwhile: one each 33.5 us.
    const int64_t alone = ArrivalOf(1000000, 4096);
    EXPECT_GE(fast.ReceivedAt(), alone);
    EXPECT_LE(fast.ReceivedAt(), alone + 4 * 4194 * TICKS_PER_BYTE);
    EXPECT_NEAR(static_cast<double>(slow.ReceivedAt()), 8.19e9, 0.05e9);
}

TEST_F(QueuePairTest, LatenciesOfTheNicShiftTheCompletionExactly)
{
    m_helper.SetNicAttribute("TransmitLatency", StringValue("700ns"));
    m_helper.SetNicAttribute("ReceiveLatency", StringValue("300ns"));
    Build(2);
    const Connection& flow = RunOne(100000);
    EXPECT_EQ(flow.ReceivedAt(), ArrivalOf(100000, 4096) + 700000 + 300000);
    EXPECT_EQ(flow.CompletedAt(), flow.ReceivedAt() + ACK_TIME + 300000);
}

TEST_F(QueuePairTest, EachTransferWaitsForTheTransmitLatencyAndDelaysNoEarlierOne)
{
    m_helper.SetNicAttribute("TransmitLatency", StringValue("10us"));
    Build(2);
    const auto& seen = Watch(Port(0));
    Connection& flow = Connect(0, 1);
    Post(flow, 100000);                   // its packets leave from 10 us to 18.2 us
    Post(flow, 4096, NanoSeconds(16000)); // not before 26 us
    Simulator::Run();
    ASSERT_EQ(flow.received.size(), 2u);
    EXPECT_EQ(flow.received[0].first, ArrivalOf(100000, 4096) + 10000000);
    EXPECT_EQ(seen.back().outcome.started, 26000000);
}

TEST_F(QueuePairTest, ASimulationThatIsStoppedInTheMiddleIsDestroyedCleanly)
{
    Build(2);
    for (uint32_t index = 0; index < 4; ++index)
    {
        Post(Connect(0, 1, index), 1000000);
    }
    Simulator::Stop(MicroSeconds(20));
    Simulator::Run();
    m_connections.clear(); // the queue pairs die with the nodes, while they wait for their turn
}

} // namespace
