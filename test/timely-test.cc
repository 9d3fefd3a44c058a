/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "simulation-fixture.h"

#include "ns3/boolean.h"
#include "ns3/cc-timely.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/user-error.h"

#include <gtest/gtest.h>
#include <initializer_list>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

constexpr double LINE = 10e9;   //!< line rate, bit/s
constexpr double START = 5e9;   //!< initial rate of the tests, bit/s
constexpr double DELTA = 10e6;  //!< additive increase, bit/s
constexpr int64_t US = 1000000; //!< microsecond, ticks of 1 ps

class TimelyTest : public SimulationTest
{
  protected:
    /**
     * @param patched the patched rule
     * @return a control at 5 Gb/s for which each ACK ends a segment
     */
    static Ptr<Timely> Make(bool patched = false)
    {
        Ptr<Timely> made = CreateObject<Timely>();
        made->SetAttribute("Patched", BooleanValue(patched));
        made->SetAttribute("SegmentSize", UintegerValue(1000));
        made->SetAttribute("InitialRate", StringValue("5Gbps"));
        made->Start(0, {LINE});
        return made;
    }

    /**
     * @param control is given ACKs of a segment each
     * @param times their round-trip times, us
     */
    static void Ack(const Ptr<Timely>& control, std::initializer_list<double> times)
    {
        for (double time : times)
        {
            AckFeedback feedback;
            feedback.bytes = 1000;
            feedback.rtt = int64_t(time * US);
            control->OnAck(1, feedback);
        }
    }
};

TEST_F(TimelyTest, DefaultsAreThePapers)
{
    const Ptr<Timely> made = CreateObject<Timely>();
    made->Start(0, {LINE});
    EXPECT_EQ(made->GetRate(0), LINE);
    EXPECT_EQ(made->GetWindow(), CongestionControl::NO_WINDOW);
    EXPECT_EQ(made->GetAckInterval(), 1u);
    EXPECT_EQ(made->GetFeedback(), 0);
    const std::pair<const char*, Time> times[] = {{"TLow", MicroSeconds(50)},
                                                  {"THigh", MicroSeconds(500)},
                                                  {"MinRtt", MicroSeconds(20)}};
    for (const auto& [name, expected] : times)
    {
        TimeValue value;
        made->GetAttribute(name, value);
        EXPECT_EQ(value.Get(), expected) << name;
    }
    DoubleValue beta;
    made->GetAttribute("Beta", beta);
    EXPECT_EQ(beta.Get(), 0.8);
}

TEST_F(TimelyTest, TheFirstTimeIsOnlyToCompareWith)
{
    const Ptr<Timely> timely = Make();
    Ack(timely, {1000});
    EXPECT_EQ(timely->GetRate(1), START);
}

TEST_F(TimelyTest, TheGradientAveragesDifferences)
{
    const Ptr<Timely> timely = Make();
    Ack(timely, {100, 108}); // 0.875 * 8 us = 7 us; / 20 us
    EXPECT_NEAR(timely->GetGradient(), 0.35, 1e-12);
    Ack(timely, {100}); // 0.125 * 7 - 0.875 * 8 = -6.125 us
    EXPECT_NEAR(timely->GetGradient(), -0.30625, 1e-12);
}

TEST_F(TimelyTest, BelowTLowTheRateRisesWhateverTheGradient)
{
    const Ptr<Timely> timely = Make();
    Ack(timely, {20, 49.999});
    EXPECT_GT(timely->GetGradient(), 1.0);
    EXPECT_EQ(timely->GetRate(1), START + DELTA);
}

TEST_F(TimelyTest, AboveTHighTheRateFallsByTheExcess)
{
    const Ptr<Timely> timely = Make();
    Ack(timely, {2000, 1000}); // a falling time, yet 1 - 0.8 (1 - 500/1000)
    EXPECT_NEAR(timely->GetRate(1), START * 0.6, 1e-3);
}

TEST_F(TimelyTest, ARisingTimeCutsByTheGradient)
{
    const Ptr<Timely> timely = Make();
    Ack(timely, {100, 108}); // 1 - 0.8 * 0.35
    EXPECT_NEAR(timely->GetRate(1), START * 0.72, 1e-3);
}

