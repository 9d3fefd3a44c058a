/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "small-training.h"

#include "ns3/model-parts.h"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/**
 * @param layers L
 * @param stages p
 * @param tied whether the output layer is the embedding
 * @return a run with a pipeline
 */
TrainingSpec
Pipeline(uint64_t layers, uint32_t stages, bool tied = false)
{
    TransformerDimensions dimensions = SmallDimensions(layers);
    dimensions.tiedEmbeddings = tied;
    TrainingSpec spec = SmallTraining(layers);
    spec.model = Transformer(dimensions);
    spec.parallel.pipeline = stages;
    return spec;
}

/**
 * @return the small model with 4 experts of which a token passes 2
 */
TrainingSpec
Experts()
{
    TransformerDimensions dimensions = SmallDimensions(1);
    dimensions.experts.experts = 4;
    dimensions.experts.topK = 2;
    TrainingSpec spec = SmallTraining(1);
    spec.model = Transformer(dimensions);
    return spec;
}

/**
 * @param parts a model
 * @return each part: its first layer, its layers, and letters for embedding, output and copy
 */
std::string
Write(const ModelParts& parts)
{
    std::string text;
    for (const ModelPart& part : parts.GetParts())
    {
        text += (text.empty() ? "" : " ") + std::to_string(part.firstLayer) + "+" +
                std::to_string(part.layers) + (part.embedding ? "e" : "") +
                (part.output ? "o" : "") + (part.embeddingCopy ? "c" : "");
    }
    return text;
}

/**
 * @param share what a rank holds
 * @return it as text: dense values, experts' values
 */
std::string
Write(const ParameterShare& share)
{
    return std::to_string(share.dense) + " " + std::to_string(share.expert);
}

/**
 * @param change makes a good run a bad one
 * @return the message with which it is refused
 */
template <typename Change>
std::string
ErrorAfter(Change change)
{
    TrainingSpec spec = Experts();
    change(spec);
    return ErrorOf([&] { ModelParts parts(spec); });
}

TEST(ModelParts, OneStageHoldsTheWholeModel)
{
    const ModelParts parts(Pipeline(3, 1, true));
    EXPECT_EQ(Write(parts), "0+3eo");
    EXPECT_EQ(parts.GetChunks(), 1u);
    EXPECT_EQ(parts.GetShape().microBatches, 1u);
    EXPECT_FALSE(parts.IsEmbeddingShared());
    EXPECT_EQ(parts.GetSchedule().GetName(), "1f1b");
}

TEST(ModelParts, LayersAreSpreadAsAsked)
{
    TrainingSpec spec = Pipeline(7, 3);
    EXPECT_EQ(Write(ModelParts(spec)), "0+2e 2+2 4+3o");
    spec.parallel.layerSplit = LayerSplitMethod::GIVEN;
    spec.parallel.layersPerPart = {0, 7, 0};
    EXPECT_EQ(Write(ModelParts(spec)), "0+0e 0+7 7+0o");
    spec.parallel.layersPerPart = {3, 3, 2};
    EXPECT_EQ(
        ErrorOf([&] { ModelParts parts(spec); }),
        "parallel.layer_split: the parts have 8 layers, the model has 7; give numbers that add "
        "up to model.layers");
}

TEST(ModelParts, BalancedPartsMakeRoomForALargeOutputLayer)
{
    TrainingSpec spec = Pipeline(8, 2);
    TransformerDimensions dimensions = spec.model.GetDimensions();
    spec.parallel.layerSplit = LayerSplitMethod::BALANCED;
    // A layer costs 2 * 32 * (256 + 256 + 256), an output layer 2 * 32 * 8 * V.
    dimensions.vocabulary = 192;
    spec.model = Transformer(dimensions);
    EXPECT_EQ(Write(ModelParts(spec)), "0+5e 5+3o");
    dimensions.vocabulary = 6 * 96;
    spec.model = Transformer(dimensions);
    EXPECT_EQ(Write(ModelParts(spec)), "0+7e 7+1o");
}

