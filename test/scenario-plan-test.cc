/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-fixture.h"

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// A file of ops with the required keys only.
const std::string SHORT_SCHEDULE = "schedule: {file: ops.goal}\n"
                                   "cluster: {nodes: 2, gpus_per_node: 4}\n";

/**
 * @param overrides path=value each, put on the short job
 * @return the scenario
 */
Scenario
Read(const std::vector<std::string>& overrides)
{
    return ScenarioReader::ReadText(SHORT_JOB, "a.yaml", overrides);
}

/**
 * @param override path=value, put on the short job
 * @param message what the complaint says after where
 */
void
ExpectExactly(const std::string& override, const std::string& message)
{
    const std::string where = "--set (" + override.substr(0, override.find('=')) + "): ";
    EXPECT_EQ(Complaint(SHORT_JOB, {override}), where + message);
}

} // namespace

TEST(ScenarioPlan, CorpusKeysAreRead)
{
    const auto words = Read({"corpus={words: 8, tokens_per_word: 1.5, last_sequence: pad}"}).corpus;
    EXPECT_EQ(words.words, 8U);
    EXPECT_EQ(words.tokensPerWord, 1.5);
    EXPECT_EQ(words.lastSequence, LastSequence::PAD);
    const auto bytes = Read({"corpus={bytes: 8KB, bytes_per_token: 3.3}"}).corpus;
    EXPECT_EQ(bytes.bytes, 8000U);
    EXPECT_EQ(bytes.bytesPerToken, 3.3);
    const auto file = Read({"corpus={file: b/a.txt, unit: bytes, last_sequence: pack}"}).corpus;
    EXPECT_EQ(file.file, "b/a.txt");
    EXPECT_EQ(file.unit, Scenario::Corpus::Unit::BYTES);
    EXPECT_EQ(file.lastSequence, LastSequence::PACK);
    EXPECT_FALSE(file.words || file.tokens || file.bytes);
}

TEST(ScenarioPlan, CorpusKeysThatChangeNothingAreRefused)
{
    const std::string tail = "which this is not; remove it, or give corpus.";
    ExpectExactly("corpus.bytes_per_token=4",
                  "'bytes_per_token' belongs to a corpus in bytes, " + tail + "bytes");
    ExpectExactly("corpus.tokens_per_word=4",
                  "'tokens_per_word' belongs to a corpus in words, " + tail + "words");
    ExpectExactly("corpus.unit=words", "'unit' belongs to a corpus from a file, " + tail + "file");
    ExpectParts(Complaint(SHORT_JOB, {"corpus={file: a, bytes_per_token: 4}"}),
                {"(corpus.bytes_per_token)", "in bytes"});
    ExpectParts(Complaint(SHORT_JOB, {"corpus={file: a, unit: bytes, tokens_per_word: 4}"}),
                {"(corpus.tokens_per_word)", "in words"});
    EXPECT_EQ(Complaint(SHORT_JOB, {"corpus={file: a, unit: bytes, bytes_per_token: 4}"}),
              "no complaint");
    EXPECT_EQ(Complaint(SHORT_JOB, {"corpus={file: a, tokens_per_word: 4}"}), "no complaint");
}

TEST(ScenarioPlan, CorpusValuesAreChecked)
{
    ExpectExactly("corpus.tokens_per_word=0", "'0' is out of range; allowed: a number above 0");
    ExpectExactly("corpus.bytes_per_token=-1", "'-1' is out of range; allowed: a number above 0");
    ExpectExactly("corpus.last_sequence=dorp",
                  "unknown last_sequence 'dorp', did you mean 'drop'?; allowed: drop, pad, pack");
    ExpectExactly("corpus.unit=lines", "unknown unit 'lines'; allowed: words, bytes");
    EXPECT_EQ(Complaint(SHORT_JOB, {"corpus.file=a.txt"}),
              "a.yaml:1:1 (corpus): the corpus has no size or more than one; give exactly one of "
              "corpus.words, corpus.tokens, corpus.bytes, corpus.file");
}

