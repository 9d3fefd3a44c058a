/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-builder.h"

#include "ns3/fabric-frame.h"
#include "ns3/user-error.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

namespace
{
/** Refuse counts that no fabric can have, before anything of that size is made. */
void
CheckSizes(const TopologySpec& spec)
{
    const uint32_t perNode =
        std::max({spec.nicsPerNode, spec.leaves, spec.spines, spec.hostsPerLeaf, spec.k});
    if (spec.nodes >= MAX_FABRIC_NODES || perNode > MAX_NODE_PORTS)
    {
        throw UserError("the cluster is too large",
                        "cluster",
                        "a fabric has less than " + std::to_string(MAX_FABRIC_NODES) +
                            " nodes, a node at most " + std::to_string(MAX_NODE_PORTS) + " ports");
    }
}
} // namespace

TopologyPlan
TopologyBuilder::Build(const TopologySpec& spec) const
{
    CheckSizes(spec);
    TopologyPlan plan;
    plan.nodeCount = spec.nodes;
    plan.nicsPerNode = spec.nicsPerNode;
    const uint32_t ports = GetHostPorts(spec);
    if (plan.GetHostCount() == 0 || ports != plan.GetHostCount())
    {
        throw UserError("the topology has ports for " + std::to_string(ports) + " hosts, but " +
                            std::to_string(spec.nodes) + " nodes with " +
                            std::to_string(spec.nicsPerNode) + " NICs make " +
                            std::to_string(plan.GetHostCount()),
                        "cluster",
                        "make the counts agree");
    }
    for (uint32_t node = 0; node < spec.nodes; ++node)
    {
        plan.nodes.push_back({node, false, "node-" + std::to_string(node)});
    }
    AddSwitches(spec, plan);
    for (const PlannedLink& link : plan.links)
    {
        if (std::max(link.portA, link.portB) >= MAX_NODE_PORTS)
        {
            throw UserError("a switch of this topology needs more than " +
                                std::to_string(MAX_NODE_PORTS) + " ports",
                            "cluster.topology",
                            "spread the hosts over more switches");
        }
    }
    return plan;
}

std::unique_ptr<TopologyBuilder>
TopologyBuilder::Create(const std::string& name)
{
    if (name == "single-switch")
    {
        return std::make_unique<SingleSwitchBuilder>();
    }
    if (name == "leaf-spine")
    {
        return std::make_unique<LeafSpineBuilder>();
    }
    if (name == "fat-tree")
    {
        return std::make_unique<FatTreeBuilder>();
    }
    throw UserError("unknown topology '" + name + "'",
                    "cluster.topology",
                    "known: single-switch, leaf-spine, fat-tree");
}

uint32_t
TopologyBuilder::AddSwitch(TopologyPlan& plan, const std::string& name)
{
    const auto id = static_cast<uint32_t>(plan.nodes.size());
    plan.nodes.push_back({id, true, name});
    return id;
}

void
TopologyBuilder::AddHostLink(const TopologySpec& spec,
                             TopologyPlan& plan,
                             uint32_t host,
                             uint32_t switchId,
                             uint32_t port)
{
    plan.links.push_back(
        {host / spec.nicsPerNode, host % spec.nicsPerNode, switchId, port, spec.rate, spec.delay});
}

uint32_t
SingleSwitchBuilder::GetHostPorts(const TopologySpec& spec) const
{
    return spec.nodes * spec.nicsPerNode;
}

void
SingleSwitchBuilder::AddSwitches(const TopologySpec& spec, TopologyPlan& plan) const
{
    const uint32_t id = AddSwitch(plan, "switch");
    for (uint32_t host = 0; host < plan.GetHostCount(); ++host)
    {
        AddHostLink(spec, plan, host, id, host);
    }
}

uint32_t
LeafSpineBuilder::GetHostPorts(const TopologySpec& spec) const
{
    const bool joined = spec.leaves == 1 || spec.spines > 0;
    return joined ? spec.leaves * spec.hostsPerLeaf : 0;
}

void
LeafSpineBuilder::AddSwitches(const TopologySpec& spec, TopologyPlan& plan) const
{
    std::vector<uint32_t> leaves;
    for (uint32_t leaf = 0; leaf < spec.leaves; ++leaf)
    {
        leaves.push_back(AddSwitch(plan, "leaf-" + std::to_string(leaf)));
    }
    for (uint32_t host = 0; host < plan.GetHostCount(); ++host)
    {
        AddHostLink(spec, plan, host, leaves[host / spec.hostsPerLeaf], host % spec.hostsPerLeaf);
    }
    for (uint32_t spine = 0; spine < spec.spines; ++spine)
    {
        const uint32_t id = AddSwitch(plan, "spine-" + std::to_string(spine));
        for (uint32_t leaf = 0; leaf < spec.leaves; ++leaf)
        {
            plan.links.push_back(
                {leaves[leaf], spec.hostsPerLeaf + spine, id, leaf, spec.rate, spec.delay});
        }
    }
}

uint32_t
FatTreeBuilder::GetHostPorts(const TopologySpec& spec) const
{
    return spec.k % 2 == 0 ? spec.k * spec.k / 4 * spec.k : 0;
}

void
FatTreeBuilder::AddSwitches(const TopologySpec& spec, TopologyPlan& plan) const
{
    const uint32_t half = spec.k / 2;
    std::vector<uint32_t> cores;
    for (uint32_t core = 0; core < half * half; ++core)
    {
        cores.push_back(AddSwitch(plan, "core-" + std::to_string(core)));
    }
    for (uint32_t pod = 0; pod < spec.k; ++pod)
    {
        const std::string suffix = "-" + std::to_string(pod) + "-";
        std::vector<uint32_t> aggregations;
        for (uint32_t i = 0; i < half; ++i)
        {
            const uint32_t id = AddSwitch(plan, "aggregation" + suffix + std::to_string(i));
            aggregations.push_back(id);
            for (uint32_t up = 0; up < half; ++up)
            {
                plan.links.push_back(
                    {id, half + up, cores[i * half + up], pod, spec.rate, spec.delay});
            }
        }
        for (uint32_t i = 0; i < half; ++i)
        {
            const uint32_t id = AddSwitch(plan, "edge" + suffix + std::to_string(i));
            for (uint32_t down = 0; down < half; ++down)
            {
                AddHostLink(spec, plan, (pod * half + i) * half + down, id, down);
            }
            for (uint32_t up = 0; up < half; ++up)
            {
                plan.links.push_back({id, half + up, aggregations[up], i, spec.rate, spec.delay});
            }
        }
    }
}

} // namespace llmfabric
} // namespace ns3
