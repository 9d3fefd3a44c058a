/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-fixture.h"

#include "ns3/training-spec-maker.h"

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// A model of the user's own, as a value of the section model.
const std::string SHAPE = "layers: 4, hidden: 64, heads: 8, vocabulary: 1000, sequence: 16";

/**
 * @param overrides path=value each, put on the short job
 * @param [out] text if not null: words and bytes of the corpus' file
 * @return the spec
 */
TrainingSpec
Make(const std::vector<std::string>& overrides, TextSize* text = nullptr)
{
    return TrainingSpecMaker::Make(ScenarioReader::ReadText(SHORT_JOB, "a.yaml", overrides), text);
}

/**
 * @param overrides path=value each, put on the short job
 * @return what making the spec complains about
 */
std::string
Mistake(const std::vector<std::string>& overrides)
{
    try
    {
        Make(overrides);
    }
    catch (const UserError& error)
    {
        return error.what();
    }
    return "no complaint";
}

/// A text in a file that is there as long as this.
class TextFile
{
  public:
    /// @param text what the file holds
    explicit TextFile(const std::string& text)
        : m_path(testing::TempDir() + "llm-fabric-corpus.txt")
    {
        std::ofstream(m_path, std::ios::binary) << text;
    }

    ~TextFile()
    {
        std::filesystem::remove(m_path);
    }

    /// @return its path as an override of the corpus, with more keys
    std::string AsCorpus(const std::string& keys = "") const
    {
        return "corpus={file: " + m_path + keys + "}";
    }

  private:
    std::string m_path; //!< the file
};

} // namespace

TEST(TrainingSpecMaker, ShortJobHasTheDefaultsOfTheWorkload)
{
    const TrainingSpec spec = Make({});
    const ParallelPlan plan;
    EXPECT_EQ(spec.corpus.GetTokens(), 5U);
    EXPECT_EQ(spec.corpus.GetLastSequence(), Corpus().GetLastSequence());
    EXPECT_EQ(spec.model.GetParameterCount(), 124439808U);
    EXPECT_EQ(spec.precision.activation, Precision().activation);
    EXPECT_EQ(spec.precision.gradient, Precision().gradient);
    EXPECT_EQ(spec.precision.GetOptimizerBytes(), 12U);
    EXPECT_EQ(spec.batch.globalTokens, BatchPlan().globalTokens);
    EXPECT_EQ(spec.batch.microSequences, BatchPlan().microSequences);
    EXPECT_EQ(spec.parallel.GetRanks(), 2U);
    EXPECT_EQ(spec.parallel.expert, plan.expert);
    EXPECT_EQ(spec.parallel.zero, plan.zero);
    EXPECT_EQ(spec.parallel.sequenceParallel, plan.sequenceParallel);
    EXPECT_EQ(spec.parallel.contextMethod, plan.contextMethod);
    EXPECT_EQ(spec.parallel.schedule, plan.schedule);
    EXPECT_EQ(spec.parallel.chunks, plan.chunks);
    EXPECT_EQ(spec.parallel.layerSplit, plan.layerSplit);
    EXPECT_EQ(spec.parallel.pipelineScatter, plan.pipelineScatter);
    EXPECT_EQ(spec.parallel.gradients.buckets, plan.gradients.buckets);
    EXPECT_EQ(spec.parallel.gradients.firstBucketBytes, plan.gradients.firstBucketBytes);
    EXPECT_EQ(spec.parallel.gradients.bucketBytes, plan.gradients.bucketBytes);
    EXPECT_EQ(spec.parallel.prefetch, plan.prefetch);
    EXPECT_EQ(spec.parallel.noSync, plan.noSync);
    EXPECT_EQ(spec.parallel.load.capacityFactor, plan.load.capacityFactor);
    EXPECT_EQ(spec.parallel.load.zipfExponent, plan.load.zipfExponent);
    EXPECT_EQ(spec.parallel.recompute, plan.recompute);
    EXPECT_EQ(spec.parallel.order, plan.order);
    EXPECT_EQ(spec.compute.weightShare, ComputeTimes().weightShare);
    EXPECT_EQ(spec.compute.efficiency, ComputeTimes().efficiency);
    EXPECT_EQ(spec.compute.causalAttention, ComputeTimes().causalAttention);
    EXPECT_EQ(spec.steps, 1U);
    EXPECT_FALSE(spec.gpuMemory || spec.ignoreMemory);
}

