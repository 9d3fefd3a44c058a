/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Three hosts send 10 MB each to the fourth: when does each have all its bytes there?

#include "ns3/fabric-helper.h"
#include "ns3/flow-set.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/topology-builder.h"

#include <iostream>

using namespace ns3;
using namespace ns3::llmfabric;

int
main()
{
    Time::SetResolution(Time::PS);
    TopologySpec spec;
    spec.nodes = 4;
    spec.rate = DataRate("400Gbps");
    FabricHelper helper;
    helper.SetNicAttribute("CongestionControl", StringValue("ns3::llmfabric::Dcqcn"));
    Fabric fabric = helper.Create(TopologyBuilder::Create("single-switch")->Build(spec));

    FlowSet flows;
    flows.Install(fabric,
                  {{0, 3, 10000000, MicroSeconds(0)},
                   {1, 3, 10000000, MicroSeconds(0)},
                   {2, 3, 10000000, MicroSeconds(50)}});
    Simulator::Run();
    for (const FlowResult& flow : flows.GetResults())
    {
        const Time taken = TimeStep(flow.received) - flow.spec.start;
        std::cout << "host " << flow.spec.from << ": " << taken.As(Time::US) << "\n";
    }
    std::cout << "pauses sent: " << fabric.switches[0]->GetPausesSent() << "\n";
    Simulator::Destroy();
    return 0;
}
