/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The receive side of a NIC whose host is slower than the line.

#include "nic-fixture.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

constexpr int64_t PAYLOAD = 4096;
constexpr int64_t WIRE = PAYLOAD + 82;         //!< of a packet without RETH
constexpr int64_t FIRST_WIRE = WIRE + 16;      //!< of a first packet
constexpr int64_t DRAIN_TICKS = PAYLOAD * 200; //!< of a packet at 40 Gb/s
/// Headroom of a port at 100 Gb/s and 1 us: the formula of FabricSwitch.
constexpr uint64_t HEADROOM = 25000 + 2 * (4096 + 82) + 84 + 25216;
constexpr uint64_t PACKET = 4096 + 82; //!< the one that crosses XOFF

class ReceiveBufferTest : public StarFixture
{
  protected:
    /**
     * Make two hosts, of which host 1 takes payload at a limited rate.
     *
     * @param drainRate that rate
     */
    void BuildSlow(const std::string& drainRate)
    {
        m_helper.SetSwitchAttribute("Ecn", BooleanValue(false));
        Build(3);
        m_fabric.nics[1]->SetAttribute("DrainRate", DataRateValue(DataRate(drainRate)));
    }

    /// @return the receive buffer of host 1
    const ReceiveBuffer& Buffer() const
    {
        return *m_fabric.nics[1]->GetReceiveBuffer();
    }

    /// @return frames lost at host 1 as its buffer was full
    uint64_t Lost() const
    {
        return Port(1)->GetCounters().drops.at(
            static_cast<std::size_t>(DropReason::NIC_BUFFER_FULL));
    }

    /**
     * @param packets a number of full packets that arrive at line rate
     * @return bytes from Ethernet header to FCS that are held when the last of them has come
     */
    static int64_t HeldAfter(int64_t packets)
    {
        // All drain one after the other from the first bit of the first on.
        const int64_t now = (FIRST_WIRE + (packets - 1) * WIRE) * TICKS_PER_BYTE;
        int64_t held = 0;
        for (int64_t i = 1; i <= packets; ++i)
        {
            held += i * DRAIN_TICKS > now ? (i == 1 ? FIRST_WIRE : WIRE) - 20 : 0;
        }
        return held;
    }

    /// @return the complaint of host 1 about its buffer, or an empty text
    std::string Complaint() const
    {
        try
        {
            m_fabric.nics[1]->CheckReceiveBuffer();
        }
        catch (const UserError& error)
        {
            return error.what();
        }
        return "";
    }
};

TEST_F(ReceiveBufferTest, ASlowHostSetsTheGoodputExactly)
{
    BuildSlow("40Gbps");
    constexpr int64_t bytes = 2000 * PAYLOAD;
    Connection& made = RunOne(bytes);
    ExpectWhole(made, bytes);
    // From the first bit at the NIC on the host is never idle: 200 ps a byte to the last one.
    const int64_t firstBit = FIRST_WIRE * TICKS_PER_BYTE + PATH_DELAY;
    EXPECT_EQ(made.ReceivedAt(), firstBit + bytes * 200);
    EXPECT_EQ(made.CompletedAt(), made.ReceivedAt() + ACK_TIME);
    EXPECT_GT(Buffer().GetPauses(), 0u);
    EXPECT_GT(Buffer().GetResumes(), 0u);
    EXPECT_EQ(m_fabric.nics[1]->GetCounters().pausesSent, Buffer().GetPauses());
    EXPECT_EQ(m_fabric.nics[1]->GetCounters().resumesSent, Buffer().GetResumes());
    EXPECT_EQ(Buffer().GetBytes(3), 0u);
    EXPECT_EQ(made.Counters().retransmitted, 0u);
    EXPECT_EQ(Lost(), 0u);
}

TEST_F(ReceiveBufferTest, ThePauseReachesTheSwitchWhoseQueueFillsAndPausesTheSender)
{
    m_helper.SetSwitchAttribute("Buffer", UintegerValue(700000));
    BuildSlow("40Gbps");
    Connection& made = Connect(0, 1);
    Post(made, 4000 * PAYLOAD);
    uint64_t deepest = 0;
    for (int i = 1; i < 200; ++i)
    {
        Simulator::Schedule(MicroSeconds(5 * i), [this, &deepest] {
            const auto& queue = m_fabric.switches[0]->GetPorts().at(1)->GetTransmitter().GetQueue();
            deepest = std::max(deepest, queue.GetBytes(3));
        });
    }
    Simulator::Run();
    ExpectWhole(made, 4000 * PAYLOAD);
    EXPECT_GT(deepest, 100000u);
    EXPECT_GT(m_fabric.switches[0]->GetPausesSent(), 0u);
    EXPECT_EQ(made.Counters().retransmitted, 0u);
}

