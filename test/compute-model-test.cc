/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "small-training.h"

#include "ns3/compute-model.h"
#include "ns3/gpu-preset.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// Both blocks of a layer.
constexpr LayerBlock BLOCKS[] = {LayerBlock::ATTENTION, LayerBlock::FEED_FORWARD};

/**
 * @param forward the whole forward pass, ticks
 * @param backward the whole backward pass, ticks
 * @param layers L
 * @param microBatches m
 * @return a run with these times
 */
TrainingSpec
GivenWhole(uint64_t forward, uint64_t backward, uint64_t layers, uint64_t microBatches)
{
    TrainingSpec spec = SmallTraining(layers);
    spec.batch.localSequences = microBatches;
    spec.batch.microSequences = 1;
    spec.compute.forwardPerLayer.reset();
    spec.compute.backwardPerLayer.reset();
    spec.compute.forward = TimeStep(forward);
    spec.compute.backward = TimeStep(backward);
    return spec;
}

/**
 * @param gpu name of a GPU
 * @param efficiency part of the peak that it reaches
 * @return one sequence of GPT-2 small on such a GPU
 */
TrainingSpec
ByFlops(const std::string& gpu, double efficiency)
{
    TrainingSpec spec;
    spec.compute.gpu = gpu;
    spec.compute.efficiency = efficiency;
    return spec;
}

/**
 * @tparam Pass takes a layer, a block and a micro-batch, and gives a time
 * @param spec a run
 * @param pass a pass
 * @return it in all layers and micro-batches, ticks
 */
template <typename Pass>
std::vector<int64_t>
PartsOf(const TrainingSpec& spec, Pass pass)
{
    std::vector<int64_t> parts;
    for (uint32_t micro = 0; micro < spec.batch.localSequences; ++micro)
    {
        for (uint64_t layer = 0; layer < spec.model.GetDimensions().layers; ++layer)
        {
            for (const LayerBlock block : BLOCKS)
            {
                parts.push_back(pass(layer, block, micro).GetTimeStep());
            }
        }
    }
    return parts;
}

/**
 * @param change makes a good run a bad one
 * @return the message with which it is refused
 */
template <typename Change>
std::string
ErrorAfter(Change change)
{
    TrainingSpec spec = SmallTraining();
    change(spec);
    return ErrorOf([&] { ComputeModel model(spec); });
}

TEST(ComputeModel, GivenPassesOfALayerAreSharedByItsBlocks)
{
    const ComputeModel model(SmallTraining(3));
    for (uint64_t layer = 0; layer < 3; ++layer)
    {
        for (const LayerBlock block : BLOCKS)
        {
            EXPECT_EQ(model.GetForward(layer, block, 0), TimeStep(4));
            EXPECT_EQ(model.GetBackward(layer, block, 0), TimeStep(8));
            EXPECT_EQ(model.GetRecompute(layer, block, 0), TimeStep(0));
        }
    }
    EXPECT_EQ(model.GetWholeForward(), TimeStep(24));
    EXPECT_EQ(model.GetWholeBackward(), TimeStep(48));
    EXPECT_EQ(model.GetOutputForward(), TimeStep(0)); // part of the layers
    EXPECT_EQ(model.GetOutputBackward(), TimeStep(0));
    EXPECT_EQ(model.GetRate(), 0);
    EXPECT_EQ(model.GetPeak(), 0);
}

TEST(ComputeModel, PartsAddUpToWhatWasGivenWhateverItIs)
{
    std::mt19937 random(1);
    for (int i = 0; i < 100; ++i)
    {
        const uint64_t forward = random() % (i % 2 == 0 ? 50 : 1000000007);
        const uint64_t backward = random() % (i % 3 == 0 ? 50 : 1000000007);
        TrainingSpec spec = GivenWhole(forward, backward, 1 + random() % 7, 1 + random() % 5);
        spec.parallel.recompute = i % 4 == 0 ? Recompute::FULL : Recompute::NONE;
        const ComputeModel model(spec);
        const auto forwards = PartsOf(spec, [&](uint64_t layer, LayerBlock block, uint32_t micro) {
            return model.GetForward(layer, block, micro);
        });
        const auto backwards = PartsOf(spec, [&](uint64_t layer, LayerBlock block, uint32_t micro) {
            return model.GetBackward(layer, block, micro) + model.GetRecompute(layer, block, micro);
        });
        EXPECT_EQ(std::accumulate(forwards.begin(), forwards.end(), uint64_t{0}), forward);
        EXPECT_EQ(std::accumulate(backwards.begin(), backwards.end(), uint64_t{0}), backward);
        const auto [least, most] = std::minmax_element(forwards.begin(), forwards.end());
        EXPECT_LE(*most - *least, 1);
        EXPECT_EQ(model.GetWholeForward(), TimeStep(forward));
        EXPECT_EQ(model.GetWholeBackward(), TimeStep(backward));
    }
}

