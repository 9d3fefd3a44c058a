/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-fixture.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/mark-policy.h"
#include "ns3/path-selector.h"
#include "ns3/route-table.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// A switch and what it does with frames.
class FabricSwitchTest : public FabricTest
{
  protected:
    /**
     * @param hosts hosts at one switch; host 0 has a link of 10 Gb/s, the others of 100 Gb/s
     * @return the network; frames for host 0 go to the recorder
     */
    Fabric MakeFunnel(uint32_t hosts)
    {
        TopologySpec spec;
        spec.nodes = hosts;
        TopologyPlan plan = TopologyBuilder::Create("single-switch")->Build(spec);
        plan.links[0].rate = DataRate("10Gbps");
        Fabric fabric = helper.Create(plan);
        fabric.nics[0]->Prepare();
        fabric.nics[0]->GetPort()->SetReceiver(&recorder);
        hops.Listen(fabric.nics[0]->GetPort()->GetPeer());
        return fabric;
    }

    /**
     * Send frames of 1082 B from host 1 to host 0.
     *
     * @param fabric the network
     * @param priority their priority
     * @param count how many
     * @param ecn their ECN field
     */
    void SendFrames(const Fabric& fabric, uint8_t priority, int count, Ecn ecn = Ecn::NOT_ECT)
    {
        Frame frame = MakeFrame(priority, 1082);
        frame.ecn = ecn;
        for (int i = 0; i < count; ++i)
        {
            Inject(fabric.nics[1]->GetPort(), frame);
        }
    }

    /**
     * @param seed seed of the run
     * @return index of the spine that each of 64 queue pairs from host 0 to host 2 takes
     */
    std::vector<std::size_t> FindSpines(uint32_t seed)
    {
        RngSeedManager::SetSeed(seed);
        const Fabric fabric = MakeLeafSpine(4, 2);
        std::vector<HopRecorder> atSpine(4);
        for (std::size_t spine = 0; spine < 4; ++spine)
        {
            for (const Ptr<FabricPort>& port : fabric.switches[4 + spine]->GetPorts())
            {
                atSpine[spine].Listen(port);
            }
        }
        RunFlows(fabric, std::vector<FlowSpec>(64, {0, 2, 20000, Time(0)}));
        std::map<uint64_t, std::set<std::size_t>> spines;
        for (std::size_t spine = 0; spine < 4; ++spine)
        {
            for (const HopRow& row : atSpine[spine].rows)
            {
                if (row.frame.kind == FrameKind::DATA)
                {
                    spines[row.frame.queuePair].insert(spine);
                }
            }
        }
        std::vector<std::size_t> chosen;
        for (const auto& [queuePair, set] : spines)
        {
            EXPECT_EQ(set.size(), 1U) << "queue pair " << queuePair;
            chosen.push_back(*set.begin());
        }
        EndSimulation();
        return chosen;
    }

    /**
     * @param seed seed of the run
     * @param fabricId fabric id of the switch
     * @return the choice of ECMP among four ports for 64 flows
     */
    static std::vector<uint16_t> ChoosePorts(uint32_t seed, uint32_t fabricId)
    {
        RngSeedManager::SetSeed(seed);
        const std::vector<uint16_t> ports{2, 3, 5, 7};
        Ptr<PathSelector> selector = CreateObject<EcmpSelector>();
        selector->Start(fabricId);
        std::vector<uint16_t> chosen;
        Frame frame;
        for (frame.flowHash = 0; frame.flowHash < 64; ++frame.flowHash)
        {
            chosen.push_back(selector->Select(frame, {ports.data(), 4}));
        }
        return chosen;
    }

    FrameRecorder recorder; //!< takes what comes to host 0
    HopRecorder hops;       //!< listens to the switch's port to host 0
};

/**
 * @param policy a policy
 * @param queueBytes bytes in the queue
 * @param draws how often to ask
 * @return how often it says yes
 */
int
CountMarks(MarkPolicy& policy, uint64_t queueBytes, int draws)
{
    int marks = 0;
    for (int i = 0; i < draws; ++i)
    {
        marks += policy.ShouldMark(queueBytes) ? 1 : 0;
    }
    return marks;
}

} // namespace

