/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-validator.h"

#include "poisson-load.h"

#include "ns3/roce-protocol.h"
#include "ns3/user-error.h"

#include <vector>

namespace ns3
{
namespace llmfabric
{

void
ScenarioValidator::Check(const Scenario& scenario)
{
    CheckNode(scenario);
    CheckRanks(scenario);
    CheckTopologyKeys(scenario);
    CheckTopology(scenario);
    CheckNetwork(scenario);
    CheckFlows(scenario);
    CheckLoad(scenario);
}

void
ScenarioValidator::CheckNode(const Scenario& scenario)
{
    const auto& cluster = scenario.cluster;
    if (cluster.gpusPerNode % cluster.nicsPerNode != 0)
    {
        throw UserError(std::to_string(cluster.nicsPerNode) +
                            " NICs per node can't be shared evenly by " +
                            std::to_string(cluster.gpusPerNode) + " GPUs per node",
                        scenario.Where("cluster.nics_per_node"),
                        "allowed: a divisor of gpus_per_node");
    }
}

void
ScenarioValidator::CheckRanks(const Scenario& scenario)
{
    const auto& cluster = scenario.cluster;
    const auto& parallel = scenario.parallel;
    const uint64_t gpus = uint64_t{cluster.nodes} * cluster.gpusPerNode;
    uint64_t ranks = 1;
    bool isTooLarge = false;
    for (const uint32_t degree :
         {parallel.data, parallel.tensor, parallel.pipeline, parallel.context})
    {
        isTooLarge = isTooLarge || __builtin_mul_overflow(ranks, uint64_t{degree}, &ranks);
    }
    if (isTooLarge || ranks > gpus)
    {
        const bool hasData = scenario.positions.count("parallel.data") > 0;
        throw UserError(
            (isTooLarge ? "2^64 or more" : std::to_string(ranks)) + " ranks do not fit the " +
                std::to_string(gpus) +
                " GPUs of the cluster (data x tensor x pipeline x context = " +
                std::to_string(parallel.data) + " x " + std::to_string(parallel.tensor) + " x " +
                std::to_string(parallel.pipeline) + " x " + std::to_string(parallel.context) +
                ", nodes x gpus_per_node = " + std::to_string(cluster.nodes) + " x " +
                std::to_string(cluster.gpusPerNode) + ")",
            scenario.Where(hasData ? "parallel.data" : "parallel"),
            "allowed: 1 to " + std::to_string(gpus) + " ranks");
    }
    // How many ranks a schedule has is not known before its file is read.
    CheckStragglers(scenario, scenario.HasTraining() ? ranks : gpus);
}

void
ScenarioValidator::CheckStragglers(const Scenario& scenario, uint64_t ranks)
{
    const auto& factors = scenario.stragglers.factors;
    if (!factors.empty() && factors.rbegin()->first >= ranks)
    {
        throw UserError("there is no rank " + std::to_string(factors.rbegin()->first),
                        scenario.Where("stragglers.factors"),
                        "allowed: ranks 0 to " + std::to_string(ranks - 1));
    }
}

void
ScenarioValidator::CheckTopologyKeys(const Scenario& scenario)
{
    struct Key
    {
        std::string name;     //!< the key
        bool given;           //!< whether the scenario has it
        std::string topology; //!< the topology it belongs to
    };

    const auto& cluster = scenario.cluster;
    const std::vector<Key> keys{{"leaves", cluster.leaves.has_value(), "leaf-spine"},
                                {"spines", cluster.spines.has_value(), "leaf-spine"},
                                {"hosts_per_leaf", cluster.hostsPerLeaf.has_value(), "leaf-spine"},
                                {"k", cluster.k.has_value(), "fat-tree"}};
    for (const auto& key : keys)
    {
        const bool belongs = key.topology == cluster.topology;
        if (key.given && !belongs)
        {
            throw UserError("key '" + key.name + "' does not belong to topology '" +
                                cluster.topology + "'",
                            scenario.Where("cluster." + key.name),
                            "remove it, or set the topology to " + key.topology);
        }
        if (!key.given && belongs)
        {
            throw UserError("topology '" + cluster.topology + "' needs the key '" + key.name + "'",
                            scenario.Where("cluster.topology"),
                            "add cluster." + key.name);
        }
    }
}

void
ScenarioValidator::CheckTopology(const Scenario& scenario)
{
    const auto& cluster = scenario.cluster;
    if (cluster.leaves)
    {
        CheckHosts(scenario,
                   uint64_t{*cluster.leaves} * *cluster.hostsPerLeaf,
                   "leaves x hosts_per_leaf = " + std::to_string(*cluster.leaves) + " x " +
                       std::to_string(*cluster.hostsPerLeaf));
    }
    if (cluster.k)
    {
        static constexpr uint64_t LARGEST_K = 2580; // k^3 / 4 is the last to fit 32 bits
        const uint64_t k = *cluster.k;
        if (k % 2 != 0 || k > LARGEST_K)
        {
            throw UserError("k " + std::to_string(k) + " makes no fat-tree",
                            scenario.Where("cluster.k"),
                            "allowed: an even number from 2 to " + std::to_string(LARGEST_K));
        }
        CheckHosts(scenario, k * k * k / 4, "k^3 / 4 with k = " + std::to_string(k));
    }
}

void
ScenarioValidator::CheckHosts(const Scenario& scenario, uint64_t places, const std::string& formula)
{
    const auto& cluster = scenario.cluster;
    const uint64_t hosts = scenario.GetHostCount();
    if (hosts != places)
    {
        throw UserError(std::to_string(hosts) +
                            " hosts (nodes x nics_per_node = " + std::to_string(cluster.nodes) +
                            " x " + std::to_string(cluster.nicsPerNode) + ") do not fill the " +
                            std::to_string(places) + " places of the " + cluster.topology + " (" +
                            formula + ")",
                        scenario.Where("cluster.nodes"),
                        "make the two equal");
    }
}

void
ScenarioValidator::CheckNetwork(const Scenario& scenario)
{
    if (!scenario.cluster.delay.IsStrictlyPositive())
    {
        throw UserError("the delay of a network link is 0",
                        scenario.Where("cluster.delay"),
                        "allowed: a time above 0");
    }
    if (scenario.nic.mtu > MAX_ROCE_MTU)
    {
        throw UserError("an MTU of " + std::to_string(scenario.nic.mtu) + " bytes is too large",
                        scenario.Where("nic.mtu"),
                        "allowed: 1 to " + std::to_string(MAX_ROCE_MTU));
    }
    const auto& ecn = scenario.sw.ecn;
    if (ecn.kmin > ecn.kmax)
    {
        throw UserError("kmin " + std::to_string(ecn.kmin) + " is over kmax " +
                            std::to_string(ecn.kmax) + " of " + scenario.Where("switch.ecn.kmax"),
                        scenario.Where("switch.ecn.kmin"),
                        "allowed: 0 to kmax");
    }
}

void
ScenarioValidator::CheckFlows(const Scenario& scenario)
{
    const uint64_t hosts = scenario.GetHostCount();
    const std::string allowed =
        "allowed: hosts 0 to " + std::to_string(hosts - 1) + " (host = node x nics_per_node + nic)";
    for (std::size_t i = 0; i < scenario.flows.size(); ++i)
    {
        const auto& flow = scenario.flows[i];
        const std::string path = "flows[" + std::to_string(i) + "]";
        if (flow.from >= hosts)
        {
            throw UserError("there is no host " + std::to_string(flow.from),
                            scenario.Where(path + ".from"),
                            allowed);
        }
        if (flow.to >= hosts)
        {
            throw UserError("there is no host " + std::to_string(flow.to),
                            scenario.Where(path + ".to"),
                            allowed);
        }
        if (flow.from == flow.to)
        {
            throw UserError("the flow runs from host " + std::to_string(flow.from) + " to itself",
                            scenario.Where(path + ".to"),
                            "name two hosts");
        }
    }
}

void
ScenarioValidator::CheckLoad(const Scenario& scenario)
{
    if (!scenario.load)
    {
        return;
    }
    try
    {
        PoissonLoad::Check(*scenario.load, scenario.GetHostCount());
    }
    catch (const UserError& error)
    {
        throw error.At(scenario.Where(error.GetWhere()));
    }
}

} // namespace llmfabric
} // namespace ns3
