/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_FIXTURE_H
#define FABRIC_FIXTURE_H

#include "simulation-fixture.h"

#include "ns3/fabric-helper.h"
#include "ns3/flow-set.h"
#include "ns3/roce-codec.h"
#include "ns3/topology-builder.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/// A frame that arrived somewhere.
struct FrameArrival
{
    int64_t tick; //!< when, ticks
    Frame frame;  //!< a copy
};

/// Takes the frames of a port, in place of a NIC or a switch.
class FrameRecorder : public FrameReceiver
{
  public:
    void ReceiveFrame(Frame* frame, FabricPort& /* port */) override
    {
        arrivals.push_back({FabricEngine::Get()->Now(), *frame});
        FramePool::Free(frame);
    }

    std::vector<FrameArrival> arrivals; //!< what came, in order
};

/// One call of the trace source Hop.
struct HopRow
{
    FabricPort* port;   //!< whose source it was
    int64_t tick;       //!< when, ticks
    Frame frame;        //!< a copy
    HopOutcome outcome; //!< how it went
};

/// Listens to the trace source Hop of many ports.
class HopRecorder
{
  public:
    /**
     * @param port a port to listen to
     */
    void Listen(const Ptr<FabricPort>& port)
    {
        FabricPort* source = PeekPointer(port);
        using Sink = Callback<void, int64_t, const Frame&, const HopOutcome&>;
        source->GetHopSource().ConnectTickSink(
            Sink([this, source](int64_t tick, const Frame& frame, const HopOutcome& outcome) {
                rows.push_back({source, tick, frame, outcome});
            }));
    }

    std::vector<HopRow> rows; //!< all calls
};

/// A test with a fabric, and with what frames and flows need.
class FabricTest : public SimulationTest
{
  protected:
    /**
     * @param hosts how many hosts
     * @return hosts at one switch, 100 Gb/s and 1 us
     */
    Fabric MakeStar(uint32_t hosts)
    {
        TopologySpec spec;
        spec.nodes = hosts;
        return helper.Create(TopologyBuilder::Create("single-switch")->Build(spec));
    }

    /**
     * @param leaves how many leaves, and spines
     * @param hostsPerLeaf how many hosts at a leaf
     * @return a leaf-spine network, 100 Gb/s and 1 us
     */
    Fabric MakeLeafSpine(uint32_t leaves, uint32_t hostsPerLeaf)
    {
        TopologySpec spec;
        spec.nodes = leaves * hostsPerLeaf;
        spec.leaves = leaves;
        spec.spines = leaves;
        spec.hostsPerLeaf = hostsPerLeaf;
        return helper.Create(TopologyBuilder::Create("leaf-spine")->Build(spec));
    }

    /**
     * @param rate line rate
     * @return a port of a new node
     */
    Ptr<FabricPort> MakeBarePort(const std::string& rate = "100Gbps")
    {
        return helper.AddPort(CreateObject<Node>(), DataRate(rate));
    }

    /**
     * @param priority its priority
     * @param wireBytes its size
     * @param destination the host it is for
     * @return a data frame of no queue pair
     */
    static Frame MakeFrame(uint8_t priority, uint32_t wireBytes, uint32_t destination = 0)
    {
        Frame frame;
        frame.kind = FrameKind::DATA;
        frame.codec = &RoceCodec::Get();
        frame.priority = priority;
        frame.wireBytes = wireBytes;
        frame.destination = FabricHelper::AddressOf(destination).Get();
        return frame;
    }

    /**
     * @param port a port that sends
     * @param model the frame to send a copy of, now
     */
    static void Inject(const Ptr<FabricPort>& port, const Frame& model)
    {
        port->Prepare();
        Frame* frame = FramePool::Allocate(model);
        frame->id = port->NextFrameId();
        port->GetTransmitter().Enqueue(frame);
    }

    /**
     * @param hosts how many senders, hosts 1 to that
     * @param bytes what each sends to host 0
     * @return the flows, all from time 0 on
     */
    static std::vector<FlowSpec> MakeIncast(uint32_t hosts, uint64_t bytes)
    {
        std::vector<FlowSpec> flows;
        for (uint32_t host = 1; host <= hosts; ++host)
        {
            flows.push_back({host, 0, bytes, Time(0)});
        }
        return flows;
    }

    /**
     * Run flows to the end of the simulation; all have to complete.
     *
     * @param fabric the network
     * @param specs the flows
     * @return when the last byte of each came, ticks
     */
    static std::vector<int64_t> RunFlows(const Fabric& fabric, const std::vector<FlowSpec>& specs)
    {
        FlowSet flows;
        flows.Install(fabric, specs);
        Simulator::Run();
        std::vector<int64_t> received;
        for (const FlowResult& result : flows.GetResults())
        {
            EXPECT_TRUE(result.completed)
                << result.spec.from << " to " << result.spec.to << ": " << result.error;
            received.push_back(result.received);
        }
        return received;
    }

    /**
     * @param ports ports that have sent
     * @return frames lost there, by reason; only those that occurred
     */
    static std::map<DropReason, uint64_t> SumDrops(const std::vector<Ptr<FabricPort>>& ports)
    {
        std::map<DropReason, uint64_t> sums;
        for (const Ptr<FabricPort>& port : ports)
        {
            const DropCounters& drops = port->GetCounters().drops;
            for (std::size_t reason = 0; reason < drops.size(); ++reason)
            {
                if (drops[reason])
                {
                    sums[static_cast<DropReason>(reason)] += drops[reason];
                }
            }
        }
        return sums;
    }

    FabricHelper helper; //!< makes what a test needs
};

} // namespace llmfabric
} // namespace ns3

#endif /* FABRIC_FIXTURE_H */
