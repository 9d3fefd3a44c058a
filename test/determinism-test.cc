/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nic-fixture.h"

#include "ns3/fabric-engine.h"
#include "ns3/flow-set.h"
#include "ns3/global-value.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/** How a run differs from the plain one; nothing here but the seed may change a result. */
struct Variation
{
    std::string scheduler{"ns3::llmfabric::FabricScheduler"}; //!< attribute SchedulerType
    uint64_t batch{1};                                        //!< fabric events in one ns-3 event
    uint32_t seed{1};                                         //!< ns-3's RngSeed
    uint32_t shuffle{0};        //!< seed of the order of flows, nodes and links; 0: as they are
    uint32_t strangers{0};      //!< nodes made before the network
    std::vector<int64_t> stops; //!< pauses of the run, microseconds
};

/** When each flow's last byte came, ticks, by (from, to). */
using Times = std::map<std::pair<uint32_t, uint32_t>, int64_t>;

/**
 * The permutation of 32 hosts, host i to (i + 8) mod 32, on 4 leaves and 4 spines (case W2 of the
 * benchmark) with 1 MB a flow, DCQCN, PFC and ECN.
 */
class DeterminismTest : public NicFixture
{
  protected:
    /**
     * @param varied how it differs
     * @return when the flows were there; the simulation is destroyed
     */
    Times Run(const Variation& varied = {})
    {
        GlobalValue::Bind("SchedulerType", StringValue(varied.scheduler));
        RngSeedManager::SetSeed(varied.seed);
        NodeContainer strangers;
        strangers.Create(varied.strangers);
        TopologySpec spec;
        spec.nodes = 32;
        spec.leaves = 4;
        spec.spines = 4;
        spec.hostsPerLeaf = 8;
        TopologyPlan plan = TopologyBuilder::Create("leaf-spine")->Build(spec);
        std::vector<FlowSpec> flows;
        for (uint32_t i = 0; i < 32; ++i)
        {
            flows.push_back({i, (i + 8) % 32, 1000000, Time(0)});
        }
        if (varied.shuffle)
        {
            std::mt19937 random(varied.shuffle);
            std::shuffle(flows.begin(), flows.end(), random);
            std::shuffle(plan.nodes.begin(), plan.nodes.end(), random);
            std::shuffle(plan.links.begin(), plan.links.end(), random);
        }
        FabricHelper helper;
        helper.SetNicAttribute("Mtu", UintegerValue(1000));
        helper.SetSwitchAttribute("RoceMtu", UintegerValue(1000));
        const Fabric fabric = helper.Create(plan);
        FlowSet set;
        set.Install(fabric, flows);
        FabricEngine::Get()->SetBatch(varied.batch);
        Simulate(set, varied.stops);
        Times times;
        for (const FlowResult& flow : set.GetResults())
        {
            EXPECT_TRUE(flow.completed);
            times[{flow.spec.from, flow.spec.to}] = flow.received;
        }
        Summarize(fabric);
        Simulator::Destroy();
        return times;
    }

    /** @return the results of the plain run */
    static const Times& Plain()
    {
        return s_plain;
    }

    void SetUp() override
    {
        if (s_plain.empty())
        {
            s_plain = Run();
        }
    }

    uint64_t m_marked{0}; //!< frames marked in the last run
    uint64_t m_cnps{0};   //!< CNPs in the last run

  private:
    /**
     * Run to the end with pauses.
     *
     * @param set the flows
     * @param stops pauses, microseconds
     */
    static void Simulate(const FlowSet& set, const std::vector<int64_t>& stops)
    {
        for (int64_t stop : stops)
        {
            Simulator::Stop(MicroSeconds(stop) - Simulator::Now());
            Simulator::Run();
            EXPECT_EQ(Simulator::Now(), MicroSeconds(stop));
            EXPECT_FALSE(set.IsFinished());
        }
        Simulator::Run();
        EXPECT_TRUE(set.IsFinished());
    }

    /** @param fabric a network whose simulation is over */
    void Summarize(const Fabric& fabric)
    {
        m_marked = 0;
        m_cnps = 0;
        for (const Ptr<FabricSwitch>& one : fabric.switches)
        {
            m_marked += one->GetMarked();
        }
        for (const Ptr<RoceNic>& nic : fabric.nics)
        {
            m_cnps += nic->GetCounters().cnpSent;
        }
    }

    static inline Times s_plain; //!< of the plain run
};

/** With each scheduler, and with one fabric event in an ns-3 event and many. */
class OrderTest : public DeterminismTest,
                  public testing::WithParamInterface<std::tuple<std::string, uint64_t>>
{
  protected:
    /** @return the variation that the parameters ask for */
    static Variation FromParameters()
    {
        Variation varied;
        varied.scheduler = std::get<0>(GetParam());
        varied.batch = std::get<1>(GetParam());
        return varied;
    }
};

