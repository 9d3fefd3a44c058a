/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nic-fixture.h"

#include "ns3/boolean.h"
#include "ns3/cc-dcqcn.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

constexpr double LINE = 100e9;         //!< line rate, bit/s
constexpr int64_t PERIOD = 55000000;   //!< both timers, ticks of 1 ps
constexpr double CUT_RATE = 75e9;      //!< LINE after one CNP at alpha = 0.5
constexpr uint32_t BYTE_STAGE = 10000; //!< byte counter of the tests that send, bytes

class DcqcnTest : public NicFixture
{
  protected:
    /**
     * @param alpha the initial alpha
     * @param lineRate line rate, bit/s
     * @return a reaction point at line rate
     */
    static Ptr<Dcqcn> Make(double alpha = 0.5, double lineRate = LINE)
    {
        Ptr<Dcqcn> made = CreateObject<Dcqcn>();
        made->SetAttribute("InitialAlpha", DoubleValue(alpha));
        made->Start(0, {lineRate});
        return made;
    }

    /** @return one after two CNPs at 0, whose target of 75 Gb/s has room above */
    static Ptr<Dcqcn> MakeCutTwice()
    {
        Ptr<Dcqcn> made = Make();
        made->SetAttribute("ByteCounter", UintegerValue(BYTE_STAGE));
        made->OnCnp(0);
        made->OnCnp(0);
        return made;
    }
};

TEST_F(DcqcnTest, DefaultsAreThePapers)
{
    const Ptr<Dcqcn> dcqcn = CreateObject<Dcqcn>();
    EXPECT_EQ(AttributeOf<DoubleValue>(dcqcn, "Gain"), 1.0 / 256);
    EXPECT_EQ(AttributeOf<DoubleValue>(dcqcn, "InitialAlpha"), 1.0);
    EXPECT_EQ(AttributeOf<TimeValue>(dcqcn, "AlphaTimer"), MicroSeconds(55));
    EXPECT_EQ(AttributeOf<TimeValue>(dcqcn, "IncreaseTimer"), MicroSeconds(55));
    EXPECT_EQ(AttributeOf<UintegerValue>(dcqcn, "ByteCounter"), 10000000u);
    EXPECT_EQ(AttributeOf<UintegerValue>(dcqcn, "FastRecoveryStages"), 5u);
    EXPECT_EQ(AttributeOf<DataRateValue>(dcqcn, "AdditiveIncrease"), DataRate("40Mbps"));
    EXPECT_EQ(AttributeOf<TimeValue>(CreateObject<RoceNic>(), "CnpInterval"), MicroSeconds(50));
    EXPECT_EQ(AttributeOf<DataRateValue>(dcqcn, "HyperIncrease"), DataRate("200Mbps"));
    EXPECT_EQ(AttributeOf<DataRateValue>(dcqcn, "MinRate"), DataRate("100Mbps"));
    EXPECT_EQ(AttributeOf<StringValue>(dcqcn, "Mode"), "immediate");
    EXPECT_EQ(AttributeOf<StringValue>(dcqcn, "CutOrder"), "cut-first");
    EXPECT_EQ(AttributeOf<StringValue>(dcqcn, "IdleBehavior"), "recover");
    EXPECT_TRUE(AttributeOf<BooleanValue>(dcqcn, "ClampTargetRate"));
    EXPECT_FALSE(AttributeOf<BooleanValue>(dcqcn, "CutFarTarget"));
    EXPECT_EQ(AttributeOf<DoubleValue>(dcqcn, "MinDecreaseFactor"), 0.0);
    EXPECT_EQ(AttributeOf<DataRateValue>(dcqcn, "MaxRate"), DataRate(0));
    EXPECT_EQ(AttributeOf<DataRateValue>(dcqcn, "RateOnFirstCnp"), DataRate(0));
}

TEST_F(DcqcnTest, StartsAtLineRateAndStaysThereWithoutCnp)
{
    const Ptr<Dcqcn> dcqcn = Make(1);
    dcqcn->OnSend(1, 4000000000);
    EXPECT_EQ(dcqcn->GetRate(1000 * PERIOD), LINE);
    EXPECT_EQ(dcqcn->GetAlpha(1000 * PERIOD), 1.0);
}

TEST_F(DcqcnTest, OneCnpAtAlphaOneHalfCutsAQuarter)
{
    const Ptr<Dcqcn> dcqcn = Make(0.5);
    dcqcn->OnCnp(0);
    EXPECT_EQ(dcqcn->GetRate(0), CUT_RATE);
    EXPECT_EQ(dcqcn->GetTargetRate(), LINE);
}

