/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Means and peaks of queues against closed forms.

#include "nic-fixture.h"

#include "ns3/congestion-meter.h"
#include "ns3/port-queue-meter.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace llmfabric
{
namespace
{

/// Two hosts send to a third over a switch, 100 Gb/s.
class PortQueueMeterTest : public StarFixture
{
  protected:
    static constexpr uint32_t MTU = 1000;         //!< payload of a packet
    static constexpr int64_t FIRST = MTU + 98;    //!< wire bytes of a message of one packet
    static constexpr int64_t BUFFER = FIRST - 20; //!< the same in a buffer

    /** @return the port of the switch to host 2 */
    Ptr<FabricPort> Bottleneck() const
    {
        return Port(2)->GetPeer();
    }
};

TEST_F(PortQueueMeterTest, CountsHowLongEachByteWaits)
{
    Build(3, MTU);
    PortQueueMeter meter;
    const int64_t whole = 10000000;
    meter.Watch(Bottleneck(), Time(0), TimeStep(whole));
    Post(Connect(0, 2), MTU);
    Post(Connect(1, 2), MTU);
    Simulator::Run();
    meter.Finish();
    // Both come at once; the second waits as long as the first is on the wire.
    const double waited = static_cast<double>(BUFFER) * FIRST * TICKS_PER_BYTE;
    EXPECT_DOUBLE_EQ(meter.GetMeanBytes(), waited / whole);
    EXPECT_EQ(meter.GetPeakBytes(), static_cast<uint64_t>(BUFFER));
    EXPECT_EQ(meter.GetPackets(), 2u);
    EXPECT_EQ(meter.GetMarked(), 0u);
    EXPECT_DOUBLE_EQ(meter.GetUtilization(), 2.0 * FIRST * TICKS_PER_BYTE / whole);
}

TEST_F(PortQueueMeterTest, CountsWhatWaitsWhenTheRunStops)
{
    Build(3, MTU);
    // The first bit leaves the switch when the packets have come whole, after a link of 1 us.
    const int64_t came = FIRST * TICKS_PER_BYTE + PATH_DELAY / 2;
    const int64_t stop = came + 1000;
    PortQueueMeter meter;
    meter.Watch(Bottleneck(), Time(0), TimeStep(stop));
    Post(Connect(0, 2), MTU);
    Post(Connect(1, 2), MTU);
    Simulator::Stop(TimeStep(stop));
    Simulator::Run();
    meter.Finish();
    EXPECT_DOUBLE_EQ(meter.GetMeanBytes(), 1000.0 * BUFFER / static_cast<double>(stop));
}

TEST_F(PortQueueMeterTest, CountsMarks)
{
    MarkAll();
    Build(3, MTU);
    PortQueueMeter meter;
    meter.Watch(Bottleneck(), Time(0), Seconds(1));
    Post(Connect(0, 2), 10 * MTU);
    Simulator::Run();
    EXPECT_EQ(meter.GetPackets(), 10u);
    EXPECT_EQ(meter.GetMarked(), 10u);
}

TEST_F(PortQueueMeterTest, HostsThatShareALinkArePausedHalfOfTheTime)
{
    Build(3);
    CongestionMeter meter;
    meter.Watch(m_fabric);
    const uint64_t bytes = 100000000; // 8.2 ms alone
    Post(Connect(0, 2), bytes);
    Post(Connect(1, 2), bytes);
    Simulator::Run();
    // Each needs the link for half of the time, but both fill the buffer before they are paused,
    // and one of them empties it in the end.
    const double alone = static_cast<double>(WireBytes(bytes, 4096) * TICKS_PER_BYTE);
    const double filling = 32000000.0 * TICKS_PER_BYTE;
    const double paused = static_cast<double>(meter.GetPauseTime().GetTimeStep());
    EXPECT_LT(paused, 2 * alone);
    EXPECT_GT(paused, 2 * alone - 2 * filling);
    EXPECT_GT(meter.GetPeakQueue(), 10000000u);
    EXPECT_LT(meter.GetPeakQueue(), 32000000u);
}

TEST_F(PortQueueMeterTest, NobodyIsPausedWithoutCongestion)
{
    Build(3);
    CongestionMeter meter;
    meter.Watch(m_fabric);
    Post(Connect(0, 2), 1000000);
    Simulator::Run();
    EXPECT_EQ(meter.GetPauseTime(), Time(0));
}

} // namespace
} // namespace llmfabric
} // namespace ns3
