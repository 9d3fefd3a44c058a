/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-fixture.h"

using namespace ns3;
using namespace ns3::llmfabric;

TEST(Scenario, PresetReadsAsTheIssueSays)
{
    const auto scenario = ScenarioReader::Read("gpt2-dp8", {});
    EXPECT_EQ(scenario.name, "gpt2-dp8");
    EXPECT_EQ(scenario.corpus.words, 100000U);
    EXPECT_FALSE(scenario.corpus.tokens || scenario.corpus.bytes);
    EXPECT_EQ(scenario.model.preset, "gpt2-small");
    EXPECT_EQ(scenario.model.parameters, 128000000U);
    EXPECT_EQ(scenario.precision.gradient, 2U);
    EXPECT_EQ(scenario.batch.globalTokens, 524288U);
    EXPECT_EQ(scenario.batch.localSequences, 32U);
    EXPECT_EQ(scenario.parallel.data, 8U);
    EXPECT_EQ(scenario.compute.forward, MilliSeconds(104));
    EXPECT_EQ(scenario.compute.backward, MilliSeconds(208));
    EXPECT_TRUE(scenario.compute.update.IsZero());
    EXPECT_EQ(scenario.collective.rules.at("allreduce").at(0).algorithm, "ring");
    EXPECT_EQ(scenario.GetHostCount(), 8U);
    EXPECT_EQ(scenario.cluster.nvlink.rate, DataRate(3600000000000ULL));
    EXPECT_EQ(scenario.cluster.nvlink.delay, NanoSeconds(500));
    EXPECT_EQ(scenario.cluster.topology, "single-switch");
    EXPECT_EQ(scenario.cluster.rate, DataRate("100Gbps"));
    EXPECT_EQ(scenario.cluster.delay, MicroSeconds(1));
    EXPECT_EQ(scenario.nic.mtu, 4096U);
    EXPECT_EQ(scenario.nic.congestionControl, "Dcqcn");
    EXPECT_EQ(scenario.nic.ackInterval, 16U);
    EXPECT_EQ(scenario.sw.buffer, 32000000U);
    EXPECT_TRUE(scenario.sw.pfc);
    EXPECT_EQ(scenario.sw.ecn.kmin, 400000U);
    EXPECT_EQ(scenario.sw.ecn.kmax, 1600000U);
    EXPECT_DOUBLE_EQ(scenario.sw.ecn.pmax, 0.2);
    EXPECT_EQ(scenario.run.steps, 1U);
    EXPECT_EQ(scenario.trace.file, "gpt2-dp8.h5");
    EXPECT_EQ(scenario.trace.compression, "deflate");
    EXPECT_TRUE(scenario.attributes.empty());
    EXPECT_TRUE(scenario.HasTraining());
    EXPECT_FALSE(scenario.HasFlows());
    EXPECT_FALSE(scenario.HasSchedule());
}

TEST(Scenario, JsonEqualsYaml)
{
    const auto yaml = ScenarioReader::Read("gpt2-dp8", {});
    const auto json = ScenarioReader::ReadText(EXAMPLE, "x.json", {});
    EXPECT_EQ(json.text, yaml.text);
}

TEST(Scenario, TextReadsBackAsTheSameScenario)
{
    const auto first = ScenarioReader::ReadText(EXAMPLE, "x.json", {"run.seed=7", "trace=null"});
    const auto second = ScenarioReader::ReadText(first.text, "y.yaml", {});
    EXPECT_EQ(second.run.seed, 7U);
    EXPECT_FALSE(second.trace.file);
    EXPECT_EQ(second.text, first.text);
}

TEST(Scenario, TrafficPresetsReadAsTheBenchmarkSays)
{
    const auto incast = ScenarioReader::Read("incast-16", {});
    ASSERT_EQ(incast.flows.size(), 16U);
    EXPECT_EQ(incast.GetHostCount(), 17U);
    EXPECT_EQ(incast.nic.mtu, 1000U);
    const auto permutation = ScenarioReader::Read("permutation-32", {});
    ASSERT_EQ(permutation.flows.size(), 32U);
    EXPECT_EQ(permutation.cluster.leaves, 4U);
    for (uint32_t i = 0; i < 32; ++i)
    {
        EXPECT_EQ(permutation.flows[i].from, i);
        EXPECT_EQ(permutation.flows[i].to, (i + 8) % 32);
        EXPECT_EQ(permutation.flows[i].bytes, 20000000U);
    }
}

