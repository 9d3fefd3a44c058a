/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "simulation-fixture.h"

#include "ns3/plan-explainer.h"
#include "ns3/scenario-finder.h"
#include "ns3/scenario-reader.h"
#include "ns3/training-spec-maker.h"
#include "ns3/user-error.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{
namespace
{

using Json = nlohmann::ordered_json;

/** Explains scenarios. */
class PlanExplainerTest : public SimulationTest
{
  protected:
    /**
     * @param name a preset
     * @param overrides path=value each
     * @return its tables
     */
    static Json Explain(const std::string& name, const std::vector<std::string>& overrides = {})
    {
        const Scenario scenario = ScenarioReader::Read(name, overrides);
        TextSize text;
        const TrainingJob job(TrainingSpecMaker::Make(scenario, &text));
        return PlanExplainer(scenario, job, text).ToJson();
    }

    /**
     * @param name a preset
     * @param overrides path=value each
     * @return its tables as text
     */
    static std::string Write(const std::string& name,
                             const std::vector<std::string>& overrides = {})
    {
        const Scenario scenario = ScenarioReader::Read(name, overrides);
        TextSize text;
        const TrainingJob job(TrainingSpecMaker::Make(scenario, &text));
        std::ostringstream out;
        PlanExplainer(scenario, job, text).WriteText(out);
        return out.str();
    }