TEST(ComputeModel, TheLongestPassesAreSharedWithoutWrapping)
{
    const auto longest = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    const TrainingSpec spec = GivenWhole(longest, longest, 100, 9);
    const ComputeModel model(spec);
    const auto parts = PartsOf(spec, [&](uint64_t layer, LayerBlock block, uint32_t micro) {
        return model.GetForward(layer, block, micro);
    });
    EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), uint64_t{0}), longest);
}

TEST(ComputeModel, FullRecomputationIsAThirdOfAGivenBackwardPass)
{
    TrainingSpec spec = GivenWhole(100, 600, 1, 1);
    spec.parallel.recompute = Recompute::FULL;
    const ComputeModel model(spec);
    EXPECT_EQ(model.GetRecompute(0, LayerBlock::ATTENTION, 0), TimeStep(100));
    EXPECT_EQ(model.GetBackward(0, LayerBlock::ATTENTION, 0), TimeStep(200));
    spec.parallel.recompute = Recompute::SELECTIVE; // is in the time that was measured
    EXPECT_EQ(ComputeModel(spec).GetBackward(0, LayerBlock::ATTENTION, 0), TimeStep(300));
    EXPECT_EQ(ComputeModel(spec).GetRecompute(0, LayerBlock::ATTENTION, 0), TimeStep(0));
}

/// Operations of GPT-2 small for one sequence of 1024 tokens, forward.
struct Gpt2Flops
{
    static constexpr double PROJECTIONS = 2.0 * 1024 * 4 * 768 * 768;  //!< 4 d^2 values
    static constexpr double SCORES = 2.0 * 1024 * 2 * 768 * 1024 / 2;  //!< half of T x T, twice
    static constexpr double FEED_FORWARD = 2.0 * 1024 * 8 * 768 * 768; //!< 8 d^2 values
    static constexpr double OUTPUT = 2.0 * 1024 * 768 * 50257;         //!< d V values
};

/**
 * @param flops operations
 * @param rate FLOP/s
 * @return how long they take
 */
Time
TimeFor(double flops, double rate)
{
    const double ticks = flops / rate * static_cast<double>(Seconds(1).GetTimeStep());
    return TimeStep(static_cast<uint64_t>(std::llround(ticks)));
}

TEST(ComputeModel, FlopsTakeTimeAtTheRateThatIsReached)
{
    const double rate = 989.4e12 * 0.5;
    const ComputeModel model(ByFlops("H100", 0.5));
    EXPECT_DOUBLE_EQ(model.GetRate(), rate);
    EXPECT_EQ(model.GetPeak(), 989.4e12);
    const Time attention = TimeFor(Gpt2Flops::PROJECTIONS + Gpt2Flops::SCORES, rate);
    EXPECT_GT(attention, Time(0));
    EXPECT_EQ(model.GetForward(3, LayerBlock::ATTENTION, 0), attention);
    EXPECT_EQ(model.GetForward(11, LayerBlock::FEED_FORWARD, 0),
              TimeFor(Gpt2Flops::FEED_FORWARD, rate));
    EXPECT_EQ(model.GetBackward(0, LayerBlock::FEED_FORWARD, 0),
              TimeFor(2 * Gpt2Flops::FEED_FORWARD, rate));
    EXPECT_EQ(model.GetOutputForward(), TimeFor(Gpt2Flops::OUTPUT, rate));
    EXPECT_EQ(model.GetOutputBackward(), 2 * model.GetOutputForward());
}

TEST(ComputeModel, TensorAndContextRanksShareTheWork)
{
    TrainingSpec spec = ByFlops("A100", 0.4);
    spec.parallel.tensor = 4;
    spec.parallel.context = 2;
    spec.batch.localSequences = 6;
    spec.batch.microSequences = 3;
    const ComputeModel model(spec);
    EXPECT_EQ(model.GetForward(0, LayerBlock::FEED_FORWARD, 1),
              TimeFor(3 * Gpt2Flops::FEED_FORWARD, 8 * 312e12 * 0.4));
    EXPECT_EQ(model.GetOutputForward(), TimeFor(3 * Gpt2Flops::OUTPUT, 8 * 312e12 * 0.4));
}

