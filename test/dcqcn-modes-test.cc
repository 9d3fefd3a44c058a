/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "simulation-fixture.h"

#include "ns3/cc-dcqcn.h"
#include "ns3/string.h"
#include "ns3/user-error.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

constexpr double LINE = 100e9;         //!< line rate, bit/s
constexpr int64_t US = 1000000;        //!< microsecond, ticks of 1 ps
constexpr int64_t PERIOD = 55 * US;    //!< both timers
constexpr double RAISED = 0.501953125; //!< alpha 1/2 after a CNP: 255/256 * 1/2 + 1/256

class DcqcnModesTest : public SimulationTest
{
  protected:
    using Values = std::vector<std::pair<std::string, std::string>>;

    /**
     * @param values attributes
     * @return a reaction point on a line of 100 Gb/s, alpha 1/2 at its start
     */
    static Ptr<Dcqcn> Make(const Values& values)
    {
        Ptr<Dcqcn> made = CreateObject<Dcqcn>();
        made->SetAttribute("InitialAlpha", StringValue("0.5"));
        made->SetAttribute("ByteCounter", StringValue("10000"));
        for (const auto& [name, value] : values)
        {
            made->SetAttribute(name, StringValue(value));
        }
        made->Start(0, {LINE});
        return made;
    }

    /**
     * @param values attributes besides
     * @return one in Mode periodic, alpha each 1 us and cuts each 4 us
     */
    static Ptr<Dcqcn> MakePeriodic(Values values = {})
    {
        values.emplace_back("Mode", "periodic");
        values.emplace_back("AlphaTimer", "1us");
        return Make(values);
    }
};

TEST_F(DcqcnModesTest, AlphaFirstCutsWithTheRaisedAlpha)
{
    const Ptr<Dcqcn> dcqcn = Make({{"CutOrder", "alpha-first"}});
    dcqcn->OnCnp(0);
    EXPECT_EQ(dcqcn->GetAlpha(0), RAISED);
    EXPECT_EQ(dcqcn->GetRate(0), LINE * (1 - RAISED / 2));
}

TEST_F(DcqcnModesTest, PeriodicCutsOncePerIntervalAfterACnp)
{
    const Ptr<Dcqcn> dcqcn = MakePeriodic({{"Gain", "0"}});
    dcqcn->OnCnp(0);
    dcqcn->OnCnp(US);
    dcqcn->OnCnp(3 * US);
    EXPECT_EQ(dcqcn->GetRate(4 * US - 1), LINE);
    EXPECT_EQ(dcqcn->GetRate(4 * US), 0.75 * LINE); // alpha 1/2: one cut for three CNPs
    EXPECT_EQ(dcqcn->GetRate(20 * US), 0.75 * LINE);
    dcqcn->OnCnp(21 * US); // the interval that ends at 24 us
    EXPECT_EQ(dcqcn->GetRate(24 * US - 1), 0.75 * LINE);
    EXPECT_EQ(dcqcn->GetRate(24 * US), 0.5625 * LINE);
}

TEST_F(DcqcnModesTest, ACnpAtTheEndOfAnIntervalCountsForTheNext)
{
    const Ptr<Dcqcn> dcqcn = MakePeriodic({{"Gain", "0"}});
    dcqcn->OnCnp(0);
    dcqcn->OnCnp(4 * US);
    EXPECT_EQ(dcqcn->GetRate(4 * US), 0.75 * LINE);
    EXPECT_EQ(dcqcn->GetRate(8 * US - 1), 0.75 * LINE);
    EXPECT_EQ(dcqcn->GetRate(8 * US), 0.5625 * LINE);
}

TEST_F(DcqcnModesTest, PeriodicAlphaRisesInPeriodsWithACnpAndFallsInOthers)
{
    const Ptr<Dcqcn> dcqcn = MakePeriodic();
    dcqcn->OnCnp(0);
    dcqcn->OnCnp(US / 2); // two in a period count once
    EXPECT_EQ(dcqcn->GetAlpha(US - 1), 0.5);
    EXPECT_EQ(dcqcn->GetAlpha(US), RAISED);
    EXPECT_EQ(dcqcn->GetAlpha(2 * US), RAISED * 255 / 256);
    EXPECT_EQ(dcqcn->GetAlpha(3 * US), RAISED * 255 / 256 * 255 / 256);
    dcqcn->OnCnp(3 * US);
    EXPECT_EQ(dcqcn->GetAlpha(4 * US - 1), RAISED * 255 / 256 * 255 / 256);
    EXPECT_EQ(dcqcn->GetAlpha(4 * US), 255.0 / 256 * (RAISED * 255 / 256 * 255 / 256) + 1.0 / 256);
}

TEST_F(DcqcnModesTest, PeriodicCutsWithTheAlphaOfThatInstant)
{
    const Ptr<Dcqcn> dcqcn = MakePeriodic({{"DecreaseInterval", "1us"}});
    dcqcn->OnCnp(0);
    EXPECT_EQ(dcqcn->GetRate(US), LINE * (1 - RAISED / 2));
}

