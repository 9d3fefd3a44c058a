/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/activation-memory.h"
#include "ns3/user-error.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/**
 * @param tensor t
 * @param sequenceParallel whether activations are split by sequence
 * @param recompute what is computed again
 * @return the plan
 */
ParallelPlan
Plan(uint32_t tensor, bool sequenceParallel, Recompute recompute)
{
    ParallelPlan plan;
    plan.tensor = tensor;
    plan.sequenceParallel = sequenceParallel;
    plan.recompute = recompute;
    return plan;
}

/**
 * @param model a model
 * @param plan a plan
 * @param layer a layer
 * @return bytes of the layer for one sequence with 2-byte values
 */
uint64_t
LayerBytes(const Transformer& model, const ParallelPlan& plan, uint64_t layer = 0)
{
    return ActivationMemory(model, plan, 1, 2).GetLayerBytes(layer);
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

TEST(ActivationMemory, LayersOfGpt3TakeThePublishedSizes)
{
    const Transformer gpt3 = Preset("gpt3-175b");
    const double gib = 1024.0 * 1024 * 1024;
    EXPECT_NEAR(LayerBytes(gpt3, Plan(1, false, Recompute::NONE)) / gib, 2.67, 0.005);
    EXPECT_NEAR(LayerBytes(gpt3, Plan(8, false, Recompute::NONE)) / gib, 0.539, 0.0005);
    EXPECT_NEAR(LayerBytes(gpt3, Plan(8, true, Recompute::NONE)) / gib, 0.334, 0.0005);
    EXPECT_NEAR(LayerBytes(gpt3, Plan(8, true, Recompute::SELECTIVE)) / gib, 0.0996, 0.00005);
}

TEST(ActivationMemory, LayersOfGpt3TakeTheClosedForms)
{
    const Transformer gpt3 = Preset("gpt3-175b");
    const uint64_t sbh = 2048 * 12288; // 5 a s / h is 80
    EXPECT_EQ(LayerBytes(gpt3, Plan(1, false, Recompute::NONE)), sbh * (34 + 80));
    EXPECT_EQ(LayerBytes(gpt3, Plan(1, true, Recompute::NONE)), sbh * (34 + 80));
    EXPECT_EQ(LayerBytes(gpt3, Plan(8, false, Recompute::NONE)), sbh * (10 + 3 + 10));
    EXPECT_EQ(LayerBytes(gpt3, Plan(8, true, Recompute::NONE)), sbh / 8 * (34 + 80));
    EXPECT_EQ(LayerBytes(gpt3, Plan(8, false, Recompute::SELECTIVE)), sbh * (10 + 3));
    EXPECT_EQ(LayerBytes(gpt3, Plan(8, true, Recompute::SELECTIVE)), sbh / 8 * 34);
    EXPECT_EQ(LayerBytes(gpt3, Plan(8, false, Recompute::FULL)), sbh * 2);
    EXPECT_EQ(LayerBytes(gpt3, Plan(8, true, Recompute::FULL)), sbh / 4);
}

TEST(ActivationMemory, AnyGptTakesTheClosedForms)
{
    std::mt19937 random(1);
    for (int i = 0; i < 500; ++i)
    {
        const uint32_t t = 1 + random() % 8;
        TransformerDimensions d;
        d.heads = t * (1 + random() % 4);
        d.hidden = d.heads * (1 + random() % 64);
        d.sequence = t * (1 + random() % 100);
        const Transformer model(d);
        const uint64_t b = 1 + random() % 4;
        const uint64_t sbh = d.sequence * b * d.hidden;
        const uint64_t scores = 5 * d.heads * d.sequence * d.sequence * b;
        const auto bytes = [&](bool sequenceParallel, Recompute recompute) {
            return ActivationMemory(model, Plan(t, sequenceParallel, recompute), b, 2)
                .GetLayerBytes(0);
        };
        EXPECT_EQ(bytes(false, Recompute::NONE), 10 * sbh + 24 * sbh / t + scores / t);
        EXPECT_EQ(bytes(true, Recompute::NONE), 34 * sbh / t + scores / t);
        EXPECT_EQ(bytes(false, Recompute::SELECTIVE), 10 * sbh + 24 * sbh / t);
        EXPECT_EQ(bytes(true, Recompute::SELECTIVE), 34 * sbh / t);
        EXPECT_EQ(bytes(false, Recompute::FULL), 2 * sbh);
        EXPECT_EQ(bytes(true, Recompute::FULL), 2 * sbh / t);
    }
}

TEST(ActivationMemory, ContextRanksShareTheTokens)
{
    const Transformer llama = Preset("llama3-8b");
    for (Recompute recompute : {Recompute::NONE, Recompute::SELECTIVE, Recompute::FULL})
    {
        ParallelPlan plan = Plan(4, false, recompute);
        const ActivationMemory alone(llama, plan, 2, 2);
        plan.context = 8;
        const ActivationMemory shared(llama, plan, 2, 2);
        EXPECT_EQ(shared.GetLayerBytes(0), alone.GetLayerBytes(0) / 8);
        EXPECT_EQ(shared.GetOutputBytes(), alone.GetOutputBytes() / 8);
        plan.contextMethod = ContextMethod::ULYSSES;
        EXPECT_EQ(ActivationMemory(llama, plan, 2, 2).GetLayerBytes(0), shared.GetLayerBytes(0));
    }
}

TEST(ActivationMemory, LlamaKeepsNoMasksFewerKeysAndAGate)
{
    const Transformer llama = Preset("llama3-8b");
    const uint64_t s = 8192;
    const uint64_t d = 4096;
    const uint64_t whole = 2 * s * (2 * d + d + d); // norms, inputs of both blocks
    const uint64_t split = 2 * s * (d + 2 * 1024 + d + 3 * 14336);
    const uint64_t scores = 2 * 32 * s * s;
    EXPECT_EQ(LayerBytes(llama, Plan(1, false, Recompute::NONE)), whole + split + scores);
    EXPECT_EQ(LayerBytes(llama, Plan(8, false, Recompute::NONE)), whole + (split + scores) / 8);
    EXPECT_EQ(LayerBytes(llama, Plan(8, true, Recompute::SELECTIVE)), (whole + split) / 8);
}

TEST(ActivationMemory, WithoutDropoutAGptKeepsNoMasksAndOneCopyOfTheScores)
{
    TransformerDimensions d;
    d.dropout = false;
    const uint64_t sbh = 1024 * 768;
    const uint64_t scores = 12 * 1024 * 1024;
    EXPECT_EQ(LayerBytes(Transformer(d), Plan(1, false, Recompute::NONE)), 32 * sbh + 2 * scores);
    EXPECT_EQ(ActivationMemory(Transformer(d), {}, 1, 2).GetEmbeddingBytes(), 0u);
}

TEST(ActivationMemory, MasksHaveOneByteWhateverTheValuesHave)
{
    const Transformer gpt2;
    const uint64_t sbh = 1024 * 768;
    const uint64_t scores = 12 * 1024 * 1024;
    EXPECT_EQ(ActivationMemory(gpt2, {}, 1, 4).GetLayerBytes(0),
              4 * 16 * sbh + 2 * sbh + (2 * 4 + 1) * scores);
}

TEST(ActivationMemory, MixturesKeepTheTokensOfEachExpertAndTheRoutersScores)
{
    const Transformer mixtral = Preset("mixtral-8x7b");
    const uint64_t s = 8192;
    const uint64_t d = 4096;
    const uint64_t attention = 2 * s * (d + 1024 * 2 + d + d);
    const uint64_t norms = 2 * s * 2 * d;
    const uint64_t inputs = 2 * s * d * (1 + 2); // of the router, of two experts
    const uint64_t inner = 2 * s * 2 * 3 * 14336;
    const uint64_t router = 4 * s * 8;
    EXPECT_EQ(LayerBytes(mixtral, Plan(1, false, Recompute::SELECTIVE)),
              attention + norms + inputs + inner + router);
    EXPECT_EQ(LayerBytes(mixtral, Plan(8, false, Recompute::SELECTIVE)),
              (2 * s * (2 * d + 1024 * 2) + inner) / 8 + 2 * s * d + norms + inputs + router);
}

TEST(ActivationMemory, DeepSeekKeepsCompressedVectorsAndSharedExperts)
{
    const Transformer deepSeek = Preset("deepseek-v3");
    const uint64_t s = 4096;
    const uint64_t d = 7168;
    const uint64_t whole = 2 * s * (2 * d + d + d + 2 * 1536 + 2 * 512 + 64);
    const uint64_t split = 2 * s * (2 * 24576 + 2 * 16384);
    const uint64_t scores = 2 * 128 * s * s;
    const ParallelPlan plan = Plan(4, false, Recompute::NONE);
    EXPECT_EQ(LayerBytes(deepSeek, plan, 0), whole + (split + scores + 2 * s * 3 * 18432) / 4);
    EXPECT_EQ(LayerBytes(deepSeek, plan, 3),
              whole + 2 * s * 8 * d + 4 * s * 256 + (split + scores + 2 * s * 3 * 2048 * 9) / 4);
}

TEST(ActivationMemory, EndsOfThePipelineKeepMaskNormAndLogits)
{
    const Transformer gpt2;
    const uint64_t sbh = 1024 * 768;
    const uint64_t logits = 4 * 1024 * 50257;
    const ActivationMemory alone(gpt2, Plan(1, false, Recompute::NONE), 1, 2);
    EXPECT_EQ(alone.GetEmbeddingBytes(), sbh);
    EXPECT_EQ(alone.GetOutputBytes(), 4 * sbh + logits);
    const ActivationMemory tensor(gpt2, Plan(8, false, Recompute::NONE), 1, 2);
    EXPECT_EQ(tensor.GetEmbeddingBytes(), sbh);
    EXPECT_EQ(tensor.GetOutputBytes(), 4 * sbh + logits / 8);
    const ActivationMemory sequence(gpt2, Plan(8, true, Recompute::FULL), 1, 2);
    EXPECT_EQ(sequence.GetEmbeddingBytes(), sbh / 8);
    EXPECT_EQ(sequence.GetOutputBytes(), (4 * sbh + logits) / 8);
}

TEST(ActivationMemory, PartsAreRoundedUp)
{
    const Transformer gpt2;
    const uint64_t sbh = 1024 * 768;
    EXPECT_EQ(LayerBytes(gpt2, Plan(7, true, Recompute::FULL)), 2 * sbh / 7 + 1);
}

TEST(ActivationMemory, SizesBeyond64BitsAreRefused)
{
    const Transformer gpt2;
    const ActivationMemory huge(gpt2, {}, std::numeric_limits<uint64_t>::max(), 2);
    EXPECT_THROW(huge.GetLayerBytes(0), UserError);
    EXPECT_THROW(huge.GetEmbeddingBytes(), UserError);
    EXPECT_THROW(huge.GetOutputBytes(), UserError);
}

} // namespace