TEST(TrainingSpecMaker, ExampleOfThePaperStaysWhatItIs)
{
    const TrainingSpec spec = TrainingSpecMaker::Make(ScenarioReader::Read("gpt2-dp8", {}));
    EXPECT_EQ(spec.corpus.GetTokens(), 125000U);
    EXPECT_EQ(spec.model.GetParameterCount(), 128000000U);
    EXPECT_EQ(spec.batch.globalTokens, 524288U);
    EXPECT_EQ(spec.batch.localSequences, 32U);
    EXPECT_EQ(spec.parallel.GetRanks(), 8U);
    EXPECT_EQ(spec.compute.forward, MilliSeconds(104));
    EXPECT_EQ(spec.compute.backward, MilliSeconds(208));
    EXPECT_TRUE(spec.compute.update.IsZero());
}

TEST(TrainingSpecMaker, CorpusFollowsItsKeys)
{
    EXPECT_EQ(Make({"corpus={words: 100}"}).corpus.GetTokens(), 125U);
    EXPECT_EQ(Make({"corpus={words: 100, tokens_per_word: 1.5}"}).corpus.GetTokens(), 150U);
    EXPECT_EQ(Make({"corpus={bytes: 1KB}"}).corpus.GetTokens(), 250U);
    EXPECT_EQ(Make({"corpus={bytes: 1KB, bytes_per_token: 5}"}).corpus.GetTokens(), 200U);
    EXPECT_EQ(Make({"corpus.last_sequence=pack"}).corpus.GetLastSequence(), LastSequence::PACK);
}

TEST(TrainingSpecMaker, FileIsCountedInWordsOrBytes)
{
    const TextFile file("Nel mezzo del cammin\n di nostra  vita\n"); // 7 words, 38 bytes
    TextSize text;
    EXPECT_EQ(Make({file.AsCorpus()}, &text).corpus.GetTokens(), 8U); // 7 x 1.25 = 8.75
    EXPECT_EQ(text.words, 7U);
    EXPECT_EQ(text.bytes, 38U);
    text = {};
    EXPECT_EQ(Make({file.AsCorpus(", unit: bytes, bytes_per_token: 2")}, &text).corpus.GetTokens(),
              19U);
    EXPECT_EQ(text.words, 7U);
    EXPECT_EQ(Make({file.AsCorpus(", tokens_per_word: 2")}).corpus.GetTokens(), 14U);
}

TEST(TrainingSpecMaker, UnreadableTextIsRefused)
{
    EXPECT_EQ(Mistake({"corpus={file: ./absent.txt}"}),
              "corpus.file: the text './absent.txt' can't be read (No such file or directory); "
              "name a file that exists and that you may read, from the working folder");
    EXPECT_EQ(Mistake({"corpus={file: /tmp}"}), "corpus.file: '/tmp' is a folder; name a text");
    const TextFile broken("good \xff bad");
    ExpectParts(Mistake({broken.AsCorpus()}), {"corpus.file: "});
}

