/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/workload-transformer.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/**
 * @param tensors tensors
 * @return a line for each: name, shape, copies if several, what splits it
 */
std::string
Write(const std::vector<TensorShape>& tensors)
{
    std::string text;
    for (const TensorShape& tensor : tensors)
    {
        text += tensor.name + " " + std::to_string(tensor.rows);
        text += tensor.columns > 1 ? "x" + std::to_string(tensor.columns) : "";
        text += tensor.copies > 1 ? " *" + std::to_string(tensor.copies) : "";
        text += tensor.tensorSplit ? " split" : "";
        text += tensor.expert ? " expert" : "";
        text += "\n";
    }
    return text;
}

/**
 * @param tensors tensors of a block
 * @return values of its matrices, those of all copies
 */
double
MatrixValues(const std::vector<TensorShape>& tensors)
{
    double sum = 0;
    for (const TensorShape& tensor : tensors)
    {
        sum += tensor.columns > 1 ? tensor.GetParameters() : 0;
    }
    return sum;
}

/**
 * @param model a model
 * @param tokens tokens
 * @param causal whether only half of the scores is computed
 * @return operations of a forward pass through all layers and the output layer
 */
double
ForwardFlops(const Transformer& model, uint64_t tokens, bool causal)
{
    double sum = model.GetOutputFlops(tokens);
    for (uint64_t layer = 0; layer < model.GetDimensions().layers; ++layer)
    {
        sum += model.GetLayerFlops(layer, tokens, causal).GetTotal();
    }
    return sum;
}

/**
 * @param name a preset
 * @return the model
 */
Transformer
Preset(const std::string& name)
{
    return Transformer(Transformer::GetPreset(name));
}

TEST(TransformerTensors, Gpt2RegistersThemAsItsModulesDo)
{
    const Transformer gpt2;
    EXPECT_EQ(Write(gpt2.GetEmbeddingTensors()),
              "token_embedding.weight 50257x768 split\n"
              "position_embedding.weight 1024x768\n");
    EXPECT_EQ(Write(gpt2.GetLayerTensors(11)),
              "norm1.weight 768\n"
              "norm1.bias 768\n"
              "attention.qkv.weight 768x2304 split\n"
              "attention.qkv.bias 2304 split\n"
              "attention.output.weight 768x768 split\n"
              "attention.output.bias 768\n"
              "norm2.weight 768\n"
              "norm2.bias 768\n"
              "mlp.up.weight 768x3072 split\n"
              "mlp.up.bias 3072 split\n"
              "mlp.down.weight 3072x768 split\n"
              "mlp.down.bias 768\n");
    EXPECT_EQ(Write(gpt2.GetOutputTensors()), "final_norm.weight 768\nfinal_norm.bias 768\n");
}

TEST(TransformerTensors, LlamaHasFewerKeysAGateAndAnOutputLayer)
{
    const Transformer llama = Preset("llama3-8b");
    EXPECT_EQ(Write(llama.GetEmbeddingTensors()), "token_embedding.weight 128256x4096 split\n");
    EXPECT_EQ(Write(llama.GetLayerTensors(0)),
              "norm1.weight 4096\n"
              "attention.qkv.weight 4096x6144 split\n"
              "attention.output.weight 4096x4096 split\n"
              "norm2.weight 4096\n"
              "mlp.gate.weight 4096x14336 split\n"
              "mlp.up.weight 4096x14336 split\n"
              "mlp.down.weight 14336x4096 split\n");
    EXPECT_EQ(Write(llama.GetOutputTensors()),
              "final_norm.weight 4096\noutput.weight 4096x128256 split\n");
}

TEST(TransformerTensors, DeepSeekHasLatentAttentionAndSharedExperts)
{
    const std::string attention = "norm1.weight 7168\n"
                                  "attention.query_down.weight 7168x1536\n"
                                  "attention.query_norm.weight 1536\n"
                                  "attention.query_up.weight 1536x24576 split\n"
                                  "attention.kv_down.weight 7168x576\n"
                                  "attention.kv_norm.weight 512\n"
                                  "attention.kv_up.weight 512x32768 split\n"
                                  "attention.output.weight 16384x7168 split\n"
                                  "norm2.weight 7168\n";
    const Transformer deepSeek = Preset("deepseek-v3");
    EXPECT_EQ(Write(deepSeek.GetLayerTensors(2)),
              attention + "mlp.gate.weight 7168x18432 split\n"
                          "mlp.up.weight 7168x18432 split\n"
                          "mlp.down.weight 18432x7168 split\n");
    EXPECT_EQ(Write(deepSeek.GetLayerTensors(3)),
              attention + "router.weight 7168x256\n"
                          "router.bias 256\n"
                          "experts.gate.weight 7168x2048 *256 split expert\n"
                          "experts.up.weight 7168x2048 *256 split expert\n"
                          "experts.down.weight 2048x7168 *256 split expert\n"
                          "shared_experts.gate.weight 7168x2048 split\n"
                          "shared_experts.up.weight 7168x2048 split\n"
                          "shared_experts.down.weight 2048x7168 split\n");
}

