/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-network.h"

#include "scenario-words.h"
#include "training-job-helper.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/congestion-control.h"
#include "ns3/double.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace llmfabric
{

namespace
{
bool
IsPath(const Scenario::Attribute& attribute)
{
    return attribute.path[0] == '/';
}

UserError
AttributeError(const Scenario::Attribute& attribute, const std::string& action)
{
    return UserError("the attribute can't be set to '" + attribute.value + "'",
                     attribute.where,
                     action);
}
} // namespace

ScenarioNetwork::ScenarioNetwork(const Scenario& scenario)
    : m_scenario(scenario)
{
}

void
ScenarioNetwork::ApplyDefaults() const
{
    RngSeedManager::SetSeed(m_scenario.run.seed);
    RngSeedManager::SetRun(m_scenario.run.runNumber);
    for (const Scenario::Attribute& attribute : m_scenario.attributes)
    {
        if (!IsPath(attribute) &&
            !Config::SetDefaultFailSafe(attribute.path, StringValue(attribute.value)))
        {
            throw AttributeError(attribute,
                                 "there is no such class or attribute, or it takes other values");
        }
    }
}

void
ScenarioNetwork::ApplyPaths() const
{
    for (const Scenario::Attribute& attribute : m_scenario.attributes)
    {
        if (IsPath(attribute) && !Config::SetFailSafe(attribute.path, StringValue(attribute.value)))
        {
            throw AttributeError(attribute,
                                 "no object with such an attribute is at that path, or it takes "
                                 "other values");
        }
    }
}

std::string
ScenarioNetwork::ResolveName(const std::string& name)
{
    return name.find("::") == std::string::npos ? "ns3::llmfabric::" + name : name;
}

std::string
ScenarioNetwork::GetCongestionControl() const
{
    const std::string name = ResolveName(m_scenario.nic.congestionControl);
    TypeId tid;
    if (TypeId::LookupByNameFailSafe(name, &tid) && tid.HasConstructor() &&
        tid.IsChildOf(CongestionControl::GetTypeId()))
    {
        return name;
    }
    std::vector<std::string> known;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId one = TypeId::GetRegistered(i);
        if (one.HasConstructor() && one.IsChildOf(CongestionControl::GetTypeId()))
        {
            const std::string full = one.GetName();
            const std::string prefix = "ns3::llmfabric::";
            known.push_back(full.rfind(prefix, 0) == 0 ? full.substr(prefix.size()) : full);
        }
    }
    throw UserError("unknown congestion control '" + m_scenario.nic.congestionControl + "'",
                    "nic.congestion_control",
                    "known: " + JoinWords(known));
}

TopologySpec
ScenarioNetwork::MakeTopologySpec() const
{
    const Scenario::Cluster& cluster = m_scenario.cluster;
    TopologySpec spec;
    spec.nodes = cluster.nodes;
    spec.nicsPerNode = cluster.nicsPerNode;
    spec.rate = cluster.rate;
    spec.delay = cluster.delay;
    spec.leaves = cluster.leaves.value_or(0);
    spec.spines = cluster.spines.value_or(0);
    spec.hostsPerLeaf = cluster.hostsPerLeaf.value_or(0);
    spec.k = cluster.k.value_or(0);
    return spec;
}

Fabric
ScenarioNetwork::Create() const
{
    Config::SetDefault("ns3::llmfabric::RedMarkPolicy::Kmin",
                       UintegerValue(m_scenario.sw.ecn.kmin));
    Config::SetDefault("ns3::llmfabric::RedMarkPolicy::Kmax",
                       UintegerValue(m_scenario.sw.ecn.kmax));
    Config::SetDefault("ns3::llmfabric::RedMarkPolicy::Pmax", DoubleValue(m_scenario.sw.ecn.pmax));
    FabricHelper helper;
    helper.SetNicAttribute("Mtu", UintegerValue(m_scenario.nic.mtu));
    helper.SetNicAttribute("AckInterval", UintegerValue(m_scenario.nic.ackInterval));
    helper.SetNicAttribute("CongestionControl", StringValue(GetCongestionControl()));
    helper.SetSwitchAttribute("Buffer", UintegerValue(m_scenario.sw.buffer));
    helper.SetSwitchAttribute("Pfc", BooleanValue(m_scenario.sw.pfc));
    helper.SetSwitchAttribute("RoceMtu", UintegerValue(m_scenario.nic.mtu));
    const auto builder = TopologyBuilder::Create(m_scenario.cluster.topology);
    Fabric fabric = helper.Create(builder->Build(MakeTopologySpec()));
    if (!m_scenario.HasFlows())
    {
        TrainingJobHelper gpus(m_scenario.cluster.gpusPerNode);
        gpus.SetNvlinkAttribute("Rate", DataRateValue(m_scenario.cluster.nvlink.rate));
        gpus.SetNvlinkAttribute("Delay", TimeValue(m_scenario.cluster.nvlink.delay));
        gpus.InstallGpus(fabric);
    }
    return fabric;
}

void
ScenarioNetwork::CheckBuffers(const Fabric& fabric) const
{
    for (std::size_t i = 0; i < fabric.switches.size(); ++i)
    {
        try
        {
            fabric.switches[i]->DivideBuffer();
        }
        catch (const UserError& error)
        {
            throw error.At(m_scenario.Where("switch.buffer"));
        }
    }
}

TrainingSpec
ScenarioNetwork::MakeTrainingSpec() const
{
    const Scenario& s = m_scenario;
    TrainingSpec spec;
    spec.corpus = s.corpus.words    ? Corpus::FromWords(*s.corpus.words)
                  : s.corpus.tokens ? Corpus::FromTokens(*s.corpus.tokens)
                                    : Corpus::FromBytes(*s.corpus.bytes);
    spec.model = Transformer(Transformer::GetPreset(s.model.preset));
    if (s.model.parameters)
    {
        spec.model.OverrideParameters(*s.model.parameters);
    }
    spec.precision.activation = s.precision.activation;
    spec.precision.gradient = s.precision.gradient;
    spec.precision.parameter = s.precision.parameter;
    spec.batch.globalTokens = s.batch.globalTokens.value_or(0);
    spec.batch.localSequences = s.batch.localSequences;
    spec.parallel.data = s.parallel.data;
    spec.compute = {s.compute.forward, s.compute.backward, s.compute.update};
    spec.steps = static_cast<uint32_t>(s.run.steps);
    return spec;
}

} // namespace llmfabric
} // namespace ns3
