/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_INTERNET_HELPER_H
#define FABRIC_INTERNET_HELPER_H

#include "ns3/ipv4-interface-container.h"
#include "ns3/node-container.h"

namespace ns3
{
namespace llmfabric
{

struct Fabric;

/**
 * @ingroup llm-fabric
 * Puts ns-3's Internet stack on the servers of a fabric, beside RoCE.
 *
 * Each FabricPort with an Address gets an interface with that address, mask 255.0.0.0 and metric 1;
 * all hosts are neighbors in the one subnet 10.0.0.0/8, and switches stay without a stack.
 *
 * A server with several ports has all of them in that subnet. Packets leave by the port with the
 * lowest index (the routes of the others have a higher metric), with the source address of the
 * socket or, if it has none, of that port; Socket::BindToNetDevice() chooses another port. Packets
 * come in by the port whose address they are sent to. A packet to an own address goes out, too, and
 * the switch sends it back.
 *
 * @code
 *   FabricInternetHelper internet;
 *   Ipv4InterfaceContainer interfaces = internet.Install(fabric);
 *   Ipv4Address ofHost3 = interfaces.GetAddress(3);
 * @endcode
 */
class FabricInternetHelper
{
  public:
    /**
     * @param fabric a network made by FabricHelper
     * @return the interfaces, by host
     */
    Ipv4InterfaceContainer Install(const Fabric& fabric) const;

    /**
     * A node that has a stack keeps it, and a port that has an interface is left alone.
     *
     * @param nodes any nodes; those without a FabricPort that has an Address are skipped
     * @return the interfaces of their ports, in the order of nodes and port indices
     */
    Ipv4InterfaceContainer Install(const NodeContainer& nodes) const;
};

} // namespace llmfabric
} // namespace ns3

#endif /* FABRIC_INTERNET_HELPER_H */