TEST(TransformerTensors, LatentAttentionWithoutQueryRankHasOneQueryMatrix)
{
    TransformerDimensions d = Transformer::GetPreset("deepseek-v3");
    d.latent.queryRank = 0;
    const std::string text = Write(Transformer(d).GetLayerTensors(0));
    EXPECT_EQ(text.substr(0, text.find("attention.kv_down")),
              "norm1.weight 7168\nattention.query.weight 7168x24576 split\n");
}

TEST(TransformerTensors, MixturesWithBiasesHaveThemInEachExpert)
{
    TransformerDimensions d;
    d.experts.experts = 4;
    d.experts.feedForward = 100;
    const std::string text = Write(Transformer(d).GetLayerTensors(0));
    EXPECT_EQ(text.substr(text.find("router")),
              "router.weight 768x4\n"
              "experts.up.weight 768x100 *4 split expert\n"
              "experts.up.bias 100 *4 split expert\n"
              "experts.down.weight 100x768 *4 split expert\n"
              "experts.down.bias 768 *4 expert\n");
}

TEST(TransformerTensors, BucketsOfGpt2SmallInReverseOrderAreThoseOfPyTorch)
{
    const Transformer gpt2;
    std::vector<TensorShape> tensors = gpt2.GetEmbeddingTensors();
    for (uint64_t layer = 0; layer < 12; ++layer)
    {
        const auto more = gpt2.GetLayerTensors(layer);
        tensors.insert(tensors.end(), more.begin(), more.end());
    }
    const auto last = gpt2.GetOutputTensors();
    tensors.insert(tensors.end(), last.begin(), last.end());
    std::reverse(tensors.begin(), tensors.end());
    std::vector<uint64_t> buckets{0};
    for (const TensorShape& tensor : tensors)
    {
        const uint64_t cap = buckets.size() == 1 ? 1 << 20 : 25 << 20;
        if (buckets.back() >= cap)
        {
            buckets.push_back(0);
        }
        buckets.back() += 2 * tensor.GetParameters();
    }
    EXPECT_EQ(buckets,
              (std::vector<
                  uint64_t>{4723200, 28351488, 28351488, 28351488, 28351488, 28351488, 102398976}));
}

TEST(TensorShape, RanksShareWhatIsSplitAndRoundUp)
{
    const TensorShape whole{"a", 10, 7, 1, false, false};
    EXPECT_EQ(whole.GetParametersPerRank(8, 4), 70u);
    const TensorShape split{"b", 10, 7, 1, true, false};
    EXPECT_EQ(split.GetParametersPerRank(1, 4), 70u);
    EXPECT_EQ(split.GetParametersPerRank(7, 4), 10u);
    EXPECT_EQ(split.GetParametersPerRank(8, 4), 9u);
    const TensorShape experts{"c", 10, 7, 12, true, true};
    EXPECT_EQ(experts.GetParameters(), 840u);
    EXPECT_EQ(experts.GetParametersPerRank(1, 4), 210u);
    EXPECT_EQ(experts.GetParametersPerRank(8, 4), 27u);
    const TensorShape wholeExperts{"d", 10, 7, 12, false, true};
    EXPECT_EQ(wholeExperts.GetParametersPerRank(8, 6), 140u);
    EXPECT_DEATH(experts.GetParametersPerRank(1, 5), "12 experts can't be shared by 5 ranks");
    EXPECT_DEATH(split.GetParametersPerRank(0, 1), "a group has a rank at least");
}

TEST(TensorShape, RanksTogetherHoldAllAndLittleMore)
{
    std::mt19937 random(3);
    for (int i = 0; i < 500; ++i)
    {
        const uint32_t tensorRanks = 1 + random() % 16;
        const uint32_t expertRanks = 1 + random() % 8;
        const TensorShape shape{"a",
                                1 + random() % 1000,
                                1 + random() % 1000,
                                expertRanks * (1 + random() % 4),
                                true,
                                true};
        const uint64_t held =
            shape.GetParametersPerRank(tensorRanks, expertRanks) * tensorRanks * expertRanks;
        EXPECT_GE(held, shape.GetParameters());
        EXPECT_LT(held, shape.GetParameters() + tensorRanks * shape.copies);
    }
}

