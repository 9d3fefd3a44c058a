/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_HELPER_H
#define FABRIC_HELPER_H

#include "topology-plan.h"

#include "ns3/attribute.h"
#include "ns3/fabric-port.h"
#include "ns3/fabric-switch.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/roce-nic.h"
#include "ns3/trace-helper.h"

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/** A network that was made. */
struct Fabric
{
    TopologyPlan plan;                       //!< what it was made from
    NodeContainer nodes;                     //!< servers, by fabric id
    NodeContainer switchNodes;               //!< switches, by fabric id
    std::vector<Ptr<RoceNic>> nics;          //!< by host = node * nicsPerNode + port
    std::vector<Ptr<FabricSwitch>> switches; //!< as switchNodes

    /** @return all ports of servers and switches, by fabric id and index */
    std::vector<Ptr<FabricPort>> GetPorts() const;

    /** @return all links, in the order of the ports at their ends 0 */
    std::vector<Ptr<FabricLink>> GetLinks() const;
};

/**
 * @ingroup llm-fabric
 * Makes hosts, NICs, switches and links.
 *
 * Whether the headroom fits the buffers is checked when the simulation starts, since attributes may
 * still be set by Config path; FabricSwitch::DivideBuffer() checks it earlier.
 *
 * @code
 *   FabricHelper helper;
 *   helper.SetNicAttribute("Mtu", UintegerValue(4096));
 *   TopologySpec spec;
 *   spec.nodes = 4;
 *   Fabric fabric = helper.Create(TopologyBuilder::Create("single-switch")->Build(spec));
 *   auto [at0, at1] = RoceNic::Connect(fabric.nics[0], fabric.nics[1], 0);
 *   at0->PostWrite(1000000);
 * @endcode
 */
class FabricHelper : public PcapHelperForDevice
{
  public:
    FabricHelper();

    /**
     * @param name attribute of RoceNic
     * @param value its value for NICs that are made from now on
     */
    void SetNicAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param name attribute of FabricSwitch
     * @param value its value for switches that are made from now on
     */
    void SetSwitchAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Make a whole network with routes and addresses (10.0.0.1 + host).
     *
     * @param plan the plan; the order of its lists does not matter
     * @return the network
     */
    Fabric Create(const TopologyPlan& plan) const;

    /**
     * @param node a node that becomes a switch
     * @return the switch
     */
    Ptr<FabricSwitch> InstallSwitch(Ptr<Node> node) const;

    /**
     * Add a port to a node.
     *
     * @param node the node
     * @param rate line rate
     * @return the port
     */
    Ptr<FabricPort> AddPort(Ptr<Node> node, DataRate rate) const;

    /**
     * @param port a host port
     * @return its new NIC
     */
    Ptr<RoceNic> InstallNic(Ptr<FabricPort> port) const;

    /**
     * Fill the route tables of the switches with all shortest paths to all host ports that have an
     * Address.
     *
     * @param nodes all nodes
     */
    static void PopulateRoutes(const NodeContainer& nodes);

    /**
     * Tell the switches of the largest packets that the NICs send; called by
     * Create(), and to be called again when MTUs have been set by Config path.
     *
     * @param fabric the network
     */
    static void MatchMtu(const Fabric& fabric);

    /**
     * Tell the NICs of the round-trip time of the network without queues, see
     * IdealCompletion::GetBaseRtt; called by Create(), and to be called again when rates or delays
     * have been set by Config path, before NICs are connected.
     *
     * @param fabric the network
     */
    static void MatchBaseRtt(const Fabric& fabric);

    using PcapHelperForDevice::EnablePcap;

    /**
     * Write what a NIC sends and receives to a file. All captures of a FabricHelper are of Ethernet
     * frames without check sequence, with times in nanoseconds (link-layer type 1, magic number
     * a1b23c4d): a frame is written when its first bit is sent, or when its last bit has been
     * received; one that an error model loses is not received.
     *
     * @tparam Nic RoceNic or a subclass
     * @param prefix begin of the name of the file, which goes on with -node-device.pcap; or the
     *        whole name
     * @param nic the NIC
     * @param explicitFilename true if prefix is the whole name
     */
    template <typename Nic, typename = std::enable_if_t<std::is_base_of_v<RoceNic, Nic>>>
    void EnablePcap(const std::string& prefix, const Ptr<Nic>& nic, bool explicitFilename = false)
    {
        EnablePcapInternal(prefix, nic->GetPort(), false, explicitFilename);
    }

    /**
     * @param host number of a host
     * @return its IPv4 address, 10.0.0.1 + host
     */
    static Ipv4Address AddressOf(uint32_t host);

  private:
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> device,
                            bool promiscuous,
                            bool explicitFilename) override;

    ObjectFactory m_nicFactory;    //!< makes NICs
    ObjectFactory m_switchFactory; //!< makes switches
};

} // namespace llmfabric
} // namespace ns3

#endif /* FABRIC_HELPER_H */
