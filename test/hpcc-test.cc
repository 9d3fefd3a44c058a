/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "simulation-fixture.h"

#include "ns3/cc-hpcc.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/user-error.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

constexpr uint64_t LINE = 100000000000; //!< line rate and rate of the hops, bit/s
constexpr int64_t RTT = 10000000;       //!< T, 10 us in ticks of 1 ps
constexpr double FULL = 125000;         //!< Winit = 100 Gb/s * 10 us, bytes
constexpr double STEP = 1000;           //!< W_AI of the tests, bytes

class HpccTest : public SimulationTest
{
  protected:
    HpccTest()
    {
        m_control = CreateObject<Hpcc>();
        m_control->SetAttribute("WindowIncrease", UintegerValue(uint64_t(STEP)));
        m_control->Start(0, {double(LINE), 1000, RTT});
        m_path.count = 1;
        m_path.hops[0] = {0, 0, 0, LINE};
    }

    /** @return what the last hop says */
    HopTelemetry& Hop()
    {
        return m_path.hops[m_path.count - 1];
    }

    /**
     * An ACK that the last hop wrote into.
     *
     * @param ticks since the one before
     * @param sent bytes that the hop sent since
     * @param queue its queue, bytes
     * @param renew the ACK is for a packet sent after the last update of Wc
     */
    void Ack(int64_t ticks, uint64_t sent, uint64_t queue, bool renew)
    {
        Hop().tick += ticks;
        Hop().sentBytes += sent;
        Hop().queueBytes = queue;
        Deliver(renew);
    }

    /** @param renew the ACK is for a packet sent after the last update of Wc */
    void Deliver(bool renew)
    {
        AckFeedback feedback;
        m_next += renew ? 100 : 0;
        feedback.acknowledged = m_next - (renew ? 1 : 100);
        feedback.next = m_next;
        feedback.telemetry = &m_path;
        m_control->OnAck(++m_now, feedback);
    }

    Ptr<Hpcc> m_control;
    TelemetryStack m_path{};
    int64_t m_now{0};
    uint64_t m_next{100};
};

TEST_F(HpccTest, StartsWithABandwidthDelayProductAtLineRate)
{
    EXPECT_EQ(m_control->GetFeedback(), AckFeedback::TELEMETRY);
    EXPECT_EQ(m_control->GetAckInterval(), 1u);
    EXPECT_EQ(m_control->GetWindow(), FULL);
    EXPECT_EQ(m_control->GetRate(0), double(LINE));
}

TEST_F(HpccTest, TheWindowIncreaseIsAShareOfWhatEtaLeaves)
{
    const Ptr<Hpcc> made = CreateObject<Hpcc>();
    made->Start(0, {double(LINE), 1000, 13000000});
    // The paper's 80 bytes: 100 Gb/s * 13 us * (1 - 0.95) / 100
    EXPECT_NEAR(made->GetWindowIncrease(), 81.25, 1e-9);
}

TEST_F(HpccTest, TheRoundTripTimeMustBeKnown)
{
    const Ptr<Hpcc> made = CreateObject<Hpcc>();
    EXPECT_THROW(made->Start(0, {double(LINE)}), UserError);
    made->SetAttribute("BaseRtt", StringValue("20us"));
    made->Start(0, {double(LINE), 1000, RTT});
    EXPECT_EQ(made->GetWindow(), 2 * FULL);
}

TEST_F(HpccTest, TheFirstAckIsOnlyToCompareWith)
{
    Ack(1000000, 12500, 50000, true);
    EXPECT_EQ(m_control->GetUtilization(), 1.0);
    EXPECT_EQ(m_control->GetWindow(), FULL);
}

TEST_F(HpccTest, UtilizationIsAnAverageWeightedByTime)
{
    Ack(1, 0, 50000, true);
    // 1 us, 6,250 bytes: txRate / B = 0.5; queue 25,000 / 125,000 = 0.2; tau / T = 0.1
    Ack(1000000, 6250, 25000, false);
    EXPECT_NEAR(m_control->GetUtilization(), 0.9 * 1 + 0.1 * 0.7, 1e-12);
    // the smaller queue of the two ACKs counts: 25,000 again
    Ack(2500000, 31250, 100000, false);
    EXPECT_NEAR(m_control->GetUtilization(), 0.75 * 0.97 + 0.25 * 1.2, 1e-12);
}