TEST(TransformerFlops, TrainingAGptTakes6PerMatrixValueAndTokenAnd12LdTForScores)
{
    std::mt19937 random(4);
    for (int i = 0; i < 200; ++i)
    {
        TransformerDimensions d;
        d.layers = 1 + random() % 20;
        d.heads = 1 + random() % 8;
        d.hidden = d.heads * (2 + random() % 30);
        d.vocabulary = 2 + random() % 5000;
        d.sequence = 1 + random() % 500;
        const Transformer model(d);
        const uint64_t tokens = d.sequence * (1 + random() % 8);
        double values = static_cast<double>(d.vocabulary) * d.hidden; // the output product
        for (uint64_t layer = 0; layer < d.layers; ++layer)
        {
            values += MatrixValues(model.GetLayerTensors(layer));
        }
        const double scores = 12.0 * d.layers * d.hidden * d.sequence;
        EXPECT_EQ(3 * ForwardFlops(model, tokens, false), (6 * values + scores) * tokens);
        EXPECT_EQ(3 * ForwardFlops(model, tokens, true), (6 * values + scores / 2) * tokens);
    }
}

TEST(TransformerFlops, DenseModelsTakeWhatMegatronCounts)
{
    for (const std::string name : {"gpt3-175b", "llama2-7b", "llama3-70b", "llama3-405b"})
    {
        const Transformer model = Preset(name);
        const TransformerDimensions& dims = model.GetDimensions();
        const double tokens = 3.0 * dims.sequence;
        const double h = dims.hidden;
        const double groups = static_cast<double>(dims.keyValueHeads) / dims.heads;
        const double expansion = dims.feedForward / h;
        const LayerFlops flops = model.GetLayerFlops(dims.layers - 1, tokens, true);
        EXPECT_DOUBLE_EQ(flops.projections, 4 * tokens * h * (h + h * groups)) << name;
        EXPECT_DOUBLE_EQ(flops.scores, 2 * 3.0 * dims.sequence * dims.sequence * h) << name;
        EXPECT_DOUBLE_EQ(flops.feedForward,
                         4 * expansion * tokens * h * h * (dims.gatedFeedForward ? 1.5 : 1))
            << name;
        EXPECT_DOUBLE_EQ(model.GetOutputFlops(tokens), 2 * tokens * h * dims.vocabulary) << name;
    }
}

TEST(TransformerFlops, TrainingGpt3TakesAbout6PerParameterAndToken)
{
    const Transformer gpt3 = Preset("gpt3-175b");
    const double scores = 12.0 * 96 * 12288 * 2048;
    const double full = 3 * ForwardFlops(gpt3, 2048, false) / 2048;
    EXPECT_NEAR(full / (6.0 * gpt3.GetParameterCount() + scores), 1, 0.0005);
    const double causal = 3 * ForwardFlops(gpt3, 2048, true) / 2048;
    EXPECT_NEAR(causal / (6.0 * gpt3.GetParameterCount() + scores / 2), 1, 0.0005);
}

TEST(TransformerFlops, ATokenPassesItsExpertsTheSharedOnesAndTheRouter)
{
    const Transformer deepSeek = Preset("deepseek-v3");
    const LayerFlops dense = deepSeek.GetLayerFlops(0, 4096, true);
    const LayerFlops mixed = deepSeek.GetLayerFlops(3, 4096, true);
    EXPECT_DOUBLE_EQ(dense.feedForward, 2.0 * 4096 * 3 * 7168 * 18432);
    EXPECT_DOUBLE_EQ(mixed.feedForward, 2.0 * 4096 * (9.0 * 3 * 7168 * 2048 + 7168 * 256));
    EXPECT_EQ(mixed.projections, dense.projections);
    const LayerFlops mixtral = Preset("mixtral-8x7b").GetLayerFlops(0, 8192, true);
    EXPECT_DOUBLE_EQ(mixtral.feedForward, 2.0 * 8192 * (2.0 * 3 * 4096 * 14336 + 4096 * 8));
}

TEST(TransformerFlops, LatentAttentionHasItsOwnSizes)
{
    const Transformer deepSeek = Preset("deepseek-v3");
    EXPECT_EQ(deepSeek.GetQuerySize(), 128u * 192);
    EXPECT_EQ(deepSeek.GetValueSize(), 128u * 128);
    EXPECT_EQ(deepSeek.GetKeyValueSize(), 576u);
    const LayerFlops flops = deepSeek.GetLayerFlops(0, 4096, false);
    EXPECT_DOUBLE_EQ(flops.scores, 2.0 * 4096 * 4096 * 128 * (192 + 128));
    EXPECT_DOUBLE_EQ(
        flops.projections,
        2.0 * 4096 *
            (7168.0 * 1536 + 1536.0 * 24576 + 7168.0 * 576 + 512.0 * 32768 + 16384.0 * 7168));
    const Transformer llama = Preset("llama3-8b");
    EXPECT_EQ(llama.GetQuerySize(), 4096u);
    EXPECT_EQ(llama.GetValueSize(), 4096u);
    EXPECT_EQ(llama.GetKeyValueSize(), 2u * 1024);
}

} // namespace