TEST(ScenarioPlan, ModelKeysAreRead)
{
    const auto model = Read({"model={layers: 2, hidden: 64, heads: 8, kv_heads: 4, ffn: 99, "
                             "vocabulary: 1e3, sequence: 16, tied_embeddings: false, "
                             "learned_positions: false, biases: false, gated_ffn: true, "
                             "dropout: false, experts: 4, top_k: 2, shared_experts: 1, "
                             "expert_ffn: 33, dense_layers: 1, moe_frequency: 3, "
                             "router_bias: true, latent: {query_rank: 5, kv_rank: 6, "
                             "head_size: 7, rotary_size: 8, value_size: 9}, parameters: 1e6}"})
                           .model;
    EXPECT_EQ(model.preset, "");
    EXPECT_EQ(model.layers, 2U);
    EXPECT_EQ(model.hidden, 64U);
    EXPECT_EQ(model.heads, 8U);
    EXPECT_EQ(model.kvHeads, 4U);
    EXPECT_EQ(model.ffn, 99U);
    EXPECT_EQ(model.vocabulary, 1000U);
    EXPECT_EQ(model.sequence, 16U);
    EXPECT_EQ(model.tiedEmbeddings, false);
    EXPECT_EQ(model.learnedPositions, false);
    EXPECT_EQ(model.biases, false);
    EXPECT_EQ(model.gatedFfn, true);
    EXPECT_EQ(model.dropout, false);
    EXPECT_EQ(model.experts, 4U);
    EXPECT_EQ(model.topK, 2U);
    EXPECT_EQ(model.sharedExperts, 1U);
    EXPECT_EQ(model.expertFfn, 33U);
    EXPECT_EQ(model.denseLayers, 1U);
    EXPECT_EQ(model.moeFrequency, 3U);
    EXPECT_EQ(model.routerBias, true);
    ASSERT_TRUE(model.latent);
    EXPECT_EQ(model.latent->queryRank, 5U);
    EXPECT_EQ(model.latent->keyValueRank, 6U);
    EXPECT_EQ(model.latent->headSize, 7U);
    EXPECT_EQ(model.latent->rotarySize, 8U);
    EXPECT_EQ(model.latent->valueSize, 9U);
    EXPECT_EQ(model.parameters, 1000000U);
}

TEST(ScenarioPlan, ModelNeedsAPresetOrItsDimensions)
{
    const std::vector<std::string> keys{"layers", "hidden", "heads", "vocabulary", "sequence"};
    for (const auto& absent : keys)
    {
        std::vector<std::string> overrides{"model.preset="};
        for (const auto& key : keys)
        {
            overrides.push_back("model." + key + "=" + (key == absent ? "" : "8"));
        }
        EXPECT_EQ(Complaint(SHORT_JOB, overrides),
                  "a.yaml:2:1 (model." + absent +
                      "): the model has neither a preset nor the key '" + absent +
                      "'; give model.preset, or all of model.layers, model.hidden, model.heads, "
                      "model.vocabulary and model.sequence");
        overrides.push_back("model." + absent + "=8");
        EXPECT_EQ(Complaint(SHORT_JOB, overrides), "no complaint");
    }
    EXPECT_EQ(Read({"model.layers=3"}).model.layers, 3U);
    EXPECT_FALSE(Read({}).model.layers);
}

TEST(ScenarioPlan, LatentAttentionWithoutPresetNeedsItsSizes)
{
    const std::string shape = "layers: 1, hidden: 8, heads: 2, vocabulary: 9, sequence: 4";
    EXPECT_EQ(Complaint(SHORT_JOB, {"model={" + shape + ", latent: {kv_rank: 3, head_size: 2}}"}),
              "--set (model.latent.value_size): the required key 'value_size' is absent; add it");
    EXPECT_EQ(Complaint(SHORT_JOB, {"model.latent={kv_rank: 3}"}), "no complaint");
    ExpectExactly("model.latent.kv_rnk=1",
                  "unknown key 'kv_rnk', did you mean 'kv_rank'?; allowed: query_rank, kv_rank, "
                  "head_size, rotary_size, value_size");
    ExpectExactly("model.latent.kv_rank=0", "'0' is out of range; allowed: 1 or more");
}

TEST(ScenarioPlan, ModelValuesAreChecked)
{
    for (const std::string key : {"layers",
                                  "hidden",
                                  "heads",
                                  "kv_heads",
                                  "ffn",
                                  "vocabulary",
                                  "sequence",
                                  "top_k",
                                  "expert_ffn",
                                  "moe_frequency"})
    {
        ExpectExactly("model." + key + "=0", "'0' is out of range; allowed: 1 or more");
    }
    for (const std::string key : {"experts", "shared_experts", "dense_layers"})
    {
        EXPECT_EQ(Complaint(SHORT_JOB, {"model." + key + "=0"}), "no complaint");
        ExpectExactly("model." + key + "=x", "'x' is not a whole number; allowed: 0 or more");
    }
    for (const std::string key :
         {"tied_embeddings", "learned_positions", "biases", "gated_ffn", "dropout", "router_bias"})
    {
        ExpectExactly("model." + key + "=1", "'1' is not a boolean; allowed: true, false");
    }
}