TEST_F(FabricSwitchTest, ServesPrioritiesStrictlyWithSixFirst)
{
    const Fabric fabric = MakeFunnel(2);
    SendFrames(fabric, 0, 1); // takes 865.6 ns to host 0; the others come meanwhile
    int64_t at = 100;
    for (const uint8_t priority : {0, 1, 2, 3, 4, 5, 7, 6, 0, 6})
    {
        at += 10;
        Simulator::Schedule(NanoSeconds(at), [&fabric, priority]() {
            Inject(fabric.nics[1]->GetPort(), MakeFrame(priority, 84));
        });
    }
    Simulator::Run();
    std::vector<int> order;
    for (const FrameArrival& arrival : recorder.arrivals)
    {
        order.push_back(arrival.frame.priority);
    }
    EXPECT_EQ(order, (std::vector<int>{0, 6, 6, 7, 5, 4, 3, 2, 1, 0, 0}));
}

TEST_F(FabricSwitchTest, LatencyAddsExactlyThatMuchPerSwitch)
{
    const std::vector<int64_t> star = RunFlows(MakeStar(2), MakeIncast(1, 1000000));
    EndSimulation();
    const std::vector<int64_t> leafSpine = RunFlows(MakeLeafSpine(2, 1), MakeIncast(1, 1000000));
    EndSimulation();
    helper.SetSwitchAttribute("Latency", StringValue("543210ps"));
    EXPECT_EQ(RunFlows(MakeStar(2), MakeIncast(1, 1000000))[0], star[0] + 543210);
    EndSimulation();
    EXPECT_EQ(RunFlows(MakeLeafSpine(2, 1), MakeIncast(1, 1000000))[0], leafSpine[0] + 3 * 543210);
}

TEST_F(FabricSwitchTest, AFrameToNobodyIsLostAtTheIngressPort)
{
    const Fabric fabric = MakeStar(2);
    Inject(fabric.nics[1]->GetPort(), MakeFrame(3, 1082, 2));
    Inject(fabric.nics[1]->GetPort(), MakeFrame(3, 1082, 1000000));
    Simulator::Run();
    EXPECT_EQ(SumDrops(fabric.GetPorts()),
              (std::map<DropReason, uint64_t>{{DropReason::NO_ROUTE, 2}}));
    const DropCounters& drops = fabric.nics[1]->GetPort()->GetPeer()->GetCounters().drops;
    EXPECT_EQ(drops[static_cast<std::size_t>(DropReason::NO_ROUTE)], 2U);
    EXPECT_EQ(fabric.switches[0]->GetSharedUsed(), 0U);
}

TEST_F(FabricSwitchTest, RouteTableKnowsEachAddressAndNoOther)
{
    RouteTable table;
    EXPECT_EQ(table.Find(0).count, 0U);
    table.Set({{100, {3, 1}}, {102, {2}}, {104, {1, 3}}});
    for (const uint32_t address : {100U, 104U})
    {
        const PortGroup group = table.Find(address);
        EXPECT_EQ(std::vector<uint16_t>(group.ports, group.ports + group.count),
                  (std::vector<uint16_t>{1, 3}));
    }
    EXPECT_EQ(table.Find(102).count, 1U);
    for (const uint32_t address : {0U, 99U, 101U, 103U, 105U, 0xffffffffU})
    {
        EXPECT_EQ(table.Find(address).count, 0U) << address;
    }
}

TEST_F(FabricSwitchTest, AFlowKeepsToOnePathAndManyUseAll)
{
    const std::vector<std::size_t> chosen = FindSpines(1);
    EXPECT_EQ(chosen.size(), 64U);
    for (std::size_t spine = 0; spine < 4; ++spine)
    {
        // 16 +- 3.5; 5 sigma is over 16
        EXPECT_GE(std::count(chosen.begin(), chosen.end(), spine), 4) << spine;
    }
}

TEST_F(FabricSwitchTest, TheSeedChangesThePaths)
{
    const std::vector<std::size_t> chosen = FindSpines(1);
    EXPECT_EQ(FindSpines(1), chosen);
    EXPECT_NE(FindSpines(2), chosen);
}

TEST_F(FabricSwitchTest, SeedAndSwitchChangeTheChoiceForTheSameFlows)
{
    const std::vector<uint16_t> chosen = ChoosePorts(1, 30);
    EXPECT_EQ(ChoosePorts(1, 30), chosen);
    EXPECT_NE(ChoosePorts(2, 30), chosen);
    EXPECT_NE(ChoosePorts(1, 31), chosen);
}

