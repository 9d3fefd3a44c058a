/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Slow hosts in a scenario: its keys, its results and what the report says.

#include "scenario-run-fixture.h"

#include "ns3/run-report.h"
#include "ns3/scenario-network.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// Two hosts send to a third.
const std::string INCAST = "cluster: {nodes: 3, rate: 100Gbps, delay: 1us}\n"
                           "nic: {congestion_control: FixedRate}\n"
                           "trace: null\n"
                           "flows:\n"
                           "  - {from: 0, to: 2, bytes: 5MB}\n"
                           "  - {from: 1, to: 2, bytes: 5MB}\n";

class ReceiveSideRunTest : public ScenarioRunTest
{
  protected:
    /**
     * @param overrides path=value each
     * @return the summary
     */
    static nlohmann::json RunIncast(const std::vector<std::string>& overrides)
    {
        ScenarioRunner runner(ScenarioReader::ReadText(INCAST, "a.yaml", overrides));
        runner.Setup();
        runner.Run();
        nlohmann::json summary = nlohmann::json::parse(RunSummary::ToJson(runner.GetResults()));
        Simulator::Destroy();
        return summary;
    }

    /**
     * @param overrides path=value each
     * @return what the report says of the cluster
     */
    static std::string Report(const std::vector<std::string>& overrides)
    {
        std::ostringstream text;
        RunReport(text).PrintInfrastructure(ScenarioReader::ReadText(INCAST, "a.yaml", overrides));
        return text.str();
    }
};

TEST_F(ReceiveSideRunTest, ASlowHostTakesAnIncastAtItsRate)
{
    const nlohmann::json summary = RunIncast({"nic.drain_rate=40Gbps", "switch.buffer=2MB"});
    uint64_t bytes = 0;
    double longest = 0;
    for (const auto& flow : summary["flows"])
    {
        bytes += flow["bytes"].get<uint64_t>();
        longest = std::max(longest, flow["fct_ns"].get<double>());
    }
    // The host is busy from the first bit of the first packet on: two links and one packet of
    // delay.
    const double first = 2000 + 4194 * 0.08;
    EXPECT_DOUBLE_EQ(longest, first + static_cast<double>(bytes) * 8 / 40);
    EXPECT_GT(summary["counters"]["nic_pause_sent"], 0);
    EXPECT_GT(summary["counters"]["nic_resume_sent"], 0);
    EXPECT_GT(summary["counters"]["pfc_pause_sent"], 0);
    for (const auto& reason : summary["counters"]["dropped_frames"].items())
    {
        EXPECT_EQ(reason.value(), 0) << reason.key();
    }
}

TEST_F(ReceiveSideRunTest, NicsOfFastHostsPauseNobody)
{
    const nlohmann::json counters = RunIncast({})["counters"];
    EXPECT_EQ(counters["nic_pause_sent"], 0);
    EXPECT_EQ(counters["nic_resume_sent"], 0);
    EXPECT_EQ(counters["dropped_frames"]["nic_buffer_full"], 0);
}

TEST_F(ReceiveSideRunTest, WithoutPfcTheNicsLossesAreCountedApart)
{
    const std::string pfc = "attributes.ns3::llmfabric::RoceNic::ReceivePfc=false";
    const nlohmann::json summary = RunIncast({"nic.drain_rate=40Gbps", pfc});
    EXPECT_GT(summary["counters"]["dropped_frames"]["nic_buffer_full"], 0);
    EXPECT_EQ(summary["counters"]["nic_pause_sent"], 0);
    EXPECT_EQ(summary["messages"]["completed"], summary["messages"]["count"]);
}

TEST_F(ReceiveSideRunTest, ATooSmallBufferIsToldWithItsPlace)
{
    try
    {
        RunIncast({"nic.drain_rate=40Gbps", "nic.receive_buffer=20KB"});
        FAIL() << "no complaint";
    }
    catch (const UserError& error)
    {
        const std::string text = error.what();
        EXPECT_EQ(text.find("--set (nic.receive_buffer): a receive buffer of 20000 B"), 0u) << text;
    }
}

TEST_F(ReceiveSideRunTest, TheReportSaysAtWhichRateHostsDrain)
{
    EXPECT_NE(Report({}).find("drains at line rate"), std::string::npos);
    EXPECT_NE(Report({"nic.drain_rate=40Gbps"}).find("drains at 40 Gb/s"), std::string::npos);
    const std::string byName = "attributes.ns3::llmfabric::RoceNic::DrainRate=25Gbps";
    EXPECT_NE(Report({byName}).find("drains at 25Gbps"), std::string::npos) << Report({byName});
}

TEST_F(ReceiveSideRunTest, TheReportSaysWhenSwitchesMarkWhoeverSetIt)
{
    const auto report = [](const std::vector<std::string>& overrides) {
        const Scenario scenario = ScenarioReader::ReadText(INCAST, "a.yaml", overrides);
        ScenarioNetwork network(scenario);
        network.ApplyDefaults();
        std::ostringstream text;
        RunReport(text).PrintInfrastructure(scenario);
        return text.str();
    };
    EXPECT_NE(report({}).find("ECN 400,000 to 1,600,000 B"), std::string::npos) << report({});
    const std::string preset = "nic.congestion_control=dcqcn-paper";
    EXPECT_NE(report({preset}).find("ECN 5,000 to 200,000 B"), std::string::npos);
    EXPECT_NE(report({preset, "switch.ecn.kmin=7KB"}).find("ECN 7,000 to 200,000 B"),
              std::string::npos);
    const std::string byName = "attributes.ns3::llmfabric::RedMarkPolicy::Kmax=3000000";
    EXPECT_NE(report({byName}).find("ECN 400,000 to 3,000,000 B"), std::string::npos);
}

} // namespace
