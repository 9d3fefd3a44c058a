/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Many messages, large ones, many queue pairs, all MTUs and rates, the wrap of sequence numbers.

#include "verbs-fixture.h"

#include "ns3/congestion-control.h"

#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/** A window of so many bytes, for ever. */
class WindowOnly : public CongestionControl
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::llmfabric::WindowOnly")
                                .SetParent<CongestionControl>()
                                .AddConstructor<WindowOnly>()
                                .AddAttribute("Bytes",
                                              "The window.",
                                              UintegerValue(40960),
                                              MakeUintegerAccessor(&WindowOnly::m_bytes),
                                              MakeUintegerChecker<uint64_t>());
        return tid;
    }

  protected:
    void DoStart(int64_t now) override
    {
        SetRate(now, GetLineRate());
        SetWindow(now, m_bytes);
    }

  private:
    uint64_t m_bytes{0}; //!< attribute Bytes
};

/** Tests of the NIC that may use WindowOnly; only they make it known to ns-3. */
class NicScaleTest : public VerbsTest
{
  protected:
    /** @param bytes the window of queue pairs made from now on */
    void UseWindow(uint64_t bytes)
    {
        WindowOnly::GetTypeId();
        Config::SetDefault("ns3::llmfabric::WindowOnly::Bytes", UintegerValue(bytes));
        UseControl("WindowOnly");
    }
};

TEST_F(NicScaleTest, SeventyThousandMessagesOnOneQueuePair)
{
    constexpr uint64_t messages = 70000;
    Build(2);
    VerbsPair& pair = MakePair();
    std::vector<uint64_t> sizes;
    int64_t wire = 0;
    for (uint64_t i = 0; i < messages; ++i)
    {
        sizes.push_back(1 + i % 100);
        wire += WireBytes(sizes.back(), 4096);
        ASSERT_EQ(pair.a->PostWrite(sizes.back()), i);
    }
    const auto& seen = Watch(Port(0));
    Simulator::Run();
    ExpectDone(pair.atA, RoceVerb::WRITE, sizes);
    EXPECT_EQ(seen.back().outcome.ended, wire * TICKS_PER_BYTE);
    EXPECT_EQ(pair.b->GetResponder().GetReceivedBytes(), 700 * 5050u);
}

TEST_F(NicScaleTest, SeventyThousandMessagesOneAfterTheOther)
{
    Build(2);
    VerbsPair& pair = MakePair();
    Ptr<CompletionQueue> queue = Create<CompletionQueue>();
    uint64_t done = 0;
    queue->SetCallback(
        Callback<void, const WorkCompletion&>([&pair, &done](const WorkCompletion& one) {
            EXPECT_EQ(one.number, done);
            if (++done < 70000)
            {
                pair.a->PostWrite(8);
            }
        }));
    pair.a->SetCompletionQueue(queue);
    pair.a->PostWrite(8);
    Simulator::Run();
    EXPECT_EQ(done, 70000u);
    EXPECT_EQ(Simulator::Now().GetTimeStep(), 70000 * (ArrivalOf(8, 4096) + ACK_TIME));
}

TEST_F(NicScaleTest, FiveGibibytesArriveAtTheClosedFormInstant)
{
    constexpr uint64_t bytes = 5ULL << 30;
    Build(2);
    const Connection& flow = RunOne(bytes);
    ExpectWhole(flow, bytes);
    // Three messages, each of which begins with a RETH.
    EXPECT_EQ(flow.ReceivedAt(), ArrivalOf(bytes, 4096) + 2 * 16 * TICKS_PER_BYTE);
}

TEST_F(NicScaleTest, TenThousandIdleQueuePairsCostNoEvents)
{
    std::vector<std::pair<uint64_t, int64_t>> runs;
    for (uint32_t idle : {0, 10000})
    {
        UseControl("Dcqcn");
        Build(3);
        for (uint32_t index = 0; index < idle; ++index)
        {
            RoceNic::Connect(m_fabric.nics[0], m_fabric.nics[1 + index % 2], 1 + index / 2);
        }
        const Connection& flow = RunOne(2000000);
        ExpectWhole(flow, 2000000);
        runs.emplace_back(FabricEngine::Get()->GetEventCount(), flow.CompletedAt());
        Simulator::Destroy();
        m_connections.clear();
    }
    EXPECT_EQ(runs[0], runs[1]);
}

/** First sequence numbers; go-back-N or selective repeat. */
class PsnWrapTest : public VerbsTest,
                    public testing::WithParamInterface<std::tuple<uint32_t, std::string>>
{
};

TEST_P(PsnWrapTest, AMessageIsWholeAcrossTheWrap)
{
    SetNic("InitialPsn", std::get<0>(GetParam()));
    UseRecovery(std::get<1>(GetParam()));
    Build(2);
    m_fabric.nics[1]->SetAttribute("InitialPsn", UintegerValue(0xfffffe));
    const auto& seen = Watch(Port(0));
    LoseAt(1, [](uint32_t arrival, uint32_t) { return arrival % 13 == 12; });
    LoseAt(0, [](uint32_t arrival, uint32_t) { return arrival % 7 == 6; });
    VerbsPair& pair = MakePair();
    pair.b->PostReceive(1 << 20, 2);
    pair.a->PostWrite(50 * 4096);
    pair.a->PostRead(50 * 4096);
    pair.a->PostSend(20 * 4096);
    pair.b->PostWrite(20 * 4096);
    Simulator::Run();
    EXPECT_EQ(pair.atA.size(), 3u);
    EXPECT_EQ(pair.b->GetResponder().GetReceivedBytes(), 70 * 4096u);
    EXPECT_EQ(pair.a->GetResponder().GetReceivedBytes(), 20 * 4096u);
    EXPECT_EQ(seen.front().frame.psn, std::get<0>(GetParam()));
    EXPECT_LT(seen.back().frame.psn, 200u);
}

