/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_ROUTING_H
#define FABRIC_ROUTING_H

#include "ns3/fabric-port.h"
#include "ns3/fabric-switch.h"
#include "ns3/node-container.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Shortest paths from all switches to all host ports, all equally short ones, parallel links
 * included: one breadth-first search for each switch that has hosts.
 */
class FabricRouting
{
  public:
    /** @param nodes all nodes of the network */
    explicit FabricRouting(const NodeContainer& nodes);

    /** Fill the route tables of the switches. */
    void Populate();

  private:
    /** A way from a switch to a neighbor switch. */
    struct Edge
    {
        std::size_t to;       //!< index of the neighbor
        Ptr<FabricPort> port; //!< the port that leads there
    };

    /// Not reached.
    static constexpr uint32_t FAR = 0xffffffff;

    /// Ports by destination address.
    using Routes = std::map<uint32_t, std::vector<Ptr<FabricPort>>>;

    /**
     * @param routes routes of a switch, to which those to the hosts of another are added
     * @param from index of the switch
     * @param target index of the other
     * @param distance by switch: hops to the target; empty if it has no hosts
     */
    void AddRoutes(Routes& routes,
                   std::size_t from,
                   std::size_t target,
                   const std::vector<uint32_t>& distance) const;
    /**
     * @param from index of a switch
     * @return by switch: hops to it
     */
    std::vector<uint32_t> Distances(std::size_t from) const;

    std::vector<Ptr<FabricSwitch>> m_switches; //!< the switches
    std::vector<std::vector<Edge>> m_edges;    //!< by switch: ways to other switches
    std::vector<Routes> m_hosts;               //!< by switch: own hosts
};

} // namespace llmfabric
} // namespace ns3

#endif /* FABRIC_ROUTING_H */
