/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Two hosts send to a third that takes only 40 of its 100 Gb/s: its NIC pauses the switch, and the
// switch the senders, which nothing else slows down.

#include "ns3/data-rate.h"
#include "ns3/fabric-helper.h"
#include "ns3/roce-sink-helper.h"
#include "ns3/roce-sink.h"
#include "ns3/roce-source-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/topology-builder.h"
#include "ns3/uinteger.h"

#include <iostream>

using namespace ns3;
using namespace ns3::llmfabric;

int
main()
{
    Time::SetResolution(Time::PS);
    TopologySpec spec;
    spec.nodes = 3;
    spec.rate = DataRate("100Gbps");
    FabricHelper fabricHelper;
    fabricHelper.SetNicAttribute("DrainRate", DataRateValue(DataRate("40Gbps")));
    fabricHelper.SetNicAttribute("CongestionControl", StringValue("ns3::llmfabric::FixedRate"));
    fabricHelper.SetSwitchAttribute("Buffer", UintegerValue(2000000));
    Fabric fabric = fabricHelper.Create(TopologyBuilder::Create("single-switch")->Build(spec));

    RoceSinkHelper sinkHelper;
    ApplicationContainer sinks = sinkHelper.Install(fabric.nodes.Get(2));

    RoceSourceHelper sourceHelper(FabricHelper::AddressOf(2));
    sourceHelper.SetAttribute("MaxBytes", UintegerValue(10000000));
    sourceHelper.SetAttribute("Verb", StringValue("send"));
    sourceHelper.SetAttribute("QueuePairs", UintegerValue(2));
    sourceHelper.SetAttribute("Spread", StringValue("split"));
    NodeContainer senders(fabric.nodes.Get(0), fabric.nodes.Get(1));
    ApplicationContainer sources = sourceHelper.Install(senders);
    sources.Start(MicroSeconds(10));

    Simulator::Run();
    const uint64_t bytes = DynamicCast<RoceSink>(sinks.Get(0))->GetTotalRx();
    const NicCounters counters = fabric.nics[2]->GetCounters();
    std::cout << "received: " << bytes << " B in " << Simulator::Now().As(Time::MS) << "\n"
              << "pauses sent by the NIC: " << counters.pausesSent
              << ", by the switch: " << fabric.switches[0]->GetPausesSent() << "\n";
    Simulator::Destroy();
    return 0;
}