TEST(ScenarioPlan, PrecisionAndBatchKeysAreRead)
{
    const auto scenario = Read({"precision={activation: 1, gradient: 4, parameter: 8, "
                                "optimizer: 0}",
                                "batch.micro_sequences=2"});
    EXPECT_EQ(scenario.precision.activation, 1U);
    EXPECT_EQ(scenario.precision.gradient, 4U);
    EXPECT_EQ(scenario.precision.parameter, 8U);
    EXPECT_EQ(scenario.precision.optimizer, 0U);
    EXPECT_EQ(scenario.batch.microSequences, 2U);
    ExpectExactly("precision.optimizer=65", "'65' is out of range; allowed: 0 to 64");
    ExpectExactly("batch.micro_sequences=0", "'0' is out of range; allowed: 1 or more");
}

TEST(ScenarioPlan, ComputeKeysAreRead)
{
    const auto all = Read({"compute={forward_per_layer: 1ms, backward_per_layer: 2ms, "
                           "update: 3ms, weight_share: 0.25, gpu: H100, efficiency: 0.5, "
                           "causal_attention: false}"})
                         .compute;
    EXPECT_FALSE(all.forward || all.backward);
    EXPECT_EQ(all.forwardPerLayer, MilliSeconds(1));
    EXPECT_EQ(all.backwardPerLayer, MilliSeconds(2));
    EXPECT_EQ(all.update, MilliSeconds(3));
    EXPECT_EQ(all.weightShare, 0.25);
    EXPECT_EQ(all.gpu, "H100");
    EXPECT_EQ(all.efficiency, 0.5);
    EXPECT_FALSE(all.causalAttention);
    const auto gpu = Read({"compute={gpu: A100}"}).compute;
    EXPECT_FALSE(gpu.forward || gpu.backward || gpu.forwardPerLayer || gpu.backwardPerLayer);
    EXPECT_EQ(Read({"compute.gpu=A100"}).compute.forward, MilliSeconds(1));
}

TEST(ScenarioPlan, ComputeTimesAreGivenInOneWay)
{
    const std::string either = "compute.forward and compute.backward, or "
                               "compute.forward_per_layer and compute.backward_per_layer";
    for (const std::string none : {"compute={}", "compute={update: 1ms}"})
    {
        EXPECT_EQ(Complaint(SHORT_JOB, {none}),
                  "--set (compute): nothing says how long a GPU computes; give " + either +
                      ", or compute.gpu");
    }
    ExpectParts(Complaint(SHORT_JOB, {"compute="}), {"a.yaml (compute): nothing says"});
    EXPECT_EQ(Complaint(SHORT_JOB, {"compute.forward_per_layer=1ms"}),
              "a.yaml:5:1 (compute): there are times of all layers and times per layer; give "
              "either " +
                  either);
    EXPECT_EQ(Complaint(SHORT_JOB, {"compute={backward: 1ms, gpu: H100}"}),
              "--set (compute.forward): the required key 'forward' is absent; add it");
    EXPECT_EQ(
        Complaint(SHORT_JOB, {"compute={forward_per_layer: 1ms}"}),
        "--set (compute.backward_per_layer): the required key 'backward_per_layer' is absent; "
        "add it");
}

TEST(ScenarioPlan, ComputeValuesAreChecked)
{
    ExpectExactly("compute.weight_share=1.5",
                  "'1.5' is out of range; allowed: a number from 0 to 1");
    ExpectExactly("compute.efficiency=0.5",
                  "'efficiency' says nothing without a GPU; remove it, or give compute.gpu");
    for (const std::string bad : {"0", "1.01", "-0.5", "1e999"})
    {
        EXPECT_EQ(Complaint(SHORT_JOB, {"compute.gpu=H100", "compute.efficiency=" + bad}),
                  "--set (compute.efficiency): '" + bad +
                      "' is out of range; allowed: a number above 0, up to 1");
    }
    EXPECT_EQ(Read({"compute.gpu=H100", "compute.efficiency=1"}).compute.efficiency, 1);
    ExpectExactly("compute.forward=1",
                  "'1' is not a time; write a number and one of ps, ns, us, ms, s, min, h, e.g. "
                  "1.5us");
}

TEST(ScenarioPlan, ClusterAndRunKeysAreRead)
{
    const auto scenario = Read({"cluster.gpu_memory=80GB", "run.ignore_memory=true"});
    EXPECT_EQ(scenario.cluster.gpuMemory, 80000000000U);
    EXPECT_TRUE(scenario.run.ignoreMemory);
    EXPECT_FALSE(Read({}).cluster.gpuMemory);
    EXPECT_FALSE(Read({}).run.ignoreMemory);
    ExpectExactly("cluster.gpu_memory=0",
                  "'0' is out of range; allowed: 1 to 18446744073709551615 bytes");
}