TEST_F(DcqcnModesTest, PeriodicRecoversFromTheCutOn)
{
    const Ptr<Dcqcn> dcqcn = MakePeriodic({{"Gain", "0"}, {"IncreaseTimer", "300us"}});
    dcqcn->OnCnp(0);
    EXPECT_EQ(dcqcn->GetRate(304 * US - 1), 0.75 * LINE);
    EXPECT_EQ(dcqcn->GetRate(304 * US), 0.875 * LINE);
    dcqcn->OnCnp(601 *
                 US); // does not stop the stage that ends at 604 us: the increase, then the cut
    EXPECT_EQ(dcqcn->GetRate(604 * US - 1), 0.875 * LINE);
    EXPECT_EQ(dcqcn->GetRate(604 * US), 0.9375 * LINE * 0.75);
    EXPECT_EQ(dcqcn->GetTargetRate(), 0.9375 * LINE);
}

TEST_F(DcqcnModesTest, ConnectxAlphaHalvesIn142Microseconds)
{
    const Ptr<Dcqcn> dcqcn = MakePeriodic({{"Gain", "0.0048828125"}, {"InitialAlpha", "1"}});
    dcqcn->OnCnp(0);
    EXPECT_EQ(dcqcn->GetAlpha(US), 1.0);
    EXPECT_GT(dcqcn->GetAlpha(142 * US), 0.5); // (1019/1024)^141 = 0.5015
    EXPECT_LT(dcqcn->GetAlpha(143 * US), 0.5); // ^142 = 0.4990
}

TEST_F(DcqcnModesTest, WithoutClampsOnlyAByteStageMovesTheTarget)
{
    const Ptr<Dcqcn> dcqcn = Make({{"ClampTargetRate", "false"}});
    dcqcn->OnCnp(0);
    dcqcn->OnCnp(1);
    EXPECT_EQ(dcqcn->GetTargetRate(), LINE);
    EXPECT_LT(dcqcn->GetRate(1), 0.75 * LINE);
    dcqcn->OnCnp(PERIOD + 1); // after a timer stage
    EXPECT_EQ(dcqcn->GetTargetRate(), LINE);
    dcqcn->OnSend(PERIOD + 2, 10000);
    const double rate = dcqcn->GetRate(PERIOD + 2);
    dcqcn->OnCnp(PERIOD + 3);
    EXPECT_EQ(dcqcn->GetTargetRate(), rate);
}

TEST_F(DcqcnModesTest, ClampAfterTimeIncreaseTakesTimerStages)
{
    const Ptr<Dcqcn> dcqcn =
        Make({{"ClampTargetRate", "false"}, {"ClampTargetRateAfterTimeIncrease", "true"}});
    dcqcn->OnCnp(0);
    dcqcn->OnCnp(1);
    EXPECT_EQ(dcqcn->GetTargetRate(), LINE);
    const double rate = dcqcn->GetRate(PERIOD + 1);
    dcqcn->OnCnp(PERIOD + 1);
    EXPECT_EQ(dcqcn->GetTargetRate(), rate);
    dcqcn->OnCnp(PERIOD + 2);
    EXPECT_EQ(dcqcn->GetTargetRate(), rate);
    dcqcn->OnSend(PERIOD + 3, 10000);
    const double sent = dcqcn->GetRate(PERIOD + 3);
    dcqcn->OnCnp(PERIOD + 4);
    EXPECT_EQ(dcqcn->GetTargetRate(), sent);
}

TEST_F(DcqcnModesTest, AFarTargetFallsToAnEighthInTheFirstStage)
{
    const Ptr<Dcqcn> dcqcn =
        Make({{"ClampTargetRate", "false"}, {"CutFarTarget", "true"}, {"InitialAlpha", "1"}});
    for (int cnp = 0; cnp < 4; ++cnp)
    {
        dcqcn->OnCnp(0); // 100 Gb/s / 16
    }
    EXPECT_EQ(dcqcn->GetRate(PERIOD), (LINE / 8 + LINE / 16) / 2);
    EXPECT_EQ(dcqcn->GetTargetRate(), LINE / 8);
}

TEST_F(DcqcnModesTest, ACutLeavesTheMinDecreaseFactor)
{
    const Ptr<Dcqcn> dcqcn = Make({{"MinDecreaseFactor", "0.875"}});
    dcqcn->OnCnp(0);
    EXPECT_EQ(dcqcn->GetRate(0), 0.875 * LINE);
}

TEST_F(DcqcnModesTest, MaxRateIsTheStartAndTheEndOfRecovery)
{
    const Ptr<Dcqcn> dcqcn = Make({{"MaxRate", "40Gbps"}});
    EXPECT_EQ(dcqcn->GetRate(0), 40e9);
    dcqcn->OnCnp(0);
    EXPECT_EQ(dcqcn->GetRate(0), 30e9);
    EXPECT_EQ(dcqcn->GetRate(200 * PERIOD), 40e9);
    EXPECT_EQ(Make({{"MaxRate", "400Gbps"}})->GetRate(0), LINE);
}

