/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "simulation-fixture.h"

#include "ns3/fabric-helper.h"
#include "ns3/flow-set.h"
#include "ns3/ideal-completion.h"
#include "ns3/string.h"
#include "ns3/topology-builder.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{
namespace
{

constexpr uint64_t GIGABIT = 1000000000;

class IdealCompletionTest : public SimulationTest
{
  protected:
    IdealCompletionTest()
    {
        m_helper.SetNicAttribute("CongestionControl", StringValue("ns3::llmfabric::FixedRate"));
        m_spec.nodes = 16;
        m_spec.k = 4;
        m_spec.leaves = 4;
        m_spec.spines = 2;
        m_spec.hostsPerLeaf = 4;
    }

    /**
     * Run one flow alone on a new network.
     *
     * @param topology its name
     * @param flow the flow
     * @return ticks that it took beyond the ideal
     */
    int64_t RunExcess(const std::string& topology, const FlowSpec& flow)
    {
        const Fabric fabric = m_helper.Create(TopologyBuilder::Create(topology)->Build(m_spec));
        const int64_t ideal = IdealCompletion(fabric).GetTicks(flow.from, flow.to, flow.bytes);
        FlowSet flows;
        flows.Install(fabric, {flow});
        Simulator::Run();
        const int64_t received = flows.GetResults().front().received;
        Simulator::Destroy();
        return received - flow.start.GetTimeStep() - ideal;
    }