    /**
     * @param table a table of names
     * @param name a name
     * @return its row
     */
    static Json Row(const Json& table, const std::string& name)
    {
        for (const Json& row : table)
        {
            if (row["name"] == name)
            {
                return row;
            }
        }
        ADD_FAILURE() << "no row " << name;
        return {};
    }
};

TEST_F(PlanExplainerTest, EachPresetWithAModelIsExplained)
{
    std::size_t models = 0;
    for (const std::string& name : ScenarioFinder::GetPresets())
    {
        if (ScenarioReader::Read(name, {}).HasTraining())
        {
            ++models;
            const Json json = Explain(name);
            for (const std::string table : {"corpus",
                                            "model",
                                            "tensors",
                                            "plan",
                                            "stages",
                                            "traffic",
                                            "cluster",
                                            "step",
                                            "timeline"})
            {
                EXPECT_FALSE(json.at(table).empty()) << name << " " << table;
            }
            EXPECT_NE(Write(name).find("Stage 5  Infrastructure"), std::string::npos);
        }
    }
    EXPECT_GE(models, 9u);
}

TEST_F(PlanExplainerTest, InputsFormulasValuesAndUnitsStandSideBySide)
{
    const Json json = Explain("gpt2-dp8");
    EXPECT_EQ(Row(json["corpus"], "tokens |D|"),
              Json({{"name", "tokens |D|"},
                    {"formula", "words x tokens per word"},
                    {"value", 125000},
                    {"unit", "tokens"}}));
    EXPECT_EQ(Row(json["model"], "parameters P")["value"], 128000000);
    EXPECT_EQ(Row(json["model"], "parameters by shape")["value"], 124439808);
    EXPECT_EQ(Row(json["model"], "activation S_act, 1 sequence")["value"], 1572864);
    EXPECT_EQ(Row(json["model"], "activation S_act, mini-batch")["value"], 50331648);
    EXPECT_EQ(Row(json["plan"], "accumulation steps N_acc")["value"], 2);
    EXPECT_EQ(Row(json["plan"], "tokens of a data rank")["value"], 65536);
}

TEST_F(PlanExplainerTest, DenseLayersOfAMixedModelHaveRowsOfTheirOwn)
{
    const Json model = Explain("moe-ep8", {"model.dense_layers=2"})["model"];
    const double dense = Row(model, "dense layer, forward, 1 sequence")["value"].get<double>();
    const double last = Row(model, "last layer, forward, 1 sequence")["value"].get<double>();
    EXPECT_NEAR(last - dense, 2 * 1024 * 768 * 8 / 1e9, 1e-9); // the router; one expert is as dense
    EXPECT_EQ(Row(model, "kept of the dense layer, recompute full")["value"], 1572864);
    for (const Json& row : Explain("gpt2-dp8")["model"])
    {
        EXPECT_NE(row["name"], "dense layer, forward, 1 sequence");
    }
}

TEST_F(PlanExplainerTest, DivineComedyIsPadded)
{
    EXPECT_EQ(Row(Explain("divine-comedy")["corpus"], "sequences N")["value"], 123);
    EXPECT_EQ(Row(Explain("divine-comedy", {"corpus.last_sequence=drop"})["corpus"],
                  "sequences N")["value"],
              122);
}

TEST_F(PlanExplainerTest, TrafficSaysWhatIsSentHowOftenAndWhichWay)
{
    const Json traffic = Explain("gpt2-dp8")["traffic"];
    ASSERT_EQ(traffic.size(), 2u);
    EXPECT_EQ(traffic[0],
              Json({{"object", "gradients"},
                    {"op", "allreduce"},
                    {"group", "data"},
                    {"size", 8},
                    {"payload_m", 256000000},
                    {"calls_per_rank", 1},
                    {"ranks", 8},
                    {"sent_by_a_rank", 448000000},
                    {"sent_by_all", 3584000000},
                    {"over_nvlink", 0},
                    {"over_pcie_and_nic", 3584000000}}));
    EXPECT_EQ(traffic[1]["sent_by_all"], 3584000000);
}

TEST_F(PlanExplainerTest, AGroupInANodeTravelsOverNvlinkAndOneOverTwoNodesInPart)
{
    const auto row = [](const std::vector<std::string>& overrides) {
        return Explain("gpt2-dp8", overrides)["traffic"][0];
    };
    const Json inside = row({"cluster.nodes=1", "cluster.gpus_per_node=8"});
    EXPECT_EQ(inside["over_nvlink"], 3584000000);
    EXPECT_EQ(inside["over_pcie_and_nic"], 0);
    // of 8 hops of the ring two lead from node to node
    const Json halves = row({"cluster.nodes=2", "cluster.gpus_per_node=4"});
    EXPECT_EQ(halves["over_nvlink"], 3584000000 * 6 / 8);
    EXPECT_EQ(halves["over_pcie_and_nic"], 3584000000 * 2 / 8);
}

TEST_F(PlanExplainerTest, TheTimelineShowsThePassesOfThePaper)
{
    const Json json = Explain("gpt2-pp8", {"cluster.rate=100Tbps", "cluster.delay=1ps"});
    const Json& first = json["timeline"].front();
    const Json& last = json["timeline"].back();
    EXPECT_NEAR(last["forward_to"].get<double>(), 240, 0.1);
    EXPECT_NEAR(last["backward_from"].get<double>(), 240, 0.1);
    EXPECT_NEAR(first["backward_to"].get<double>(), 720, 0.2);
    EXPECT_NEAR(Row(json["step"], "compute")["value"].get<double>(), 120, 1e-9);
    const std::string text = Write("gpt2-pp8");
    EXPECT_NE(text.find("    0 |FF"), std::string::npos);
}

TEST_F(PlanExplainerTest, AHundredThousandRanksAreExplained)
{
    const Json json = Explain("llama3-405b",
                              {"parallel.data=784",
                               "batch.global_tokens=" + std::to_string(784 * 16 * 8192),
                               "cluster.nodes=12544",
                               "cluster.hosts_per_leaf=784"});
    EXPECT_EQ(Row(json["plan"], "ranks")["value"], 784 * 8 * 16);
    EXPECT_EQ(json["timeline"].size(), 16u);
    EXPECT_FALSE(json["traffic"].empty());
}

TEST_F(PlanExplainerTest, ARingOfContextRanksIsLookedAtAsAWhole)
{
    const std::vector<std::string> ring{"parallel.context=2", "cluster.gpus_per_node=16"};
    const Json step = Row(Explain("gpt2-tp8", ring)["step"], "step");
    EXPECT_GT(step["value"].get<double>(), 108); // what it computes
    EXPECT_LT(step["value"].get<double>(), 120);
    for (const std::string& schedule : PipelineSchedule::GetNames())
    {
        const std::string chunks = schedule == "interleaved" ? "2" : "1";
        EXPECT_EQ(Explain("every-key",
                          {"parallel.schedule=" + schedule,
                           "parallel.chunks=" + chunks,
                           "batch.micro_sequences=1"})["timeline"]
                      .size(),
                  2u)
            << schedule;
    }
}

TEST_F(PlanExplainerTest, TheBusiestExpertRankSetsThePace)
{
    const auto explain = [](const std::string& weights) {
        return Explain("moe-ep8",
                       {"compute.forward_per_layer=null",
                        "compute.backward_per_layer=null",
                        "compute.gpu=H100",
                        "run.ignore_memory=true",
                        "parallel.imbalance=" + weights})["step"];
    };
    const Json first = explain("[8,1,1,1,1,1,1,0]");
    const Json last = explain("[0,1,1,1,1,1,1,8]");
    const double step = Row(first, "step")["value"].get<double>();
    EXPECT_DOUBLE_EQ(Row(last, "step")["value"].get<double>(), step);
    EXPECT_GT(step, 1.5 * Row(explain("uniform"), "step")["value"].get<double>());
}

TEST_F(PlanExplainerTest, UnequalAllToAllsTakeAsLongAsTheBusiestRankNeeds)
{
    // All tokens go to rank 0: 7 x 50,331,648 B come in over its 100 Gb/s.
    const std::vector<std::string> all{"parallel.imbalance=[1,0,0,0,0,0,0,0]"};
    const Json even = Explain("moe-ep8");
    const Json uneven = Explain("moe-ep8", all);
    const double more = 48 * (7 - 7.0 / 8) * 50331648 * 8 / 100e9 * (4096 + 82) / 4096 * 1e3;
    EXPECT_NEAR(Row(uneven["step"], "step")["value"].get<double>(),
                Row(even["step"], "step")["value"].get<double>() + more,
                1);
}

TEST_F(PlanExplainerTest, TheSplitOfUnequalAllToAllsIsByBytes)
{
    const Json traffic = Explain("moe-ep8",
                                 {"cluster.nodes=2",
                                  "cluster.gpus_per_node=4",
                                  "cluster.nics_per_node=4",
                                  "parallel.imbalance=[1,0,0,0,0,0,0,0]"})["traffic"];
    for (const Json& row : traffic)
    {
        if (row["op"] == "alltoall") // of 7 that send to rank 0, and get from it, 3 are beside it
        {
            EXPECT_EQ(row["sent_by_all"], 24 * 7 * 50331648ULL);
            EXPECT_EQ(row["over_nvlink"], 24 * 3 * 50331648ULL);
        }
    }
}

TEST_F(PlanExplainerTest, GpusThatShareANicShareItsRate)
{
    const auto step = [](const std::string& nics) {
        const Json json = Explain("gpt2-dp8",
                                  {"cluster.nodes=16",
                                   "cluster.gpus_per_node=4",
                                   "cluster.nics_per_node=" + nics,
                                   "parallel.order=[data, tensor, context, expert, pipeline]",
                                   "parallel.data=2",
                                   "parallel.tensor=4",
                                   "parallel.sequence_parallel=true"});
        return Row(json["step"], "bubble and exposed communication")["value"].get<double>();
    };
    EXPECT_GT(step("1"), 1.5 * step("4")); // tensor groups of 4 lie over two nodes
}

TEST_F(PlanExplainerTest, UtilizationNeedsAGpu)
{
    const double percent =
        Row(Explain("megatron-gpt3")["step"], "model FLOPs utilization")["value"].get<double>();
    EXPECT_GT(percent, 41);
    EXPECT_LT(percent, 80.3); // what matrix products reach alone
    for (const Json& row : Explain("gpt2-dp8")["step"])
    {
        EXPECT_NE(row["name"], "model FLOPs utilization");
    }
}

TEST_F(PlanExplainerTest, PublishedPlansFitTheMemoryThatTheyWereTrainedIn)
{
    EXPECT_NO_THROW(Explain("megatron-gpt3"));
    EXPECT_NO_THROW(Explain("llama3-405b"));
    EXPECT_THROW(Explain("megatron-gpt3", {"parallel.recompute=none"}), UserError);
    EXPECT_THROW(Explain("llama3-405b", {"parallel.recompute=none"}), UserError);
    EXPECT_NO_THROW(
        Explain("megatron-gpt3", {"parallel.recompute=none", "run.ignore_memory=true"}));
}

} // namespace
} // namespace llmfabric
} // namespace ns3