TEST_F(ReceiveBufferTest, TheFirstPauseComesWhenTheDifferenceOfTheRatesHasFilledXoff)
{
    BuildSlow("40Gbps");
    constexpr uint64_t xoff = 100000;
    m_fabric.nics[1]->SetAttribute("ReceiveXoff", UintegerValue(xoff));
    const auto& seen = Watch(Port(1));
    RunOne(400 * PAYLOAD);
    int64_t packets = 1;
    while (HeldAfter(packets) <= static_cast<int64_t>(xoff))
    {
        ++packets;
    }
    const int64_t firstBit = FIRST_WIRE * TICKS_PER_BYTE + PATH_DELAY;
    const int64_t crossed = firstBit + (FIRST_WIRE + (packets - 1) * WIRE) * TICKS_PER_BYTE;
    // In the fluid limit it is XOFF / (line - drain), in bytes that the buffer counts.
    const double in = 100e9 / 8 * (WIRE - 20) / WIRE;
    const double out = 40e9 / 8 * (WIRE - 20) / PAYLOAD;
    EXPECT_NEAR(static_cast<double>(crossed - firstBit) / 1e12, xoff / (in - out), 2 * 4194 / in);
    const auto pause = std::find_if(seen.begin(), seen.end(), [](const SeenFrame& one) {
        return one.frame.kind == FrameKind::PFC;
    });
    ASSERT_NE(pause, seen.end());
    EXPECT_EQ(pause->outcome.enqueued, crossed);
    EXPECT_EQ(pause->frame.pausePriority, 3);
    EXPECT_EQ(pause->frame.pauseQuanta, 65535);
}

TEST_F(ReceiveBufferTest, ThePauseEndsAtXonAndIsRenewedAtHalfOfItsTime)
{
    BuildSlow("1Gbps");
    m_fabric.nics[1]->SetAttribute("ReceiveXoff", UintegerValue(150000));
    m_fabric.nics[1]->SetAttribute("ReceiveXon", UintegerValue(20000));
    const auto& seen = Watch(Port(1));
    RunOne(60 * PAYLOAD);
    std::vector<int64_t> pauses;
    int64_t resume = -1;
    for (const SeenFrame& one : seen)
    {
        if (one.frame.kind == FrameKind::PFC && one.frame.pauseQuanta > 0)
        {
            pauses.push_back(one.outcome.enqueued);
        }
        else if (one.frame.kind == FrameKind::PFC && resume < 0)
        {
            resume = one.outcome.enqueued;
        }
    }
    ASSERT_GE(pauses.size(), 3u);
    EXPECT_EQ(pauses[1] - pauses[0], 65535 * 5120 / 2);
    EXPECT_EQ(pauses[2] - pauses[1], 65535 * 5120 / 2);
    const int64_t firstBit = FIRST_WIRE * TICKS_PER_BYTE + PATH_DELAY;
    EXPECT_EQ((resume - firstBit) % (PAYLOAD * 8000), 0); // when a packet is drained
    EXPECT_GT(resume, pauses.back());
}

TEST_F(ReceiveBufferTest, WhatIsHeldNeverExceedsTheBuffer)
{
    BuildSlow("10Gbps");
    constexpr uint64_t least = 2 * PACKET + HEADROOM;
    m_fabric.nics[1]->SetAttribute("ReceiveBuffer", UintegerValue(least));
    Connection& first = Connect(0, 1);
    Connection& second = Connect(2, 1);
    Post(first, 500 * PAYLOAD);
    Post(second, 500 * PAYLOAD);
    Simulator::Run();
    ExpectWhole(first, 500 * PAYLOAD);
    ExpectWhole(second, 500 * PAYLOAD);
    EXPECT_LE(Buffer().GetPeak(), least);
    EXPECT_GT(Buffer().GetPeak(), PACKET);
    EXPECT_EQ(Lost(), 0u);
}

