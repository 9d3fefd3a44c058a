/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Training jobs, from the scenario to the end of the step, against formulas and the paper.

#include "scenario-run-fixture.h"

#include "ns3/plan-explainer.h"
#include "ns3/schedule-writer.h"
#include "ns3/training-spec-maker.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{
namespace
{

/** Runs training jobs in this process. */
class TrainingRunTest : public ScenarioRunTest
{
  protected:
    /**
     * @param name a preset or path
     * @param overrides path=value each; no trace is written
     * @return the summary of the run
     */
    nlohmann::json RunJob(const std::string& name, std::vector<std::string> overrides = {})
    {
        overrides.push_back("trace=null");
        return Run(name, overrides);
    }

    /**
     * @param name a preset or path
     * @param overrides path=value each
     * @return what explaining it gives
     */
    static nlohmann::ordered_json Explain(const std::string& name,
                                          const std::vector<std::string>& overrides = {})
    {
        const Scenario scenario = ScenarioReader::Read(name, overrides);
        TextSize text;
        const TrainingJob job(TrainingSpecMaker::Make(scenario, &text));
        return PlanExplainer(scenario, job, text).ToJson();
    }
};

/**
 * @param table a table of names and values
 * @param name a name
 * @return the value there
 */
double
ValueOf(const nlohmann::ordered_json& table, const std::string& name)
{
    for (const auto& row : table)
    {
        if (row["name"] == name)
        {
            return row["value"].get<double>();
        }
    }
    ADD_FAILURE() << "no row " << name;
    return std::nan("");
}

/** @return duration of the first step, ms */
double
StepMs(const nlohmann::json& summary)
{
    const nlohmann::json& step = summary["steps"].at(0);
    return (step["end_ns"].get<double>() - step["start_ns"].get<double>()) / 1e6;
}

/** @return the part of the first step in which the slowest rank did not compute, ms */
double
ExposedMs(const nlohmann::json& summary)
{
    return summary["steps"].at(0)["exposed_comm_ns"].get<double>() / 1e6;
}

/**
 * @param value a value
 * @param expected what it should be
 * @param part how far it may be off, as a part of it
 */
void
ExpectNear(double value, double expected, double part)
{
    EXPECT_NEAR(value, expected, part * expected);
}

/** A size of the testbed. */
struct Testbed
{
    int gpus;         //!< GPUs, one a node
    double allReduce; //!< AllReduce of all gradients, ms
    double exposed;   //!< what buckets can't hide, ms
};

const std::vector<Testbed> TESTBED{{2, 203.4, 83.7}, {4, 305.1, 125.5}, {7, 348.7, 143.5}};

TEST_F(TrainingRunTest, TestbedTakesTheTimeOfARingWithoutOverlap)
{
    for (const Testbed& one : TESTBED)
    {
        const auto summary = RunJob("ddp-testbed", {"parallel.data=" + std::to_string(one.gpus)});
        ExpectNear(ExposedMs(summary), one.allReduce, 0.005);
        ExpectNear(StepMs(summary), 930 + one.allReduce, 0.005);
    }
}

TEST_F(TrainingRunTest, TestbedHidesAllBucketsButTheLast)
{
    const std::vector<uint64_t>
        buckets{4723200, 28351488, 28351488, 28351488, 28351488, 28351488, 102398976};
    for (const Testbed& one : TESTBED)
    {
        const auto summary =
            RunJob("ddp-testbed",
                   {"parallel.data=" + std::to_string(one.gpus), "parallel.buckets=true"});
        ExpectNear(ExposedMs(summary), one.exposed, 0.005);
        std::vector<uint64_t> payloads;
        for (const auto& collective : summary["collectives"])
        {
            payloads.push_back(collective["payload_bytes"].get<uint64_t>());
        }
        EXPECT_EQ(payloads, buckets);
    }
}

TEST_F(TrainingRunTest, SimulatedStepsAreThoseOfTheFormulaWhereNothingContends)
{
    for (const std::string name : {"gpt2-dp8", "gpt2-pp8", "gpt2-tp8", "ddp-testbed"})
    {
        const auto table = Explain(name)["step"];
        ExpectNear(StepMs(RunJob(name)), ValueOf(table, "step"), 0.01);
    }
    const std::vector<std::string> microBatches{"batch.micro_sequences=4",
                                                "parallel.schedule=1f1b"};
    ExpectNear(StepMs(RunJob("gpt2-pp8", microBatches)),
               ValueOf(Explain("gpt2-pp8", microBatches)["step"], "step"),
               0.01);
}

TEST_F(TrainingRunTest, ExpertsSendWhatThePaperSays)
{
    const auto summary = RunJob("moe-ep8");
    uint64_t phases = 0;
    uint64_t sent = 0;
    for (const auto& collective : summary["collectives"])
    {
        if (collective["op"] == "alltoall")
        {
            ++phases;
            for (const auto& bytes : collective["sent_bytes_per_rank"])
            {
                EXPECT_EQ(bytes, 44040192);
            }
            sent += collective["sent_bytes_per_rank"].at(3).get<uint64_t>();
        }
    }
    EXPECT_EQ(phases, 4u * 12);
    EXPECT_EQ(sent, 12u * 176160768);
}

/// Each way of sharing the work, small enough to be simulated.
const std::string SMALL = R"(
corpus: {tokens: 100000}
model: {layers: 4, hidden: 64, heads: 8, vocabulary: 1000, sequence: 64, experts: 4, top_k: 2}
batch: {local_sequences: 8, micro_sequences: 2, global_tokens: 4096}
parallel: {data: 4, tensor: 2, pipeline: 2, expert: 2, context: 2, sequence_parallel: true,
           zero: 1, buckets: true, bucket_size: 64KiB, imbalance: {zipf: 1}}
compute: {forward_per_layer: 1ms, backward_per_layer: 2ms, update: 1ms}
cluster: {nodes: 4, gpus_per_node: 8, nics_per_node: 4, rate: 100Gbps, delay: 1us}
)";

