/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// DCQCN in the steady state against the fluid model and another simulation of packets; two flows
// that meet.

#include "simulation-fixture.h"

#include "ns3/dcqcn-theory-report.h"
#include "ns3/dcqcn-theory-study.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace ns3
{
namespace llmfabric
{
namespace
{

class DcqcnTheoryTest : public SimulationTest
{
  protected:
    /**
     * @param gbps link
     * @param flows how many flows
     * @param measured how long is measured, after half a second
     * @return a case
     */
    static DcqcnTheoryCase MakeCase(double gbps, uint32_t flows, Time measured)
    {
        DcqcnTheoryCase one;
        one.gbps = gbps;
        one.flows = flows;
        one.measured = measured;
        return one;
    }
};

TEST_F(DcqcnTheoryTest, FourFlowsAt40GSettleWhereAnotherPacketSimulationDoes)
{
    const DcqcnTheoryResult result = DcqcnTheoryStudy(MakeCase(40, 4, MilliSeconds(500))).Run();
    EXPECT_NEAR(result.queue, 52.8, 0.08 * 52.8);
    EXPECT_NEAR(result.probability, 0.0025, 0.08 * 0.0025);
    EXPECT_NEAR(result.alpha, 0.132, 0.08 * 0.132);
    EXPECT_GT(result.utilization, 0.99);
    EXPECT_GT(result.jain, 0.98);
}

TEST_F(DcqcnTheoryTest, TheFluidModelLiesBelowThePackets)
{
    DcqcnTheoryCase one = MakeCase(40, 2, MilliSeconds(300));
    one.warmup = MilliSeconds(300);
    DcqcnTheoryStudy study(one);
    const DcqcnFixedPoint fluid = study.GetFixedPoint();
    const DcqcnTheoryResult result = study.Run();
    EXPECT_GT(result.queue, *fluid.GetQueue());
    EXPECT_LT(result.queue, 1.4 * *fluid.GetQueue());
    EXPECT_GT(result.probability, fluid.GetProbability());
    EXPECT_LT(result.alpha, 1.2 * fluid.GetAlpha());
}

TEST_F(DcqcnTheoryTest, ALongDelayMakesEightFlowsAt40GUnstable)
{
    DcqcnTheoryCase one = MakeCase(40, 8, MilliSeconds(150));
    one.warmup = MilliSeconds(250);
    EXPECT_GT(DcqcnTheoryStudy(one).Run().utilization, 0.99);
    one.delay = MicroSeconds(85);
    EXPECT_LT(DcqcnTheoryStudy(one).Run().utilization, 0.97);
}

TEST_F(DcqcnTheoryTest, AFlowThatJoinsGetsHalf)
{
    DcqcnTheoryCase one = MakeCase(40, 2, MilliSeconds(50));
    one.opening = true;
    one.gap = MilliSeconds(150);
    one.warmup = MilliSeconds(250);
    one.sample = MilliSeconds(1);
    const DcqcnTheoryResult result = DcqcnTheoryStudy(one).Run();
    const Time fair = DcqcnTheoryStudy::GetFairTime(result, one.gap, 0.9) - one.gap;
    EXPECT_GE(fair, MilliSeconds(40));
    EXPECT_LE(fair, MilliSeconds(100));
    ASSERT_EQ(result.series.size(), 300u);
    EXPECT_NEAR(result.series.at(145).rates.at(0), 40, 0.001); // alone
    EXPECT_LT(result.series.at(160).rates.at(1), 15);          // newly come
}

TEST_F(DcqcnTheoryTest, CountsFairWindows)
{
    EXPECT_DOUBLE_EQ(DcqcnTheoryStudy::GetJain({5, 5, 5}), 1);
    EXPECT_DOUBLE_EQ(DcqcnTheoryStudy::GetJain({7, 0, 0}), 1.0 / 3);
    EXPECT_DOUBLE_EQ(DcqcnTheoryStudy::GetJain({3, 1}), 16.0 / 20);
    DcqcnTheoryResult result;
    result.windows = {{50, 50}, {80, 20}, {56, 44}, {45, 55}, {70, 30}};
    const Time window = DcqcnTheoryStudy::GetWindow();
    EXPECT_EQ(DcqcnTheoryStudy::GetFairTime(result, Time(0), 0.9), window);
    EXPECT_EQ(DcqcnTheoryStudy::GetFairTime(result, window, 0.9), window * 4);
    EXPECT_EQ(DcqcnTheoryStudy::GetFairTime(result, window * 4, 0.9), Time(0));
}

TEST_F(DcqcnTheoryTest, ScalesWhatTheModelCountsInPackets)
{
    const Scenario scenario = DcqcnTheoryStudy(MakeCase(40, 2, MilliSeconds(10))).MakeScenario();
    EXPECT_EQ(scenario.cluster.rate, DataRate("43.28Gbps")); // 5e6 packets of 1082 B a second
    EXPECT_EQ(scenario.sw.ecn.kmin, 5u * 1062);
    EXPECT_EQ(scenario.sw.ecn.kmax, 200u * 1062);
    EXPECT_EQ(scenario.nic.mtu, 1000u);
}

TEST_F(DcqcnTheoryTest, TablesHaveARowForEachCase)
{
    DcqcnTheoryCase one = MakeCase(40, 2, MilliSeconds(10));
    one.warmup = MilliSeconds(10);
    one.sample = MilliSeconds(5);
    DcqcnTheoryCase other = one;
    other.gbps = 100;
    DcqcnTheoryReport report({{one, other}, 1, {}});
    const ExplainTable table = report.RunSteady();
    ASSERT_EQ(table.GetRows().size(), 2u);
    EXPECT_EQ(table.ToJson().at(1).at("case"), "100G N=2");
    EXPECT_EQ(table.ToJson().at(1).at("q_packets"), 10.4);
    std::ostringstream series;
    report.WriteSeries(series);
    EXPECT_EQ(series.str().substr(0, series.str().find('\n')),
              "seconds,queue_kb,rate_gbps_0,alpha_0,rate_gbps_1,alpha_1");
}

} // namespace
} // namespace llmfabric
} // namespace ns3