TEST_F(DcqcnTest, TheCutTakesAlphaBeforeTheCnpRaisesIt)
{
    const Ptr<Dcqcn> dcqcn = Make(0.5);
    dcqcn->OnCnp(0);
    EXPECT_EQ(dcqcn->GetAlpha(0), 0.501953125); // 255/256 * 1/2 + 1/256
    dcqcn->OnCnp(0);
    EXPECT_EQ(dcqcn->GetRate(0), CUT_RATE * (1 - 0.501953125 / 2));
    EXPECT_EQ(dcqcn->GetTargetRate(), CUT_RATE);
}

TEST_F(DcqcnTest, FiveHalvingsRecover31Of32PartsOfTheGap)
{
    const Ptr<Dcqcn> dcqcn = Make(0.5);
    dcqcn->OnCnp(0);
    const double rates[] = {87.5e9, 93.75e9, 96.875e9, 98.4375e9, 99.21875e9};
    for (int64_t stage = 1; stage <= 5; ++stage)
    {
        EXPECT_EQ(dcqcn->GetRate(stage * PERIOD), rates[stage - 1]) << "stage " << stage;
        EXPECT_EQ(dcqcn->GetTargetRate(), LINE) << "stage " << stage;
    }
    EXPECT_EQ((dcqcn->GetRate(6 * PERIOD - 1) - CUT_RATE) / (LINE - CUT_RATE), 0.96875);
}

TEST_F(DcqcnTest, TheSixthStageIsTheFirstAdditiveOne)
{
    const Ptr<Dcqcn> dcqcn = MakeCutTwice();
    const double before = dcqcn->GetRate(5 * PERIOD);
    EXPECT_EQ(dcqcn->GetTargetRate(), CUT_RATE);
    EXPECT_EQ(dcqcn->GetRate(6 * PERIOD - 1), before);
    EXPECT_EQ(dcqcn->GetRate(6 * PERIOD), (CUT_RATE + 40e6 + before) / 2);
    EXPECT_EQ(dcqcn->GetTargetRate(), CUT_RATE + 40e6);
}

TEST_F(DcqcnTest, BytesMakeStagesLikeTheTimer)
{
    const Ptr<Dcqcn> dcqcn = Make(0.5);
    dcqcn->OnCnp(0);
    dcqcn->OnSend(1, 9999999);
    EXPECT_EQ(dcqcn->GetRate(1), CUT_RATE);
    dcqcn->OnSend(2, 1);
    EXPECT_EQ(dcqcn->GetRate(2), 87.5e9);
    dcqcn->OnSend(3, 25000000); // two stages and a half
    EXPECT_EQ(dcqcn->GetRate(3), 96.875e9);
    dcqcn->OnSend(4, 5000000);
    EXPECT_EQ(dcqcn->GetRate(4), 98.4375e9);
}

TEST_F(DcqcnTest, BothCountersOverFRaiseHyperly)
{
    const Ptr<Dcqcn> dcqcn = MakeCutTwice();
    dcqcn->OnSend(1, 5 * BYTE_STAGE);
    EXPECT_EQ(dcqcn->GetTargetRate(), CUT_RATE);
    dcqcn->OnSend(2, BYTE_STAGE); // BC = 6, T = 0: additive
    EXPECT_EQ(dcqcn->GetTargetRate(), CUT_RATE + 40e6);
    dcqcn->GetRate(5 * PERIOD); // T = 5, BC = 6: additive, five times
    const double target = CUT_RATE + 6 * 40e6;
    EXPECT_EQ(dcqcn->GetTargetRate(), target);
    const double before = dcqcn->GetRate(6 * PERIOD - 1);
    EXPECT_EQ(dcqcn->GetRate(6 * PERIOD), (target + 200e6 + before) / 2); // i = 6 - 5
    dcqcn->GetRate(7 * PERIOD);                                           // T = 7, BC = 6: i = 1
    EXPECT_EQ(dcqcn->GetTargetRate(), target + 400e6);
    dcqcn->OnSend(7 * PERIOD, BYTE_STAGE); // T = 7, BC = 7: i = 2
    EXPECT_EQ(dcqcn->GetTargetRate(), target + 800e6);
}

