/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "simulation-fixture.h"

#include "ns3/cc-dctcp.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/user-error.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

constexpr double LINE = 100e9; //!< line rate, bit/s
constexpr double STEP = 1e9;   //!< R_AI of the tests, bit/s

class DctcpTest : public SimulationTest
{
  protected:
    DctcpTest()
    {
        m_control = CreateObject<Dctcp>();
        m_control->SetAttribute("AdditiveIncrease", StringValue("1Gbps"));
        m_control->SetAttribute("InitialAlpha", DoubleValue(0.5));
        m_control->Start(0, {LINE});
    }

    /**
     * An ACK of packets of 1,000 bytes.
     *
     * @param packets how many
     * @param marked how many of them came marked
     */
    void Ack(uint32_t packets, uint32_t marked)
    {
        AckFeedback feedback;
        feedback.packets = packets;
        feedback.bytes = packets * 1000;
        feedback.markedPackets = marked;
        feedback.markedBytes = marked * 1000;
        m_acknowledged += packets;
        feedback.acknowledged = m_acknowledged;
        feedback.next = m_acknowledged + FLIGHT;
        m_control->OnAck(1, feedback);
    }

    /// Packets under way after each ACK; the first ACK starts the first round trip.
    static constexpr uint32_t FLIGHT = 16;

    Ptr<Dctcp> m_control;
    uint64_t m_acknowledged{0};
};

TEST_F(DctcpTest, StartsAtLineRateAndWantsMarks)
{
    EXPECT_EQ(m_control->GetRate(0), LINE);
    EXPECT_EQ(m_control->GetFeedback(), AckFeedback::MARKS);
    EXPECT_EQ(m_control->GetAckInterval(), 1u);
    const Ptr<Dctcp> made = CreateObject<Dctcp>();
    DoubleValue gain;
    made->GetAttribute("Gain", gain);
    EXPECT_EQ(gain.Get(), 1.0 / 16);
}

TEST_F(DctcpTest, TheIncreaseIsOnePacketARoundTrip)
{
    const Ptr<Dctcp> made = CreateObject<Dctcp>();
    EXPECT_THROW(made->Start(0, {LINE}), UserError);
    made->Start(0, {LINE, 1000, 13000000});
    EXPECT_NEAR(made->GetRateIncrease(), 615.38e6, 1e4); // HPCC's comparison: 615 Mb/s
}

TEST_F(DctcpTest, AlphaIsTheAverageShareOfMarkedBytes)
{
    Ack(1, 0); // the round trip ends when packet 17 is acknowledged
    Ack(16, 4);
    EXPECT_EQ(m_control->GetAlpha(), 0.5);
    Ack(1, 0); // 4 of 18 marked
    EXPECT_NEAR(m_control->GetAlpha(), 0.5 * 15 / 16 + 4.0 / 18 / 16, 1e-12);
    Ack(17, 17); // the next, all marked
    EXPECT_NEAR(m_control->GetAlpha(), (0.5 * 15 / 16 + 4.0 / 18 / 16) * 15 / 16 + 1.0 / 16, 1e-12);
}

TEST_F(DctcpTest, MarksCutOnceARoundTrip)
{
    Ack(1, 1);
    EXPECT_EQ(m_control->GetRate(1), LINE * 0.75);
    Ack(8, 8);
    Ack(8, 8);
    EXPECT_EQ(m_control->GetRate(1), LINE * 0.75);
    Ack(1, 1); // sent after the cut; the round trip was all marked
    const double alpha = 0.5 * 15 / 16 + 1.0 / 16;
    EXPECT_NEAR(m_control->GetRate(1), LINE * 0.75 * (1 - alpha / 2), 1e-3);
}

TEST_F(DctcpTest, ARoundTripWithoutMarksRaises)
{
    Ack(1, 1);
    Ack(16, 0);
    EXPECT_EQ(m_control->GetRate(1), LINE * 0.75);
    Ack(1, 0);
    EXPECT_EQ(m_control->GetRate(1), LINE * 0.75 + STEP);
    Ack(16, 0);
    EXPECT_EQ(m_control->GetRate(1), LINE * 0.75 + STEP);
    Ack(1, 0);
    EXPECT_EQ(m_control->GetRate(1), LINE * 0.75 + 2 * STEP);
}

TEST_F(DctcpTest, OneAckForManyPacketsIsARoundTripToo)
{
    Ack(1, 0);
    Ack(64, 16);
    EXPECT_NEAR(m_control->GetAlpha(), 0.5 * 15 / 16 + 16.0 / 65 / 16, 1e-12);
    EXPECT_NEAR(m_control->GetRate(1), LINE * (1 - m_control->GetAlpha() / 2), 1e-3);
}

TEST_F(DctcpTest, LossHalvesOnceARoundTrip)
{
    Ack(1, 0);
    m_control->OnLoss(2, false);
    m_control->OnLoss(3, false);
    EXPECT_EQ(m_control->GetRate(3), LINE / 2);
    Ack(16, 16); // marks of the same round trip
    EXPECT_EQ(m_control->GetRate(3), LINE / 2);
    Ack(1, 0);
    m_control->OnLoss(4, false);
    EXPECT_EQ(m_control->GetRate(4), (LINE / 2 + STEP) / 2);
}

TEST_F(DctcpTest, TheRateNeverFallsBelowMinRate)
{
    for (int loss = 0; loss < 20; ++loss)
    {
        Ack(FLIGHT + 2, 0);
        m_control->OnLoss(1, false);
    }
    Ack(FLIGHT, 1);
    EXPECT_GE(m_control->GetRate(1), 100e6);
    m_control->SetAttribute("MinRate", StringValue("80Gbps"));
    Ack(2 * FLIGHT, 1);
    EXPECT_EQ(m_control->GetRate(1), 80e9);
}

} // namespace
