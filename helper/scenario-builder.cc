/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-builder.h"

#include "scenario-collective-reader.h"
#include "scenario-load-reader.h"
#include "scenario-model-reader.h"
#include "scenario-node.h"
#include "scenario-plan-reader.h"
#include "scenario-section.h"

#include "ns3/fabric-frame.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// The sections that describe a training job.
const std::vector<std::string> TRAINING_SECTIONS{"corpus",
                                                 "model",
                                                 "precision",
                                                 "batch",
                                                 "parallel",
                                                 "compute"};

/// The other sections of a scenario.
const std::vector<std::string> OTHER_SECTIONS{"collective",
                                              "cluster",
                                              "nic",
                                              "switch",
                                              "run",
                                              "trace",
                                              "attributes",
                                              "stragglers",
                                              "schedule",
                                              "flows",
                                              "load"};

/**
 * @param sections names of sections
 * @param more more names
 * @return all names
 */
std::vector<std::string>
Join(std::vector<std::string> sections, const std::vector<std::string>& more)
{
    sections.insert(sections.end(), more.begin(), more.end());
    return sections;
}

/**
 * @param text a text
 * @return whether it may name a random variable: a class, with or without attributes in brackets
 */
bool
IsRandomVariable(const std::string& text)
{
    const auto bracket = text.find('[');
    const std::string name = text.substr(0, bracket);
    const bool isWord = std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isalnum(c) || c == '_' || c == ':';
    });
    return isWord && !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
           (bracket == std::string::npos || text.back() == ']');
}

constexpr uint64_t LARGEST_STEPS = 1000000000; //!< fits the trace's 32 bits

} // namespace

Scenario
ScenarioBuilder::Build(const ScenarioNode& root)
{
    return ScenarioBuilder(root).m_scenario;
}

ScenarioBuilder::ScenarioBuilder(const ScenarioNode& root)
{
    root.CollectPositions("", m_scenario.positions);
    m_scenario.text = root.ToYaml();
    const ScenarioSection all(&root, "", Join(TRAINING_SECTIONS, OTHER_SECTIONS), m_scenario);
    ReadKind(all);
    ScenarioCollectiveReader(all, m_scenario).Read();
    ReadCluster(all);
    ReadDevices(all);
    ReadRun(all);
    ReadStragglers(all);
    ReadAttributes(all);
}

void
ScenarioBuilder::ReadKind(const ScenarioSection& root)
{
    if (root.Has("flows") || root.Has("load"))
    {
        CheckAlone(root,
                   root.Has("flows") ? "flows" : "load",
                   Join(TRAINING_SECTIONS, {"schedule", "collective", "stragglers"}));
        ReadFlows(root);
        ScenarioLoadReader(root, m_scenario).Read();
    }
    else if (root.Has("schedule"))
    {
        CheckAlone(root, "schedule", TRAINING_SECTIONS);
        const auto schedule = root.GetSection("schedule", {"file"});
        schedule.Require("file");
        schedule.ReadText("file", m_scenario.schedule.file);
    }
    else
    {
        ScenarioModelReader(root, m_scenario).Read();
        ScenarioPlanReader(root, m_scenario).Read();
    }
}

void
ScenarioBuilder::CheckAlone(const ScenarioSection& root,
                            const std::string& kind,
                            const std::vector<std::string>& others) const
{
    for (const auto& section : others)
    {
        if (root.Has(section))
        {
            throw UserError("'" + section + "' can't stand beside '" + kind + "' at " +
                                m_scenario.Where(kind),
                            m_scenario.Where(section),
                            "describe either a training job, a schedule or plain flows");
        }
    }
}

void
ScenarioBuilder::ReadCluster(const ScenarioSection& root)
{
    const auto section = root.GetSection("cluster",
                                         {"nodes",
                                          "gpus_per_node",
                                          "nics_per_node",
                                          "nvlink",
                                          "topology",
                                          "rate",
                                          "delay",
                                          "leaves",
                                          "spines",
                                          "hosts_per_leaf",
                                          "k",
                                          "gpu_memory"});
    auto& cluster = m_scenario.cluster;
    section.Require("nodes");
    section.ReadCount("nodes", cluster.nodes, 1, MAX_FABRIC_NODES - 1);
    section.ReadCount("nics_per_node", cluster.nicsPerNode, 1, MAX_NODE_PORTS);
    if (!m_scenario.HasFlows())
    {
        section.Require("gpus_per_node");
    }
    cluster.gpusPerNode = cluster.nicsPerNode;
    section.ReadCount("gpus_per_node", cluster.gpusPerNode, 1, MAX_NODE_PORTS);

    const auto nvlink = section.GetSection("nvlink", {"rate", "delay"});
    nvlink.ReadRate("rate", cluster.nvlink.rate);
    nvlink.ReadTime("delay", cluster.nvlink.delay);

    section.ReadChoice("topology", cluster.topology, {"single-switch", "leaf-spine", "fat-tree"});
    section.ReadRate("rate", cluster.rate);
    section.ReadTime("delay", cluster.delay);
    section.ReadCount("leaves", cluster.leaves);
    section.ReadCount("spines", cluster.spines);
    section.ReadCount("hosts_per_leaf", cluster.hostsPerLeaf);
    section.ReadCount("k", cluster.k);
    section.ReadSize("gpu_memory", cluster.gpuMemory);
}

