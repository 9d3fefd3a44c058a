/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-fixture.h"
#include "simulation-fixture.h"

#include "ns3/poisson-load.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{
namespace
{

class PoissonLoadTest : public SimulationTest
{
  protected:
    PoissonLoadTest()
    {
        m_spec.percent = 50;
        m_spec.duration = MilliSeconds(100);
    }

    /// @return the load of some hosts of 100 Gb/s
    PoissonLoad Make(uint32_t hosts, const std::string& sizes = "storage") const
    {
        return PoissonLoad(m_spec,
                           FlowSizeDistribution::Create(sizes),
                           std::vector<DataRate>(hosts, DataRate("100Gbps")));
    }

    /// @return what is said against the load of 4 hosts
    std::string GetComplaint() const
    {
        try
        {
            Make(4);
        }
        catch (const UserError& error)
        {
            return error.what();
        }
        return "no complaint";
    }

    /// @return all that makes a flow
    static auto Tie(const FlowSpec& flow)
    {
        return std::tie(flow.from, flow.to, flow.bytes, flow.start);
    }

    static bool AreEqual(const std::vector<FlowSpec>& a, const std::vector<FlowSpec>& b)
    {
        return a.size() == b.size() &&
               std::equal(a.begin(), a.end(), b.begin(), [](const auto& one, const auto& other) {
                   return Tie(one) == Tie(other);
               });
    }

