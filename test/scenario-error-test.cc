/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-fixture.h"

using namespace ns3;
using namespace ns3::llmfabric;

TEST(ScenarioError, MalformedOverrideIsRefused)
{
    ExpectParts(Complaint(EXAMPLE, {"cluster.nodes"}), {"--set", "no '='", "path=value"});
    ExpectParts(Complaint(EXAMPLE, {"=3"}), {"--set", "empty key"});
    ExpectParts(Complaint(EXAMPLE, {"cluster..nodes=3"}), {"'cluster..nodes'", "empty key"});
    ExpectParts(Complaint(EXAMPLE, {"cluster={nodes: 3"}), {"--set (cluster)", "syntax error"});
    ExpectParts(Complaint(SHORT_TRAFFIC, {"flows[0].bytes=3"}),
                {"--set (flows[0].bytes)", "list", "set the whole list"});
    ExpectParts(Complaint(EXAMPLE, {"nic={mtu: 1, mtu: 2}"}), {"--set", "'mtu' is doubled"});
}

TEST(ScenarioError, UnknownKeyIsRefusedWithTheNearestKnown)
{
    ExpectParts(Complaint("cluster:\n  nodse: 4\nflows: [{from: 0, to: 1, bytes: 1}]\n"),
                {"a.yaml:2:3 (cluster.nodse)",
                 "unknown key 'nodse', did you mean 'nodes'?",
                 "allowed: nodes, "});
    ExpectParts(Complaint(SHORT_TRAFFIC + "clutser: {}\n"), {"a.yaml:5:1", "'cluster'?"});
    ExpectParts(Complaint(SHORT_TRAFFIC + "  - {from: 1, two: 2, bytes: 3}\n"),
                {"a.yaml:5:15 (flows[1].two)", "'to'?"});
    ExpectRefused("switch.ecn.kmx=3", {"'kmax'?"});
    ExpectRefused("qwertyuiop=3", {"unknown key 'qwertyuiop'; allowed: corpus, "});
}

TEST(ScenarioError, DoubledKeyIsRefused)
{
    ExpectParts(Complaint("cluster:\n  nodes: 4\n  nodes: 5\n"),
                {"a.yaml:3:3 (cluster.nodes)", "'nodes' is doubled", "a.yaml:2:3"});
    ExpectParts(Complaint("{\"run\": {\"seed\": 1},\n \"run\": {}}"),
                {"a.yaml:2:2 (run)", "'run' is doubled", "a.yaml:1:2"});
}

TEST(ScenarioError, AbsentRequiredKeyIsNamed)
{
    for (const std::string key : {"batch.local_sequences",
                                  "compute.forward",
                                  "compute.backward",
                                  "cluster.nodes",
                                  "cluster.gpus_per_node"})
    {
        const auto name = key.substr(key.find('.') + 1);
        ExpectParts(Complaint(SHORT_JOB, {key + "="}), {key, "'" + name + "' is absent"});
    }
    ExpectParts(Complaint(SHORT_JOB, {"batch="}), {"a.yaml (batch.local_sequences)", "absent"});
    ExpectParts(Complaint(SHORT_JOB, {"batch.local_sequences="}), {"a.yaml:3:1"});
    ExpectParts(Complaint(SHORT_JOB, {"model="}), {"a.yaml (model.layers)", "preset"});
    ExpectParts(Complaint(SHORT_TRAFFIC + "  - {from: 1, bytes: 3}\n"),
                {"a.yaml:5:5 (flows[1].to)", "absent"});
}

TEST(ScenarioError, CorpusHasExactlyOneSize)
{
    ExpectParts(Complaint(SHORT_JOB, {"corpus.words=3"}),
                {"a.yaml:1:1 (corpus)", "corpus.words, corpus.tokens, corpus.bytes, corpus.file"});
    ExpectParts(Complaint(SHORT_JOB, {"corpus="}), {"a.yaml (corpus): ", "corpus.words"});
}