void
ScenarioBuilder::ReadDevices(const ScenarioSection& root)
{
    const auto nic = root.GetSection(
        "nic",
        {"mtu", "congestion_control", "ack_interval", "drain_rate", "receive_buffer"});
    nic.ReadSize("mtu", m_scenario.nic.mtu);
    nic.ReadText("congestion_control", m_scenario.nic.congestionControl);
    nic.ReadCount("ack_interval", m_scenario.nic.ackInterval);
    nic.ReadRate("drain_rate", m_scenario.nic.drainRate);
    nic.ReadSize("receive_buffer", m_scenario.nic.receiveBuffer);

    const auto sw = root.GetSection("switch", {"buffer", "pfc", "ecn"});
    sw.ReadSize("buffer", m_scenario.sw.buffer, 1);
    sw.ReadBool("pfc", m_scenario.sw.pfc);
    const auto ecn = sw.GetSection("ecn", {"kmin", "kmax", "pmax"});
    ecn.ReadSize("kmin", m_scenario.sw.ecn.kmin, 0);
    ecn.ReadSize("kmax", m_scenario.sw.ecn.kmax, 0);
    ecn.ReadProbability("pmax", m_scenario.sw.ecn.pmax);
}

void
ScenarioBuilder::ReadRun(const ScenarioSection& root)
{
    // ns3::RngStream aborts on a seed of 0 or from the modulus m2 of MRG32k3a on.
    static constexpr uint32_t LARGEST_SEED = 4294944442;
    const auto run = root.GetSection("run", {"steps", "seed", "run_number", "ignore_memory"});
    run.ReadCount("steps", m_scenario.run.steps, 1, LARGEST_STEPS);
    run.ReadCount("seed", m_scenario.run.seed, 1, LARGEST_SEED);
    run.ReadCount("run_number", m_scenario.run.runNumber, 0);
    run.ReadBool("ignore_memory", m_scenario.run.ignoreMemory);

    const auto trace = root.GetSection("trace", {"file", "compression"});
    trace.ReadText("file", m_scenario.trace.file);
    trace.ReadChoice("compression", m_scenario.trace.compression, {"none", "deflate"});
}

template <typename T, typename READ>
void
ScenarioBuilder::ReadByRank(const ScenarioSection& section,
                            const std::string& name,
                            std::map<uint32_t, T>& values,
                            READ read) const
{
    const auto ranks = section.GetFreeSection(name);
    for (const auto& key : ranks.GetKeys())
    {
        if (!ranks.Has(key))
        {
            continue;
        }
        const std::string keyPath = "stragglers." + name + "." + key;
        if (!values.emplace(ReadRank(keyPath, key), read(ranks, key)).second)
        {
            throw UserError("the rank " + key + " stands twice",
                            m_scenario.Where(keyPath),
                            "remove one of the two");
        }
    }
}

void
ScenarioBuilder::ReadStragglers(const ScenarioSection& root)
{
    const auto section = root.GetSection("stragglers", {"factors", "jitter", "start", "absent"});
    auto& stragglers = m_scenario.stragglers;
    ReadByRank(section, "factors", stragglers.factors, [](const auto& ranks, const auto& key) {
        double factor = 1;
        ranks.ReadNumber(key, factor, {0, true});
        return factor;
    });
    ReadByRank(section, "start", stragglers.start, [](const auto& ranks, const auto& key) {
        Time start;
        ranks.ReadTime(key, start);
        return start;
    });
    section.ReadEach("absent", "a rank", [&stragglers](const std::string& text) {
        stragglers.absent.insert(static_cast<uint32_t>(
            ScenarioValue::ParseCount(text, 0, std::numeric_limits<uint32_t>::max())));
    });
    section.ReadText("jitter", stragglers.jitter);
    if (!stragglers.jitter.empty() && !IsRandomVariable(stragglers.jitter))
    {
        throw UserError("'" + stragglers.jitter + "' does not name a random variable",
                        m_scenario.Where("stragglers.jitter"),
                        "write e.g. ns3::NormalRandomVariable[Mean=1.0|Variance=0.0001|Bound=0.1]");
    }
}

uint32_t
ScenarioBuilder::ReadRank(const std::string& keyPath, const std::string& key) const
{
    try
    {
        static constexpr uint64_t LARGEST_RANK = std::numeric_limits<uint32_t>::max();
        return static_cast<uint32_t>(ScenarioValue::ParseCount(key, 0, LARGEST_RANK));
    }
    catch (const UserError&)
    {
        throw UserError("'" + key + "' is not a rank",
                        m_scenario.Where(keyPath),
                        "write rank: factor, e.g. 3: 1.2");
    }
}

void
ScenarioBuilder::ReadFlows(const ScenarioSection& root)
{
    const auto items = root.GetItems("flows");
    for (std::size_t i = 0; i < items.size(); ++i)
    {
        const ScenarioSection section(&items[i],
                                      "flows[" + std::to_string(i) + "]",
                                      {"from", "to", "bytes", "start"},
                                      m_scenario);
        Scenario::Flow flow;
        section.Require("from");
        section.Require("to");
        section.Require("bytes");
        section.ReadCount("from", flow.from, 0);
        section.ReadCount("to", flow.to, 0);
        section.ReadSize("bytes", flow.bytes, 1);
        section.ReadTime("start", flow.start);
        m_scenario.flows.push_back(flow);
    }
}

void
ScenarioBuilder::ReadAttributes(const ScenarioSection& root)
{
    const auto section = root.GetFreeSection("attributes");
    for (const auto& key : section.GetKeys())
    {
        Scenario::Attribute attribute{key, "", m_scenario.Where("attributes." + key)};
        if (key.rfind("/", 0) != 0 && key.rfind("ns3::", 0) != 0)
        {
            throw UserError("'" + key + "' is not a full path of an ns-3 attribute",
                            attribute.where,
                            "write /NodeList/... or ns3::Class::Attribute");
        }
        section.ReadText(key, attribute.value);
        if (section.Has(key))
        {
            m_scenario.attributes.push_back(attribute);
        }
    }
}

} // namespace llmfabric
} // namespace ns3
