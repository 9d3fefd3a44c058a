/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "simulation-fixture.h"

#include "ns3/fabric-engine.h"
#include "ns3/flow-set.h"
#include "ns3/global-value.h"
#include "ns3/string.h"
#include "ns3/topology-builder.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace llmfabric
{
namespace
{

/** Counts calls, and those at which ns-3's clock was not the fabric's. */
class ClockedTracedCallbackTest : public SimulationTest
{
  public:
    /** @param packet a frame that has arrived */
    void OnArrival(Ptr<const Packet> /* packet */)
    {
        ++m_calls;
        m_wrong += Simulator::Now().GetTimeStep() != FabricEngine::Get()->Now();
    }

  protected:
    void SetUp() override
    {
        GlobalValue::Bind("SchedulerType", StringValue("ns3::llmfabric::FabricScheduler"));
        TopologySpec spec;
        m_fabric = FabricHelper().Create(TopologyBuilder::Create("single-switch")->Build(spec));
        m_flows.Install(m_fabric, {{0, 1, 1000000, Time(0)}});
        FabricEngine::Get()->SetBatch(1000);
    }

    void TearDown() override
    {
        m_fabric = Fabric();
        SimulationTest::TearDown();
    }

    Fabric m_fabric;     //!< two hosts on a switch
    FlowSet m_flows;     //!< one flow
    uint64_t m_calls{0}; //!< calls of the sink
    uint64_t m_wrong{0}; //!< calls at which the two clocks differed
};

TEST_F(ClockedTracedCallbackTest, ASinkReadsTheRightTimeWhateverTheBatch)
{
    m_fabric.nics[1]->GetPort()->TraceConnectWithoutContext(
        "PhyRxEnd",
        MakeCallback(&ClockedTracedCallbackTest::OnArrival, this));
    Simulator::Run();
    EXPECT_EQ(m_calls, 245U); // packets of 4096 B
    EXPECT_EQ(m_wrong, 0U);
}

TEST_F(ClockedTracedCallbackTest, WithoutASinkTheBatchIsLargeAgain)
{
    const auto sink = MakeCallback(&ClockedTracedCallbackTest::OnArrival, this);
    const Ptr<FabricPort> port = m_fabric.nics[1]->GetPort();
    port->TraceConnectWithoutContext("PhyRxEnd", sink);
    port->TraceDisconnectWithoutContext("PhyRxEnd", sink);
    Simulator::Run();
    EXPECT_EQ(m_calls, 0U);
    EXPECT_LT(Simulator::GetEventCount(), FabricEngine::Get()->GetEventCount() / 10);
}

} // namespace
} // namespace llmfabric
} // namespace ns3