TEST(ModelParts, InterleavedStagesHoldSeveralParts)
{
    TrainingSpec spec = Pipeline(8, 2, true);
    spec.parallel.schedule = "interleaved";
    spec.parallel.chunks = 2;
    spec.batch.localSequences = 4;
    spec.batch.microSequences = 1;
    const ModelParts parts(spec);
    EXPECT_EQ(Write(parts), "0+2e 2+2 4+2 6+2oc");
    EXPECT_EQ(parts.GetChunks(), 2u);
    EXPECT_EQ(parts.GetPart(0, 1).index, 2u);
    EXPECT_EQ(parts.GetPart(1, 1).index, 3u);
    EXPECT_TRUE(parts.IsEmbeddingShared());
}

TEST(ModelParts, BidirectionalStagesHoldBothEndsAndNoCopy)
{
    TrainingSpec spec = Pipeline(4, 2, true);
    spec.parallel.schedule = "dualpipe";
    spec.batch.localSequences = 8;
    spec.batch.microSequences = 2;
    const ModelParts parts(spec);
    EXPECT_EQ(Write(parts), "0+2e 2+2o");
    EXPECT_EQ(parts.GetPart(0, 0).index, 0u);
    EXPECT_EQ(parts.GetPart(0, 1).index, 1u);
    EXPECT_EQ(parts.GetPart(1, 0).index, 1u);
    EXPECT_FALSE(parts.IsEmbeddingShared());
}

TEST(ModelParts, TheLastStageHasACopyOfATiedEmbedding)
{
    const ModelParts tied(Pipeline(2, 2, true));
    EXPECT_EQ(Write(tied), "0+1e 1+1oc");
    EXPECT_TRUE(tied.IsEmbeddingShared());
    EXPECT_EQ(Write(tied.GetShare(tied.GetPart(0, 0))), "656 0"); // 128 + 528
    EXPECT_EQ(Write(tied.GetShare(tied.GetPart(1, 0))), "664 0"); // 528 + 8 + 128
    EXPECT_EQ(Write(tied.GetOutputShare(tied.GetPart(1, 0))), "136 0");
    EXPECT_EQ(Write(tied.GetOutputShare(tied.GetPart(0, 0))), "0 0");
    const ModelParts untied(Pipeline(2, 2));
    EXPECT_EQ(Write(untied), "0+1e 1+1o");
    EXPECT_FALSE(untied.IsEmbeddingShared());
}

TEST(ModelParts, TensorRanksHoldPartsOfTheMatricesAndAllNorms)
{
    TrainingSpec spec = Pipeline(2, 1);
    spec.parallel.tensor = 4;
    const ModelParts parts(spec);
    EXPECT_EQ(Write(parts.GetLayerShare(0)), "144 0"); // 8 + 48 + 16 + 8 + 32 + 32
    EXPECT_EQ(Write(parts.GetEmbeddingShare(parts.GetPart(0, 0))), "32 0");
    EXPECT_EQ(Write(parts.GetOutputShare(parts.GetPart(0, 0))), "40 0");
    EXPECT_EQ(Write(parts.GetShare(parts.GetPart(0, 0))), "360 0");
    EXPECT_EQ(parts.GetTokenEmbeddingShare(), 32u);
}

TEST(ModelParts, ExpertRanksHoldSomeExpertsAndAllElse)
{
    TrainingSpec spec = Experts();
    spec.parallel.data = 4;
    for (const uint32_t ranks : {1, 2, 4})
    {
        spec.parallel.expert = ranks;
        const ModelParts parts(spec); // 8 + 192 + 64 + 8 + router 32; an expert 256
        EXPECT_EQ(Write(parts.GetLayerShare(0)), "304 " + std::to_string(1024 / ranks));
    }
    spec.parallel.tensor = 2;
    spec.parallel.sequenceParallel = true;
    EXPECT_EQ(Write(ModelParts(spec).GetLayerShare(0)), "176 128"); // 8 + 96 + 32 + 8 + 32
}

TEST(ModelParts, LayersWithAndWithoutExpertsAreToldApart)
{
    TransformerDimensions dimensions = SmallDimensions(5);
    dimensions.experts.experts = 4;
    dimensions.experts.firstDense = 1;
    dimensions.experts.frequency = 3; // layers 1 and 4
    TrainingSpec spec = SmallTraining(5);
    spec.model = Transformer(dimensions);
    const ModelParts parts(spec);
    for (uint64_t layer = 0; layer < 5; ++layer)
    {
        EXPECT_EQ(Write(parts.GetLayerShare(layer)),
                  layer == 1 || layer == 4 ? "304 1024" : "528 0");
    }
    EXPECT_EQ(Write(parts.GetShare(parts.GetPart(0, 0))), "2456 2048"); // 3 528 + 2 304 + 264
}