TEST(ComputeModel, WithoutAnEfficiencyThePresetsIsTaken)
{
    const GpuPreset gpu = GpuPreset::Get("A100");
    EXPECT_DOUBLE_EQ(ComputeModel(ByFlops("A100", 0)).GetRate(), gpu.peakFlops * gpu.efficiency);
}

TEST(ComputeModel, RecomputationAddsTheForwardPassOfWhatIsComputedAgain)
{
    const double rate = 312e12 * 0.4;
    TrainingSpec spec = ByFlops("A100", 0.4);
    spec.parallel.recompute = Recompute::SELECTIVE;
    const ComputeModel selective(spec);
    EXPECT_EQ(selective.GetBackward(0, LayerBlock::ATTENTION, 0),
              TimeFor(2 * Gpt2Flops::PROJECTIONS + 3 * Gpt2Flops::SCORES, rate));
    EXPECT_EQ(selective.GetBackward(0, LayerBlock::FEED_FORWARD, 0),
              TimeFor(2 * Gpt2Flops::FEED_FORWARD, rate));
    EXPECT_EQ(selective.GetRecompute(0, LayerBlock::ATTENTION, 0), Time(0));
    spec.parallel.recompute = Recompute::FULL;
    const ComputeModel full(spec);
    for (const LayerBlock block : BLOCKS)
    {
        EXPECT_EQ(full.GetRecompute(0, block, 0), full.GetForward(0, block, 0));
    }
    EXPECT_EQ(full.GetBackward(0, LayerBlock::ATTENTION, 0),
              TimeFor(2 * Gpt2Flops::PROJECTIONS + 2 * Gpt2Flops::SCORES, rate));
}

TEST(ComputeModel, WholePassesAreTheSumOverLayersMicroBatchesAndOutput)
{
    TrainingSpec spec = ByFlops("A100", 0.4);
    spec.batch.localSequences = 5;
    spec.batch.microSequences = 1;
    spec.parallel.recompute = Recompute::FULL;
    const ComputeModel model(spec);
    const Time attention = model.GetForward(0, LayerBlock::ATTENTION, 0);
    const Time feedForward = model.GetForward(0, LayerBlock::FEED_FORWARD, 0);
    const Time layer = attention + feedForward;
    EXPECT_EQ(model.GetWholeForward(), 5 * (12 * layer + model.GetOutputForward()));
    const Time backward = model.GetBackward(0, LayerBlock::ATTENTION, 0) +
                          model.GetBackward(0, LayerBlock::FEED_FORWARD, 0);
    EXPECT_EQ(model.GetWholeBackward(), 5 * (12 * (layer + backward) + model.GetOutputBackward()));
}

TEST(ComputeModel, CountsTheOperationsOfAStepWithoutRecomputation)
{
    TrainingSpec spec = ByFlops("A100", 0.4);
    spec.parallel.recompute = Recompute::FULL;
    const double layer = Gpt2Flops::PROJECTIONS + Gpt2Flops::SCORES + Gpt2Flops::FEED_FORWARD;
    EXPECT_DOUBLE_EQ(ComputeModel(spec).GetFlopsPerSequence(1),
                     3 * (12 * layer + Gpt2Flops::OUTPUT));
    spec.compute.causalAttention = false;
    EXPECT_DOUBLE_EQ(ComputeModel(spec).GetFlopsPerSequence(1),
                     3 * (12 * (layer + Gpt2Flops::SCORES) + Gpt2Flops::OUTPUT));
}

TEST(ComputeModel, ScoresShareGrowsWithTheSequence)
{
    EXPECT_DOUBLE_EQ(ComputeModel(SmallTraining()).GetScoresShare(0), 0.5);
    EXPECT_DOUBLE_EQ(ComputeModel(ByFlops("A100", 0.4)).GetScoresShare(0),
                     1024.0 / (4 * 768 + 1024));
}

TEST(ComputeModel, LayersWithAndWithoutExpertsHaveTimesOfTheirOwn)
{
    TransformerDimensions dimensions;
    dimensions.layers = 4;
    dimensions.experts.experts = 8;
    dimensions.experts.topK = 2;
    dimensions.experts.firstDense = 1;
    dimensions.experts.frequency = 2; // layers 1 and 3
    TrainingSpec spec = ByFlops("A100", 0.4);
    spec.model = Transformer(dimensions);
    const ComputeModel model(spec);
    const double router = 2.0 * 1024 * 768 * 8;
    for (uint64_t layer = 0; layer < 4; ++layer)
    {
        EXPECT_EQ(
            model.GetForward(layer, LayerBlock::FEED_FORWARD, 0),
            TimeFor(layer % 2 == 0 ? Gpt2Flops::FEED_FORWARD : 2 * Gpt2Flops::FEED_FORWARD + router,
                    312e12 * 0.4));
    }
}

