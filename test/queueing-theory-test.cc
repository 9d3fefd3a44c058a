/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "simulation-fixture.h"

#include "ns3/flow-set.h"
#include "ns3/ideal-completion.h"
#include "ns3/poisson-load.h"
#include "ns3/string.h"
#include "ns3/topology-builder.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace ns3
{
namespace llmfabric
{
namespace
{

/** A mean and how far it may be off. */
struct Estimate
{
    double mean;      //!< of all samples
    double deviation; //!< standard deviation of the mean
};

/// @return the mean of correlated samples, with its deviation from the means of 25 batches
Estimate
EstimateMean(const std::vector<double>& samples)
{
    constexpr std::size_t batches = 25;
    const std::size_t size = samples.size() / batches;
    std::vector<double> means(batches, 0);
    double mean = 0;
    for (std::size_t i = 0; i < batches * size; ++i)
    {
        means[i / size] += samples[i] / static_cast<double>(size);
    }
    for (double one : means)
    {
        mean += one / batches;
    }
    double squares = 0;
    for (double one : means)
    {
        squares += (one - mean) * (one - mean);
    }
    return {mean, std::sqrt(squares / (batches * (batches - 1)))};
}

/**
 * Two hosts on one cable of 100 Gb/s, at line rate: with Poisson arrivals the sender is an M/G/1
 * queue, whose mean waiting time is known.
 */
class QueueingTheoryTest : public SimulationTest
{
  protected:
    static constexpr double TICKS_PER_BYTE = 80; //!< at 100 Gb/s

    /**
     * Run flows of host 0 to host 1.
     *
     * @param sizes their distribution
     * @param percent the load
     * @param flows how many
     */
    void Run(const FlowSizeDistribution& sizes, double percent, uint64_t flows)
    {
        TopologyPlan plan;
        plan.nodeCount = 2;
        plan.nodes = {{0, false, "a"}, {1, false, "b"}};
        plan.links = {{0, 0, 1, 0, DataRate("100Gbps"), NanoSeconds(100)}};
        FabricHelper helper;
        helper.SetNicAttribute("CongestionControl", StringValue("ns3::llmfabric::FixedRate"));
        const Fabric fabric = helper.Create(plan);
        LoadSpec spec;
        spec.percent = percent;
        spec.flows = flows;
        spec.pairs = {{0, 1}};
        const PoissonLoad load(spec, sizes, PoissonLoad::GetRates(fabric));
        m_meanGap = load.GetMeanGap(0);
        FlowSet set;
        set.Install(fabric, load.Draw());
        Simulator::Run();
        IdealCompletion ideal(fabric);
        for (const FlowResult& flow : set.GetResults())
        {
            const int64_t alone = ideal.GetTicks(0, 1, flow.spec.bytes);
            const int64_t taken = flow.received - flow.spec.start.GetTimeStep();
            m_waits.push_back(static_cast<double>(taken - alone));
            m_slowdowns.push_back(static_cast<double>(taken) / static_cast<double>(alone));
        }
    }

    double m_meanGap{0};             //!< ticks
    std::vector<double> m_waits;     //!< by flow, beyond the time alone, ticks
    std::vector<double> m_slowdowns; //!< by flow
};

TEST_F(QueueingTheoryTest, EqualPacketsWaitAsMD1Says)
{
    // W = rho S / (2 (1 - rho)), and the part rho of the packets waits at all.
    Run(FlowSizeDistribution({{4096, 100}}), 60, 40000);
    const double service = (4096 + 98) * TICKS_PER_BYTE;
    const double rho = service / m_meanGap;
    EXPECT_NEAR(rho, 0.6 * 4194 / 4096, 1e-9);
    const Estimate wait = EstimateMean(m_waits);
    EXPECT_LT(wait.deviation, 0.03 * wait.mean);
    EXPECT_NEAR(wait.mean, rho * service / (2 * (1 - rho)), 3 * wait.deviation);
    for (double& one : m_waits)
    {
        one = one > 0 ? 1 : 0;
    }
    const Estimate delayed = EstimateMean(m_waits);
    EXPECT_NEAR(delayed.mean, rho, 3 * delayed.deviation);
}

TEST_F(QueueingTheoryTest, PacketsOfAllSizesWaitAsPollaczekAndKhinchineSay)
{
    // Flows of one packet are served in the order of their arrival: W = E[S^2] / (2 G (1 - rho)),
    // with the mean gap G; rho = E[S] / G.
    const FlowSizeDistribution sizes({{0, 0}, {64, 50}, {4096, 100}});
    Run(sizes, 40, 40000);
    double mean = 0;
    double square = 0;
    constexpr int steps = 100000;
    for (int i = 0; i < steps; ++i)
    {
        const double padded = std::ceil(static_cast<double>(sizes.GetSize((i + 0.5) / steps)) / 4);
        const double service = (4 * padded + 98) * TICKS_PER_BYTE;
        mean += service / steps;
        square += service * service / steps;
    }
    const double rho = mean / m_meanGap;
    const Estimate wait = EstimateMean(m_waits);
    EXPECT_LT(wait.deviation, 0.03 * wait.mean);
    EXPECT_NEAR(wait.mean, square / (2 * m_meanGap * (1 - rho)), 3 * wait.deviation);
}

TEST_F(QueueingTheoryTest, FlowsOfManyPacketsShareTheLine)
{
    // The arbiter serves flows in turn, packet by packet: nearly M/G/1 with processor sharing,
    // where each flow is slower by 1 / (1 - rho), whatever the distribution (Kleinrock, Queueing
    // Systems II, chapter 4). Sizes of 100 to 300 packets, so that one packet more or less counts
    // little.
    Run(FlowSizeDistribution({{409600, 50}, {1228800, 100}}), 50, 16000);
    const double wire = 4178.0 / 4096; // the RETH of a flow is under 0.01 %
    const double rho = 0.5 * wire;
    const Estimate slowdown = EstimateMean(m_slowdowns);
    EXPECT_LT(slowdown.deviation, 0.02 * slowdown.mean);
    EXPECT_NEAR(slowdown.mean, 1 / (1 - rho), 3 * slowdown.deviation);
}

} // namespace
} // namespace llmfabric
} // namespace ns3
