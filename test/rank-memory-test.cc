/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "small-training.h"

#include "ns3/activation-memory.h"
#include "ns3/rank-memory.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// Values of GPT-2 small, and of its largest unit, both embeddings; of a layer.
constexpr uint64_t GPT2 = 124439808;
constexpr uint64_t GPT2_EMBEDDINGS = 39383808;
constexpr uint64_t GPT2_LAYER = 7087872;

/**
 * @param spec a run
 * @param stage a pipeline stage
 * @return the memory of a rank there
 */
RankMemory
MemoryOf(const TrainingSpec& spec, uint32_t stage = 0)
{
    return GetRankMemory(spec, ModelParts(spec), RankGrid(spec.parallel), stage);
}

/**
 * @param zero ZeRO stage
 * @param data ranks
 * @return GPT-2 small
 */
TrainingSpec
Gpt2(uint32_t zero, uint32_t data)
{
    TrainingSpec spec;
    spec.parallel.zero = zero;
    spec.parallel.data = data;
    return spec;
}

/**
 * @param memory a rank's memory
 * @return bytes of weights, gradients and optimizer state
 */
uint64_t
StateOf(const RankMemory& memory)
{
    return memory.parameters + memory.gradients + memory.optimizer;
}

/**
 * @return GPT-3 as Megatron-LM trained it: 8 tensor ranks, 8 stages, gradients of 4 bytes
 */
TrainingSpec
Gpt3()
{
    TrainingSpec spec;
    spec.model = Transformer(Transformer::GetPreset("gpt3-175b"));
    spec.precision.gradient = 4;
    spec.parallel.tensor = 8;
    spec.parallel.pipeline = 8;
    spec.batch.localSequences = 16;
    spec.batch.microSequences = 1;
    return spec;
}

TEST(RankMemory, Gpt3Takes18BytesForEachParameterOfARank)
{
    const TrainingSpec spec = Gpt3();
    const ModelParts parts(spec);
    for (uint32_t stage = 0; stage < 8; ++stage)
    {
        const uint64_t values = parts.GetShare(parts.GetPart(stage, 0)).dense;
        const RankMemory memory = MemoryOf(spec, stage);
        EXPECT_EQ(memory.parameters, 2 * values);
        EXPECT_EQ(memory.gradients, 4 * values);
        EXPECT_EQ(memory.optimizer, 12 * values);
        EXPECT_EQ(memory.gathered, 0u);
    }
    EXPECT_NEAR(StateOf(MemoryOf(spec, 3)) / 1e9, 49, 0.1); // 12 layers of 1.812e9 / 8 each
}

TEST(RankMemory, Gpt3NeedsRecomputationToFit80GB)
{
    TrainingSpec spec = Gpt3();
    const double gib = 1024.0 * 1024 * 1024;
    const RankMemory none = MemoryOf(spec, 0);
    EXPECT_NEAR(none.activations / gib, 0.539 * 12 * 8, 0.3); // 8 micro-batches in flight
    EXPECT_EQ(none.workspace, 0u);
    EXPECT_GT(none.GetTotal(), 80000000000u);
    spec.parallel.recompute = Recompute::FULL;
    const RankMemory full = MemoryOf(spec, 0);
    const uint64_t kept = 2 * 2048 * 12288;                      // 2 s b h
    EXPECT_EQ(full.activations, 8 * (12 * kept + 2048 * 12288)); // and the embeddings' mask
    EXPECT_EQ(full.workspace, 23u * 2048 * 12288 - kept);        // 10 + 24 / 8 + 80 / 8
    EXPECT_LT(full.GetTotal(), 80000000000u);
}

TEST(RankMemory, ActivationsOfAsManyMicroBatchesAsTheScheduleKeeps)
{
    TrainingSpec spec = Gpt3();
    const ActivationMemory layer(spec.model, spec.parallel, 1, 2);
    const uint64_t twelve = 12 * layer.GetLayerBytes(0);
    for (uint32_t stage = 1; stage < 7; ++stage)
    {
        EXPECT_EQ(MemoryOf(spec, stage).activations, (8 - stage) * twelve);
    }
    EXPECT_EQ(MemoryOf(spec, 0).activations, 8 * (twelve + layer.GetEmbeddingBytes()));
    EXPECT_EQ(MemoryOf(spec, 7).activations, twelve + layer.GetOutputBytes());
    spec.parallel.schedule = "gpipe";
    EXPECT_EQ(MemoryOf(spec, 3).activations, 16 * twelve);
    spec.batch.microSequences = 2;
    EXPECT_EQ(MemoryOf(spec, 3).activations, 16 * twelve); // half as many, twice as large
}