TEST_P(OrderTest, CompletionTimesDoNotDependOnTheOrderOfFlowsNodesAndLinks)
{
    Variation varied = FromParameters();
    EXPECT_EQ(Run(varied), Plain());
    varied.shuffle = 1 + static_cast<uint32_t>(varied.batch);
    EXPECT_EQ(Run(varied), Plain());
}

TEST_P(OrderTest, CompletionTimesSurviveAStopAndAnotherRun)
{
    Variation varied = FromParameters();
    varied.stops = {3, 40, 41, 100};
    EXPECT_EQ(Run(varied), Plain());
}

INSTANTIATE_TEST_SUITE_P(Schedulers,
                         OrderTest,
                         testing::Combine(testing::Values("ns3::llmfabric::FabricScheduler",
                                                          "ns3::MapScheduler",
                                                          "ns3::HeapScheduler",
                                                          "ns3::CalendarScheduler",
                                                          "ns3::PriorityQueueScheduler"),
                                          testing::Values(1, 1000)),
                         [](const auto& info) {
                             const std::string& name = std::get<0>(info.param);
                             return name.substr(name.rfind(':') + 1) + "Batch" +
                                    std::to_string(std::get<1>(info.param));
                         });

TEST_F(DeterminismTest, TheRunIsOneInWhichCongestionControlIsAtWork)
{
    Run();
    EXPECT_GT(m_marked, 100u);
    EXPECT_GT(m_cnps, 10u);
}

TEST_F(DeterminismTest, AnotherSeedGivesOtherPaths)
{
    Variation varied;
    varied.seed = 2;
    const Times other = Run(varied);
    EXPECT_NE(other, Plain());
    EXPECT_EQ(Run(varied), other);
}

TEST_F(DeterminismTest, ManyOrdersGiveOneResult)
{
    Variation varied;
    for (varied.shuffle = 100; varied.shuffle < 108; ++varied.shuffle)
    {
        EXPECT_EQ(Run(varied), Plain()) << "shuffle " << varied.shuffle;
    }
}

TEST_F(DeterminismTest, ASecondSimulationInTheProcessGivesTheSame)
{
    EXPECT_EQ(Run(), Run());
}

TEST_F(DeterminismTest, OtherNodesMadeFirstChangeNothing)
{
    Variation varied;
    varied.strangers = 7;
    EXPECT_EQ(Run(varied), Plain());
}

TEST_F(DeterminismTest, ManyStopsChangeNothing)
{
    Variation varied;
    for (int64_t stop = 1; stop < 80; ++stop)
    {
        varied.stops.push_back(stop);
    }
    EXPECT_EQ(Run(varied), Plain());
}

/** The incast of 16 hosts to 1 (case W1 of the benchmark): 10 MB each at line rate. */
class IncastTest : public StarFixture
{
  protected:
    /** @return lost frames of the network, for whatever reason */
    uint64_t Drops() const
    {
        uint64_t drops = 0;
        for (const Ptr<FabricPort>& port : m_fabric.GetPorts())
        {
            const DropCounters& counters = port->GetCounters().drops;
            drops = std::accumulate(counters.begin(), counters.end(), drops);
        }
        return drops;
    }
};

TEST_F(IncastTest, AtLineRateWithPfcIsLosslessFairAndAsLongAsItsBytes)
{
    Build(17, 1000);
    uint64_t wireBytes = 0;
    Port(16)->GetPeer()->GetHopSource().ConnectTickSink(
        [&wireBytes](int64_t, const Frame& frame, const HopOutcome&) {
            wireBytes += frame.kind == FrameKind::DATA ? frame.wireBytes : 0;
        });
    std::vector<FlowSpec> flows;
    for (uint32_t i = 0; i < 16; ++i)
    {
        flows.push_back({i, 16, 10000000, Time(0)});
    }
    FlowSet set;
    set.Install(m_fabric, flows);
    Simulator::Run();
    EXPECT_EQ(wireBytes, 173120256u);
    EXPECT_EQ(Drops(), 0u);
    EXPECT_GT(m_fabric.switches[0]->GetPausesSent(), 0u);
    int64_t last = 0;
    std::vector<double> goodputs;
    for (const FlowResult& flow : set.GetResults())
    {
        EXPECT_TRUE(flow.completed);
        last = std::max(last, flow.received);
        goodputs.push_back(10e6 / static_cast<double>(flow.received));
    }
    EXPECT_NEAR(static_cast<double>(last), 13.852e9, 13.852e6);
    EXPECT_GT(JainIndex(goodputs), 0.99);
}

} // namespace