TEST(ScenarioPlan, StragglersAreRead)
{
    const std::string jitter = "ns3::NormalRandomVariable[Mean=1.0|Variance=0.0001|Bound=0.1]";
    const auto stragglers =
        Read({"stragglers.factors={1: 1.5, 0: 0.25}", "stragglers.jitter=" + jitter}).stragglers;
    EXPECT_EQ(stragglers.factors, (std::map<uint32_t, double>{{0, 0.25}, {1, 1.5}}));
    EXPECT_EQ(stragglers.jitter, jitter);
    EXPECT_EQ(Read({"stragglers.factors.1=2"}).stragglers.factors.at(1), 2);
    EXPECT_EQ(Read({"stragglers.jitter=MyVariable"}).stragglers.jitter, "MyVariable");
    EXPECT_TRUE(Read({}).stragglers.factors.empty());
    EXPECT_TRUE(Read({}).stragglers.jitter.empty());
}

TEST(ScenarioPlan, TextReadsBackAsTheSamePlan)
{
    const auto first = Read({"parallel={data: 2, order: [data, tensor, context, expert, pipeline], "
                             "layer_split: [5, 7], imbalance: {zipf: 0.1}}",
                             "stragglers.factors={1: 1.5}",
                             "stragglers.jitter=ns3::ConstantRandomVariable[Constant=1.1]"});
    const auto second = ScenarioReader::ReadText(first.text, "b.yaml", {});
    EXPECT_EQ(second.text, first.text);
    EXPECT_EQ(second.parallel.order, first.parallel.order);
    EXPECT_EQ(second.parallel.layersPerPart, first.parallel.layersPerPart);
    EXPECT_EQ(second.parallel.zipfExponent, 0.1);
    EXPECT_EQ(second.stragglers.factors, first.stragglers.factors);
    EXPECT_EQ(second.stragglers.jitter, first.stragglers.jitter);
}

TEST(ScenarioPlan, StragglersAreChecked)
{
    ExpectExactly("stragglers.factors.x=2", "'x' is not a rank; write rank: factor, e.g. 3: 1.2");
    ExpectExactly("stragglers.factors.1=0", "'0' is out of range; allowed: a number above 0");
    ExpectExactly("stragglers.factors=3", "this is not a map; write keys with values");
    ExpectParts(Complaint(SHORT_JOB, {"stragglers={factors: {1: 2, 01: 3}}"}),
                {"--set (stragglers.factors.01): the rank 01 stands twice"});
    ExpectExactly("stragglers.factors={0: 2, 2: 2}", "there is no rank 2; allowed: ranks 0 to 1");
    for (const std::string bad : {"0.1", "ns3::A[Mean=1", "a b"})
    {
        ExpectExactly("stragglers.jitter=\"" + bad + "\"",
                      "'" + bad +
                          "' does not name a random variable; write e.g. "
                          "ns3::NormalRandomVariable[Mean=1.0|Variance=0.0001|Bound=0.1]");
    }
}

TEST(ScenarioPlan, ScheduleIsAKindOfItsOwn)
{
    const auto scenario =
        ScenarioReader::ReadText(SHORT_SCHEDULE, "a.yaml", {"stragglers.factors={7: 2}"});
    EXPECT_TRUE(scenario.HasSchedule());
    EXPECT_FALSE(scenario.HasTraining() || scenario.HasFlows());
    EXPECT_EQ(scenario.schedule.file, "ops.goal");
    EXPECT_EQ(scenario.stragglers.factors.size(), 1U);
    EXPECT_EQ(scenario.cluster.gpusPerNode, 4U);
    EXPECT_EQ(Complaint(SHORT_SCHEDULE, {"cluster.gpus_per_node="}),
              "a.yaml:2:1 (cluster.gpus_per_node): the required key 'gpus_per_node' is absent; add "
              "it");
    EXPECT_EQ(Complaint(SHORT_SCHEDULE, {"schedule={}"}),
              "--set (schedule.file): the required key 'file' is absent; add it");
    ExpectParts(Complaint(SHORT_SCHEDULE, {"stragglers.factors={8: 2}"}),
                {"there is no rank 8; allowed: ranks 0 to 7"});
}

TEST(ScenarioPlan, KindsExcludeEachOther)
{
    const std::string action = "; describe either a training job, a schedule or plain flows";
    for (const std::string section :
         {"corpus", "model", "precision", "batch", "parallel", "compute"})
    {
        EXPECT_EQ(Complaint(SHORT_SCHEDULE, {section + "={}"}),
                  "--set (" + section + "): '" + section +
                      "' can't stand beside 'schedule' at a.yaml:1:1 (schedule)" + action);
    }
    for (const std::string section : {"corpus", "schedule", "collective", "stragglers"})
    {
        EXPECT_EQ(Complaint(SHORT_TRAFFIC, {section + "={}"}),
                  "--set (" + section + "): '" + section +
                      "' can't stand beside 'flows' at a.yaml:3:1 (flows)" + action);
    }
}