INSTANTIATE_TEST_SUITE_P(Starts,
                         PsnWrapTest,
                         testing::Combine(testing::Values(0xffffff, 0xfffff0, 0xffffc0),
                                          testing::Values("GoBackN", "SelectiveRepeat")),
                         [](const auto& info) {
                             return std::get<1>(info.param) +
                                    std::to_string(0x1000000 - std::get<0>(info.param));
                         });

TEST_F(NicScaleTest, WithoutLossTheFirstSequenceNumberChangesNothing)
{
    std::vector<int64_t> ends;
    for (uint32_t first : {0, 0xfffff0})
    {
        SetNic("InitialPsn", first);
        Build(2);
        ends.push_back(RunOne(1000000).CompletedAt());
        Simulator::Destroy();
        m_connections.clear();
    }
    EXPECT_EQ(ends[0], ends[1]);
}

/** Rate in Gb/s; path MTU. */
class LineRateTest : public StarFixture,
                     public testing::WithParamInterface<std::tuple<uint32_t, uint32_t>>
{
};

TEST_P(LineRateTest, AMessageTakesItsWireBytes)
{
    const auto [gigabits, mtu] = GetParam();
    SetNic("Mtu", mtu);
    m_helper.SetSwitchAttribute("RoceMtu", UintegerValue(mtu));
    TopologySpec spec;
    spec.nodes = 2;
    spec.rate = DataRate(gigabits * 1000000000ULL);
    m_fabric = m_helper.Create(TopologyBuilder::Create("single-switch")->Build(spec));
    const uint64_t bytes = 300 * mtu;
    const Connection& flow = RunOne(bytes);
    ExpectWhole(flow, bytes);
    const int64_t perByte = 8000 / static_cast<int64_t>(gigabits);
    const int64_t wire = WireBytes(bytes, mtu) + WireBytes(mtu, mtu); // the switch stores the first
    EXPECT_EQ(flow.ReceivedAt(), wire * perByte + PATH_DELAY);
    EXPECT_EQ(flow.CompletedAt(), flow.ReceivedAt() + 2 * 86 * perByte + PATH_DELAY);
}

INSTANTIATE_TEST_SUITE_P(Lines,
                         LineRateTest,
                         testing::Combine(testing::Values(1, 10, 25, 40, 100, 200, 400, 800),
                                          testing::Values(256, 512, 1024, 2048, 4096)),
                         [](const auto& info) {
                             return std::to_string(std::get<0>(info.param)) + "GbpsMtu" +
                                    std::to_string(std::get<1>(info.param));
                         });

TEST_F(NicScaleTest, AnAckIntervalAboveThePacketWindowStopsOnceAWindow)
{
    SetNic("AckInterval", 1 << 20);
    UseRecovery("SelectiveRepeat"); // 512 packets
    Build(2, 256);
    const Connection& flow = RunOne(5000 * 256);
    ExpectWhole(flow, 5000 * 256);
    EXPECT_EQ(Sent(1, FrameKind::ACK), 10u); // 9 windows of 512, and 392 packets
    EXPECT_EQ(flow.Counters().timeouts, 0u);
    EXPECT_EQ(flow.Counters().retransmitted, 0u);
    // Each window but the last waits for the ACK of its last packet.
    const int64_t slot = (256 + 82) * TICKS_PER_BYTE;
    const int64_t stop = slot + PATH_DELAY + ACK_TIME; // from its end to the next packet
    EXPECT_EQ(flow.ReceivedAt(), ArrivalOf(5000 * 256, 256) + 9 * stop);
}

TEST_F(NicScaleTest, AnAckIntervalAboveTheWindowOfTheControlStopsOnceAWindow)
{
    SetNic("AckInterval", 1 << 20);
    UseWindow(40960);
    Build(2);
    const Connection& flow = RunOne(1000 * 4096);
    ExpectWhole(flow, 1000 * 4096);
    EXPECT_EQ(Sent(1, FrameKind::ACK), 100u); // 10 packets a window
    EXPECT_EQ(flow.Counters().timeouts, 0u);
    const int64_t stop = SLOT + PATH_DELAY + ACK_TIME;
    EXPECT_EQ(flow.ReceivedAt(), ArrivalOf(1000 * 4096, 4096) + 99 * stop);
}

TEST_F(NicScaleTest, TheWindowIsToldWhenItIsSet)
{
    UseWindow(40960);
    Build(2);
    std::vector<std::pair<uint64_t, double>> told;
    m_fabric.nics[0]->TraceConnectWithoutContext(
        "Window",
        Callback<void, int64_t, uint64_t, double>(
            [&told](int64_t, uint64_t pair, double window) { told.emplace_back(pair, window); }));
    const Connection& flow = Connect(0, 1);
    EXPECT_EQ(told, (std::vector<std::pair<uint64_t, double>>{{flow.sender->GetId(), 40960}}));
}

TEST_F(NicScaleTest, AWindowBelowOnePacketLetsOneGo)
{
    UseWindow(1);
    Build(2);
    const Connection& flow = RunOne(10 * 4096);
    ExpectWhole(flow, 10 * 4096);
    EXPECT_EQ(Sent(1, FrameKind::ACK), 10u);
    EXPECT_EQ(flow.CompletedAt(), 10 * (Way(4178) + ACK_TIME) + 2 * 16 * TICKS_PER_BYTE);
}

} // namespace