TEST(ComputeModel, TimesGivenInPartOrTwiceAreRefused)
{
    const std::string wrong =
        "compute: the compute times are given in part or in two ways; give forward and backward, "
        "or forward_per_layer and backward_per_layer";
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.compute.forwardPerLayer.reset(); }), wrong);
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.compute.backwardPerLayer.reset(); }), wrong);
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.compute.forward = TimeStep(1); }), wrong);
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) {
                  s.compute = ComputeTimes();
                  s.compute.backward = TimeStep(1);
              }),
              wrong);
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.compute = ComputeTimes(); }),
              "compute: no compute times are given; give forward and backward, or "
              "forward_per_layer and backward_per_layer, or gpu");
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.compute.gpu = "H100"; }), "no error"); // memory
}

TEST(ComputeModel, ImpossibleTimesAreRefused)
{
    const std::string negative = ": the duration is negative; give a duration of 0 or more";
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.compute.forwardPerLayer = TimeStep(1) * -1; }),
              "compute.forward_per_layer" + negative);
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.compute.backwardPerLayer = TimeStep(1) * -1; }),
              "compute.backward_per_layer" + negative);
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.compute.update = TimeStep(1) * -1; }),
              "compute.update" + negative);
    EXPECT_EQ(ErrorOf([] {
                  TrainingSpec spec = GivenWhole(1, 1, 1, 1);
                  spec.compute.forward = TimeStep(1) * -1;
                  ComputeModel model(spec);
              }),
              "compute.forward" + negative);
    EXPECT_EQ(ErrorOf([] {
                  TrainingSpec spec = SmallTraining(3);
                  spec.compute.forwardPerLayer = Time::Max();
                  ComputeModel model(spec);
              }),
              "compute.forward_per_layer: the ticks do not fit 64 bits; make the model, batch or "
              "corpus smaller");
    EXPECT_EQ(ErrorOf([] {
                  TrainingSpec spec = SmallTraining(2);
                  spec.compute.backwardPerLayer = Time::Max();
                  ComputeModel model(spec);
              }),
              "compute: a pass takes longer than simulated time can say; make the durations or the "
              "mini-batch smaller");
}

TEST(ComputeModel, PartsThatAreNoneAreRefused)
{
    for (const double bad : {-0.5, 1.5, std::nan("")})
    {
        const std::string message =
            ": the value " + std::to_string(bad) + " is out of range; allowed: 0 to 1";
        EXPECT_EQ(ErrorAfter([bad](TrainingSpec& s) { s.compute.weightShare = bad; }),
                  "compute.weight_share" + message);
        EXPECT_EQ(ErrorAfter([bad](TrainingSpec& s) { s.compute.efficiency = bad; }),
                  "compute.efficiency" + message);
        EXPECT_EQ(ErrorOf([bad] { ComputeModel model(ByFlops("H100", bad)); }),
                  "compute.efficiency" + message);
    }
}

TEST(ComputeModel, GpusThatAreNotKnownAreRefused)
{
    EXPECT_EQ(ErrorOf([] { ComputeModel model(ByFlops("V100", 0)); }),
              "compute.efficiency: the part of the peak that V100 reaches is not known; give a "
              "number above 0, at most 1");
    EXPECT_EQ(ErrorOf([] { ComputeModel model(ByFlops("V100", 0.3)); }), "no error");
    EXPECT_EQ(ErrorOf([] { ComputeModel model(ByFlops("X1", 0.3)); }),
              "compute.gpu: unknown GPU 'X1'; known: A100, B200, H100, H200, L40S, V100");
}

TEST(ComputeModel, PassesLongerThanTimeAreRefused)
{
    const ComputeModel slow(ByFlops("H100", 1e-40));
    EXPECT_EQ(ErrorOf([&] { slow.GetForward(0, LayerBlock::ATTENTION, 0); }),
              "compute: a layer computes longer than simulated time can say; make the model or the "
              "micro-batch smaller");
    TrainingSpec spec = ByFlops("H100", 1e-11); // days for a layer, ages for a million of them
    spec.batch.localSequences = 1000000;
    spec.batch.microSequences = 1;
    const ComputeModel many(spec);
    EXPECT_GT(many.GetForward(0, LayerBlock::ATTENTION, 0), Seconds(1000));
    EXPECT_NE(ErrorOf([&] { many.GetWholeForward(); }), "no error");
    EXPECT_NE(ErrorOf([&] { many.GetWholeBackward(); }), "no error");
}

} // namespace
