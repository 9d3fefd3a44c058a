/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_BUILDER_H
#define TOPOLOGY_BUILDER_H

#include "topology-plan.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/** What a topology is made from. */
struct TopologySpec
{
    uint32_t nodes{2};           //!< servers
    uint32_t nicsPerNode{1};     //!< NICs of a server
    DataRate rate{"100Gbps"};    //!< of each link
    Time delay{MicroSeconds(1)}; //!< of each link
    uint32_t leaves{0};          //!< leaf-spine: leaf switches
    uint32_t spines{0};          //!< leaf-spine: spine switches
    uint32_t hostsPerLeaf{0};    //!< leaf-spine: hosts on a leaf
    uint32_t k{0};               //!< fat-tree: ports of a switch, even
};

/**
 * @ingroup llm-fabric
 * Draws a topology; one subclass a topology, chosen by name.
 */
class TopologyBuilder
{
  public:
    virtual ~TopologyBuilder() = default;

    /**
     * @param spec sizes and rates
     * @return the plan
     * @throws UserError if the counts disagree
     */
    TopologyPlan Build(const TopologySpec& spec) const;

    /**
     * @param name "single-switch", "leaf-spine" or "fat-tree"
     * @return the builder
     * @throws UserError if there is none of that name
     */
    static std::unique_ptr<TopologyBuilder> Create(const std::string& name);

  protected:
    /**
     * @param spec sizes
     * @return how many hosts the switches have ports for
     */
    virtual uint32_t GetHostPorts(const TopologySpec& spec) const = 0;

    /**
     * Add switches and all links.
     *
     * @param spec sizes and rates
     * @param plan a plan that has the servers
     */
    virtual void AddSwitches(const TopologySpec& spec, TopologyPlan& plan) const = 0;

    /**
     * @param plan the plan
     * @param name name of the switch
     * @return fabric id of the new switch
     */
    static uint32_t AddSwitch(TopologyPlan& plan, const std::string& name);

    /**
     * Cable a host to a switch.
     *
     * @param spec rate and delay
     * @param plan the plan
     * @param host the host
     * @param switchId fabric id of the switch
     * @param port port of the switch
     */
    static void AddHostLink(const TopologySpec& spec,
                            TopologyPlan& plan,
                            uint32_t host,
                            uint32_t switchId,
                            uint32_t port);
};

/** All hosts on one switch; host i at port i. */
class SingleSwitchBuilder : public TopologyBuilder
{
  protected:
    uint32_t GetHostPorts(const TopologySpec& spec) const override;
    void AddSwitches(const TopologySpec& spec, TopologyPlan& plan) const override;
};

/** Leaves with hostsPerLeaf hosts, each leaf cabled once to each spine; hosts fill leaf by leaf. */
class LeafSpineBuilder : public TopologyBuilder
{
  protected:
    uint32_t GetHostPorts(const TopologySpec& spec) const override;
    void AddSwitches(const TopologySpec& spec, TopologyPlan& plan) const override;
};

/**
 * The k-ary fat-tree (Al-Fares, Loukissas, Vahdat, SIGCOMM 2008): k pods of k/2 edge and k/2
 * aggregation switches, (k/2)^2 core switches, k^3/4 hosts.
 */
class FatTreeBuilder : public TopologyBuilder
{
  protected:
    uint32_t GetHostPorts(const TopologySpec& spec) const override;
    void AddSwitches(const TopologySpec& spec, TopologyPlan& plan) const override;
};

} // namespace llmfabric
} // namespace ns3

#endif /* TOPOLOGY_BUILDER_H */
