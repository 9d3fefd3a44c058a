/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-network.h"

#include "attribute-text.h"
#include "scenario-words.h"
#include "training-job-helper.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/congestion-control.h"
#include "ns3/congestion-preset.h"
#include "ns3/double.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

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

/** An attribute by class name that a key of the scenario sets, too. */
struct CoveredAttribute
{
    const char* name; //!< below ns3::llmfabric::
    const char* key;  //!< key path
    bool always;      //!< the key counts even where it is not given
};

constexpr CoveredAttribute COVERED[] = {
    {"RoceNic::Mtu", "nic.mtu", false},
    {"RoceNic::AckInterval", "nic.ack_interval", false},
    {"RoceNic::CongestionControl", "nic.congestion_control", false},
    {"RoceNic::DrainRate", "nic.drain_rate", false},
    {"RoceNic::ReceiveBuffer", "nic.receive_buffer", false},
    {"FabricSwitch::Buffer", "switch.buffer", false},
    {"FabricSwitch::Pfc", "switch.pfc", false},
    {"RedMarkPolicy::Kmin", "switch.ecn.kmin", false},
    {"RedMarkPolicy::Kmax", "switch.ecn.kmax", false},
    {"RedMarkPolicy::Pmax", "switch.ecn.pmax", false},
    {"FabricPort::DataRate", "cluster.rate", true},
    {"FabricLink::Delay", "cluster.delay", true},
    {"NvlinkSwitch::Rate", "cluster.nvlink.rate", true},
    {"NvlinkSwitch::Delay", "cluster.nvlink.delay", true},
    {"CollectiveSettings::Channels", "collective.channels", false},
    {"CollectiveSettings::ChunkSize", "collective.chunk", false},
    {"CollectiveSettings::SliceSize", "collective.slice", false},
    {"CollectiveSettings::Slots", "collective.slots", false},
    {"CollectiveSettings::QueuePairs", "collective.queue_pairs", false},
    {"CollectiveSettings::Protocol", "collective.protocol", false},
    {"CollectiveSettings::StepLatency", "collective.step_latency", false},
    {"CollectiveSettings::ReductionRate", "collective.reduction_rate", false},
    {"CollectiveSettings::MemoryBandwidth", "collective.memory_bandwidth", false}};

/** @return true if the default of an attribute, "ns3::Class::Attribute", is not the class's own */
bool
IsChanged(const std::string& attribute)
{
    TypeId::AttributeInformation info;
    return AttributeText::LookUp(attribute, info) &&
           info.initialValue->SerializeToString(info.checker) !=
               info.originalInitialValue->SerializeToString(info.checker);
}

/** Refuse an attribute that a key would override in silence. */
void
CheckCovered(const Scenario& scenario, const Scenario::Attribute& attribute)
{
    for (const CoveredAttribute& covered : COVERED)
    {
        const bool given = covered.always || scenario.positions.count(covered.key) > 0;
        if (given && attribute.path == std::string("ns3::llmfabric::") + covered.name)
        {
            throw UserError("the key " + std::string(covered.key) + " sets this too",
                            attribute.where,
                            "set that key, or single objects by path");
        }
    }
}
} // namespace

ScenarioNetwork::ScenarioNetwork(const Scenario& scenario)
    : m_scenario(scenario)
{
}

ScenarioNetwork::~ScenarioNetwork()
{
    for (const auto& [name, value] : m_defaults)
    {
        Config::SetDefault(name, *value);
    }
}

bool
ScenarioNetwork::IsGiven(const std::string& key) const
{
    return m_scenario.positions.count(key) > 0;
}

void
ScenarioNetwork::KeepDefault(const std::string& name)
{
    TypeId::AttributeInformation attribute;
    if (AttributeText::LookUp(name, attribute))
    {
        // The first one kept is what stood before this scenario.
        m_defaults.emplace(name, attribute.initialValue->Copy());
    }
}

void
ScenarioNetwork::ApplyDefaults()
{
    if (IsGiven("run.seed"))
    {
        RngSeedManager::SetSeed(m_scenario.run.seed);
    }
    if (IsGiven("run.run_number"))
    {
        RngSeedManager::SetRun(m_scenario.run.runNumber);
    }
    SetPresetDefaults(); // what the scenario sets itself goes before
    for (const Scenario::Attribute& attribute : m_scenario.attributes)
    {
        if (!IsPath(attribute))
        {
            CheckCovered(m_scenario, attribute);
            KeepDefault(attribute.path);
            SetAttribute(attribute, &AttributeText::SetDefault);
        }
    }
    SetMarkDefault("Kmin", "switch.ecn.kmin", UintegerValue(m_scenario.sw.ecn.kmin));
    SetMarkDefault("Kmax", "switch.ecn.kmax", UintegerValue(m_scenario.sw.ecn.kmax));
    SetMarkDefault("Pmax", "switch.ecn.pmax", DoubleValue(m_scenario.sw.ecn.pmax));
}

void
ScenarioNetwork::SetMarkDefault(const std::string& attribute,
                                const std::string& key,
                                const AttributeValue& value)
{
    if (IsGiven(key))
    {
        const std::string name = "ns3::llmfabric::RedMarkPolicy::" + attribute;
        KeepDefault(name);
        Config::SetDefault(name, value);
    }
}