TEST(TrainingSpecMaker, DimensionsMakeAModel)
{
    // V d + T d + L (12 d^2 + 13 d) + 2 d
    EXPECT_EQ(Make({"model={" + SHAPE + "}"}).model.GetParameterCount(),
              1000U * 64 + 16 * 64 + 4 * (12 * 64 * 64 + 13 * 64) + 2 * 64);
    const auto dimensions = Make({"model={" + SHAPE +
                                  ", kv_heads: 4, ffn: 99, tied_embeddings: false, "
                                  "learned_positions: false, biases: false, gated_ffn: true, "
                                  "dropout: false, experts: 4, top_k: 2, shared_experts: 1, "
                                  "expert_ffn: 33, dense_layers: 1, moe_frequency: 3, "
                                  "router_bias: true, parameters: 7}"})
                                .model;
    const auto& d = dimensions.GetDimensions();
    EXPECT_EQ(d.layers, 4U);
    EXPECT_EQ(d.hidden, 64U);
    EXPECT_EQ(d.heads, 8U);
    EXPECT_EQ(d.keyValueHeads, 4U);
    EXPECT_EQ(d.feedForward, 99U);
    EXPECT_EQ(d.vocabulary, 1000U);
    EXPECT_EQ(d.sequence, 16U);
    EXPECT_FALSE(d.tiedEmbeddings || d.learnedPositions || d.biases || d.dropout);
    EXPECT_TRUE(d.gatedFeedForward);
    EXPECT_EQ(d.experts.experts, 4U);
    EXPECT_EQ(d.experts.topK, 2U);
    EXPECT_EQ(d.experts.shared, 1U);
    EXPECT_EQ(d.experts.feedForward, 33U);
    EXPECT_EQ(d.experts.firstDense, 1U);
    EXPECT_EQ(d.experts.frequency, 3U);
    EXPECT_TRUE(d.experts.routerBias);
    EXPECT_EQ(dimensions.GetParameterCount(), 7U);
}

TEST(TrainingSpecMaker, DimensionsOverrideThoseOfAPreset)
{
    const auto& model = Make({"model.layers=24", "model.hidden=1024", "model.heads=16"}).model;
    EXPECT_EQ(model.GetParameterCount(), 354823168U); // GPT-2 medium
    EXPECT_EQ(model.GetDimensions().vocabulary, 50257U);
    const auto latent = Make({"model={" + SHAPE +
                              ", latent: {query_rank: 5, kv_rank: 6, head_size: 7, "
                              "rotary_size: 8, value_size: 9}}"})
                            .model.GetDimensions()
                            .latent;
    EXPECT_EQ(latent.queryRank, 5U);
    EXPECT_EQ(latent.keyValueRank, 6U);
    EXPECT_EQ(latent.headSize, 7U);
    EXPECT_EQ(latent.rotarySize, 8U);
    EXPECT_EQ(latent.valueSize, 9U);
}

TEST(TrainingSpecMaker, ExpertKeysNeedExperts)
{
    for (const std::string keyAndValue : {"top_k=1",
                                          "shared_experts=0",
                                          "expert_ffn=4",
                                          "dense_layers=1",
                                          "moe_frequency=1",
                                          "router_bias=false"})
    {
        const std::string key = keyAndValue.substr(0, keyAndValue.find('='));
        EXPECT_EQ(Mistake({"model." + keyAndValue}),
                  "model." + key + ": '" + key +
                      "' says nothing about a model without experts; remove it, or give "
                      "model.experts");
        EXPECT_EQ(Mistake({"model.experts=4", "model." + keyAndValue}), "no complaint");
    }
}

TEST(TrainingSpecMaker, NoExpertsMakeAPresetDense)
{
    const auto dense = Make({"model.preset=mixtral-8x7b", "model.experts=0"}).model;
    EXPECT_FALSE(dense.IsExpertLayer(0));
    // The router of 8 d values and 7 of 8 experts with 3 d d_ff each are gone from 32 layers.
    EXPECT_EQ(Make({"model.preset=mixtral-8x7b"}).model.GetParameterCount() -
                  dense.GetParameterCount(),
              32 * (8 * 4096 + 7 * 3 * 4096 * uint64_t{14336}));
    const auto latent = Make({"model.preset=deepseek-v3", "model.latent.query_rank=0"}).model;
    EXPECT_EQ(latent.GetDimensions().latent.keyValueRank, 512U);
    EXPECT_EQ(latent.GetDimensions().latent.queryRank, 0U);
}

TEST(TrainingSpecMaker, UnknownPresetIsRefused)
{
    ExpectParts(Mistake({"model.preset=gpt5"}), {"model.preset: ", "gpt5", "gpt2-small"});
}