TEST(ModelParts, PartsOfEveryPresetAddUpToTheModel)
{
    for (const std::string& name : Transformer::GetPresetNames())
    {
        TrainingSpec spec;
        spec.model = Transformer(Transformer::GetPreset(name));
        for (const uint32_t stages : {1, 2, 5})
        {
            spec.parallel.pipeline = stages;
            const ModelParts parts(spec);
            ParameterShare sum;
            for (const ModelPart& part : parts.GetParts())
            {
                sum += parts.GetShare(part);
            }
            const uint64_t copy = parts.IsEmbeddingShared() ? parts.GetTokenEmbeddingShare() : 0;
            EXPECT_EQ(sum.dense + sum.expert, spec.model.GetParameterCount() + copy) << name;
        }
    }
}

TEST(ModelParts, AGivenTotalIsSharedByThePartsToTheLastValue)
{
    std::mt19937_64 random(1);
    for (int i = 0; i < 100; ++i)
    {
        const uint64_t layers = 1 + random() % 20;
        TrainingSpec spec = Pipeline(layers, 1 + random() % layers, random() % 2 == 0);
        const uint64_t total = 1 + random() % (i % 2 == 0 ? 100 : uint64_t{1} << 62);
        spec.model.OverrideParameters(total);
        spec.parallel.tensor = 1 << random() % 3;
        const ModelParts parts(spec);
        uint64_t sum = 0;
        for (const ModelPart& part : parts.GetParts())
        {
            const ParameterShare share = parts.GetShare(part);
            EXPECT_EQ(share.expert, 0u);
            sum += share.dense - (part.embeddingCopy ? parts.GetTokenEmbeddingShare() : 0);
        }
        EXPECT_GE(sum * spec.parallel.tensor, total);
        EXPECT_LE(sum * spec.parallel.tensor,
                  total + (spec.parallel.tensor - 1) * parts.GetParts().size());
    }
}

TEST(ModelParts, MiniBatchesAreCutInWholeMicroBatches)
{
    TrainingSpec spec = SmallTraining();
    const auto count = [&](uint64_t local, uint64_t micro) {
        spec.batch.localSequences = local;
        spec.batch.microSequences = micro;
        return ModelParts(spec).GetShape().microBatches;
    };
    EXPECT_EQ(count(6, 0), 1u);
    EXPECT_EQ(count(6, 6), 1u);
    EXPECT_EQ(count(6, 2), 3u);
    EXPECT_EQ(count(1000000, 1), 1000000u);
    EXPECT_EQ(
        ErrorOf([&] { count(6, 4); }),
        "batch.micro_sequences: the mini-batch of 6 sequences can't be cut in micro-batches of "
        "4; give a divisor of batch.local_sequences");
    EXPECT_NE(ErrorOf([&] { count(6, 12); }), "no error");
    EXPECT_EQ(ErrorOf([&] { count(0, 0); }),
              "batch.local_sequences: the value is 0; give a number of at least 1");
    EXPECT_EQ(ErrorOf([&] { count(3000000000, 1); }),
              "batch.micro_sequences: the mini-batch of 3000000000 sequences can't be cut in "
              "micro-batches of 1, they would be too many; make them larger, or the mini-batch "
              "smaller");
}

TEST(ModelParts, ModelsTooLargeToListAreRefused)
{
    TransformerDimensions dimensions = SmallDimensions(10001);
    EXPECT_EQ(ErrorAfter([&](TrainingSpec& s) { s.model = Transformer(dimensions); }),
              "model.layers: a plan of 10001 layers is too large; give at most 10000");
    dimensions.layers = 1;
    dimensions.experts.experts = 10000000000;
    EXPECT_EQ(ErrorAfter([&](TrainingSpec& s) { s.model = Transformer(dimensions); }),
              "model.experts: a plan of 10000000000 experts is too large; give at most 100000");
}