TEST_F(HpccTest, TimeBeyondTheRoundTripCountsAsTheRoundTrip)
{
    Ack(1, 0, 0, true);
    Ack(4 * RTT, 50000, 0, false); // 50,000 bytes of 500,000 possible
    EXPECT_NEAR(m_control->GetUtilization(), 0.1, 1e-12);
}

TEST_F(HpccTest, TheBusiestHopCountsWithItsOwnTime)
{
    m_path.count = 2;
    m_path.hops[1] = {0, 0, 0, LINE};
    Deliver(true);
    m_path.hops[0] = {5000000, 12500, 0, LINE}; // u = 0.2
    m_path.hops[1] = {2000000, 15000, 0, LINE}; // u = 0.6, tau / T = 0.2
    Deliver(false);
    EXPECT_NEAR(m_control->GetUtilization(), 0.8 * 1 + 0.2 * 0.6, 1e-12);
}

TEST_F(HpccTest, AboveEtaTheWindowIsDividedByTheUtilization)
{
    Ack(1, 0, 125000, true);
    Ack(RTT, 125000, 125000, true); // u = 1 + 1, tau = T: U = 2
    EXPECT_EQ(m_control->GetUtilization(), 2.0);
    const double window = FULL / (2 / 0.95) + STEP;
    EXPECT_NEAR(m_control->GetReferenceWindow(), window, 1e-9);
    EXPECT_EQ(m_control->GetWindow(), uint64_t(window));
    EXPECT_NEAR(m_control->GetRate(m_now), window * 8 / 10e-6, 1); // W / T
}

TEST_F(HpccTest, WithinARoundTripEachWindowComesFromTheSameReference)
{
    Ack(1, 0, 125000, true);
    Ack(RTT, 125000, 125000, false);
    EXPECT_EQ(m_control->GetWindow(), uint64_t(FULL / (2 / 0.95) + STEP));
    EXPECT_EQ(m_control->GetReferenceWindow(), FULL);
    Ack(RTT, 125000, 125000, false);
    EXPECT_EQ(m_control->GetWindow(), uint64_t(FULL / (2 / 0.95) + STEP));
}

TEST_F(HpccTest, BelowEtaTheWindowGrowsFiveTimesAndIsThenSetByUtilization)
{
    Ack(1, 0, 125000, true);
    Ack(RTT, 125000, 125000, true); // U = 2
    double window = m_control->GetReferenceWindow();
    for (int stage = 1; stage <= 5; ++stage)
    {
        Ack(RTT, 112500, 0, true); // U = 0.9
        window += STEP;
        EXPECT_NEAR(m_control->GetReferenceWindow(), window, 1e-6) << "stage " << stage;
    }
    Ack(RTT, 112500, 0, true);
    window = window / (0.9 / 0.95) + STEP;
    EXPECT_NEAR(m_control->GetReferenceWindow(), window, 1e-6);
    Ack(RTT, 112500, 0, true);
    EXPECT_NEAR(m_control->GetReferenceWindow(), window + STEP, 1e-6);
}

TEST_F(HpccTest, TheWindowNeverExceedsTheFirst)
{
    Ack(1, 0, 0, true);
    for (int ack = 0; ack < 20; ++ack)
    {
        Ack(RTT, 1000, 0, true);
        EXPECT_EQ(m_control->GetReferenceWindow(), FULL);
    }
}

TEST_F(HpccTest, AnotherWayIsNotCompared)
{
    Ack(1, 0, 125000, true);
    m_path.count = 2;
    m_path.hops[1] = {RTT, 125000, 125000, LINE};
    Deliver(true);
    EXPECT_EQ(m_control->GetUtilization(), 1.0);
    Hop().sentBytes = 1000; // less than before: another port
    Hop().tick += RTT;
    Deliver(true);
    EXPECT_EQ(m_control->GetUtilization(), 1.0);
    EXPECT_EQ(m_control->GetWindow(), FULL);
}

TEST_F(HpccTest, TheSameTelemetryAgainTellsNothing)
{
    Ack(1, 0, 125000, true);
    Ack(RTT, 125000, 125000, true); // U = 2
    const double window = m_control->GetReferenceWindow();
    Deliver(true);
    EXPECT_EQ(m_control->GetUtilization(), 2.0);
    EXPECT_EQ(m_control->GetReferenceWindow(), window);
}

TEST_F(HpccTest, LossAndAnswersWithoutTelemetryChangeNothing)
{
    m_control->OnLoss(1, false);
    m_control->OnAck(2, AckFeedback());
    EXPECT_EQ(m_control->GetWindow(), FULL);
}

} // namespace
