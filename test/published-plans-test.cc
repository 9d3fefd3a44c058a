/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "plan-fixture.h"

#include "ns3/all-reduce-cost.h"

#include <gtest/gtest.h>
#include <vector>

namespace ns3
{
namespace llmfabric
{
namespace
{

/// 2^30 bytes.
constexpr double GIB = 1073741824.0;

/// @return GPT-3 with tensor 8 and pipeline 8, as Megatron-LM trains it, on GPUs of 80 GB
TrainingSpec
MegatronGpt3()
{
    TrainingSpec spec;
    spec.model = Transformer(Transformer::GetPreset("gpt3-175b"));
    spec.precision.gradient = 4;
    spec.batch.localSequences = 16;
    spec.batch.microSequences = 1;
    spec.parallel.tensor = 8;
    spec.parallel.pipeline = 8;
    spec.compute.forward = Time(0);
    spec.compute.backward = Time(0);
    spec.gpuMemory = 80000000000;
    return spec;
}

TEST(PublishedPlans, Gpt3FitsEightyGigabytesOnlyWithRecomputation)
{
    TrainingSpec spec = MegatronGpt3();
    const auto refusal = RefusalOf(spec);
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->GetWhere(), "parallel");
    spec.ignoreMemory = true;
    const TrainingJob all(spec);
    // 18 B for each of the parameters of a stage without embedding, beside 12 layers of 8
    // micro-batches with 0.539 GiB each
    const RankMemory middle = all.GetMemory(3);
    EXPECT_NEAR(static_cast<double>(middle.parameters + middle.gradients + middle.optimizer),
                49e9,
                0.5e9);
    EXPECT_NEAR(static_cast<double>(all.GetMemory(0).activations) / GIB, 0.539 * 12 * 8, 0.5);
    spec.ignoreMemory = false;
    spec.parallel.recompute = Recompute::FULL;
    EXPECT_FALSE(RefusalOf(spec));
    spec.parallel.recompute = Recompute::SELECTIVE; // fits with sequence parallelism only
    EXPECT_TRUE(RefusalOf(spec));
    spec.parallel.sequenceParallel = true;
    EXPECT_FALSE(RefusalOf(spec));
    spec.parallel.recompute = Recompute::NONE;
    EXPECT_TRUE(RefusalOf(spec));
}

TEST(PublishedPlans, Llama405bHas126LayersOn16Stages)
{
    TrainingSpec spec;
    spec.model = Transformer(Transformer::GetPreset("llama3-405b"));
    spec.batch.localSequences = 16;
    spec.batch.microSequences = 1;
    spec.parallel.data = 128;
    spec.parallel.tensor = 8;
    spec.parallel.pipeline = 16;
    spec.compute.forward = Time(0);
    spec.compute.backward = Time(0);
    EXPECT_EQ(TrainingJob(spec).GetRanks(), 16384u);
    spec.parallel.layerSplit = LayerSplitMethod::GIVEN;
    spec.parallel.layersPerPart = std::vector<uint64_t>(16, 8);
    const auto refusal = RefusalOf(spec); // 128 layers
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->GetWhere(), "parallel.layer_split");
    spec.parallel.layersPerPart.front() = 7;
    spec.parallel.layersPerPart.back() = 7;
    EXPECT_FALSE(RefusalOf(spec));
}

TEST(AllReduceCost, NaiveRingAndTreeSendWhatThePaperSays)
{
    const auto costs = AllReduceCost::GetAll(8, 256000000);
    ASSERT_EQ(costs.size(), 3u);
    EXPECT_EQ(costs[0].algorithm, "naive");
    EXPECT_DOUBLE_EQ(costs[0].bytesPerRank, 7 * 256e6);
    EXPECT_DOUBLE_EQ(costs[0].totalBytes, 8 * 7 * 256e6);
    EXPECT_EQ(costs[0].steps, 1u);
    for (std::size_t i = 1; i < 3; ++i)
    {
        EXPECT_DOUBLE_EQ(costs[i].bytesPerRank, 448e6);
        EXPECT_DOUBLE_EQ(costs[i].totalBytes, 3584e6);
    }
    EXPECT_EQ(costs[1].steps, 14u);
    EXPECT_EQ(costs[2].steps, 6u);
}

TEST(AllReduceCost, OneRankSendsNothing)
{
    for (const AllReduceCost& cost : AllReduceCost::GetAll(1, 1000))
    {
        EXPECT_EQ(cost.totalBytes, 0);
        EXPECT_EQ(cost.steps, 0u);
    }
}

} // namespace
} // namespace llmfabric
} // namespace ns3
