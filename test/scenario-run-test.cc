/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Whole scenarios, from the file to the results and the trace.

#include "scenario-run-fixture.h"
#include "trace-view.h"

#include "ns3/config.h"
#include "ns3/global-value.h"
#include "ns3/run-summary.h"
#include "ns3/scenario-reader.h"
#include "ns3/scenario-runner.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{
namespace
{

/** @return duration of the first collective, ms */
double
CollectiveMs(const nlohmann::json& summary)
{
    const nlohmann::json& one = summary["collectives"].at(0);
    return (one["end_ns"].get<double>() - one["start_ns"].get<double>()) / 1e6;
}

const std::vector<std::string> GPT2_WITHOUT_TRACE{"trace=null", "nic.congestion_control=FixedRate"};

TEST_F(ScenarioRunTest, Gpt2Dp8HasTheStagesOfThePaper)
{
    const nlohmann::json stages = Run("gpt2-dp8", GPT2_WITHOUT_TRACE)["stages"];
    EXPECT_EQ(stages["tokens"], 125000);
    EXPECT_EQ(stages["sequences"], 122);
    EXPECT_EQ(stages["parameters"], 128000000);
    EXPECT_EQ(stages["accumulation_steps"], 2);
    EXPECT_EQ(stages["tokens_per_gpu_step"], 65536);
    EXPECT_EQ(stages["activation_bytes"], 50331648);
    EXPECT_EQ(stages["gradient_bytes"], 256000000);
}

TEST_F(ScenarioRunTest, Gpt2Dp8SendsWhatARingSendsByTheCountersOfTheNics)
{
    const nlohmann::json summary = Run("gpt2-dp8", GPT2_WITHOUT_TRACE);
    const nlohmann::json& one = summary["collectives"].at(0);
    const auto sent = one["sent_bytes_per_rank"].get<std::vector<uint64_t>>();
    EXPECT_EQ(one["payload_bytes"], 256000000);
    EXPECT_EQ(sent, std::vector<uint64_t>(8, 448000000));
    EXPECT_EQ(std::accumulate(sent.begin(), sent.end(), uint64_t{0}), 3584000000U);
    // A step of a channel: 16 MB in loops of 2 MiB, the last one in slices of 1 MiB and 271,360 B,
    // each slice with a clear-to-send; 14 steps of 2 channels on each of 8 ranks, two hops each.
    const int packets = (7 * 512 + 256 + 67 + 16) * 14 * 2 * 8;
    EXPECT_EQ(summary["counters"]["data_packets"], packets);
    EXPECT_EQ(summary["counters"]["data_packet_hops"], 2 * packets);
}

TEST_F(ScenarioRunTest, Gpt2Dp8TakesTheTimeOfTheClosedForm)
{
    // A ring step: 32,640,682 wire bytes in 7,813 packets and the ACKs for as many on the same
    // link; 14 steps take 36.637 ms with an ACK per 16 packets and 37.343 ms with one per packet.
    const nlohmann::json per16 = Run("gpt2-dp8", GPT2_WITHOUT_TRACE);
    EXPECT_NEAR(CollectiveMs(per16), 36.637, 36.637 * 0.001);
    EXPECT_NEAR(per16["steps"].at(0)["end_ns"].get<double>() / 1e6, 660.64, 660.64 * 0.001);
    EXPECT_DOUBLE_EQ(per16["steps"].at(0)["compute_ns"].get<double>(), 624e6);
    std::vector<std::string> overrides = GPT2_WITHOUT_TRACE;
    overrides.push_back("nic.ack_interval=1");
    EXPECT_NEAR(CollectiveMs(Run("gpt2-dp8", overrides)), 37.343, 37.343 * 0.001);
}

TEST_F(ScenarioRunTest, Gpt2Dp8HasNoMarkAndNoPause)
{
    const nlohmann::json counters = Run("gpt2-dp8", {"trace=null"})["counters"];
    EXPECT_EQ(counters["ecn_marked"], 0);
    EXPECT_EQ(counters["cnp_sent"], 0);
    EXPECT_EQ(counters["pfc_pause_sent"], 0);
    EXPECT_EQ(counters["retransmitted_packets"], 0);
    for (const auto& reason : counters["dropped_frames"].items())
    {
        EXPECT_EQ(reason.value(), 0) << reason.key();
    }
}

TEST_F(ScenarioRunTest, LastHopRowsOfTheTraceAddUpToThePayload)
{
    const std::string path = TemporaryPath("gpt2.h5");
    const nlohmann::json summary =
        Run("gpt2-dp8", {"trace.file=" + path, "trace.compression=none"});
    const auto kind = ReadValues<uint8_t>(path, "hops", "kind");
    const auto lastHop = ReadValues<uint8_t>(path, "hops", "last_hop");
    const auto bytes = ReadValues<uint32_t>(path, "hops", "payload_bytes");
    uint64_t received = 0;
    for (std::size_t row = 0; row < kind.size(); ++row)
    {
        received += kind[row] == 0 && lastHop[row] == 1 ? bytes[row] : 0;
    }
    // 16 slices a step and channel, each with a clear-to-send of 16 bytes.
    const uint64_t slices = 16 * 14 * 2 * 8;
    EXPECT_EQ(received, 3584000000U + 16 * slices);
    EXPECT_EQ(ReadValues<int64_t>(path, "messages", "completed").size(), 2 * slices);
    EXPECT_EQ(ReadValues<uint64_t>(path, "collectives", "sent_bytes"),
              std::vector<uint64_t>(8, 448000000));
    EXPECT_EQ(ReadValues<int64_t>(path, "compute", "end").size(), 8U * 5);
    EXPECT_EQ(ReadValues<uint32_t>(path, "nodes", "node").size(), 9U);
    EXPECT_EQ(ReadValues<uint64_t>(path, "links", "rate_bps"),
              std::vector<uint64_t>(8, 100000000000));
    EXPECT_EQ(summary["run"]["trace_rows"], kind.size() + 2 * slices + 8 + 40 + 9 + 8);
}

TEST_F(ScenarioRunTest, TwoRunsGiveTheSameTraceAndSummary)
{
    const std::string first = TemporaryPath("first.h5");
    const std::string second = TemporaryPath("second.h5");
    const std::vector<std::string> shorter{"model.parameters=2000000", "run.steps=2"};
    auto run = [&](const std::string& path) {
        std::vector<std::string> overrides = shorter;
        overrides.push_back("trace.file=" + path);
        nlohmann::json summary = Run("gpt2-dp8", overrides);
        summary["run"].erase("wall_s");
        summary["run"].erase("cpu_s");
        return summary;
    };
    EXPECT_EQ(run(first), run(second));
    EXPECT_EQ(ReadContent(first), ReadContent(second));
}

TEST_F(ScenarioRunTest, EachStepRepeatsTheFirst)
{
    const nlohmann::json summary =
        Run("gpt2-dp8", {"trace=null", "model.parameters=2000000", "run.steps=3"});
    ASSERT_EQ(summary["steps"].size(), 3U);
    const nlohmann::json& steps = summary["steps"];
    EXPECT_EQ(steps[1]["exposed_comm_ns"], steps[0]["exposed_comm_ns"]);
    EXPECT_EQ(steps[2]["start_ns"], steps[1]["end_ns"]);
    ASSERT_EQ(summary["collectives"].size(), 3U);
    EXPECT_EQ(summary["collectives"][2]["sent_bytes_per_rank"],
              summary["collectives"][0]["sent_bytes_per_rank"]);
}

TEST_F(ScenarioRunTest, RanksOfOneNodeTalkOverNvlink)
{
    // Two ranks in one node: 2 steps of half the payload over NVLink, nothing on the network. The
    // first clear-to-send and the last slice take the delay each. The last chunks of the 2
    // channels, slices of 1 MiB and 36,864 B, leave side by side; what the second step does with
    // them starts the delay after a MiB has left. By then the link has sent the last segment of the
    // other MiB and the short slices, and waited.
    const nlohmann::json summary = Run("gpt2-dp8",
                                       {"trace=null",
                                        "cluster.nodes=1",
                                        "cluster.gpus_per_node=2",
                                        "parallel.data=2",
                                        "batch.global_tokens=65536"});
    EXPECT_EQ(summary["counters"]["data_packets"], 0);
    const double stepMs = 128e6 * 8 / 3.6e12 * 1e3 + 500e-6;
    const double waitMs = 500e-6 - (131072 + 2 * 36864) * 8 / 3.6e12 * 1e3;
    EXPECT_NEAR(CollectiveMs(summary), 2 * stepMs + waitMs, 1e-6);
    EXPECT_EQ(summary["collectives"][0]["sent_bytes_per_rank"],
              std::vector<uint64_t>(2, 256000000));
}

TEST_F(ScenarioRunTest, RanksMayBeFewerThanGpus)
{
    const nlohmann::json summary = Run("gpt2-dp8",
                                       {"trace=null",
                                        "parallel.data=4",
                                        "model.parameters=1000000",
                                        "batch.global_tokens=131072"});
    EXPECT_EQ(summary["collectives"][0]["ranks"], 4);
    EXPECT_TRUE(summary["unfinished"].empty());
}

TEST_F(ScenarioRunTest, OneRankHasNothingToSend)
{
    const nlohmann::json summary =
        Run("gpt2-dp8", {"trace=null", "parallel.data=1", "batch.global_tokens=32768"});
    EXPECT_TRUE(summary["collectives"].empty());
    EXPECT_DOUBLE_EQ(summary["steps"][0]["end_ns"].get<double>(), 312e6);
}

TEST_F(ScenarioRunTest, AnotherSeedGivesAnotherEcmpChoice)
{
    const nlohmann::json one = Run("permutation-32",
                                   {"trace=null",
                                    "flows=[{from: 0, to: 8, "
                                    "bytes: 1MB}]"});
    const std::vector<std::string> all{"trace=null", "nic.congestion_control=FixedRate"};
    std::vector<std::string> other = all;
    other.push_back("run.seed=2");
    EXPECT_NE(Run("permutation-32", all)["flows"], Run("permutation-32", other)["flows"]);
    EXPECT_EQ(one["flows"].size(), 1U);
}

TEST_F(ScenarioRunTest, ABrokenLinkEndsWithWhoWaitsForWhat)
{
    // All that node 3 receives is lost: its neighbors' queue pairs give up after 8 timeouts.
    const std::string path = "/NodeList/3/DeviceList/0/$ns3::llmfabric::FabricPort/";
    const nlohmann::json summary =
        Run("gpt2-dp8",
            {"trace=null",
             "model.parameters=1000000",
             "attributes." + path +
                 "ReceiveErrorModel=ns3::RateErrorModel[ErrorUnit=ERROR_UNIT_PACKET|ErrorRate=1]"});
    EXPECT_GT(summary["counters"]["timeouts"], 0);
    EXPECT_GT(summary["counters"]["dropped_frames"]["link_error"], 0);
    EXPECT_GT(summary["messages"]["failed"], 0);
    ASSERT_EQ(summary["unfinished"].size(), 8U);
    const std::string text = summary["unfinished"].dump();
    EXPECT_NE(text.find("10.0.0.3 to 10.0.0.4"), std::string::npos) << text;
    EXPECT_NE(text.find("no progress after 7 retries"), std::string::npos) << text;
    EXPECT_NE(text.find("rank 5, step 0: allreduce (ring) in group data since"), std::string::npos)
        << text;
}

TEST_F(ScenarioRunTest, AttributesByClassNameTakeEffectAndAreForgottenAfterTheRun)
{
    const std::string flows = "flows=[{from: 0, to: 2, bytes: 3MB}, {from: 1, to: 2, bytes: 3MB}]";
    const std::vector<std::string> drop{"corpus=null",
                                        "model=null",
                                        "precision=null",
                                        "batch=null",
                                        "parallel=null",
                                        "compute=null",
                                        "collective=null",
                                        "trace=null",
                                        "nic=null",
                                        "switch=null"};
    auto run = [&](const std::string& override) {
        std::vector<std::string> overrides = drop;
        overrides.push_back(flows);
        overrides.push_back(override);
        return Run("gpt2-dp8", overrides);
    };
    const nlohmann::json before = run("attributes={}");
    EXPECT_EQ(run("attributes.ns3::llmfabric::RoceNic::Mtu=1024")["counters"]["data_packets"],
              2 * 2930);
    EXPECT_NE(run("attributes.ns3::llmfabric::RedMarkPolicy::Kmin=1000")["counters"]["ecn_marked"],
              before["counters"]["ecn_marked"]);
    EXPECT_EQ(run("attributes={}")["flows"], before["flows"]);
}

TEST_F(ScenarioRunTest, AnUnknownCongestionControlSaysWhereAndWhatIsKnown)
{
    try
    {
        Run("gpt2-dp8", {"trace=null", "nic.congestion_control=Foo"});
        FAIL() << "no error";
    }
    catch (const UserError& error)
    {
        // Other tests of this program have classes of their own, which are known, too.
        const std::string text = error.what();
        EXPECT_EQ(text.rfind("--set (nic.congestion_control): unknown congestion control 'Foo'; "
                             "known: ",
                             0),
                  0U)
            << text;
        for (const std::string known : {"Dcqcn", "Swift", "dcqcn-paper", "fixed"})
        {
            EXPECT_NE(text.find(known), std::string::npos) << known;
        }
    }
}

TEST_F(ScenarioRunTest, HeadroomThatDoesNotFitSaysTheSum)
{
    try
    {
        Run("gpt2-dp8", {"trace=null", "switch.buffer=100KB"});
        FAIL() << "no error";
    }
    catch (const UserError& error)
    {
        // 8 ports x (25,000 + 2 x (4,096 + 82) + 84 + 25,216)
        EXPECT_NE(std::string(error.what()).find("469248 B in sum"), std::string::npos)
            << error.what();
    }
}

TEST_F(ScenarioRunTest, AnAttributePathThatMatchesNothingIsAnError)
{
    EXPECT_THROW(Run("gpt2-dp8", {"trace=null", "attributes./NodeList/99/Foo=1"}), UserError);
    EXPECT_THROW(Run("gpt2-dp8", {"trace=null", "attributes.ns3::llmfabric::Dcqcn::Gain=7"}),
                 UserError);
}

} // namespace
} // namespace llmfabric
} // namespace ns3