TEST(ScenarioError, WrongTypeIsRefused)
{
    ExpectParts(Complaint("cluster:\n  nodes: four\nflows: [{from: 0, to: 1, bytes: 1}]\n"),
                {"a.yaml:2:10 (cluster.nodes)", "'four' is not a whole number"});
    ExpectRefused("cluster.nodes=[1]", {"a list stands where a whole number should"});
    ExpectRefused("cluster.nodes=1.5", {"not a whole number"});
    ExpectRefused("cluster.nodes=8GB", {"not a whole number"});
    ExpectRefused("cluster.rate={a: 1}", {"a map stands where a rate should"});
    ExpectRefused("cluster=8", {"this is not a map"});
    ExpectRefused("switch.pfc=maybe", {"'maybe' is not a boolean", "true, false"});
    ExpectRefused("model.preset=[a]", {"a list stands where a text should"});
    ExpectRefused("attributes=[a]", {"this is not a map"});
    ExpectRefused("attributes.Mtu=3", {"'Mtu' is not a full path"});
    ExpectRefused("precision.gradient=3", {"'3'", "allowed: 1, 2, 4, 8"});
    ExpectRefused("trace.compression=zip", {"'zip'", "allowed: none, deflate"});
    ExpectParts(Complaint("cluster: {nodes: 2}\nflows: {from: 0}\n"),
                {"a.yaml:2:1 (flows)", "not a list"});
    ExpectParts(Complaint("cluster: {nodes: 2}\nflows: [null]\n"),
                {"a.yaml:2:9 (flows[0])", "not a map"});
    ExpectParts(Complaint("cluster: {nodes: 2}\nflows: [7]\n"),
                {"a.yaml:2:9 (flows[0])", "not a map"});
}

TEST(ScenarioError, NegativeOrZeroIsRefused)
{
    for (const std::string key : {"cluster.nodes",
                                  "parallel.data",
                                  "batch.local_sequences",
                                  "nic.mtu",
                                  "nic.ack_interval",
                                  "switch.buffer",
                                  "run.steps",
                                  "run.seed",
                                  "corpus.words",
                                  "model.parameters",
                                  "cluster.gpus_per_node",
                                  "cluster.nics_per_node"})
    {
        ExpectRefused(key + "=0", {"'0' is out of range", "allowed: 1 "});
        ExpectRefused(key + "=-3", {"'-3' is negative"});
    }
    ExpectRefused("cluster.delay=0us", {"allowed: a time above 0"});
    ExpectRefused("cluster.rate=0Gbps", {"a rate above 0"});
    ExpectRefused("compute.forward=-1ms", {"'-1ms' is negative"});
    ExpectParts(Complaint("cluster: {nodes: 2}\nflows:\n- {from: 0, to: 1, bytes: 0}\n"),
                {"a.yaml:3:27 (flows[0].bytes)", "out of range"});
}

TEST(ScenarioError, BadSizeTimeOrRateIsRefused)
{
    for (const std::string size : {"big", "3XB", "1.5", "0.3KiB", "20000000TB", "0x10", "1e", "MB"})
    {
        ExpectRefused("switch.buffer=" + size, {"'" + size + "' is not a size", "400KB"});
    }
    for (const std::string time : {"5", "soon", "5 parsecs", "us", "1e6000s", "nan", "5usx"})
    {
        ExpectRefused("cluster.delay=" + time, {"'" + time + "' is not a time", "1.5us"});
    }
    ExpectRefused("cluster.delay=1e900s", {"longer than simulated time"});
    ExpectRefused("cluster.delay=0.001ps", {"shorter than the time resolution"});
    for (const std::string rate : {"100", "fast", "100Gb", "1Xbps", "0.5bps", "1e30bps", "inf"})
    {
        ExpectRefused("cluster.rate=" + rate, {"'" + rate + "' is not a rate", "100Gbps"});
    }
    ExpectRefused("switch.buffer=" + std::string(100000, '1'), {"not a size"});
}

TEST(ScenarioError, EcnThresholdsAreChecked)
{
    ExpectRefused("switch.ecn.pmax=1.01", {"'1.01' is not a probability", "from 0 to 1"});
    ExpectRefused("switch.ecn.pmax=-0.1", {"'-0.1' is negative"});
    ExpectRefused("switch.ecn.kmin=2MB", {"kmin 2000000 is over kmax 1600000", "a.yaml:13:36"});
}

TEST(ScenarioError, UnknownTopologyIsRefused)
{
    ExpectRefused(
        "cluster.topology=fat-treee",
        {"'fat-treee', did you mean 'fat-tree'?", "allowed: single-switch, leaf-spine, fat-tree"});
}

TEST(ScenarioError, TopologyKeysMustBelong)
{
    ExpectRefused("cluster.leaves=4", {"'leaves' does not belong", "leaf-spine"});
    ExpectRefused("cluster.k=4", {"'k' does not belong", "fat-tree"});
    ExpectRefused("cluster.topology=fat-tree", {"needs the key 'k'"});
    ExpectRefused("cluster.topology=leaf-spine", {"needs the key 'leaves'"});
}