TEST_F(ReceiveBufferTest, ABufferWithoutRoomForHeadroomIsAMistake)
{
    BuildSlow("40Gbps");
    constexpr uint64_t least = 2 * PACKET + HEADROOM;
    m_fabric.nics[1]->SetAttribute("ReceiveBuffer", UintegerValue(least));
    EXPECT_EQ(Complaint(), "");
    m_fabric.nics[1]->SetAttribute("ReceiveBuffer", UintegerValue(least - 1));
    EXPECT_NE(Complaint().find("it needs " + std::to_string(least) + " B"), std::string::npos)
        << Complaint();
    EXPECT_THROW(Connect(0, 1), UserError);
    m_fabric.nics[1]->SetAttribute("ReceiveBuffer", UintegerValue(200000));
    m_fabric.nics[1]->SetAttribute("ReceiveXoff", UintegerValue(200000 - PACKET - HEADROOM + 1));
    EXPECT_NE(Complaint(), "");
    m_fabric.nics[1]->SetAttribute("ReceiveXoff", UintegerValue(1000));
    m_fabric.nics[1]->SetAttribute("ReceiveXon", UintegerValue(1001));
    EXPECT_NE(Complaint().find("ReceiveXon"), std::string::npos) << Complaint();
    m_fabric.nics[1]->SetAttribute("DrainRate", DataRateValue(DataRate(0)));
    EXPECT_EQ(Complaint(), "");
}

TEST_F(ReceiveBufferTest, WithoutPfcFramesAreLostAndSentAgain)
{
    SetNic("TimeoutExponent", 8);
    BuildSlow("40Gbps");
    m_fabric.nics[1]->SetAttribute("ReceivePfc", BooleanValue(false));
    Connection& made = RunOne(300 * PAYLOAD);
    ExpectWhole(made, 300 * PAYLOAD);
    EXPECT_GT(Lost(), 0u);
    EXPECT_GT(made.Counters().retransmitted, 0u);
    EXPECT_EQ(Buffer().GetPauses(), 0u);
    EXPECT_LE(Buffer().GetPeak(), 262016u);
    EXPECT_EQ(Sent(1, FrameKind::PFC), 0u);
}

TEST_F(ReceiveBufferTest, AHostAsFastAsTheLineChangesNothing)
{
    std::vector<std::vector<int64_t>> times;
    for (const std::string rate : {"0bps", "100Gbps", "399Gbps"})
    {
        BuildSlow(rate);
        const auto& seen = Watch(Port(1));
        Connection& first = Connect(0, 1);
        Connection& second = Connect(2, 1);
        Post(first, 1000003);
        Post(second, 777777, MicroSeconds(3));
        Simulator::Run();
        times.push_back({first.ReceivedAt(),
                         first.CompletedAt(),
                         second.ReceivedAt(),
                         second.CompletedAt(),
                         Simulator::Now().GetTimeStep()});
        for (const SeenFrame& one : seen)
        {
            times.back().push_back(one.tick);
        }
        if (rate != "0bps")
        {
            EXPECT_EQ(Buffer().GetPeak(), 0u);
        }
        m_connections.clear();
        m_seen.clear();
        m_fabric = Fabric();
        EndSimulation();
    }
    EXPECT_EQ(times[0], times[1]);
    EXPECT_EQ(times[0], times[2]);
}

TEST_F(ReceiveBufferTest, AnswersKeepBehindResponsesOfReadsButPassData)
{
    BuildSlow("40Gbps");
    Connection& made = Connect(1, 0); // the slow host reads, then writes
    Simulator::Schedule(Time(0), [&made] {
        made.sender->PostRead(100 * PAYLOAD);
        made.sender->PostWrite(1000);
    });
    Simulator::Run();
    ASSERT_EQ(made.completions.size(), 2u);
    EXPECT_FALSE(made.completions[0].second.failed);
    EXPECT_FALSE(made.completions[1].second.failed);
    EXPECT_EQ(made.Counters().retransmitted, 0u);
    EXPECT_EQ(made.completions[0].second.verb, RoceVerb::READ);
    // The read is 100 packets at 40 Gb/s; the acknowledgment of the write has waited behind them.
    EXPECT_EQ(made.completions[1].first, made.completions[0].first);
}

TEST_F(ReceiveBufferTest, AnAcknowledgmentPassesByWhatIsHeld)
{
    BuildSlow("40Gbps");
    Connection& in = Connect(0, 1);
    Connection& out = Connect(1, 2);
    Post(in, 200 * PAYLOAD);
    Post(out, 100, MicroSeconds(10)); // before the first pause
    uint64_t held = 0;
    Simulator::Schedule(MicroSeconds(13), [this, &held] { held = Buffer().GetBytes(3); });
    Simulator::Run();
    EXPECT_GT(held, 50000u); // 10 us of draining
    EXPECT_GT(in.ReceivedAt(), out.CompletedAt());
    EXPECT_LT(out.CompletedAt() - out.ReceivedAt(), ACK_TIME + 2 * WIRE * TICKS_PER_BYTE);
}

} // namespace