TEST_F(FabricSwitchTest, MarkingProbabilityRisesFromKminToKmax)
{
    Ptr<RedMarkPolicy> policy = CreateObject<RedMarkPolicy>();
    policy->SetAttribute("Kmin", UintegerValue(400000));
    policy->SetAttribute("Kmax", UintegerValue(1600000));
    policy->SetAttribute("Pmax", DoubleValue(0.2));
    policy->AssignStreams(1);
    constexpr int DRAWS = 100000;
    EXPECT_EQ(CountMarks(*policy, 0, DRAWS), 0);
    EXPECT_EQ(CountMarks(*policy, 400000, DRAWS), 0);
    EXPECT_EQ(CountMarks(*policy, 1600001, DRAWS), DRAWS);
    for (const uint64_t queue : {400100, 700000, 1000000, 1500000, 1600000})
    {
        const double p = 0.2 * static_cast<double>(queue - 400000) / 1200000;
        EXPECT_NEAR(CountMarks(*policy, queue, DRAWS),
                    DRAWS * p,
                    std::max(5 * std::sqrt(DRAWS * p * (1 - p)), 15.0))
            << queue;
    }
}

TEST_F(FabricSwitchTest, EqualThresholdsMakeAStep)
{
    Ptr<RedMarkPolicy> policy = CreateObject<RedMarkPolicy>();
    policy->SetAttribute("Kmin", UintegerValue(1000));
    policy->SetAttribute("Kmax", UintegerValue(1000));
    EXPECT_FALSE(policy->ShouldMark(1000));
    EXPECT_TRUE(policy->ShouldMark(1001));
}

TEST_F(FabricSwitchTest, OnlyEcnCapableFramesAreMarked)
{
    Config::SetDefault("ns3::llmfabric::RedMarkPolicy::Kmin", UintegerValue(0));
    Config::SetDefault("ns3::llmfabric::RedMarkPolicy::Kmax", UintegerValue(0));
    const Fabric fabric = MakeFunnel(2);
    const std::vector<Ecn> sent{Ecn::NOT_ECT, Ecn::ECT0, Ecn::ECT1, Ecn::CE};
    for (const Ecn ecn : sent)
    {
        SendFrames(fabric, 3, 1, ecn);
    }
    Simulator::Run();
    ASSERT_EQ(recorder.arrivals.size(), 4U);
    EXPECT_EQ(recorder.arrivals[0].frame.ecn, Ecn::NOT_ECT);
    for (std::size_t i = 1; i < 4; ++i)
    {
        EXPECT_EQ(recorder.arrivals[i].frame.ecn, Ecn::CE);
        EXPECT_EQ(hops.rows[i].frame.ecn, Ecn::CE);
    }
    EXPECT_EQ(fabric.switches[0]->GetMarked(), 2U);
}

TEST_F(FabricSwitchTest, MarksFollowTheQueueAtDequeue)
{
    Config::SetDefault("ns3::llmfabric::RedMarkPolicy::Kmin", UintegerValue(3 * 1062));
    Config::SetDefault("ns3::llmfabric::RedMarkPolicy::Kmax", UintegerValue(3 * 1062));
    const Fabric fabric = MakeFunnel(2);
    SendFrames(fabric, 3, 10, Ecn::ECT0);
    Simulator::Run();
    // At 10 Gb/s against 100: the first leaves alone, the second with all others behind it.
    std::vector<bool> marked;
    for (const FrameArrival& arrival : recorder.arrivals)
    {
        marked.push_back(arrival.frame.ecn == Ecn::CE);
    }
    const std::vector<bool> expected{0, 1, 1, 1, 1, 1, 1, 0, 0, 0};
    EXPECT_EQ(marked, expected);
}

TEST_F(FabricSwitchTest, WithoutEcnNothingIsMarked)
{
    Config::SetDefault("ns3::llmfabric::RedMarkPolicy::Kmax", UintegerValue(0));
    Config::SetDefault("ns3::llmfabric::RedMarkPolicy::Kmin", UintegerValue(0));
    helper.SetSwitchAttribute("Ecn", BooleanValue(false));
    const Fabric fabric = MakeFunnel(2);
    SendFrames(fabric, 3, 10, Ecn::ECT0);
    Simulator::Run();
    EXPECT_EQ(fabric.switches[0]->GetMarked(), 0U);
}