TEST_F(DcqcnTest, AlphaHalvesIn177EmptyPeriods)
{
    const Ptr<Dcqcn> dcqcn = Make(1);
    dcqcn->OnCnp(0);
    EXPECT_EQ(dcqcn->GetAlpha(PERIOD - 1), 1.0);
    EXPECT_EQ(dcqcn->GetAlpha(PERIOD), 255.0 / 256);
    EXPECT_NEAR(dcqcn->GetAlpha(177 * PERIOD), std::pow(255.0 / 256, 177), 1e-14);
    EXPECT_GT(dcqcn->GetAlpha(177 * PERIOD), 0.5);
    EXPECT_LT(dcqcn->GetAlpha(178 * PERIOD), 0.5);
}

TEST_F(DcqcnTest, TheRateNeverFallsBelowRmin)
{
    const Ptr<Dcqcn> dcqcn = Make(1); // each CNP halves: 100 Gb/s / 2^9 is 195 Mb/s
    for (int cnp = 1; cnp < 12; ++cnp)
    {
        dcqcn->OnCnp(0);
        EXPECT_EQ(dcqcn->GetRate(0), std::max(100e6, std::ldexp(LINE, -cnp)));
    }
}

TEST_F(DcqcnTest, TheRateRecoversToTheLineRateAndNoFurther)
{
    const Ptr<Dcqcn> dcqcn = Make(1);
    dcqcn->OnCnp(0);
    for (int64_t stage = 1; stage < 200; ++stage)
    {
        EXPECT_LE(dcqcn->GetRate(stage * PERIOD), LINE);
        EXPECT_LE(dcqcn->GetTargetRate(), LINE);
    }
    EXPECT_EQ(dcqcn->GetRate(200 * PERIOD), LINE);
}

TEST_F(DcqcnTest, RminAboveTheLineRateLeavesTheLineRate)
{
    const Ptr<Dcqcn> dcqcn = Make(1, 50e6);
    dcqcn->OnCnp(0);
    EXPECT_EQ(dcqcn->GetRate(0), 50e6);
}

TEST_F(DcqcnTest, ACnpRestartsBothTimers)
{
    const Ptr<Dcqcn> dcqcn = Make(0.5);
    dcqcn->OnCnp(0);
    dcqcn->OnCnp(PERIOD - 1);
    const double rate = dcqcn->GetRate(PERIOD - 1);
    const double alpha = dcqcn->GetAlpha(PERIOD - 1);
    EXPECT_EQ(dcqcn->GetRate(2 * PERIOD - 2), rate);
    EXPECT_EQ(dcqcn->GetAlpha(2 * PERIOD - 2), alpha);
    EXPECT_EQ(dcqcn->GetRate(2 * PERIOD - 1), (CUT_RATE + rate) / 2);
    EXPECT_EQ(dcqcn->GetAlpha(2 * PERIOD - 1), alpha * (255.0 / 256));
}

TEST_F(DcqcnTest, ACnpStartsTheStagesAnew)
{
    const Ptr<Dcqcn> dcqcn = MakeCutTwice();
    dcqcn->OnSend(1, BYTE_STAGE - 1);
    dcqcn->GetRate(10 * PERIOD); // additive since the sixth
    dcqcn->OnCnp(10 * PERIOD);
    const double target = dcqcn->GetTargetRate();
    const double rate = dcqcn->GetRate(10 * PERIOD);
    dcqcn->OnSend(10 * PERIOD, 1); // the bytes before the CNP do not count
    EXPECT_EQ(dcqcn->GetRate(10 * PERIOD), rate);
    dcqcn->GetRate(15 * PERIOD);
    EXPECT_EQ(dcqcn->GetTargetRate(), target);
    dcqcn->GetRate(16 * PERIOD);
    EXPECT_EQ(dcqcn->GetTargetRate(), target + 40e6);
}

TEST_F(DcqcnTest, StepsDueAtTheInstantOfACnpComeBeforeIt)
{
    const Ptr<Dcqcn> dcqcn = Make(0.5);
    dcqcn->OnCnp(0);
    dcqcn->OnCnp(PERIOD);
    const double alpha = 0.501953125 * 255 / 256;
    EXPECT_EQ(dcqcn->GetTargetRate(), 87.5e9);
    EXPECT_EQ(dcqcn->GetRate(PERIOD), 87.5e9 * (1 - alpha / 2));
    EXPECT_EQ(dcqcn->GetAlpha(PERIOD), alpha * 255 / 256 + 1.0 / 256);
}

} // namespace
