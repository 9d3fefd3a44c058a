/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-routing.h"

#include "ns3/node.h"

#include <deque>

namespace ns3
{
namespace llmfabric
{

FabricRouting::FabricRouting(const NodeContainer& nodes)
{
    std::map<uint32_t, std::size_t> indexOf;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        if (Ptr<FabricSwitch> found = (*node)->GetObject<FabricSwitch>())
        {
            found->Prepare();
            indexOf[(*node)->GetId()] = m_switches.size();
            m_switches.push_back(found);
        }
    }
    m_edges.resize(m_switches.size());
    m_hosts.resize(m_switches.size());
    for (std::size_t i = 0; i < m_switches.size(); ++i)
    {
        for (const Ptr<FabricPort>& port : m_switches[i]->GetPorts())
        {
            Ptr<FabricPort> peer = port->GetPeer();
            auto neighbor = indexOf.find(peer->GetNode()->GetId());
            if (neighbor != indexOf.end())
            {
                m_edges[i].push_back({neighbor->second, port});
            }
            else if (peer->GetIpv4Address() != Ipv4Address::GetAny())
            {
                m_hosts[i][peer->GetIpv4Address().Get()].push_back(port);
            }
        }
    }
}

std::vector<uint32_t>
FabricRouting::Distances(std::size_t from) const
{
    std::vector<uint32_t> distance(m_switches.size(), FAR);
    std::deque<std::size_t> open{from};
    distance[from] = 0;
    while (!open.empty())
    {
        const std::size_t at = open.front();
        open.pop_front();
        for (const Edge& edge : m_edges[at])
        {
            if (distance[edge.to] == FAR)
            {
                distance[edge.to] = distance[at] + 1;
                open.push_back(edge.to);
            }
        }
    }
    return distance;
}

void
FabricRouting::Populate()
{
    std::vector<std::vector<uint32_t>> distances(m_switches.size());
    for (std::size_t target = 0; target < m_switches.size(); ++target)
    {
        if (!m_hosts[target].empty())
        {
            distances[target] = Distances(target);
        }
    }
    // One switch at a time: all routes of a large network at once would take gigabytes.
    for (std::size_t i = 0; i < m_switches.size(); ++i)
    {
        Routes routes = m_hosts[i];
        for (std::size_t target = 0; target < m_switches.size(); ++target)
        {
            AddRoutes(routes, i, target, distances[target]);
        }
        m_switches[i]->SetRoutes(routes);
    }
}

void
FabricRouting::AddRoutes(Routes& routes,
                         std::size_t from,
                         std::size_t target,
                         const std::vector<uint32_t>& distance) const
{
    if (from == target || distance.empty() || distance[from] == FAR)
    {
        return;
    }
    std::vector<Ptr<FabricPort>> ports;
    for (const Edge& edge : m_edges[from])
    {
        if (distance[edge.to] + 1 == distance[from])
        {
            ports.push_back(edge.port);
        }
    }
    for (const auto& host : m_hosts[target])
    {
        routes[host.first] = ports;
    }
}

} // namespace llmfabric
} // namespace ns3
