/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-builder.h"

#include "scenario-node.h"
#include "scenario-section.h"

#include "ns3/fabric-frame.h"
#include "ns3/user-error.h"

namespace ns3
{
namespace llmfabric
{

namespace
{

/// The sections that describe a training job.
const std::vector<std::string>
    TRAINING_SECTIONS{"corpus", "model", "precision", "batch", "parallel", "compute", "collective"};

/// @return all sections a scenario may hold
std::vector<std::string>
GetSections()
{
    std::vector<std::string> sections = TRAINING_SECTIONS;
    for (const auto* section : {"cluster", "nic", "switch", "run", "trace", "attributes", "flows"})
    {
        sections.emplace_back(section);
    }
    return sections;
}

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
    const ScenarioSection all(&root, "", GetSections(), m_scenario);
    if (all.Has("flows"))
    {
        CheckExclusive(all);
    }
    else
    {
        ReadModel(all);
        ReadPlan(all);
    }
    ReadFlows(all);
    ReadCluster(all);
    ReadDevices(all);
    ReadRun(all);
    ReadAttributes(root.Find("attributes"));
}

namespace
{
constexpr uint64_t LARGEST_STEPS = 1000000000; //!< fits the trace's 32 bits
} // namespace

void
ScenarioBuilder::CheckExclusive(const ScenarioSection& root) const
{
    for (const auto& section : TRAINING_SECTIONS)
    {
        if (root.Has(section))
        {
            throw UserError("'" + section + "' can't stand beside 'flows' at " +
                                m_scenario.Where("flows"),
                            m_scenario.Where(section),
                            "describe either a training job or plain flows");
        }
    }
}

void
ScenarioBuilder::ReadModel(const ScenarioSection& root)
{
    const auto corpus = root.GetSection("corpus", {"words", "tokens", "bytes"});
    if (int{corpus.Has("words")} + int{corpus.Has("tokens")} + int{corpus.Has("bytes")} != 1)
    {
        throw UserError("the corpus has no size or more than one",
                        root.Has("corpus") ? m_scenario.Where("corpus")
                                           : m_scenario.positions.at("") + " (corpus)",
                        "give exactly one of corpus.words, corpus.tokens, corpus.bytes");
    }
    corpus.ReadCount("words", m_scenario.corpus.words);
    corpus.ReadCount("tokens", m_scenario.corpus.tokens);
    corpus.ReadSize("bytes", m_scenario.corpus.bytes);

    const auto model = root.GetSection("model", {"preset", "parameters"});
    model.Require("preset");
    model.ReadText("preset", m_scenario.model.preset);
    model.ReadCount("parameters", m_scenario.model.parameters);

    const auto precision = root.GetSection("precision", {"activation", "gradient", "parameter"});
    precision.ReadValueBytes("activation", m_scenario.precision.activation);
    precision.ReadValueBytes("gradient", m_scenario.precision.gradient);
    precision.ReadValueBytes("parameter", m_scenario.precision.parameter);

    const auto batch = root.GetSection("batch", {"global_tokens", "local_sequences"});
    batch.Require("local_sequences");
    batch.ReadCount("global_tokens", m_scenario.batch.globalTokens);
    batch.ReadCount("local_sequences", m_scenario.batch.localSequences, 1);
}

void
ScenarioBuilder::ReadPlan(const ScenarioSection& root)
{
    const auto parallel =
        root.GetSection("parallel", {"data", "tensor", "pipeline", "expert", "context", "zero"});
    CheckDegrees(parallel);
    parallel.Require("data");
    parallel.ReadCount("data", m_scenario.parallel.data, 1);

    const auto compute = root.GetSection("compute", {"forward", "backward", "update"});
    compute.Require("forward");
    compute.Require("backward");
    compute.ReadTime("forward", m_scenario.compute.forward);
    compute.ReadTime("backward", m_scenario.compute.backward);
    compute.ReadTime("update", m_scenario.compute.update);

    const auto collective = root.GetSection("collective", {"allreduce"});
    collective.ReadText("allreduce", m_scenario.collective.allreduce);
}

void
ScenarioBuilder::CheckDegrees(const ScenarioSection& parallel) const
{
    for (const std::string key : {"tensor", "pipeline", "expert", "context", "zero"})
    {
        const uint64_t built = key == "zero" ? 0 : 1;
        uint64_t degree = built;
        parallel.ReadCount(key, degree, built);
        if (degree != built)
        {
            throw UserError("'" + key + "' " + std::to_string(degree) + " is not built yet",
                            m_scenario.Where("parallel." + key),
                            "allowed: " + std::to_string(built));
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
                                          "k"});
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
}

void
ScenarioBuilder::ReadDevices(const ScenarioSection& root)
{
    const auto nic = root.GetSection("nic", {"mtu", "congestion_control", "ack_interval"});
    nic.ReadSize("mtu", m_scenario.nic.mtu);
    nic.ReadText("congestion_control", m_scenario.nic.congestionControl);
    nic.ReadCount("ack_interval", m_scenario.nic.ackInterval, 1);

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
    const auto run = root.GetSection("run", {"steps", "seed", "run_number"});
    run.ReadCount("steps", m_scenario.run.steps, 1, LARGEST_STEPS);
    run.ReadCount("seed", m_scenario.run.seed, 1, LARGEST_SEED);
    run.ReadCount("run_number", m_scenario.run.runNumber, 0);

    const auto trace = root.GetSection("trace", {"file", "compression"});
    if (trace.Has("file"))
    {
        m_scenario.trace.file = "";
        trace.ReadText("file", *m_scenario.trace.file);
    }
    trace.ReadChoice("compression", m_scenario.trace.compression, {"none", "deflate"});
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
ScenarioBuilder::ReadAttributes(const ScenarioNode* attributes)
{
    if (!attributes)
    {
        return;
    }
    std::vector<std::string> keys;
    for (const auto& entry : attributes->entries)
    {
        keys.push_back(entry.key);
    }
    const ScenarioSection section(attributes, "attributes", keys, m_scenario);
    for (const auto& key : keys)
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
