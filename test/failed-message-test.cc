/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A scenario on links that lose frames: what the summary says of messages that failed, and of
// those that came through.

#include "scenario-run-fixture.h"

#include "ns3/config.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{
namespace
{

const std::string MODEL = "attributes.ns3::llmfabric::FabricPort::ReceiveErrorModel=";

/** Plain flows between four hosts. */
class FailedMessageTest : public ScenarioRunTest
{
  protected:
    /**
     * @param overrides path=value each
     * @return the summary of two flows
     */
    nlohmann::json RunFlows(std::vector<std::string> overrides)
    {
        ScenarioRunner runner(ScenarioReader::ReadText("cluster:\n"
                                                       "  nodes: 4\n"
                                                       "flows:\n"
                                                       "  - {from: 0, to: 3, bytes: 1MB}\n"
                                                       "  - {from: 1, to: 2, bytes: 2MB}\n",
                                                       "a.yaml",
                                                       overrides));
        runner.Setup();
        runner.Run();
        return nlohmann::json::parse(RunSummary::ToJson(runner.GetResults()));
    }
};

TEST_F(FailedMessageTest, TheSummarySaysWhichMessagesFailedAndWhy)
{
    const nlohmann::json summary =
        RunFlows({MODEL + "ns3::RateErrorModel[ErrorRate=1|ErrorUnit=ERROR_UNIT_PACKET]",
                  "attributes.ns3::llmfabric::RoceNic::TimeoutExponent=4"});
    EXPECT_EQ(summary["messages"]["count"], 2);
    EXPECT_EQ(summary["messages"]["completed"], 0);
    EXPECT_EQ(summary["messages"]["failed"], 2);
    const std::string reason = "no progress after 7 retries, the last ones timeouts";
    EXPECT_EQ(
        summary["unfinished"],
        (std::vector<std::string>{"flow 0, host 0 to host 3: 0 of 1000000 B received; " + reason,
                                  "flow 1, host 1 to host 2: 0 of 2000000 B received; " + reason}));
}

TEST_F(FailedMessageTest, ALossyNetworkComesThrough)
{
    for (const char* recovery : {"GoBackN", "SelectiveRepeat"})
    {
        const nlohmann::json summary = RunFlows(
            {MODEL + "ns3::RateErrorModel[ErrorRate=0.01|ErrorUnit=ERROR_UNIT_PACKET]",
             "attributes.ns3::llmfabric::RoceNic::TimeoutExponent=4",
             std::string("attributes.ns3::llmfabric::RoceNic::LossRecovery=ns3::llmfabric::") +
                 recovery});
        EXPECT_EQ(summary["messages"]["completed"], 2) << recovery;
        EXPECT_TRUE(summary["unfinished"].empty());
        EXPECT_GT(summary["counters"]["retransmitted_packets"], 0);
        EXPECT_GT(summary["counters"]["dropped_frames"]["link_error"], 0);
        Simulator::Destroy();
    }
}

} // namespace
} // namespace llmfabric
} // namespace ns3
