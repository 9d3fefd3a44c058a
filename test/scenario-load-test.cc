/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-fixture.h"
#include "scenario-run-fixture.h"

#include "ns3/run-report.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace ns3
{
namespace llmfabric
{
namespace
{

/// A load with the required keys only.
const std::string SHORT_LOAD = "cluster:\n"
                               "  nodes: 4\n"
                               "load:\n"
                               "  distribution: storage\n"
                               "  percent: 30\n"
                               "  duration: 1ms\n";

/// The same with pairs.
const std::string PAIRS = SHORT_LOAD + "  pairs:\n"
                                       "    - {from: 0, to: 1}\n"
                                       "    - {from: 3, to: 1}\n";

class ScenarioLoadTest : public ScenarioRunTest
{
  protected:
    /**
     * @param text a scenario
     * @return the results of its run
     */
    RunResults RunText(const std::string& text)
    {
        ScenarioRunner runner(ScenarioReader::ReadText(text, "a.yaml", {}));
        runner.Setup();
        runner.Run();
        RunResults results = runner.GetResults();
        Simulator::Destroy();
        return results;
    }

    /**
     * @param text a scenario
     * @return what its set-up complains about
     */
    static std::string GetSetupComplaint(const std::string& text)
    {
        try
        {
            ScenarioRunner(ScenarioReader::ReadText(text, "a.yaml", {})).Setup();
        }
        catch (const UserError& error)
        {
            return error.what();
        }
        return "no complaint";
    }
};

TEST_F(ScenarioLoadTest, KeysAndDefaultsAreRead)
{
    const Scenario scenario = ScenarioReader::ReadText(SHORT_LOAD, "a.yaml", {});
    EXPECT_TRUE(scenario.HasFlows());
    EXPECT_FALSE(scenario.HasTraining());
    ASSERT_TRUE(scenario.load);
    EXPECT_EQ(scenario.load->distribution, "storage");
    EXPECT_EQ(scenario.load->percent, 30);
    EXPECT_EQ(scenario.load->duration, MilliSeconds(1));
    EXPECT_FALSE(scenario.load->flows);
    EXPECT_TRUE(scenario.load->pairs.empty());
    EXPECT_EQ(scenario.load->start, Time(0));

    const Scenario other = ScenarioReader::ReadText(
        PAIRS,
        "a.yaml",
        {"load.duration=null", "load.flows=7", "load.start=3us", "load.distribution=./a.txt"});
    EXPECT_EQ(other.load->flows, 7U);
    EXPECT_EQ(other.load->start, MicroSeconds(3));
    EXPECT_EQ(other.load->pairs, (std::vector<std::pair<uint32_t, uint32_t>>{{0, 1}, {3, 1}}));
}

TEST_F(ScenarioLoadTest, TheExampleOfEachKeyReads)
{
    // every-key.yaml has its load behind '#', since it excludes a training job.
    const Scenario all = ScenarioReader::Read("every-key", {});
    std::ifstream file(all.file);
    std::string text = "cluster: {nodes: 2}\n";
    bool isLoad = false;
    for (std::string line; std::getline(file, line);)
    {
        isLoad = isLoad || line.rfind("#load:", 0) == 0;
        text += isLoad ? line.substr(1) + "\n" : "";
    }
    const Scenario scenario = ScenarioReader::ReadText(text, "a.yaml", {});
    for (const char* key : {"distribution", "percent", "duration", "pairs", "start"})
    {
        EXPECT_EQ(scenario.positions.count("load." + std::string(key)), 1U) << key;
    }
}

TEST_F(ScenarioLoadTest, MistakesHaveLineColumnAndWhatIsAllowed)
{
    ExpectParts(Complaint(SHORT_LOAD, {"load.percent=null"}),
                {"a.yaml:3:1 (load.percent)", "percent"});
    ExpectParts(Complaint(SHORT_LOAD, {"load.distribution=null"}), {"(load.distribution)"});
    ExpectParts(Complaint(SHORT_LOAD, {"load.percent=0"}), {"--set (load.percent)"});
    ExpectParts(Complaint(SHORT_LOAD, {"load.percent=101"}), {"--set (load.percent)", "100"});
    ExpectParts(Complaint(SHORT_LOAD, {"load.duration=0us"}),
                {"--set (load.duration)", "allowed: a time above 0"});
    ExpectParts(Complaint(SHORT_LOAD, {"load.duration=null"}),
                {"a.yaml:3:1 (load)", "neither duration nor flows", "give one of the two"});
    ExpectParts(Complaint(SHORT_LOAD, {"load.flows=5"}), {"(load)", "exclude each other"});
    ExpectParts(Complaint(SHORT_LOAD, {"load.flows=0", "load.duration=null"}),
                {"--set (load.flows)"});
    ExpectParts(Complaint(SHORT_LOAD, {"load.size=5"}), {"--set (load.size)", "distribution"});
    ExpectParts(Complaint(SHORT_LOAD, {"load.pairs=ring"}),
                {"--set (load.pairs)", "all-to-all", "a list of {from, to}"});
    ExpectParts(Complaint(SHORT_LOAD, {"load.pairs=[]"}), {"--set (load.pairs)", "write a list"});
    ExpectParts(Complaint(PAIRS + "    - {from: 4, to: 1}\n"),
                {"a.yaml:10:14 (load.pairs[2].from)", "no host 4", "allowed: hosts 0 to 3"});
    ExpectParts(Complaint(PAIRS + "    - {from: 1, to: 1}\n"),
                {"a.yaml:10:21 (load.pairs[2].to)", "to itself"});
    ExpectParts(Complaint(PAIRS + "    - {from: 0, to: 1}\n"),
                {"a.yaml:10:7 (load.pairs[2])", "twice"});
    ExpectParts(Complaint(PAIRS + "    - {from: 1}\n"), {"(load.pairs[2].to)"});
    ExpectParts(Complaint(SHORT_LOAD, {"cluster.nodes=1"}), {"(load)", "add a host"});
    ExpectParts(Complaint(SHORT_LOAD + "model: {preset: gpt2-small}\n"),
                {"a.yaml:7:1 (model)", "can't stand beside 'load'"});
}

TEST_F(ScenarioLoadTest, MistakesOfADistributionAreToldAtSetUp)
{
    std::string text = SHORT_LOAD;
    ExpectParts(GetSetupComplaint(text.replace(text.find("storage"), 7, "storrage")),
                {"a.yaml:4:17 (load.distribution)", "did you mean 'storage'?"});
    Simulator::Destroy();
    // A file is called as sections are, and still has its own place.
    const std::string path = TemporaryPath("load.txt");
    std::ofstream(path) << "0 0\n100 50\n";
    text = SHORT_LOAD;
    ExpectParts(GetSetupComplaint(text.replace(text.find("storage"), 7, path)),
                {path + ":2: the last point has 50 %"});
    Simulator::Destroy();
    ExpectParts(GetSetupComplaint(SHORT_LOAD + "  start: 1300h\n"),
                {"(load.duration)", "too late"});
}

TEST_F(ScenarioLoadTest, ASlowdownIsNeverBelowOneAndLightLoadHasFewAboveIt)
{
    const RunResults results = RunText(SHORT_LOAD);
    ASSERT_TRUE(results.load);
    ASSERT_EQ(results.load->flows, results.flows.size());
    ASSERT_GT(results.flows.size(), 200U);
    for (std::size_t i = 0; i < results.flows.size(); ++i)
    {
        ASSERT_TRUE(results.GetSlowdown(i));
        EXPECT_GE(*results.GetSlowdown(i), 1) << i;
    }
    ASSERT_TRUE(results.slowdowns);
    const SlowdownRow total = results.slowdowns->GetTotal();
    EXPECT_EQ(total.flows, results.flows.size());
    EXPECT_LT(total.median, 1.5);
    EXPECT_GT(total.largest, total.median);
}

TEST_F(ScenarioLoadTest, ListedFlowsStandBesideALoadButNotInItsTable)
{
    const RunResults alone = RunText(SHORT_LOAD);
    const RunResults both = RunText(SHORT_LOAD + "flows:\n"
                                                 "  - {from: 0, to: 3, bytes: 5MB}\n");
    ASSERT_EQ(both.flows.size(), alone.flows.size() + 1);
    EXPECT_EQ(both.flows.front().spec.bytes, 5000000U);
    EXPECT_EQ(both.flows[1].spec.start, alone.flows[0].spec.start);
    EXPECT_EQ(both.slowdowns->GetTotal().flows, alone.flows.size());
    EXPECT_GT(both.slowdowns->GetTotal().mean, alone.slowdowns->GetTotal().mean);
}

TEST_F(ScenarioLoadTest, WebSearchOnAFatTreeIsToldInReportAndSummary)
{
    ScenarioRunner runner(ScenarioReader::Read("web-search-fat-tree", {"load.duration=1ms"}));
    runner.Setup();
    std::ostringstream out;
    runner.PrintPlan(out);
    runner.Run();
    RunReport(out).PrintResults(runner.GetResults());
    EXPECT_NE(out.str().find("web-search   mean 1711250 B"), std::string::npos) << out.str();
    EXPECT_NE(out.str().find("Slowdown of flows"), std::string::npos);
    const auto json = nlohmann::json::parse(RunSummary::ToJson(runner.GetResults()));
    EXPECT_EQ(json["load"]["distribution"], "web-search");
    EXPECT_EQ(json["load"]["mean_bytes"], 1711250.0);
    // 16 hosts, 0.6 x 12.5 GB/s, 1 ms
    EXPECT_NEAR(json["load"]["expected_flows"].get<double>(), 16 * 7.5e6 / 1711250, 1e-9);
    EXPECT_EQ(json["slowdown"]["bins"].size(), 10U);
    EXPECT_EQ(json["slowdown"]["all"]["flows"], json["flows"].size());
    uint64_t flows = 0;
    for (const auto& bin : json["slowdown"]["bins"])
    {
        flows += bin["flows"].get<uint64_t>();
    }
    EXPECT_EQ(flows, json["flows"].size());
    for (const auto& flow : json["flows"])
    {
        EXPECT_GE(flow["slowdown"].get<double>(), 1 - 1e-9);
    }
    EXPECT_TRUE(json["unfinished"].empty());
}

TEST_F(ScenarioLoadTest, TwoRunsAreTheSameAndAnotherSeedIsNot)
{
    const std::vector<std::string> overrides{"load.duration=1ms"};
    auto first = Run("web-search-fat-tree", overrides);
    EXPECT_EQ(first["flows"], Run("web-search-fat-tree", overrides)["flows"]);
    EXPECT_NE(first["flows"],
              Run("web-search-fat-tree", {"load.duration=1ms", "run.seed=2"})["flows"]);
}

TEST_F(ScenarioLoadTest, ScenariosWithoutALoadHaveNoTable)
{
    const RunResults results = RunText(SHORT_TRAFFIC);
    EXPECT_FALSE(results.load);
    EXPECT_FALSE(results.slowdowns);
    ASSERT_TRUE(results.GetSlowdown(0)); // 1 MB alone
    EXPECT_DOUBLE_EQ(*results.GetSlowdown(0), 1);
}

} // namespace
} // namespace llmfabric
} // namespace ns3
