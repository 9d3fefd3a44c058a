/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "shortest-ways.h"

#include "ns3/nstime.h"
#include "ns3/tick-rate.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

ShortestWays::ShortestWays(const Fabric& fabric, uint64_t packet)
    : m_packet(packet)
{
    std::vector<std::vector<Ptr<FabricPort>>> ports;
    for (const Ptr<RoceNic>& nic : fabric.nics)
    {
        ports.push_back({nic->GetPort()});
        m_latency.push_back(0);
    }
    for (const Ptr<FabricSwitch>& one : fabric.switches)
    {
        TimeValue latency;
        one->GetAttribute("Latency", latency);
        ports.push_back(one->GetPorts());
        m_latency.push_back(latency.Get().GetTimeStep());
    }
    for (std::size_t vertex = 0; vertex < ports.size(); ++vertex)
    {
        for (const Ptr<FabricPort>& port : ports[vertex])
        {
            m_vertexOf[PeekPointer(port)] = vertex;
        }
    }
    m_edges.resize(ports.size());
    for (std::size_t vertex = 0; vertex < ports.size(); ++vertex)
    {
        for (const Ptr<FabricPort>& port : ports[vertex])
        {
            m_edges[vertex].push_back(MakeEdge(port));
        }
    }
}

ShortestWays::Edge
ShortestWays::MakeEdge(const Ptr<FabricPort>& port) const
{
    const std::size_t to = m_vertexOf.at(PeekPointer(port->GetPeer()));
    const uint64_t rate = port->GetDataRate().GetBitRate();
    const int64_t delay = port->GetLink()->GetDelay().GetTimeStep() + m_latency[to];
    const double bits = 8 * static_cast<double>(m_packet);
    const double serialization =
        bits / static_cast<double>(rate) * static_cast<double>(TicksPerSecond());
    return {to, {rate, delay}, static_cast<double>(delay) + serialization};
}

std::vector<WayLink>
ShortestWays::Find(uint32_t from, uint32_t to)
{
    if (m_reach.empty() || m_from != from)
    {
        Spread(from);
    }
    std::vector<WayLink> links;
    for (std::size_t at = to; m_reach[to].known && at != from; at = m_reach[at].before)
    {
        links.push_back(m_reach[at].edge->link);
    }
    std::reverse(links.begin(), links.end());
    return links;
}

void
ShortestWays::Spread(uint32_t from)
{
    m_from = from;
    m_reach.assign(m_edges.size(), Reach());
    m_reach[from].known = true;
    std::vector<std::size_t> frontier{from};
    while (!frontier.empty())
    {
        std::vector<std::size_t> next;
        for (std::size_t vertex : frontier)
        {
            for (const Edge& edge : m_edges[vertex])
            {
                Extend(vertex, edge, next);
            }
        }
        // Hosts send nothing on.
        const auto isHost = [this](std::size_t vertex) { return m_edges[vertex].size() == 1; };
        next.erase(std::remove_if(next.begin(), next.end(), isHost), next.end());
        frontier = next;
    }
}

void
ShortestWays::Extend(std::size_t vertex, const Edge& edge, std::vector<std::size_t>& next)
{
    Reach& reach = m_reach[edge.to];
    const Reach& before = m_reach[vertex];
    const uint64_t links = before.links + 1;
    const double ticks = before.ticks + edge.ticks;
    if (reach.known && (reach.links < links || reach.ticks <= ticks))
    {
        return;
    }
    if (!reach.known)
    {
        next.push_back(edge.to);
    }
    reach = {true, links, ticks, vertex, &edge};
}

} // namespace llmfabric
} // namespace ns3