TEST(RankMemory, ZeroStagesTakeThePublishedBytes)
{
    for (const uint32_t d : {1, 2, 8, 64})
    {
        EXPECT_EQ(StateOf(MemoryOf(Gpt2(0, d))), 16 * GPT2);
        EXPECT_EQ(StateOf(MemoryOf(Gpt2(1, d))), 4 * GPT2 + 12 * GPT2 / d);
        EXPECT_EQ(StateOf(MemoryOf(Gpt2(2, d))), 2 * GPT2 + 14 * GPT2 / d);
        EXPECT_EQ(StateOf(MemoryOf(Gpt2(3, d))), 16 * GPT2 / d);
    }
}

TEST(RankMemory, ContextRanksShareTheStateToo)
{
    TrainingSpec spec = Gpt2(3, 2);
    spec.parallel.context = 4;
    EXPECT_EQ(StateOf(MemoryOf(spec)), 16 * GPT2 / 8);
}

TEST(RankMemory, PartsOfValuesAreRoundedUp)
{
    TrainingSpec spec = SmallTraining(); // 792 values
    spec.parallel.data = 5;
    spec.parallel.zero = 3;
    EXPECT_EQ(StateOf(MemoryOf(spec)), 159u * 16);
}

TEST(RankMemory, OptimizersTakeWhatIsSaid)
{
    TrainingSpec spec = SmallTraining();
    spec.precision.parameter = 4;
    EXPECT_EQ(MemoryOf(spec).optimizer, 792u * 8); // no copy of the weights
    spec.precision.optimizer = 0;
    EXPECT_EQ(MemoryOf(spec).optimizer, 0u);
}

TEST(RankMemory, WholeUnitsAreGatheredAheadInZero3)
{
    for (const uint64_t prefetch : {0, 1, 5})
    {
        TrainingSpec spec = Gpt2(3, 8);
        spec.parallel.prefetch = static_cast<uint32_t>(prefetch);
        EXPECT_EQ(MemoryOf(spec).gathered, GPT2_EMBEDDINGS * (2 * (1 + prefetch) + 2));
        spec.parallel.pipeline = 3; // the stage in the middle has layers only
        const uint64_t held = std::min<uint64_t>(1 + prefetch, 4); // it has no more
        EXPECT_EQ(MemoryOf(spec, 1).gathered, GPT2_LAYER * (2 * held + 2));
    }
    EXPECT_EQ(MemoryOf(Gpt2(1, 8)).gathered, 0u);
    EXPECT_EQ(MemoryOf(Gpt2(3, 1)).gathered, 0u); // all is there
}

TEST(RankMemory, GradientsAreWholeBeforeZero2SharesThem)
{
    TrainingSpec spec = Gpt2(2, 8);
    EXPECT_EQ(MemoryOf(spec).gathered, 2 * GPT2);
    spec.parallel.gradients.buckets = true; // two of 25 MiB, each with the token embedding on top
    EXPECT_EQ(MemoryOf(spec).gathered, 2 * ((25u << 20) + 2 * 50257 * 768));
    spec.parallel.gradients.bucketBytes = uint64_t{1} << 40;
    EXPECT_EQ(MemoryOf(spec).gathered, 2 * GPT2);
    EXPECT_EQ(MemoryOf(Gpt2(2, 1)).gathered, 0u);
}

TEST(RankMemory, GradientsThatAreNotSharedEachTimeStayWhole)
{
    TrainingSpec spec = Gpt2(3, 8);
    spec.parallel.noSync = true;
    EXPECT_EQ(MemoryOf(spec).gradients, 2 * GPT2 / 8); // a single pass, nothing adds up
    EXPECT_EQ(MemoryOf(spec).gathered, GPT2_EMBEDDINGS * (2 * 2 + 2));
    spec.batch.globalTokens = 2 * 8 * 1024;
    const RankMemory memory = MemoryOf(spec);
    EXPECT_EQ(memory.gradients, 2 * GPT2);
    EXPECT_EQ(memory.parameters, 2 * GPT2 / 8);
    EXPECT_EQ(memory.gathered, GPT2_EMBEDDINGS * 2 * 2);
    spec.parallel.zero = 2; // no_sync is an option of ZeRO-3
    EXPECT_EQ(MemoryOf(spec).gradients, 2 * GPT2 / 8);
}

