/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "simulation-fixture.h"

#include "ns3/flow-set.h"
#include "ns3/simulator.h"
#include "ns3/topology-builder.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace llmfabric
{
namespace
{

using FlowSetTest = SimulationTest;

/** @return two hosts on a switch */
Fabric
MakePair()
{
    return FabricHelper().Create(TopologyBuilder::Create("single-switch")->Build(TopologySpec()));
}

TEST_F(FlowSetTest, SeveralSetsShareAPairOfHosts)
{
    const Fabric fabric = MakePair();
    FlowSet first;
    FlowSet second;
    first.Install(fabric, {{0, 1, 100000, Time(0)}, {1, 0, 100000, Time(0)}});
    second.Install(fabric, {{0, 1, 100000, Time(0)}});
    second.Install(fabric, {{1, 0, 50000, Time(0)}});
    Simulator::Run();
    EXPECT_TRUE(first.IsFinished());
    EXPECT_TRUE(second.IsFinished());
    EXPECT_EQ(second.GetResults().size(), 2U);
    EXPECT_EQ(first.GetReceivedBytes() + second.GetReceivedBytes(), 350000U);
}

TEST_F(FlowSetTest, AStartIsASimulatedTimeWhenItIsInstalledLater)
{
    const Fabric fabric = MakePair();
    Simulator::Stop(MicroSeconds(30));
    Simulator::Run();
    FlowSet flows;
    flows.Install(fabric, {{0, 1, 4096, MicroSeconds(50)}});
    Simulator::Run();
    // two frames' times and two links of 1 us after the start
    const Time expected = MicroSeconds(52) + TimeStep(2 * (4096 + 98) * 80);
    EXPECT_EQ(flows.GetResults().front().received, expected.GetTimeStep());
}

TEST_F(FlowSetTest, SaysWhatAnUnfinishedFlowWaitsFor)
{
    const Fabric fabric = MakePair();
    FlowSet flows;
    flows.Install(fabric, {{0, 1, 1000000, Time(0)}});
    Simulator::Stop(MicroSeconds(10));
    Simulator::Run();
    ASSERT_EQ(flows.GetWaits().size(), 1U);
    EXPECT_EQ(flows.GetWaits().front().rfind("flow 0, host 0 to host 1: ", 0), 0U);
}

} // namespace
} // namespace llmfabric
} // namespace ns3