TEST_F(TrainingRunTest, AllDegreesTogetherRunToTheEndAndSendWhatThePlanSays)
{
    const Scenario scenario = ScenarioReader::ReadText(SMALL, "small.yaml", {});
    ScenarioRunner runner(scenario);
    runner.Setup();
    runner.Run();
    EXPECT_TRUE(runner.IsSuccess());
    const nlohmann::json summary = nlohmann::json::parse(RunSummary::ToJson(runner.GetResults()));
    Simulator::Destroy();
    std::map<std::string, uint64_t> counted;
    for (const auto& collective : summary["collectives"])
    {
        for (const auto& bytes : collective["sent_bytes_per_rank"])
        {
            counted[collective["group"].get<std::string>()] += bytes.get<uint64_t>();
        }
    }
    const TrainingJob job(TrainingSpecMaker::Make(scenario));
    std::map<std::string, uint64_t> planned;
    for (const TrafficRow& row : GetTraffic(job))
    {
        if (row.op != "send")
        {
            planned[row.group] += row.totalBytes;
        }
    }
    EXPECT_EQ(counted, planned);
    EXPECT_GE(planned.size(), 6u);
}

TEST_F(TrainingRunTest, EveryScheduleRunsToTheEnd)
{
    for (const std::string& name : PipelineSchedule::GetNames())
    {
        const std::string chunks = name == "interleaved" ? "2" : "1";
        const Scenario scenario = ScenarioReader::ReadText(
            SMALL,
            "small.yaml",
            {"parallel.schedule=" + name, "parallel.chunks=" + chunks, "batch.micro_sequences=1"});
        ScenarioRunner runner(scenario);
        runner.Setup();
        runner.Run();
        EXPECT_TRUE(runner.IsSuccess()) << name;
        Simulator::Destroy();
    }
}

TEST_F(TrainingRunTest, AWrittenScheduleGivesTheSameRun)
{
    const std::string path = TemporaryPath("plan.jsonl");
    const Scenario scenario = ScenarioReader::ReadText(SMALL, "small.yaml", {});
    ScheduleWriter::Write(TrainingJob(TrainingSpecMaker::Make(scenario)), path);
    ScenarioRunner first(scenario);
    first.Setup();
    first.Run();
    Simulator::Destroy();
    const Scenario written = ScenarioReader::ReadText("schedule: {file: " + path + "}\n" +
                                                          SMALL.substr(SMALL.find("cluster:")),
                                                      "written.yaml",
                                                      {});
    ScenarioRunner second(written);
    second.Setup();
    second.Run();
    Simulator::Destroy();
    EXPECT_EQ(second.GetResults().simulated, first.GetResults().simulated);
    EXPECT_EQ(second.GetResults().collectives.size(), first.GetResults().collectives.size());
    EXPECT_EQ(second.GetResults().counters.dataPackets, first.GetResults().counters.dataPackets);
}

TEST_F(TrainingRunTest, AStragglerHoldsTheStepAndJitterSpreadsIt)
{
    const double even = StepMs(RunJob("gpt2-dp8"));
    const double slow = StepMs(RunJob("gpt2-dp8", {"stragglers.factors={3: 1.25}"}));
    ExpectNear(slow, even + 0.25 * 624, 0.001);
    const std::vector<std::string> jitter{
        "stragglers.jitter=ns3::UniformRandomVariable[Min=1|Max=1.1]"};
    const auto spread = RunJob("gpt2-dp8", jitter);
    EXPECT_GT(StepMs(spread), even + 0.05 * 624);
    EXPECT_LT(StepMs(spread), even + 0.1 * 624);
    EXPECT_EQ(StepMs(RunJob("gpt2-dp8", jitter)), StepMs(spread));
}

TEST_F(TrainingRunTest, APlanThatDoesNotFitIsRefusedUnlessMemoryIsIgnored)
{
    const std::vector<std::string> overrides{"trace=null", "cluster.gpu_memory=1GB"};
    ScenarioRunner refused(ScenarioReader::Read("gpt2-dp8", overrides));
    try
    {
        refused.Setup();
        FAIL();
    }
    catch (const UserError& error)
    {
        const std::string text = error.what();
        EXPECT_NE(text.find("parameters 256000000 B + gradients 256000000 B"), std::string::npos)
            << text;
        EXPECT_NE(text.find("but a GPU has 1000000000 B"), std::string::npos) << text;
    }
    EXPECT_TRUE(RunJob("gpt2-dp8", {"cluster.gpu_memory=1GB", "run.ignore_memory=true"})["error"]
                    .get<std::string>()
                    .empty());
}

} // namespace
} // namespace llmfabric
} // namespace ns3