TEST_F(TimelyTest, ASteepRiseLeavesMinRate)
{
    const Ptr<Timely> timely = Make();
    Ack(timely, {100, 200}); // 1 - 0.8 * 4.375 is below 0
    EXPECT_EQ(timely->GetRate(1), 100e6);
}

TEST_F(TimelyTest, FiveCalmSegmentsMakeTheIncreaseHyperactive)
{
    const Ptr<Timely> timely = Make();
    Ack(timely, {100, 100, 100, 100, 100, 100});
    EXPECT_EQ(timely->GetRate(1), START + 5 * DELTA);
    Ack(timely, {100});
    EXPECT_EQ(timely->GetRate(1), START + 10 * DELTA);
    Ack(timely, {100});
    EXPECT_EQ(timely->GetRate(1), START + 15 * DELTA);
    Ack(timely, {101, 99}); // a rise ends it: 1 - 0.8 * 0.875 / 20, then one delta
    EXPECT_NEAR(timely->GetRate(1), (START + 15 * DELTA) * 0.965 + DELTA, 1e-3);
}

TEST_F(TimelyTest, ASegmentIsItsBytesWhateverTheAcks)
{
    const Ptr<Timely> timely = Make();
    Ack(timely, {100});
    AckFeedback part;
    part.bytes = 400;
    part.rtt = 100 * US;
    timely->OnAck(1, part);
    timely->OnAck(1, part);
    EXPECT_EQ(timely->GetRate(1), START);
    timely->OnAck(1, part);
    EXPECT_EQ(timely->GetRate(1), START + DELTA);
    part.bytes = 64000; // one ACK for many packets
    timely->OnAck(1, part);
    EXPECT_EQ(timely->GetRate(1), START + 2 * DELTA);
    part.rtt = -1;
    timely->OnAck(1, part);
    EXPECT_EQ(timely->GetRate(1), START + 2 * DELTA);
}

TEST_F(TimelyTest, PatchedFollowsTheErrorByTheWeightOfTheGradient)
{
    const Ptr<Timely> timely = Make(true);
    timely->SetAttribute("Beta", DoubleValue(0.008));
    Ack(timely, {60, 60}); // gradient 0: w = 1/2, error (60 - 50) / 50
    const double first = DELTA / 2 + START * (1 - 0.008 * 0.5 * 0.2);
    EXPECT_NEAR(timely->GetRate(1), first, 1e-3);
    Ack(timely, {62}); // gradient 0.875 * 2 / 20 = 0.0875: w = 0.675, error 0.24
    const double second = DELTA * 0.325 + first * (1 - 0.008 * 0.675 * 0.24);
    EXPECT_NEAR(timely->GetRate(1), second, 1e-3);
}

TEST_F(TimelyTest, PatchedWeightIsBetweenZeroAndOne)
{
    const Ptr<Timely> steep = Make(true);
    Ack(steep, {60, 100}); // gradient 1.75: w = 1, error 1
    EXPECT_NEAR(steep->GetRate(1), START * 0.2, 1e-3);
    const Ptr<Timely> falling = Make(true);
    Ack(falling, {100, 60}); // gradient -1.75: w = 0
    EXPECT_EQ(falling->GetRate(1), START + DELTA);
}

TEST_F(TimelyTest, PatchedKeepsBothThresholds)
{
    const Ptr<Timely> timely = Make(true);
    Ack(timely, {20, 49});
    EXPECT_EQ(timely->GetRate(1), START + DELTA);
    Ack(timely, {1000});
    EXPECT_NEAR(timely->GetRate(1), (START + DELTA) * 0.6, 1e-3);
}

TEST_F(TimelyTest, MinRttZeroIsThatOfTheWay)
{
    const Ptr<Timely> timely = CreateObject<Timely>();
    timely->SetAttribute("MinRtt", StringValue("0us"));
    timely->SetAttribute("SegmentSize", UintegerValue(0));
    EXPECT_THROW(timely->Start(0, {LINE}), UserError);
    timely->Start(0, {LINE, 1000, 7 * US});
    Ack(timely, {100, 108});
    EXPECT_NEAR(timely->GetGradient(), 1.0, 1e-12);
}

TEST_F(TimelyTest, LossAndCnpsChangeNothing)
{
    const Ptr<Timely> timely = Make();
    timely->OnLoss(1, false);
    timely->OnCnp(1);
    EXPECT_EQ(timely->GetRate(1), START);
}

} // namespace
