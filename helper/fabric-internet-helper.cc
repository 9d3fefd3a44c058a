/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-internet-helper.h"

#include "fabric-helper.h"

#include "ns3/fabric-port.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-routing-helper.h"
#include "ns3/ipv4-routing-table-entry.h"
#include "ns3/ipv4-static-routing.h"
#include "ns3/ipv4.h"
#include "ns3/node.h"

#include <algorithm>
#include <vector>

namespace ns3
{
namespace llmfabric
{

namespace
{

const Ipv4Mask FABRIC_MASK("255.0.0.0");

/**
 * @param node a node
 * @return its ports that have an address, by index
 */
std::vector<Ptr<FabricPort>>
FindHostPorts(const Ptr<Node>& node)
{
    std::vector<Ptr<FabricPort>> ports;
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        Ptr<FabricPort> port = DynamicCast<FabricPort>(node->GetDevice(i));
        if (port && port->GetIpv4Address() != Ipv4Address::GetAny())
        {
            ports.push_back(port);
        }
    }
    std::sort(ports.begin(), ports.end(), [](const auto& a, const auto& b) {
        return a->GetPortIndex() < b->GetPortIndex();
    });
    return ports;
}

/**
 * @param node a node
 * @return its IPv4 stack, which is installed if there was none
 */
Ptr<Ipv4>
GetStack(const Ptr<Node>& node)
{
    if (!node->GetObject<Ipv4>())
    {
        InternetStackHelper stack;
        stack.SetIpv6StackInstall(false);
        stack.Install(node);
    }
    return node->GetObject<Ipv4>();
}

/**
 * @param ipv4 the stack of a node
 * @param port a port of that node
 * @return the new interface of the port
 */
uint32_t
AddInterface(const Ptr<Ipv4>& ipv4, const Ptr<FabricPort>& port)
{
    const uint32_t interface = ipv4->AddInterface(port);
    ipv4->AddAddress(interface, Ipv4InterfaceAddress(port->GetIpv4Address(), FABRIC_MASK));
    ipv4->SetMetric(interface, 1);
    ipv4->SetUp(interface);
    return interface;
}

/**
 * Give the route to the subnet another metric than 0.
 *
 * @param ipv4 the stack of a node
 * @param interface an interface that is up
 * @param metric the metric
 */
void
SetRouteMetric(const Ptr<Ipv4>& ipv4, uint32_t interface, uint32_t metric)
{
    auto routing = Ipv4RoutingHelper::GetRouting<Ipv4StaticRouting>(ipv4->GetRoutingProtocol());
    if (!routing)
    {
        return; // the user's own routing decides
    }
    for (uint32_t route = routing->GetNRoutes(); route > 0; --route)
    {
        if (routing->GetRoute(route - 1).GetInterface() == interface)
        {
            routing->RemoveRoute(route - 1);
        }
    }
    const Ipv4Address network = ipv4->GetAddress(interface, 0).GetLocal().CombineMask(FABRIC_MASK);
    routing->AddNetworkRouteTo(network, FABRIC_MASK, interface, metric);
}

} // namespace

Ipv4InterfaceContainer
FabricInternetHelper::Install(const Fabric& fabric) const
{
    return Install(fabric.nodes);
}

Ipv4InterfaceContainer
FabricInternetHelper::Install(const NodeContainer& nodes) const
{
    Ipv4InterfaceContainer interfaces;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        uint32_t rank = 0;
        for (const Ptr<FabricPort>& port : FindHostPorts(*node))
        {
            Ptr<Ipv4> ipv4 = GetStack(*node);
            const int32_t known = ipv4->GetInterfaceForDevice(port);
            const uint32_t interface = known < 0 ? AddInterface(ipv4, port) : known;
            if (known < 0 && rank > 0)
            {
                SetRouteMetric(ipv4, interface, rank);
            }
            interfaces.Add(ipv4, interface);
            ++rank;
        }
    }
    return interfaces;
}

} // namespace llmfabric
} // namespace ns3
