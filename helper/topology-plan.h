/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_PLAN_H
#define TOPOLOGY_PLAN_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/** A node of a cluster: a server or a switch. */
struct PlannedNode
{
    uint32_t fabricId; //!< unique, from the coordinates
    bool isSwitch;     //!< a switch, else a server
    std::string name;  //!< e.g. "leaf-2"
};

/** A cable between two ports. */
struct PlannedLink
{
    uint32_t nodeA; //!< fabric id of one end
    uint32_t portA; //!< index of the port there
    uint32_t nodeB; //!< fabric id of the other end
    uint32_t portB; //!< index of the port there
    DataRate rate;  //!< of both directions
    Time delay;     //!< propagation delay, one way
};

/**
 * @ingroup llm-fabric
 * A cluster on paper. Ids and port indices come from coordinates, so the order of the lists means
 * nothing: FabricHelper makes the same network from them in any order.
 */
struct TopologyPlan
{
    uint32_t nodeCount{0};          //!< servers; fabric ids 0 to nodeCount - 1
    uint32_t nicsPerNode{1};        //!< ports of a server; host = node * nicsPerNode + port
    std::vector<PlannedNode> nodes; //!< servers and switches
    std::vector<PlannedLink> links; //!< cables

    /** @return number of hosts (server ports) */
    uint32_t GetHostCount() const
    {
        return nodeCount * nicsPerNode;
    }
};

} // namespace llmfabric
} // namespace ns3

#endif /* TOPOLOGY_PLAN_H */