/**
 * @return one layer of 4 experts: 568 values, and 256 of each expert; 4 ranks share 2 of them each
 */
TrainingSpec
Experts()
{
    TransformerDimensions dimensions = SmallDimensions(1);
    dimensions.experts.experts = 4;
    TrainingSpec spec = SmallTraining();
    spec.model = Transformer(dimensions);
    spec.parallel.data = 4;
    spec.parallel.expert = 2;
    return spec;
}

TEST(RankMemory, ExpertsAreSharedByTheRanksThatHoldTheSame)
{
    TrainingSpec spec = Experts();
    EXPECT_EQ(StateOf(MemoryOf(spec)), 16u * (568 + 512));
    spec.parallel.zero = 3;
    EXPECT_EQ(StateOf(MemoryOf(spec)), 16u * (568 / 4 + 512 / 2));
    EXPECT_EQ(MemoryOf(spec).gathered, (304u + 512) * 6); // the layer
    spec.parallel.expert = 4;
    EXPECT_EQ(StateOf(MemoryOf(spec)), 16u * (568 / 4 + 256));
    EXPECT_EQ(MemoryOf(spec).gathered, 304u * 6); // each expert is on one rank anyway
}

TEST(RankMemory, BidirectionalStagesHoldTwoParts)
{
    TrainingSpec spec = SmallTraining(4);
    spec.parallel.pipeline = 2;
    spec.parallel.schedule = "dualpipe";
    spec.batch.localSequences = 4;
    spec.batch.microSequences = 1;
    const uint64_t all = 128 + 4 * 528 + 136;
    EXPECT_EQ(StateOf(MemoryOf(spec, 0)), 16 * all);
    EXPECT_EQ(StateOf(MemoryOf(spec, 1)), 16 * all);
}

TEST(RankMemory, AStageWithoutLayersKeepsNothingOfThem)
{
    TrainingSpec spec = SmallTraining(2);
    spec.parallel.pipeline = 3;
    spec.parallel.layerSplit = LayerSplitMethod::GIVEN;
    spec.parallel.layersPerPart = {1, 0, 1};
    spec.parallel.zero = 3;
    spec.parallel.data = 2;
    EXPECT_EQ(MemoryOf(spec, 1).GetTotal(), 0u);
    EXPECT_EQ(MemoryOf(spec, 1).Describe(), "");
}

TEST(RankMemory, DescribesTheBytesOfEachPart)
{
    TrainingSpec spec = Gpt2(3, 2);
    spec.parallel.recompute = Recompute::FULL;
    const RankMemory memory = MemoryOf(spec);
    EXPECT_EQ(memory.Describe(),
              "parameters 124439808 B + gradients 124439808 B + optimizer 746638848 B + gathered "
              "236302848 B + activations " +
                  std::to_string(memory.activations) + " B + workspace " +
                  std::to_string(memory.workspace) + " B");
    EXPECT_EQ(memory.GetTotal(),
              124439808u * 2 + 746638848 + 236302848 + memory.activations + memory.workspace);
    RankMemory little;
    little.optimizer = 3;
    EXPECT_EQ(little.Describe(), "optimizer 3 B");
    little.workspace = UINT64_MAX;
    EXPECT_EQ(ErrorOf([&] { little.GetTotal(); }),
              "the bytes of a rank's memory do not fit 64 bits; make the model, batch or corpus "
              "smaller");
}

TEST(RankMemory, StateOfAllRanksIsThatOfTheModelHoweverItIsDivided)
{
    std::mt19937 random(1);
    for (int i = 0; i < 100; ++i)
    {
        TrainingSpec spec = SmallTraining(8);
        spec.parallel.pipeline = 1 << random() % 4;
        spec.parallel.data = 1 << random() % 3; // divides all that has 8 values
        spec.parallel.context = 1 << random() % 2;
        spec.parallel.zero = 3;
        uint64_t sum = 0;
        for (uint32_t stage = 0; stage < spec.parallel.pipeline; ++stage)
        {
            sum += StateOf(MemoryOf(spec, stage)) * spec.parallel.data * spec.parallel.context;
        }
        EXPECT_EQ(sum, 16u * (128 + 8 * 528 + 136));
    }
}

} // namespace