Scenario::Ecn
ScenarioNetwork::GetMarking(const Scenario& scenario)
{
    Scenario::Ecn marking = scenario.sw.ecn;
    const auto read = [&scenario](const std::string& key, const std::string& name, auto& value) {
        TypeId::AttributeInformation attribute;
        if (scenario.positions.count("switch.ecn." + key) == 0 &&
            AttributeText::LookUp("ns3::llmfabric::RedMarkPolicy::" + name, attribute))
        {
            std::istringstream(attribute.initialValue->SerializeToString(attribute.checker)) >>
                value;
        }
    };
    read("kmin", "Kmin", marking.kmin);
    read("kmax", "Kmax", marking.kmax);
    read("pmax", "Pmax", marking.pmax);
    return marking;
}

void
ScenarioNetwork::SetAttribute(const Scenario::Attribute& attribute,
                              void (*set)(const std::string&, const std::string&))
{
    try
    {
        set(attribute.path, attribute.value);
    }
    catch (const UserError& error)
    {
        throw error.At(attribute.where);
    }
}

void
ScenarioNetwork::ApplyPaths() const
{
    for (const Scenario::Attribute& attribute : m_scenario.attributes)
    {
        if (IsPath(attribute))
        {
            SetAttribute(attribute, &AttributeText::SetByPath);
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
    if (const CongestionPreset* preset = FindCongestionPreset(m_scenario.nic.congestionControl))
    {
        return preset->control;
    }
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
    std::sort(known.begin(), known.end());
    for (const CongestionPreset& preset : GetCongestionPresets())
    {
        known.push_back(preset.name);
    }
    throw UserError("unknown congestion control '" + m_scenario.nic.congestionControl + "'",
                    "nic.congestion_control",
                    "known: " + JoinWords(known));
}

void
ScenarioNetwork::SetPresetDefaults()
{
    const CongestionPreset* preset = FindCongestionPreset(m_scenario.nic.congestionControl);
    if (!preset)
    {
        return;
    }
    const auto rate = static_cast<double>(m_scenario.cluster.rate.GetBitRate());
    for (const CongestionPresetValue& value : preset->values)
    {
        if (!IsChanged(value.attribute))
        {
            KeepDefault(value.attribute);
            AttributeText::SetDefault(value.attribute, value.GetValue(rate));
        }
    }
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
    FabricHelper helper;
    if (IsGiven("nic.mtu"))
    {
        helper.SetNicAttribute("Mtu", UintegerValue(m_scenario.nic.mtu));
    }
    if (m_scenario.nic.ackInterval)
    {
        helper.SetNicAttribute("AckInterval", UintegerValue(*m_scenario.nic.ackInterval));
    }
    if (IsGiven("nic.congestion_control"))
    {
        helper.SetNicAttribute("CongestionControl", StringValue(GetCongestionControl()));
    }
    if (m_scenario.nic.drainRate)
    {
        helper.SetNicAttribute("DrainRate", DataRateValue(*m_scenario.nic.drainRate));
    }
    if (m_scenario.nic.receiveBuffer)
    {
        helper.SetNicAttribute("ReceiveBuffer", UintegerValue(*m_scenario.nic.receiveBuffer));
    }
    if (IsGiven("switch.buffer"))
    {
        helper.SetSwitchAttribute("Buffer", UintegerValue(m_scenario.sw.buffer));
    }
    if (IsGiven("switch.pfc"))
    {
        helper.SetSwitchAttribute("Pfc", BooleanValue(m_scenario.sw.pfc));
    }
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
    FabricHelper::MatchMtu(fabric);
    FabricHelper::MatchBaseRtt(fabric);
    for (const Ptr<FabricSwitch>& one : fabric.switches)
    {
        try
        {
            one->DivideBuffer();
        }
        catch (const UserError& error)
        {
            throw error.At(m_scenario.Where("switch.buffer"));
        }
    }
    for (const Ptr<RoceNic>& nic : fabric.nics)
    {
        try
        {
            nic->CheckReceiveBuffer();
        }
        catch (const UserError& error)
        {
            throw error.At(m_scenario.Where("nic.receive_buffer"));
        }
    }
}

void
ScenarioNetwork::CheckDuration(const PlannedLoad& load, uint64_t steps) const
{
    // At the slower of network and NVLink, as if nothing overlapped: far above what can happen.
    const Scenario::Cluster& cluster = m_scenario.cluster;
    const double rate =
        static_cast<double>(std::min(cluster.rate.GetBitRate(), cluster.nvlink.rate.GetBitRate()));
    const double delay = std::max(cluster.delay, cluster.nvlink.delay).GetSeconds();
    const double step = load.compute + load.messages * 10 * delay + 16.0 * load.bytes / rate;
    const double whole = step * static_cast<double>(steps);
    const double most = Simulator::GetMaximumSimulationTime().GetSeconds() / 2;
    if (whole > most)
    {
        throw UserError("the run may take " + std::to_string(whole) +
                            " s of simulated time, more than the " + std::to_string(most) +
                            " s that a clock of this resolution holds",
                        m_scenario.Where("run.steps"),
                        "lower the steps or the compute times, or raise the rates");
    }
}

} // namespace llmfabric
} // namespace ns3
