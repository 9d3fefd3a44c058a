/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "simulation-fixture.h"

#include "ns3/cc-swift.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/user-error.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

constexpr double LINE = 100e9;  //!< line rate, bit/s
constexpr uint32_t MTU = 1000;  //!< payload of a packet, bytes
constexpr int64_t US = 1000000; //!< microsecond, ticks of 1 ps
constexpr uint8_t HOPS = 3;     //!< switches on the way
constexpr double FIXED = 30e6;  //!< 20 us + 3 hops of 10/3 us, ticks: no flow scaling

class SwiftTest : public SimulationTest
{
  protected:
    /**
     * @param cwnd the initial one, packets; 0: the default
     * @return a control whose hops count 10/3 us each
     */
    static Ptr<Swift> Make(double cwnd)
    {
        Ptr<Swift> made = CreateObject<Swift>();
        made->SetAttribute("InitialCwnd", DoubleValue(cwnd));
        made->SetAttribute("HopScale", StringValue("3333333ps"));
        made->Start(0, {LINE, MTU});
        return made;
    }

    /**
     * @param swift is given an ACK
     * @param now the time, us
     * @param rtt round-trip time, us
     * @param packets acknowledged
     */
    static void Ack(const Ptr<Swift>& swift, double now, double rtt, uint64_t packets = 1)
    {
        AckFeedback feedback;
        feedback.packets = packets;
        feedback.bytes = packets * MTU;
        feedback.rtt = int64_t(rtt * US);
        feedback.hops = HOPS;
        swift->OnAck(int64_t(now * US), feedback);
    }
};

TEST_F(SwiftTest, StartsWithWhatTheLineCarriesInTheBaseTarget)
{
    const Ptr<Swift> swift = Make(0);
    EXPECT_EQ(swift->GetCwnd(), 250.0); // 100 Gb/s * 20 us / 1000 bytes
    EXPECT_EQ(swift->GetWindow(), 250000u);
    EXPECT_EQ(swift->GetRate(0), LINE);
    EXPECT_EQ(swift->GetFeedback(), AckFeedback::HOPS);
    EXPECT_EQ(swift->GetAckInterval(), 1u);
}

TEST_F(SwiftTest, TheTargetGrowsWithHops)
{
    const Ptr<Swift> swift = Make(200); // above FsMaxCwnd
    EXPECT_NEAR(swift->GetTargetDelay(0), 20e6, 1e-6);
    EXPECT_NEAR(swift->GetTargetDelay(HOPS), FIXED, 2);
}

TEST_F(SwiftTest, TheTargetGrowsAsTheWindowShrinks)
{
    // a = 100 us / (1/sqrt(0.1) - 1/sqrt(100)) = 32.6554 us, b = -3.26554 us
    const double a = 100e6 / (std::sqrt(10.0) - 0.1);
    EXPECT_NEAR(Make(100)->GetTargetDelay(0), 20e6, 1e-3);
    EXPECT_NEAR(Make(25)->GetTargetDelay(0), 20e6 + a * 0.2 - a * 0.1, 1e-3);
    EXPECT_NEAR(Make(4)->GetTargetDelay(0), 20e6 + a * 0.5 - a * 0.1, 1e-3);
    EXPECT_NEAR(Make(4)->GetTargetDelay(0), 33.0622e6, 100);
    EXPECT_NEAR(Make(0.1)->GetTargetDelay(0), 120e6, 1e-3);
    EXPECT_NEAR(Make(0.01)->GetTargetDelay(0), 120e6, 1e-3); // not beyond FsRange
}

TEST_F(SwiftTest, BelowTheTargetTheWindowGrowsByOnePacketARoundTrip)
{
    const Ptr<Swift> swift = Make(200);
    Ack(swift, 1, 29);
    EXPECT_EQ(swift->GetCwnd(), 200 + 1.0 / 200);
    EXPECT_EQ(swift->GetWindow(), 200005u);
    const double before = swift->GetCwnd();
    Ack(swift, 2, 29, 50); // one ACK for many packets
    EXPECT_EQ(swift->GetCwnd(), before + 50 / before);
}

TEST_F(SwiftTest, PacketsWithoutATimeCountWithTheNext)
{
    const Ptr<Swift> swift = Make(200);
    AckFeedback untimed;
    untimed.packets = 9;
    swift->OnAck(1, untimed);
    EXPECT_EQ(swift->GetCwnd(), 200.0);
    Ack(swift, 1, 29);
    EXPECT_EQ(swift->GetCwnd(), 200 + 10.0 / 200);
}