TEST(ScenarioError, CountsMustAgreeWithTheTopology)
{
    const std::vector<std::string> tree{"cluster.topology=fat-tree", "cluster.k=4"};
    ExpectParts(Complaint(EXAMPLE, tree),
                {"(cluster.nodes)", "8 hosts", "16 places of the fat-tree"});
    ExpectParts(Complaint(EXAMPLE, {tree[0], "cluster.k=3"}), {"--set (cluster.k)", "even"});
    const auto fits =
        ScenarioReader::ReadText(EXAMPLE, "a", {tree[0], tree[1], "cluster.nodes=16"});
    EXPECT_EQ(fits.cluster.k, 4U);
    ExpectParts(Complaint(EXAMPLE,
                          {"cluster.topology=leaf-spine",
                           "cluster.leaves=2",
                           "cluster.spines=2",
                           "cluster.hosts_per_leaf=5"}),
                {"8 hosts", "10 places", "leaves x hosts_per_leaf = 2 x 5"});
}

TEST(ScenarioError, RanksMustFitTheCluster)
{
    ExpectRefused("parallel.data=9", {"9 ranks do not fit the 8 GPUs", "allowed: 1 to 8"});
    ExpectParts(Complaint(EXAMPLE, {"parallel.tensor=2"}),
                {"a.yaml:5:23 (parallel.data)", "16 ranks do not fit the 8 GPUs"});
    EXPECT_EQ(ScenarioReader::ReadText(EXAMPLE, "a", {"parallel.data=3"}).parallel.data, 3U);
}

TEST(ScenarioError, NicsMustShareTheGpusEvenly)
{
    ExpectRefused("cluster.nics_per_node=2", {"2 NICs per node", "1 GPUs per node"});
    ExpectParts(Complaint(EXAMPLE, {"cluster.gpus_per_node=8", "cluster.nics_per_node=3"}),
                {"--set (cluster.nics_per_node)", "divisor"});
}

TEST(ScenarioError, FlowsExcludeATrainingJob)
{
    ExpectParts(Complaint(SHORT_TRAFFIC + "corpus: {words: 5}\n"),
                {"a.yaml:5:1 (corpus)", "'corpus' can't stand beside 'flows' at a.yaml:3:1"});
}

TEST(ScenarioError, FlowsRunBetweenTwoHosts)
{
    ExpectParts(Complaint(SHORT_TRAFFIC, {"cluster.nodes=3"}),
                {"a.yaml:4:19 (flows[0].to)", "no host 3", "hosts 0 to 2"});
    ExpectParts(Complaint(SHORT_TRAFFIC + "  - {from: 9, to: 1, bytes: 3}\n"),
                {"a.yaml:5:12 (flows[1].from)", "no host 9"});
    ExpectParts(Complaint(SHORT_TRAFFIC + "  - {from: 1, to: 1, bytes: 3}\n"),
                {"a.yaml:5:19 (flows[1].to)", "itself"});
}

TEST(ScenarioError, SyntaxErrorHasLineAndColumn)
{
    ExpectParts(Complaint("cluster:\n  nodes: 4\n  bad\nrun: {}\n"),
                {"a.yaml:4:4", "syntax error"});
    ExpectParts(Complaint("{\"cluster\": {\"nodes\": 4}"), {"a.yaml:1:", "syntax error"});
    ExpectParts(Complaint("{\"run\": {}} {\"nic\": {}}"), {"a.yaml:1:"});
    ExpectParts(Complaint("run: {}\n---\nrun: {}\n"), {"a.yaml:3:1", "second document"});
    ExpectParts(Complaint("run: &a\n  seed: *a\n"), {"a.yaml:1:6", "nested too deep"});
}

TEST(ScenarioError, EmptyScenarioIsRefused)
{
    ExpectParts(Complaint(""), {"a.yaml", "empty"});
    ExpectParts(Complaint("# only a comment\n"), {"a.yaml", "empty"});
    ExpectParts(Complaint("- 1\n"), {"a.yaml:1:1", "not a map"});
}

TEST(ScenarioError, UnreadableFileIsNamed)
{
    EXPECT_THROW(ScenarioReader::Read("./absent.yaml", {}), UserError);
    try
    {
        ScenarioReader::Read("/absent/x.json", {});
    }
    catch (const UserError& error)
    {
        ExpectParts(error.what(), {"/absent/x.json", "can't be read", "No such file"});
    }
    EXPECT_THROW(ScenarioReader::Read("/tmp/", {}), UserError);
}

TEST(ScenarioError, UnknownPresetListsThePresetsFound)
{
    const PresetFolder folder;
    folder.Write("my-own.yaml", SHORT_TRAFFIC);
    try
    {
        ScenarioReader::Read("gpt2-dp9", {});
        FAIL();
    }
    catch (const UserError& error)
    {
        ExpectParts(error.what(),
                    {"unknown preset 'gpt2-dp9', did you mean 'gpt2-dp8'?",
                     "moe-ep8, my-own, parking-lot, permutation-32"});
    }
}