    FabricHelper m_helper; //!< makes networks
    TopologySpec m_spec;   //!< of networks
};

TEST_F(IdealCompletionTest, EqualsTheClosedFormOverEqualLinks)
{
    for (std::size_t n = 1; n <= 6; ++n)
    {
        const std::vector<WayLink> links(n, {100 * GIGABIT, 1000000});
        for (uint64_t bytes : {1ULL, 4ULL, 4095ULL, 4096ULL, 4097ULL, 1000000ULL, 30000000ULL})
        {
            const uint64_t packets = (bytes + 4095) / 4096;
            const uint64_t whole = (bytes + 3) / 4 * 4 + 82 * packets + 16;
            const uint64_t first = std::min<uint64_t>((bytes + 3) / 4 * 4, 4096) + 98;
            // 80 ps a byte at 100 Gb/s
            EXPECT_EQ(IdealCompletion::GetTicksOver(links, bytes, 4096),
                      static_cast<int64_t>(n * 1000000 + 80 * (whole + (n - 1) * first)))
                << n << " links, " << bytes << " B";
        }
    }
}

TEST_F(IdealCompletionTest, TheSlowestLinkSetsThePaceAndTheOthersAddAPacket)
{
    // 1000 packets of 1082 wire bytes, the first has 16 more: 100, 25 and 100 Gb/s.
    const std::vector<WayLink> links{{100 * GIGABIT, 0}, {25 * GIGABIT, 0}, {100 * GIGABIT, 0}};
    EXPECT_EQ(IdealCompletion::GetTicksOver(links, 1000000, 1000),
              80 * 1098 + 320 * (1000 * 1082 + 16) + 80 * 1082);
}

TEST_F(IdealCompletionTest, EachMessageOfALargeFlowHasItsRdmaHeader)
{
    const std::vector<WayLink> links{{800 * GIGABIT, 0}};
    const uint64_t bytes = 5ULL << 30; // three messages of at most 2^31 B
    const uint64_t packets = bytes / 4096;
    EXPECT_EQ(IdealCompletion::GetTicksOver(links, bytes, 4096),
              static_cast<int64_t>(10 * (bytes + 82 * packets + 3 * 16)));
}

TEST_F(IdealCompletionTest, AFlowAloneTakesExactlyThisTimeOnEachTopology)
{
    for (const std::string topology : {"single-switch", "leaf-spine", "fat-tree"})
    {
        for (uint32_t to : {1U, 3U, 15U}) // the same leaf or edge, the same pod, afar
        {
            for (uint64_t bytes : {1ULL, 1000ULL, 4096ULL, 4097ULL, 12288ULL, 1000001ULL})
            {
                EXPECT_EQ(RunExcess(topology, {0, to, bytes, MicroSeconds(3)}), 0)
                    << topology << ", host 0 to " << to << ", " << bytes << " B";
            }
        }
    }
}

TEST_F(IdealCompletionTest, AFlowAloneUnderDcqcnHasSlowdownOne)
{
    m_helper.SetNicAttribute("CongestionControl", StringValue("ns3::llmfabric::Dcqcn"));
    EXPECT_EQ(RunExcess("fat-tree", {2, 13, 10000000, Time(0)}), 0);
}

TEST_F(IdealCompletionTest, LatenciesOfNicsAndSwitchesCount)
{
    m_helper.SetNicAttribute("TransmitLatency", StringValue("600ns"));
    m_helper.SetNicAttribute("ReceiveLatency", StringValue("300ns"));
    m_helper.SetSwitchAttribute("Latency", StringValue("450ns"));
    EXPECT_EQ(RunExcess("fat-tree", {0, 15, 100000, Time(0)}), 0);
    EXPECT_EQ(RunExcess("single-switch", {0, 15, 100, Time(0)}), 0);
}

TEST_F(IdealCompletionTest, RatesWithoutWholeTicksPerByteAreExactOnAFreshNetwork)
{
    m_spec.rate = DataRate("70Gbps");
    m_helper.SetNicAttribute("Mtu", UintegerValue(1000));
    m_helper.SetSwitchAttribute("RoceMtu", UintegerValue(1000));
    EXPECT_EQ(RunExcess("fat-tree", {0, 15, 123457, Time(0)}), 0);
}

TEST_F(IdealCompletionTest, LinksOfDifferentRatesAreExact)
{
    TopologyPlan plan = TopologyBuilder::Create("leaf-spine")->Build(m_spec);
    for (PlannedLink& link : plan.links)
    {
        const bool up = link.nodeA >= m_spec.nodes && link.nodeB >= m_spec.nodes;
        link.rate = DataRate(up ? "40Gbps" : "100Gbps");
        link.delay = NanoSeconds(up ? 2500 : 500);
    }
    const Fabric fabric = m_helper.Create(plan);
    FlowSet flows;
    flows.Install(fabric, {{0, 15, 1000000, Time(0)}});
    Simulator::Run();
    EXPECT_EQ(flows.GetResults().front().received,
              IdealCompletion(fabric).GetTicks(0, 15, 1000000));
}

TEST_F(IdealCompletionTest, OfEquallyShortWaysTheFastestCounts)
{
    TopologyPlan plan = TopologyBuilder::Create("leaf-spine")->Build(m_spec);
    int64_t slow = 0;
    for (PlannedLink& link : plan.links)
    {
        if (link.nodeA >= m_spec.nodes && link.nodeB >= m_spec.nodes)
        {
            link.rate = DataRate("10Gbps");
            ++slow;
        }
    }
    ASSERT_EQ(slow, 8);
    const int64_t allSlow = IdealCompletion(m_helper.Create(plan)).GetTicks(0, 15, 100000);
    const uint32_t spine = m_spec.nodes + m_spec.leaves; // the first one
    for (PlannedLink& link : plan.links)
    {
        if (link.nodeA == spine || link.nodeB == spine)
        {
            link.rate = DataRate("100Gbps");
        }
    }
    const int64_t oneFast = IdealCompletion(m_helper.Create(plan)).GetTicks(0, 15, 100000);
    const std::vector<WayLink> links(4, {100 * GIGABIT, 1000000});
    EXPECT_GT(allSlow, 5 * oneFast);
    EXPECT_EQ(oneFast, IdealCompletion::GetTicksOver(links, 100000, 4096));
}

} // namespace
} // namespace llmfabric
} // namespace ns3