    LoadSpec m_spec; //!< what is drawn
};

TEST_F(PoissonLoadTest, GapsHaveTheMeanAndTheSpreadOfAnExponential)
{
    m_spec.duration = Seconds(1);
    m_spec.pairs = {{0, 1}};
    const PoissonLoad load = Make(2);
    // 40869.8 B at 50 % of 12.5 GB/s
    EXPECT_NEAR(load.GetMeanGap(0), 40869.8 / 6.25e9 * 1e12, 1e-3);
    const std::vector<FlowSpec> flows = load.Draw();
    double sum = 0;
    double squares = 0;
    int64_t last = 0;
    for (const FlowSpec& flow : flows)
    {
        const double gap =
            static_cast<double>(flow.start.GetTimeStep() - last) / load.GetMeanGap(0);
        last = flow.start.GetTimeStep();
        sum += gap;
        squares += gap * gap;
    }
    const auto n = static_cast<double>(flows.size());
    // Standard deviations of the means of n gaps (1) and of their squares (sqrt(24 - 4)).
    EXPECT_NEAR(sum / n, 1, 3 / std::sqrt(n));
    EXPECT_NEAR(squares / n, 2, 3 * std::sqrt(20 / n));
    EXPECT_NEAR(n, 1e12 / load.GetMeanGap(0), 3 * std::sqrt(n));
}

TEST_F(PoissonLoadTest, OfferedLoadComesCloseToThePercent)
{
    for (double percent : {10.0, 60.0, 95.0})
    {
        m_spec.percent = percent;
        m_spec.duration = Seconds(1);
        const PoissonLoad load = Make(16);
        const LoadSummary summary = load.Summarize(load.Draw());
        // Compound Poisson: the variance of the bytes is their number times the mean square, here
        // of storage's sizes, in units of the squared mean.
        double square = 0;
        constexpr int steps = 100000;
        const auto sizes = FlowSizeDistribution::Create("storage");
        for (int i = 0; i < steps; ++i)
        {
            square += std::pow(sizes.GetQuantile((i + 0.5) / steps) / sizes.GetMean(), 2) / steps;
        }
        const double deviation = percent * std::sqrt(square / summary.expectedFlows);
        EXPECT_LT(deviation, 0.01 * percent);
        EXPECT_NEAR(summary.offered, percent, 3 * deviation);
    }
}

TEST_F(PoissonLoadTest, SizesFollowTheDistribution)
{
    m_spec.duration = Seconds(1);
    const std::vector<FlowSpec> flows = Make(4).Draw();
    const auto n = static_cast<double>(flows.size());
    const auto sizes = FlowSizeDistribution::Create("storage");
    for (const auto& point : sizes.GetPoints())
    {
        double below = 0;
        for (const FlowSpec& flow : flows)
        {
            below += flow.bytes <= point.bytes ? 1 : 0;
        }
        const double part = point.percent / 100;
        EXPECT_NEAR(below / n, part, 3 * std::sqrt(part * (1 - part) / n) + 1e-12) << point.bytes;
    }
}

TEST_F(PoissonLoadTest, AllToAllChoosesEachOtherHostEquallyOften)
{
    const std::vector<FlowSpec> flows = Make(5).Draw();
    std::map<std::pair<uint32_t, uint32_t>, double> counts;
    for (const FlowSpec& flow : flows)
    {
        ASSERT_NE(flow.from, flow.to);
        ++counts[{flow.from, flow.to}];
    }
    ASSERT_EQ(counts.size(), 20U);
    const double expected = static_cast<double>(flows.size()) / 20;
    for (const auto& [pair, count] : counts)
    {
        EXPECT_NEAR(count, expected, 4 * std::sqrt(expected)) << pair.first << " " << pair.second;
    }
}

TEST_F(PoissonLoadTest, OnlyThePairsSendAndASenderOfTwoHasNoMoreThanItsLoad)
{
    m_spec.pairs = {{2, 0}, {2, 1}, {3, 2}};
    const PoissonLoad load = Make(4);
    std::set<std::pair<uint32_t, uint32_t>> seen;
    std::map<uint32_t, double> counts;
    for (const FlowSpec& flow : load.Draw())
    {
        seen.insert({flow.from, flow.to});
        ++counts[flow.from];
    }
    EXPECT_EQ(seen,
              (std::set<std::pair<uint32_t, uint32_t>>{m_spec.pairs.begin(), m_spec.pairs.end()}));
    EXPECT_EQ(load.GetSenders(), (std::vector<uint32_t>{2, 3}));
    const double expected = 1e11 / load.GetMeanGap(2);
    EXPECT_NEAR(counts[2], expected, 3 * std::sqrt(expected));
    EXPECT_NEAR(counts[3], expected, 3 * std::sqrt(expected));
}

TEST_F(PoissonLoadTest, SameSeedAndRunGiveTheSameFlows)
{
    const std::vector<FlowSpec> flows = Make(4).Draw();
    EXPECT_TRUE(AreEqual(flows, Make(4).Draw()));
    RngSeedManager::SetRun(2);
    EXPECT_FALSE(AreEqual(flows, Make(4).Draw()));
    RngSeedManager::SetRun(1);
    RngSeedManager::SetSeed(2);
    EXPECT_FALSE(AreEqual(flows, Make(4).Draw()));
}

TEST_F(PoissonLoadTest, OtherSendersDoNotChangeWhatAHostDraws)
{
    m_spec.pairs = {{3, 0}};
    const std::vector<FlowSpec> alone = Make(4).Draw();
    m_spec.pairs = {{0, 1}, {1, 2}, {3, 0}};
    std::vector<FlowSpec> picked;
    for (const FlowSpec& flow : Make(4).Draw())
    {
        if (flow.from == 3)
        {
            picked.push_back(flow);
        }
    }
    EXPECT_TRUE(AreEqual(alone, picked));
}

TEST_F(PoissonLoadTest, NumberOfFlowsTakesTheFirstOnes)
{
    const std::vector<FlowSpec> all = Make(4).Draw();
    m_spec.duration.reset();
    m_spec.flows = 1000;
    const std::vector<FlowSpec> first = Make(4).Draw();
    ASSERT_EQ(first.size(), 1000U);
    EXPECT_TRUE(AreEqual(first, std::vector<FlowSpec>(all.begin(), all.begin() + 1000)));
}

TEST_F(PoissonLoadTest, FlowsArriveFromStartUntilTheDurationIsOver)
{
    const std::vector<FlowSpec> early = Make(4).Draw();
    m_spec.start = MilliSeconds(7);
    const std::vector<FlowSpec> late = Make(4).Draw();
    ASSERT_EQ(early.size(), late.size());
    for (std::size_t i = 0; i < early.size(); ++i)
    {
        EXPECT_EQ(late[i].start - early[i].start, MilliSeconds(7));
    }
    EXPECT_LT(early.back().start, MilliSeconds(100));
    EXPECT_GT(early.back().start, MilliSeconds(99));
}

TEST_F(PoissonLoadTest, FasterHostsAreGivenMore)
{
    const PoissonLoad load(m_spec,
                           FlowSizeDistribution::Create("storage"),
                           {DataRate("100Gbps"), DataRate("400Gbps")});
    EXPECT_DOUBLE_EQ(load.GetMeanGap(0), 4 * load.GetMeanGap(1));
}

TEST_F(PoissonLoadTest, WhatCannotBeIsRefused)
{
    m_spec.percent = 0;
    ExpectParts(GetComplaint(), {"load.percent: ", "allowed: above 0, up to 100"});
    m_spec.percent = 100.1;
    ExpectParts(GetComplaint(), {"load.percent: "});
    m_spec.percent = 50;
    m_spec.flows = 1;
    ExpectParts(GetComplaint(), {"load: ", "duration and flows exclude each other"});
    m_spec.duration.reset();
    m_spec.flows.reset();
    ExpectParts(GetComplaint(), {"load: ", "neither duration nor flows"});
    m_spec.flows = 1;
    m_spec.pairs = {{0, 1}, {1, 4}};
    ExpectParts(GetComplaint(), {"load.pairs[1].to: ", "no host 4", "hosts 0 to 3"});
    m_spec.pairs = {{0, 0}};
    ExpectParts(GetComplaint(), {"load.pairs[0].to: ", "to itself"});
    m_spec.pairs = {{0, 1}, {0, 1}};
    ExpectParts(GetComplaint(), {"load.pairs[1]: ", "twice"});
    m_spec.pairs.clear();
    m_spec.flows.reset();
    m_spec.duration = Seconds(3600);
    ExpectParts(GetComplaint(), {"load.duration: ", "allowed: up to 10000000"});
}

} // namespace
} // namespace llmfabric
} // namespace ns3