TEST_F(FabricSwitchTest, ALossyQueueKeepsToItsShare)
{
    // alpha 1: one queue may take half of the buffer (Choudhury and Hahne)
    Config::SetDefault("ns3::llmfabric::DynamicThreshold::EgressAlpha", DoubleValue(1));
    helper.SetSwitchAttribute("Pfc", BooleanValue(false));
    helper.SetSwitchAttribute("Buffer", UintegerValue(100000));
    const Fabric fabric = MakeFunnel(2);
    SendFrames(fabric, 0, 1000);
    Simulator::Run();
    uint64_t longest = 0;
    uint64_t lost = 0;
    for (const HopRow& row : hops.rows)
    {
        if (row.outcome.reason == DropReason::NONE)
        {
            longest = std::max<uint64_t>(longest, row.frame.queueBytes + 1062);
            continue;
        }
        ++lost;
        EXPECT_EQ(row.outcome.reason, DropReason::EGRESS_THRESHOLD);
        EXPECT_EQ(row.outcome.started, -1);
        EXPECT_EQ(row.outcome.ended, -1);
        EXPECT_TRUE(row.outcome.lastHop);
    }
    EXPECT_LE(longest, 50000U + 1062U); // its own bytes are still free when the limit is taken
    EXPECT_GE(longest, 50000U - 1062U);
    EXPECT_GT(lost, 0U);
    EXPECT_EQ(recorder.arrivals.size() + lost, 1000U);
    EXPECT_EQ(fabric.switches[0]->GetSharedUsed(), 0U);
}

TEST_F(FabricSwitchTest, ALossyFrameIsLostWhenTheBufferIsFull)
{
    Config::SetDefault("ns3::llmfabric::DynamicThreshold::EgressAlpha", DoubleValue(1e6));
    helper.SetSwitchAttribute("Pfc", BooleanValue(false));
    helper.SetSwitchAttribute("Buffer", UintegerValue(20000));
    const Fabric fabric = MakeFunnel(2);
    SendFrames(fabric, 3, 100); // lossy without PFC
    Simulator::Run();
    const auto drops = SumDrops(fabric.GetPorts());
    ASSERT_EQ(drops.size(), 1U);
    EXPECT_EQ(drops.begin()->first, DropReason::BUFFER_FULL);
    EXPECT_EQ(drops.begin()->second + recorder.arrivals.size(), 100U);
    EXPECT_EQ(fabric.switches[0]->GetSharedUsed(), 0U);
}

TEST_F(FabricSwitchTest, LosslessFramesAreNeverLostAtEgress)
{
    Config::SetDefault("ns3::llmfabric::DynamicThreshold::EgressAlpha", DoubleValue(0));
    const Fabric fabric = MakeFunnel(2);
    SendFrames(fabric, 3, 100);
    SendFrames(fabric, 0, 10);
    Simulator::Run();
    EXPECT_EQ(recorder.arrivals.size(), 100U);
    EXPECT_EQ(SumDrops(fabric.GetPorts()),
              (std::map<DropReason, uint64_t>{{DropReason::EGRESS_THRESHOLD, 10}}));
}

TEST_F(FabricSwitchTest, TheBufferIsEmptyWhenAllHasDrained)
{
    std::mt19937 random(3);
    helper.SetSwitchAttribute("Buffer", UintegerValue(400000));
    const Fabric fabric = MakeFunnel(5);
    for (int i = 0; i < 5000; ++i)
    {
        const auto priority = static_cast<uint8_t>(random() % 8);
        Inject(fabric.nics[1 + random() % 4]->GetPort(),
               MakeFrame(priority, 84 + random() % 4095, random() % 5));
    }
    Simulator::Run();
    const auto drops = SumDrops(fabric.GetPorts());
    uint64_t lost = 0;
    for (const auto& [reason, count] : drops)
    {
        lost += count; // NO_RECEIVER counts what came to hosts 1 to 4
    }
    EXPECT_EQ(drops.count(DropReason::HEADROOM_OVERFLOW), 0U);
    EXPECT_GT(drops.count(DropReason::EGRESS_THRESHOLD) + drops.count(DropReason::BUFFER_FULL), 0U);
    EXPECT_EQ(lost + recorder.arrivals.size(), 5000U);
    EXPECT_EQ(fabric.switches[0]->GetSharedUsed(), 0U);
    EXPECT_GT(fabric.switches[0]->GetResumesSent(), 0U);
}