TEST_F(SwiftTest, AboveTheTargetTheWindowFallsByTheExcessOnceARoundTrip)
{
    const Ptr<Swift> swift = Make(200);
    const double target = swift->GetTargetDelay(HOPS);
    Ack(swift, 100, 40); // 1 - 0.8 (40 - 30) / 40 = 0.8
    const double once = 200 * (1 - 0.8 * (40e6 - target) / 40e6);
    EXPECT_NEAR(once, 160, 1e-4);
    EXPECT_NEAR(swift->GetCwnd(), once, 1e-9);
    Ack(swift, 120, 40);
    Ack(swift, 139.999, 40);
    EXPECT_NEAR(swift->GetCwnd(), once, 1e-9);
    Ack(swift, 140, 40); // the two ACKs between have not put it off
    EXPECT_LT(swift->GetCwnd(), once);
}

TEST_F(SwiftTest, OneDecreaseTakesMaxDecreaseAtMost)
{
    const Ptr<Swift> swift = Make(200);
    Ack(swift, 100, 1000); // 1 - 0.8 * 0.97 would be 0.224
    EXPECT_EQ(swift->GetCwnd(), 100.0);
}

TEST_F(SwiftTest, BelowOnePacketTheRateIsPaced)
{
    const Ptr<Swift> swift = Make(0.5);
    Ack(swift, 100, 500); // the target is 30 us + 42.9 us: halved
    EXPECT_EQ(swift->GetCwnd(), 0.25);
    EXPECT_EQ(swift->GetWindow(), MTU);
    EXPECT_NEAR(swift->GetRate(100 * US), 0.25 * MTU * 8 / 500e-6, 1e-3);
    Ack(swift, 200, 250); // no decrease yet: the rate follows the round-trip time
    EXPECT_EQ(swift->GetCwnd(), 0.25);
    EXPECT_NEAR(swift->GetRate(200 * US), 0.25 * MTU * 8 / 250e-6, 1e-3);
    Ack(swift, 201, 20);
    EXPECT_EQ(swift->GetCwnd(), 1.25); // below 1 an ACK adds a whole ai
    EXPECT_EQ(swift->GetRate(201 * US), LINE);
}

TEST_F(SwiftTest, LossHalvesOnceARoundTrip)
{
    const Ptr<Swift> swift = Make(200);
    Ack(swift, 1, 29);
    const double before = swift->GetCwnd();
    swift->OnLoss(10 * US, false);
    EXPECT_EQ(swift->GetCwnd(), before / 2);
    swift->OnLoss(38 * US, false);
    EXPECT_EQ(swift->GetCwnd(), before / 2);
    swift->OnLoss(39 * US, false);
    EXPECT_EQ(swift->GetCwnd(), before / 4);
}

TEST_F(SwiftTest, FiveTimeoutsWithoutAnAnswerLeaveTheLeastWindow)
{
    const Ptr<Swift> swift = Make(200);
    for (int loss = 0; loss < 4; ++loss)
    {
        swift->OnLoss(US, true);
    }
    Ack(swift, 1.5, 29);
    for (int loss = 0; loss < 4; ++loss)
    {
        swift->OnLoss(2 * US, true);
    }
    EXPECT_GT(swift->GetCwnd(), 1.0);
    swift->OnLoss(2 * US, true);
    EXPECT_EQ(swift->GetCwnd(), 0.001);
    EXPECT_EQ(swift->GetWindow(), MTU);
}

TEST_F(SwiftTest, NaksDoNotLeaveTheLeastWindow)
{
    const Ptr<Swift> swift = Make(200);
    Ack(swift, 1, 29);
    const double before = swift->GetCwnd();
    for (int loss = 0; loss < 100; ++loss)
    {
        swift->OnLoss(10 * US, false);
    }
    EXPECT_EQ(swift->GetCwnd(), before / 2);
    for (int loss = 0; loss < 100; ++loss)
    {
        swift->OnLoss(11 * US, loss % 5 != 4); // a NAK after four timeouts
    }
    EXPECT_EQ(swift->GetCwnd(), before / 2);
}

TEST_F(SwiftTest, TheWindowIsBoundedByTheLargestTarget)
{
    const Ptr<Swift> swift = Make(200);
    Ack(swift, 1, 10, 10000000);
    EXPECT_NEAR(swift->GetCwnd(), 1625, 1e-3); // 100 Gb/s * (20 + 10 + 100) us / 1000 bytes
}

TEST_F(SwiftTest, FlowScalingNeedsARange)
{
    const Ptr<Swift> swift = CreateObject<Swift>();
    swift->SetAttribute("FsMaxCwnd", DoubleValue(0.1));
    EXPECT_THROW(swift->Start(0, {LINE}), UserError);
}

} // namespace