TEST_F(DcqcnModesTest, TheFirstCnpSetsRateOnFirstCnp)
{
    const Ptr<Dcqcn> dcqcn = Make({{"RateOnFirstCnp", "8Gbps"}});
    dcqcn->OnCnp(0);
    EXPECT_EQ(dcqcn->GetTargetRate(), 8e9);
    EXPECT_EQ(dcqcn->GetRate(0), 6e9);
    const double rate = dcqcn->GetRate(20 * PERIOD);
    dcqcn->OnCnp(20 * PERIOD);
    EXPECT_EQ(dcqcn->GetTargetRate(), rate);
    const Ptr<Dcqcn> slow = Make({{"RateOnFirstCnp", "1Mbps"}});
    slow->OnCnp(0);
    EXPECT_EQ(slow->GetRate(0), 100e6); // MinRate
    EXPECT_EQ(slow->GetTargetRate(), 100e6);
}

TEST_F(DcqcnModesTest, RecoverLetsTheTimersRunOverIdleTime)
{
    const Ptr<Dcqcn> dcqcn = Make({});
    dcqcn->OnCnp(0);
    dcqcn->OnIdle(1);
    dcqcn->OnBusy(3 * PERIOD);
    EXPECT_EQ(dcqcn->GetRate(3 * PERIOD), 0.96875 * LINE);
}

TEST_F(DcqcnModesTest, HoldStopsTheTimersOverIdleTime)
{
    const Ptr<Dcqcn> dcqcn = Make({{"IdleBehavior", "hold"}});
    dcqcn->OnCnp(0);
    dcqcn->OnIdle(PERIOD / 2);
    EXPECT_EQ(dcqcn->GetNextStep(), CongestionControl::NEVER);
    EXPECT_EQ(dcqcn->GetRate(100 * PERIOD), 0.75 * LINE);
    EXPECT_EQ(dcqcn->GetAlpha(100 * PERIOD), RAISED);
    dcqcn->OnBusy(100 * PERIOD);
    EXPECT_EQ(dcqcn->GetNextStep(), 100 * PERIOD + PERIOD / 2);
    EXPECT_EQ(dcqcn->GetRate(100 * PERIOD + PERIOD / 2 - 1), 0.75 * LINE);
    EXPECT_EQ(dcqcn->GetRate(100 * PERIOD + PERIOD / 2), 0.875 * LINE);
    EXPECT_EQ(dcqcn->GetAlpha(100 * PERIOD + PERIOD / 2), RAISED * 255 / 256);
}

TEST_F(DcqcnModesTest, LineRateForgetsAfterTheIdleTime)
{
    const Ptr<Dcqcn> dcqcn =
        Make({{"IdleBehavior", "line-rate"}, {"IdleTime", "100us"}, {"RateOnFirstCnp", "8Gbps"}});
    dcqcn->OnCnp(0);
    dcqcn->OnIdle(10 * US);
    EXPECT_LT(dcqcn->GetRate(110 * US - 1), 8e9);
    EXPECT_EQ(dcqcn->GetRate(110 * US), LINE);
    EXPECT_EQ(dcqcn->GetAlpha(500 * US), 0.5);
    EXPECT_EQ(dcqcn->GetNextStep(), CongestionControl::NEVER);
    dcqcn->OnBusy(500 * US);
    dcqcn->OnCnp(501 * US); // the first again
    EXPECT_EQ(dcqcn->GetRate(501 * US), 6e9);
}

TEST_F(DcqcnModesTest, LineRateRemembersAShorterIdleTime)
{
    const Ptr<Dcqcn> dcqcn = Make({{"IdleBehavior", "line-rate"}, {"IdleTime", "100us"}});
    dcqcn->OnCnp(0);
    dcqcn->OnIdle(1 * US);
    dcqcn->OnBusy(100 * US);
    EXPECT_EQ(dcqcn->GetRate(109 * US), 0.875 * LINE);
    dcqcn->OnIdle(109 * US);
    dcqcn->OnCnp(200 * US); // idle time counts from here
    dcqcn->OnBusy(299 * US);
    EXPECT_LT(dcqcn->GetRate(299 * US), LINE);
}

TEST_F(DcqcnModesTest, NoStepIsLeftAtTheLineRate)
{
    const Ptr<Dcqcn> dcqcn = Make({});
    dcqcn->OnCnp(0);
    EXPECT_EQ(dcqcn->GetNextStep(), PERIOD);
    EXPECT_EQ(dcqcn->GetRate(1000000000 * US), LINE);
    EXPECT_EQ(dcqcn->GetNextStep(), CongestionControl::NEVER);
    dcqcn->OnCnp(1000000001 * US);
    EXPECT_EQ(dcqcn->GetNextStep(), 1000000001 * US + PERIOD);
}

TEST_F(DcqcnModesTest, AWordThatIsNoneIsAnError)
{
    const Ptr<Dcqcn> dcqcn = CreateObject<Dcqcn>();
    for (const char* name : {"Mode", "CutOrder", "IdleBehavior"})
    {
        EXPECT_THROW(dcqcn->SetAttribute(name, StringValue("sometimes")), UserError) << name;
    }
}

} // namespace
