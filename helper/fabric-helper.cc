/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-helper.h"

#include "fabric-routing.h"
#include "ideal-completion.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/fabric-link.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/uinteger.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <map>

namespace ns3
{
namespace llmfabric
{

std::vector<Ptr<FabricPort>>
Fabric::GetPorts() const
{
    std::vector<Ptr<FabricPort>> ports;
    for (const Ptr<RoceNic>& nic : nics)
    {
        ports.push_back(nic->GetPort());
    }
    for (const Ptr<FabricSwitch>& one : switches)
    {
        const auto& more = one->GetPorts();
        ports.insert(ports.end(), more.begin(), more.end());
    }
    return ports;
}

std::vector<Ptr<FabricLink>>
Fabric::GetLinks() const
{
    std::vector<Ptr<FabricLink>> links;
    for (const Ptr<FabricPort>& port : GetPorts())
    {
        Ptr<FabricLink> link = port->GetLink();
        if (link->GetPort(0) == port)
        {
            links.push_back(link);
        }
    }
    return links;
}

FabricHelper::FabricHelper()
{
    m_nicFactory.SetTypeId(RoceNic::GetTypeId());
    m_switchFactory.SetTypeId(FabricSwitch::GetTypeId());
}

void
FabricHelper::SetNicAttribute(const std::string& name, const AttributeValue& value)
{
    m_nicFactory.Set(name, value);
}

void
FabricHelper::SetSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_switchFactory.Set(name, value);
}

Ptr<FabricSwitch>
FabricHelper::InstallSwitch(Ptr<Node> node) const
{
    Ptr<FabricSwitch> made = m_switchFactory.Create<FabricSwitch>();
    node->AggregateObject(made);
    return made;
}

Ptr<FabricPort>
FabricHelper::AddPort(Ptr<Node> node, DataRate rate) const
{
    Ptr<FabricPort> port = CreateObject<FabricPort>();
    port->SetAttribute("DataRate", DataRateValue(rate));
    node->AddDevice(port);
    return port;
}

Ptr<RoceNic>
FabricHelper::InstallNic(Ptr<FabricPort> port) const
{
    Ptr<RoceNic> nic = m_nicFactory.Create<RoceNic>();
    port->AggregateObject(nic);
    return nic;
}

Ipv4Address
FabricHelper::AddressOf(uint32_t host)
{
    constexpr uint32_t base = 10U << 24;
    NS_ABORT_MSG_IF(host >= (1U << 24) - 2, "10.0.0.0/8 holds at most 16777214 hosts");
    return Ipv4Address(base + 1 + host);
}

Fabric
FabricHelper::Create(const TopologyPlan& plan) const
{
    Fabric fabric;
    fabric.plan = plan;
    fabric.nics.resize(plan.GetHostCount());
    std::map<uint32_t, Ptr<Node>> nodes;
    std::map<uint32_t, Ptr<FabricSwitch>> switches;
    for (const PlannedNode& planned : plan.nodes)
    {
        nodes[planned.fabricId] = CreateObject<Node>();
        if (planned.isSwitch)
        {
            switches[planned.fabricId] = InstallSwitch(nodes[planned.fabricId]);
        }
    }
    auto makePort = [&](uint32_t id, uint32_t index, DataRate rate) {
        Ptr<FabricPort> port = AddPort(nodes.at(id), rate);
        port->SetAttribute("FabricId", UintegerValue(id));
        port->SetAttribute("Index", UintegerValue(index));
        if (switches.count(id) == 0)
        {
            const uint32_t host = id * plan.nicsPerNode + index;
            port->SetAttribute("Address", Ipv4AddressValue(AddressOf(host)));
            fabric.nics.at(host) = InstallNic(port);
        }
        return port;
    };
    for (const PlannedLink& link : plan.links)
    {
        Ptr<FabricPort> a = makePort(link.nodeA, link.portA, link.rate);
        Ptr<FabricPort> b = makePort(link.nodeB, link.portB, link.rate);
        FabricLink::Connect(a, b, link.delay);
    }
    NodeContainer all;
    for (const auto& [id, node] : nodes)
    {
        all.Add(node);
        (switches.count(id) ? fabric.switchNodes : fabric.nodes).Add(node);
    }
    for (const auto& entry : switches)
    {
        fabric.switches.push_back(entry.second);
    }
    PopulateRoutes(all);
    MatchMtu(fabric);
    MatchBaseRtt(fabric);
    return fabric;
}

void
FabricHelper::MatchMtu(const Fabric& fabric)
{
    uint64_t most = 0;
    UintegerValue mtu;
    for (const Ptr<RoceNic>& nic : fabric.nics)
    {
        nic->GetAttribute("Mtu", mtu);
        most = std::max(most, mtu.Get());
    }
    for (const Ptr<FabricSwitch>& one : fabric.switches)
    {
        one->SetNicMtu(static_cast<uint32_t>(most));
    }
}

void
FabricHelper::MatchBaseRtt(const Fabric& fabric)
{
    const int64_t rtt = IdealCompletion(fabric).GetBaseRtt();
    for (const Ptr<RoceNic>& nic : fabric.nics)
    {
        nic->SetNetworkRtt(rtt);
    }
}

void
FabricHelper::PopulateRoutes(const NodeContainer& nodes)
{
    FabricRouting(nodes).Populate();
}

void
FabricHelper::EnablePcapInternal(std::string prefix,
                                 Ptr<NetDevice> device,
                                 bool promiscuous,
                                 bool explicitFilename)
{
    Ptr<FabricPort> port = DynamicCast<FabricPort>(device);
    if (!port)
    {
        return; // a device of another kind, as with EnablePcapAll in a mixed network
    }
    PcapHelper pcap;
    const std::string filename =
        explicitFilename ? prefix : pcap.GetFilenameFromDevice(prefix, device);
    // PcapHelper::CreateFile() writes microseconds, in which many frames of a fast link are sent.
    Ptr<PcapFileWrapper> file =
        CreateObjectWithAttributes<PcapFileWrapper>("NanosecMode", BooleanValue(true));
    file->Open(filename, std::ios::out | std::ios::binary);
    if (file->Fail())
    {
        throw UserError("a capture can't be written",
                        filename,
                        "give a path in a folder that exists and may be written to");
    }
    file->Init(PcapHelper::DLT_EN10MB);
    pcap.HookDefaultSink<FabricPort>(port, promiscuous ? "PromiscSniffer" : "Sniffer", file);
}

} // namespace llmfabric
} // namespace ns3