TEST(Scenario, AbsentKeysHaveDefaults)
{
    const auto scenario = ScenarioReader::ReadText(SHORT_JOB, "a.yaml", {});
    EXPECT_EQ(scenario.precision.activation, 2U);
    EXPECT_FALSE(scenario.batch.globalTokens);
    EXPECT_TRUE(scenario.compute.update.IsZero());
    EXPECT_TRUE(scenario.collective.rules.empty());
    EXPECT_EQ(scenario.cluster.nicsPerNode, 1U);
    EXPECT_EQ(scenario.cluster.topology, "single-switch");
    EXPECT_EQ(scenario.cluster.rate, DataRate("100Gbps"));
    EXPECT_EQ(scenario.nic.mtu, 4096U);
    EXPECT_EQ(scenario.sw.buffer, 32000000U);
    EXPECT_EQ(scenario.run.seed, 1U);
    EXPECT_FALSE(scenario.trace.file);
    EXPECT_EQ(scenario.trace.compression, "deflate");
}

TEST(Scenario, FlowsNeedNoGpus)
{
    const auto scenario =
        ScenarioReader::ReadText(SHORT_TRAFFIC, "a.yaml", {"cluster.nics_per_node=2"});
    EXPECT_TRUE(scenario.HasFlows());
    EXPECT_EQ(scenario.cluster.gpusPerNode, 2U);
    EXPECT_EQ(scenario.GetHostCount(), 8U);
    EXPECT_TRUE(scenario.flows[0].start.IsZero());
}

TEST(Scenario, WhereNamesLineColumnAndKeyPath)
{
    const auto scenario =
        ScenarioReader::ReadText(SHORT_TRAFFIC, "a.yaml", {"nic={mtu: 1000}", "run.seed=2"});
    EXPECT_EQ(scenario.Where("cluster.nodes"), "a.yaml:2:10 (cluster.nodes)");
    EXPECT_EQ(scenario.Where("cluster"), "a.yaml:1:1 (cluster)");
    EXPECT_EQ(scenario.Where("flows[0].to"), "a.yaml:4:19 (flows[0].to)");
    EXPECT_EQ(scenario.Where("nic.mtu"), "--set (nic.mtu)");
    EXPECT_EQ(scenario.Where("run.seed"), "--set (run.seed)");
    EXPECT_EQ(scenario.Where("run.steps"), "run.steps (default)");
}

TEST(Scenario, PresetIsCalledByItsFileName)
{
    const auto scenario = ScenarioReader::Read("gpt2-dp8", {});
    ExpectParts(scenario.Where("corpus.words"), {"gpt2-dp8.yaml:", " (corpus.words)"});
}

TEST(Scenario, PresetIsFoundInTheNamedFolderFirst)
{
    const PresetFolder folder;
    folder.Write("gpt2-dp8.yaml", SHORT_TRAFFIC);
    EXPECT_TRUE(ScenarioReader::Read("gpt2-dp8", {}).HasFlows());
    const auto path = folder.Write("mine.json", EXAMPLE);
    EXPECT_EQ(ScenarioReader::Read(path, {}).name, "mine");
    ExpectParts(ScenarioReader::Read(path, {}).Where("corpus.words"), {path + ":2:"});
}

TEST(Scenario, OverridesReplaceAddAndRemoveKeys)
{
    const auto scenario = ScenarioReader::ReadText(EXAMPLE,
                                                   "a.json",
                                                   {"cluster.nodes=12",
                                                    "cluster.nodes=16",
                                                    "switch.ecn.pmax=1",
                                                    "model.parameters=",
                                                    "trace=null",
                                                    "nic={mtu: 1KiB}"});
    EXPECT_EQ(scenario.cluster.nodes, 16U);
    EXPECT_DOUBLE_EQ(scenario.sw.ecn.pmax, 1);
    EXPECT_FALSE(scenario.model.parameters);
    EXPECT_FALSE(scenario.trace.file);
    EXPECT_EQ(scenario.nic.mtu, 1024U);
    EXPECT_FALSE(scenario.nic.ackInterval);
}