TEST(TrainingSpecMaker, EveryOtherKeyArrives)
{
    const TrainingSpec spec = TrainingSpecMaker::Make(ScenarioReader::ReadText(
        SHORT_JOB,
        "a.yaml",
        {"precision={activation: 1, gradient: 4, parameter: 8, optimizer: 0}",
         "batch={global_tokens: 99, local_sequences: 6, micro_sequences: 3}",
         "parallel={data: 4, tensor: 2, pipeline: 3, expert: 2, context: 5, zero: 1, "
         "sequence_parallel: true, context_method: ulysses, schedule: gpipe, chunks: 2, "
         "layer_split: [3, 9], pipeline_scatter: false, recompute: full, buckets: true, "
         "first_bucket: 7, bucket_size: 8, prefetch: 9, no_sync: true, capacity_factor: 1.5, "
         "imbalance: [1, 2], order: [pipeline, data, expert, context, tensor]}",
         "compute={forward_per_layer: 1ms, backward_per_layer: 2ms, update: 3ms, "
         "weight_share: 0.25, gpu: H100, efficiency: 0.75, causal_attention: false}",
         "run={steps: 7, ignore_memory: true}",
         "cluster={nodes: 30, gpus_per_node: 4, gpu_memory: 1GB}"}));
    EXPECT_EQ(spec.precision.activation, 1U);
    EXPECT_EQ(spec.precision.gradient, 4U);
    EXPECT_EQ(spec.precision.parameter, 8U);
    EXPECT_EQ(spec.precision.optimizer, 0U);
    EXPECT_EQ(spec.batch.globalTokens, 99U);
    EXPECT_EQ(spec.batch.localSequences, 6U);
    EXPECT_EQ(spec.batch.microSequences, 3U);
    const ParallelPlan& plan = spec.parallel;
    EXPECT_EQ(plan.data, 4U);
    EXPECT_EQ(plan.tensor, 2U);
    EXPECT_EQ(plan.pipeline, 3U);
    EXPECT_EQ(plan.expert, 2U);
    EXPECT_EQ(plan.context, 5U);
    EXPECT_EQ(plan.zero, 1U);
    EXPECT_TRUE(plan.sequenceParallel && plan.gradients.buckets && plan.noSync);
    EXPECT_EQ(plan.contextMethod, ContextMethod::ULYSSES);
    EXPECT_EQ(plan.schedule, "gpipe");
    EXPECT_EQ(plan.chunks, 2U);
    EXPECT_EQ(plan.layerSplit, LayerSplitMethod::GIVEN);
    EXPECT_EQ(plan.layersPerPart, (std::vector<uint64_t>{3, 9}));
    EXPECT_FALSE(plan.pipelineScatter);
    EXPECT_EQ(plan.recompute, Recompute::FULL);
    EXPECT_EQ(plan.gradients.firstBucketBytes, 7U);
    EXPECT_EQ(plan.gradients.bucketBytes, 8U);
    EXPECT_EQ(plan.prefetch, 9U);
    EXPECT_EQ(plan.load.capacityFactor, 1.5);
    EXPECT_EQ(plan.load.weights, (std::vector<double>{1, 2}));
    EXPECT_EQ(plan.order.front(), GridAxis::PIPELINE);
    EXPECT_EQ(plan.order.back(), GridAxis::TENSOR);
    EXPECT_FALSE(spec.compute.forward || spec.compute.backward);
    EXPECT_EQ(spec.compute.forwardPerLayer, MilliSeconds(1));
    EXPECT_EQ(spec.compute.backwardPerLayer, MilliSeconds(2));
    EXPECT_EQ(spec.compute.update, MilliSeconds(3));
    EXPECT_EQ(spec.compute.weightShare, 0.25);
    EXPECT_EQ(spec.compute.gpu, "H100");
    EXPECT_EQ(spec.compute.efficiency, 0.75);
    EXPECT_FALSE(spec.compute.causalAttention);
    EXPECT_EQ(spec.steps, 7U);
    EXPECT_EQ(spec.gpuMemory, 1000000000U);
    EXPECT_TRUE(spec.ignoreMemory);
    EXPECT_EQ(Make({"parallel.imbalance={zipf: 1.2}"}).parallel.load.zipfExponent, 1.2);
}