TEST(ModelParts, WhatRanksCanNotShareEvenlyIsRefusedWithTheKey)
{
    const auto refused = [](uint64_t value, const std::string& what, const std::string& ranks) {
        return ": " + std::to_string(value) + " " + what + " can't be shared evenly by " + ranks +
               " ranks; give a divisor of " + std::to_string(value);
    };
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.parallel.tensor = 3; }),
              "parallel.tensor" + refused(4, "attention heads", "3"));
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.parallel.context = 3; }),
              "parallel.context" + refused(32, "tokens of a sequence", "3"));
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) {
                  s.parallel.tensor = 4;
                  s.parallel.context = 16;
                  s.parallel.sequenceParallel = true;
              }),
              "parallel.sequence_parallel" +
                  refused(2, "tokens of a sequence and context rank", "4"));
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) {
                  s.parallel.tensor = 2;
                  s.parallel.context = 4;
                  s.parallel.contextMethod = ContextMethod::ULYSSES;
              }),
              "parallel.context" + refused(2, "key and value heads of a tensor rank", "4"));
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.parallel.expert = 3; }),
              "parallel.expert" + refused(4, "experts", "3"));
    const auto odd = [](TrainingSpec& spec, auto change) {
        TransformerDimensions dimensions = spec.model.GetDimensions();
        change(dimensions);
        spec.model = Transformer(dimensions);
        spec.parallel.tensor = 4;
    };
    EXPECT_EQ(ErrorAfter([&](TrainingSpec& s) { odd(s, [](auto& d) { d.keyValueHeads = 2; }); }),
              "parallel.tensor" + refused(2, "key and value heads", "4"));
    EXPECT_EQ(ErrorAfter([&](TrainingSpec& s) { odd(s, [](auto& d) { d.feedForward = 18; }); }),
              "parallel.tensor" + refused(18, "feed-forward values", "4"));
    EXPECT_EQ(
        ErrorAfter([&](TrainingSpec& s) { odd(s, [](auto& d) { d.experts.feedForward = 6; }); }),
        "parallel.tensor" + refused(6, "feed-forward values of an expert", "4"));
}

TEST(ModelParts, PlansThatContradictThemselvesAreRefused)
{
    EXPECT_EQ(
        ErrorAfter([](TrainingSpec& s) {
            s.model = Transformer(SmallDimensions(1));
            s.parallel.expert = 2;
        }),
        "parallel.expert: the model has no experts to share by 2 ranks; set it to 1, or take a "
        "model with experts");
    EXPECT_EQ(
        ErrorAfter([](TrainingSpec& s) {
            s.parallel.expert = 2;
            s.parallel.tensor = 2;
        }),
        "parallel.sequence_parallel: with experts shared over ranks, tensor-parallel ranks "
        "have to share the tokens, too; set it to true, or parallel.tensor or parallel.expert "
        "to 1");
    const auto overridden = [](auto change) {
        return ErrorAfter([&](TrainingSpec& s) {
            s.model.OverrideParameters(1000);
            change(s.parallel);
        });
    };
    EXPECT_EQ(overridden([](ParallelPlan& p) { p.expert = 2; }),
              "model.parameters: a given total does not tell the parameters of the experts; remove "
              "it, or set parallel.expert to 1");
    EXPECT_EQ(
        overridden([](ParallelPlan& p) { p.gradients.buckets = true; }),
        "model.parameters: a given total does not tell the sizes of the tensors, which buckets "
        "hold; remove it");
    EXPECT_EQ(
        overridden([](ParallelPlan& p) { p.zero = 3; }),
        "model.parameters: a given total does not tell the sizes of the tensors, which ZeRO-3 "
        "gathers; remove it");
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) {
                  s.parallel.zero = 3;
                  s.parallel.gradients.buckets = true;
              }),
              "parallel.buckets: ZeRO-3 shares gradients layer by layer, not in buckets; set it to "
              "false");
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.parallel.pipeline = 2; }),
              "parallel.pipeline: a model of 1 layers can't be cut into 2 parts; take fewer stages "
              "or chunks, or give the layers of each part");
    for (const std::string key : {"tensor", "pipeline", "expert", "context", "chunks"})
    {
        EXPECT_EQ(ErrorAfter([&](TrainingSpec& s) {
                      ParallelPlan& plan = s.parallel;
                      (key == "tensor"     ? plan.tensor
                       : key == "pipeline" ? plan.pipeline
                       : key == "expert"   ? plan.expert
                       : key == "context"  ? plan.context
                                           : plan.chunks) = 0;
                  }),
                  "parallel." + key + ": the value is 0; give a number of at least 1");
    }
}

} // namespace