TEST(Scenario, OverridesTurnAJobIntoTraffic)
{
    std::vector<std::string> overrides{"flows=[{from: 0, to: 1, bytes: 5GiB, start: 1.5us}]"};
    for (const auto* section :
         {"corpus", "model", "precision", "batch", "parallel", "compute", "collective"})
    {
        overrides.push_back(std::string(section) + "=null");
    }
    const auto scenario = ScenarioReader::ReadText(EXAMPLE, "a.json", overrides);
    ASSERT_EQ(scenario.flows.size(), 1U);
    EXPECT_EQ(scenario.flows[0].bytes, 5368709120U);
    EXPECT_EQ(scenario.flows[0].start, NanoSeconds(1500));
}

TEST(Scenario, AttributesKeepTheOrderOfTheFile)
{
    const std::string text = SHORT_TRAFFIC + "attributes:\n"
                                             "  /NodeList/*/DeviceList/0/Mtu: 9000\n"
                                             "  ns3::llmfabric::Dcqcn::Gain: 0.5\n"
                                             "  /NodeList/0/A: x\n";
    const auto scenario = ScenarioReader::ReadText(
        text,
        "a.yaml",
        {"attributes./NodeList/0/A=a.b=c", "attributes./NodeList/1/$ns3::X/B=100Gbps"});
    ASSERT_EQ(scenario.attributes.size(), 4U);
    EXPECT_EQ(scenario.attributes[0].path, "/NodeList/*/DeviceList/0/Mtu");
    EXPECT_EQ(scenario.attributes[0].value, "9000");
    EXPECT_EQ(scenario.attributes[0].where,
              "a.yaml:6:33 (attributes./NodeList/*/DeviceList/0/Mtu)");
    EXPECT_EQ(scenario.attributes[1].path, "ns3::llmfabric::Dcqcn::Gain");
    EXPECT_EQ(scenario.attributes[2].value, "a.b=c");
    EXPECT_EQ(scenario.attributes[3].path, "/NodeList/1/$ns3::X/B");
    EXPECT_EQ(scenario.attributes[3].where, "--set (attributes./NodeList/1/$ns3::X/B)");
}

TEST(Scenario, SizesAreExactBytes)
{
    const std::vector<std::pair<std::string, uint64_t>> sizes{
        {"256", 256},
        {"256B", 256},
        {"32MB", 32000000},
        {"32MiB", 33554432},
        {"400KB", 400000},
        {"400 kB", 400000},
        {"128e6", 128000000},
        {"1.5KiB", 1536},
        {"5GiB", 5368709120},
        {"0.25TB", 250000000000},
        {"16777215.999999999TiB", 0},
        {"18446744073709551615", 18446744073709551615U},
    };
    for (const auto& [text, bytes] : sizes)
    {
        if (bytes > 0)
        {
            const auto scenario =
                ScenarioReader::ReadText(EXAMPLE, "a.json", {"switch.buffer=" + text});
            EXPECT_EQ(scenario.sw.buffer, bytes) << text;
        }
        else
        {
            ExpectRefused("switch.buffer=" + text, {"not a size of whole bytes"});
        }
    }
}

TEST(Scenario, RatesAreExactBitsPerSecond)
{
    const std::vector<std::pair<std::string, uint64_t>> rates{{"3.6Tbps", 3600000000000},
                                                              {"50GB/s", 400000000000},
                                                              {"1e3 Mb/s", 1000000000},
                                                              {"1Kibps", 1024}};
    for (const auto& [text, rate] : rates)
    {
        const auto scenario = ScenarioReader::ReadText(EXAMPLE, "a.json", {"cluster.rate=" + text});
        EXPECT_EQ(scenario.cluster.rate, DataRate(rate)) << text;
    }
}
