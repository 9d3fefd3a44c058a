/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "plan-fixture.h"

#include "ns3/activation-memory.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// Names a pipeline: schedule, p, m, v.
struct Pipeline
{
    std::string schedule;   //!< its name
    uint32_t stages;        //!< p
    uint32_t microBatches;  //!< m
    uint32_t chunks{1};     //!< v
    uint32_t layers{1};     //!< of each part of the model
    int64_t forward{2000};  //!< of a micro-batch in a layer, ticks
    int64_t backward{4000}; //!< of a micro-batch in a layer, ticks
};

/**
 * @param pipeline a pipeline
 * @return the plan, with micro-batches of one sequence; of a model without dropout, so that stages
 *         differ by nothing but the output
 */
TrainingSpec
MakePlan(const Pipeline& pipeline)
{
    TrainingSpec spec = Gpt2Plan();
    TransformerDimensions gpt2 = Transformer::GetPreset("gpt2-small");
    gpt2.layers = uint64_t{pipeline.layers} * pipeline.stages * pipeline.chunks;
    gpt2.dropout = false;
    spec.model = Transformer(gpt2);
    spec.batch.localSequences = pipeline.microBatches;
    spec.batch.microSequences = 1;
    spec.parallel.pipeline = pipeline.stages;
    spec.parallel.schedule = pipeline.schedule;
    spec.parallel.chunks = pipeline.chunks;
    spec.compute.forward.reset();
    spec.compute.backward.reset();
    spec.compute.forwardPerLayer = TimeStep(pipeline.forward * pipeline.microBatches);
    spec.compute.backwardPerLayer = TimeStep(pipeline.backward * pipeline.microBatches);
    return spec;
}

/**
 * @param spec a plan
 * @return ticks of its step in which a stage does not compute; all stages compute as long
 */
int64_t
BubbleOf(const TrainingSpec& spec)
{
    const TrainingJob job(spec);
    const std::vector<uint32_t> ranks = ListPipeline(job);
    const StepTimeline timeline = RunFree(job, ranks);
    EXPECT_EQ(timeline.GetProblems(), std::vector<std::string>());
    for (uint32_t rank : ranks)
    {
        EXPECT_EQ(timeline.GetComputeTime(rank), timeline.GetComputeTime(0)) << "rank " << rank;
    }
    return (timeline.GetEnd() - timeline.GetComputeTime(0)).GetTimeStep();
}

/**
 * @param pipeline a pipeline
 * @return its bubble, as a part of the time of a pipeline without one
 */
double
BubbleShareOf(const Pipeline& pipeline)
{
    const int64_t parts = int64_t{pipeline.layers} * pipeline.chunks;
    const int64_t ideal = pipeline.microBatches * parts * (pipeline.forward + pipeline.backward);
    return static_cast<double>(BubbleOf(MakePlan(pipeline))) / static_cast<double>(ideal);
}

/**
 * @param random source of randomness
 * @param least the least number
 * @param most the largest number
 * @return a number between them
 */
uint32_t
Draw(std::mt19937& random, uint32_t least, uint32_t most)
{
    return std::uniform_int_distribution<uint32_t>(least, most)(random);
}

/**
 * @param random source of randomness
 * @param schedule name of a schedule
 * @return a pipeline that it can work with
 */
Pipeline
DrawPipeline(std::mt19937& random, const std::string& schedule)
{
    Pipeline pipeline{schedule, 1, 1};
    pipeline.layers = Draw(random, 1, 3);
    pipeline.forward = 2 * Draw(random, 1, 500);
    pipeline.backward = 2 * Draw(random, 1, 500);
    if (schedule == "dualpipe")
    {
        pipeline.stages = 2 * Draw(random, 1, 3);
        pipeline.microBatches = 2 * (pipeline.stages + Draw(random, 0, 5));
    }
    else if (schedule == "interleaved")
    {
        pipeline.stages = Draw(random, 2, 5);
        pipeline.microBatches = pipeline.stages * Draw(random, 1, 4);
        pipeline.chunks = Draw(random, 2, 4);
    }
    else
    {
        pipeline.stages = Draw(random, 1, 6);
        pipeline.microBatches = Draw(random, 1, 12);
    }
    return pipeline;
}

/**
 * @param job a job whose micro-batches are one sequence each
 * @param part a part of the model
 * @return what a micro-batch leaves in it, bytes
 */
uint64_t
GetPartBytes(const TrainingJob& job, const ModelPart& part)
{
    const TrainingSpec& spec = job.GetSpec();
    const ActivationMemory kept(spec.model, spec.parallel, 1, spec.precision.activation);
    uint64_t bytes = part.embedding ? kept.GetEmbeddingBytes() : 0;
    bytes += part.output ? kept.GetOutputBytes() : 0;
    for (uint64_t i = 0; i < part.layers; ++i)
    {
        bytes += kept.GetLayerBytes(part.firstLayer + i);
    }
    return bytes;
}

/**
 * @param job a job with one mini-batch and one computation per pass
 * @param rank a rank
 * @return bytes of activations at the moment of its program at which it holds the most
 */
uint64_t
FindMostBytes(const TrainingJob& job, uint32_t rank)
{
    uint64_t held = 0;
    uint64_t most = 0;
    ForEachOp(job.GetProgram(rank), [&](const ProgramOp& op, uint64_t) {
        const auto* pass = std::get_if<ComputeOp>(&op.what);
        const uint64_t bytes = pass ? GetPartBytes(job, job.GetParts().GetParts()[pass->part]) : 0;
        const ComputePhase phase = pass ? pass->phase : ComputePhase::UPDATE;
        held += phase == ComputePhase::FORWARD ? bytes : 0;
        most = std::max(most, held);
        const bool isLast =
            phase == ComputePhase::BACKWARD || phase == ComputePhase::BACKWARD_WEIGHT;
        held -= isLast ? bytes : 0;
    });
    EXPECT_EQ(held, 0u);
    return most;
}

/**
 * @param pipeline a pipeline
 * @param stage a stage without embedding and output
 * @return micro-batches of which a layer of it holds the activations
 */
uint64_t
CountInFlight(const Pipeline& pipeline, uint32_t stage)
{
    const TrainingJob job(MakePlan(pipeline));
    const uint64_t one = GetPartBytes(job, job.GetParts().GetPart(stage, 0));
    EXPECT_EQ(job.GetMemory(stage).activations % one, 0u);
    return job.GetMemory(stage).activations / one;
}

// ---------- bubbles ----------

TEST(PlanBubble, EightStagesGiveThePublishedShares)
{
    const std::map<uint32_t, double> shares{{8, 0.875},
                                            {16, 0.4375},
                                            {32, 0.21875},
                                            {64, 0.109375}};
    for (const auto& [microBatches, share] : shares)
    {
        for (const auto& [forward, backward] : {std::pair{2000, 4000}, std::pair{1000, 1000}})
        {
            const auto get = [&, f = forward, b = backward, m = microBatches](const char* name,
                                                                              uint32_t chunks) {
                return BubbleShareOf({name, 8, m, chunks, 2, f, b});
            };
            EXPECT_EQ(get("gpipe", 1), share);
            EXPECT_EQ(get("1f1b", 1), share);
            EXPECT_EQ(get("interleaved", 2), share / 2);
            EXPECT_EQ(get("interleaved", 4), share / 4);
        }
    }
}

TEST(PlanBubble, IsThatOfTheFormula)
{
    std::mt19937 random(1);
    for (const std::string schedule : {"naive", "gpipe", "1f1b", "interleaved"})
    {
        for (int i = 0; i < 25; ++i)
        {
            const Pipeline one = DrawPipeline(random, schedule);
            const int64_t pass = one.layers * (one.forward + one.backward);
            const int64_t waits = schedule == "naive" ? int64_t{one.microBatches} * one.chunks : 1;
            EXPECT_EQ(BubbleOf(MakePlan(one)), (one.stages - 1) * pass * waits) << schedule;
        }
    }
}

TEST(PlanBubble, HalvesOfBackwardPassesFillAPartOfIt)
{
    std::mt19937 random(2);
    for (int i = 0; i < 50; ++i)
    {
        Pipeline one = DrawPipeline(random, "zero-bubble");
        one.microBatches += one.stages;
        const int64_t weight = Draw(random, 1, 100);
        const int64_t input = 3 * weight;
        one.forward = 2 * (weight + Draw(random, 0, 100));
        one.backward = 2 * (input + weight);
        TrainingSpec spec = MakePlan(one);
        spec.compute.weightShare = 0.25;
        EXPECT_EQ(BubbleOf(spec),
                  (one.stages - 1) * one.layers * (one.forward + 2 * input - 2 * weight));
    }
}

TEST(PlanBubble, MicroBatchesFromBothEndsLeaveLess)
{
    std::mt19937 random(3);
    for (int i = 0; i < 50; ++i)
    {
        Pipeline one = DrawPipeline(random, "dualpipe");
        const int64_t weight = 2 * Draw(random, 1, 100);
        one.forward = 3 * weight; // T_F = T_B - T_W
        one.backward = 4 * weight;
        TrainingSpec spec = MakePlan(one);
        spec.compute.weightShare = 0.25;
        const int64_t pair = one.forward + one.backward;
        EXPECT_EQ(BubbleOf(spec),
                  (one.stages / 2 - 1) * one.layers * (pair + one.backward - 3 * weight));
    }
}

TEST(PlanBubble, MessagesThatTakeTimeMakeANaivePipelineLonger)
{
    const TrainingJob job(MakePlan({"naive", 5, 3}));
    TimelineCosts costs;
    costs.message = [](uint32_t, uint32_t, uint64_t) { return TimeStep(700); };
    const StepTimeline timeline(job, ListRanks(job), costs);
    EXPECT_EQ(timeline.GetEnd() - RunFree(job, ListRanks(job)).GetEnd(), TimeStep(3 * 2 * 4 * 700));
}

// ---------- memory ----------

TEST(PlanMemory, StagesHoldThePublishedNumbersOfActivations)
{
    for (uint32_t stage = 1; stage < 7; ++stage)
    {
        EXPECT_EQ(CountInFlight({"naive", 8, 16}, stage), 1u);
        EXPECT_EQ(CountInFlight({"gpipe", 8, 16}, stage), 16u);
        EXPECT_EQ(CountInFlight({"1f1b", 8, 16}, stage), 8u - stage);
        EXPECT_EQ(CountInFlight({"zero-bubble", 8, 16}, stage), 8u);
        EXPECT_EQ(CountInFlight({"dualpipe", 8, 16}, stage), 9u);
    }
    EXPECT_EQ(CountInFlight({"gpipe", 8, 16}, 0), 16u);
    EXPECT_EQ(CountInFlight({"1f1b", 8, 16}, 0), 8u);
    EXPECT_EQ(CountInFlight({"1f1b", 8, 4}, 0), 4u);
    EXPECT_EQ(CountInFlight({"interleaved", 8, 16, 4}, 0), 8u * 4 + 7);
}

TEST(PlanMemory, IsThatOfTheMomentWithTheMostBytes)
{
    std::mt19937 random(4);
    for (const std::string& schedule : PipelineSchedule::GetNames())
    {
        for (int i = 0; i < 40; ++i)
        {
            TrainingSpec spec = MakePlan(DrawPipeline(random, schedule));
            TransformerDimensions gpt2 = spec.model.GetDimensions();
            gpt2.dropout = true;
            gpt2.vocabulary = Draw(random, 1, 50000);
            spec.model = Transformer(gpt2);
            const uint32_t chunks = schedule == "interleaved" ? spec.parallel.chunks : 1;
            spec.parallel.layerSplit = LayerSplitMethod::GIVEN;
            spec.parallel.layersPerPart.assign(spec.parallel.pipeline * chunks, 0);
            for (uint64_t layer = 0; layer < gpt2.layers; ++layer)
            {
                const uint32_t parts = spec.parallel.layersPerPart.size();
                ++spec.parallel.layersPerPart[Draw(random, 0, parts - 1)];
            }
            const TrainingJob job(spec);
            for (uint32_t stage = 0; stage < spec.parallel.pipeline; ++stage)
            {
                EXPECT_EQ(job.GetMemory(stage).activations, FindMostBytes(job, stage))
                    << schedule << " stage " << stage;
            }
        }
    }
}

TEST(PlanMemory, ABidirectionalPipelineHoldsTheModelTwice)
{
    const TrainingJob once(MakePlan({"1f1b", 4, 8}));
    const TrainingJob twice(MakePlan({"dualpipe", 4, 8}));
    EXPECT_EQ(twice.GetMemory(1).parameters, 2 * once.GetMemory(1).parameters);
    EXPECT_EQ(twice.GetMemory(1).optimizer, 2 * once.GetMemory(1).optimizer);
    // Both ends of the model are on the first stage, which needs one token embedding for them.
    const uint64_t copy = uint64_t{50257} * 768 * 2;
    EXPECT_EQ(twice.GetMemory(0).parameters + copy,
              once.GetMemory(0).parameters + once.GetMemory(3).parameters);
}

// ---------- messages ----------

TEST(PlanMessages, AreAsLargeWhateverTheMicroBatches)
{
    const uint64_t activation = uint64_t{64} * 1024 * 768 * 2; // of the mini-batch
    for (const std::string& schedule : PipelineSchedule::GetNames())
    {
        const uint32_t chunks = schedule == "interleaved" ? 3 : 1;
        for (uint64_t microSequences : {8, 4, 2, 1})
        {
            TrainingSpec spec = MakePlan({schedule, 4, 64, chunks});
            spec.batch.microSequences = microSequences;
            LaneBytes expected;
            for (uint32_t stage = 0; stage < 4; ++stage)
            {
                const uint32_t next = (stage + 1) % 4;
                // From the last stage they go on to the first stage's next chunk.
                const uint64_t bytes = activation * (next == 0 ? chunks - 1 : chunks);
                for (uint32_t channel = 0; channel < 4 && bytes > 0; ++channel)
                {
                    const bool twoWays = schedule == "dualpipe"; // half of them go each way
                    const bool upward = channel % 2 == (channel < 2 ? 0 : 1);
                    const uint32_t from = upward ? stage : next;
                    if (twoWays || channel < 2)
                    {
                        expected[{from, upward ? next : stage, channel}] =
                            bytes / (twoWays ? 2 : 1);
                    }
                }
            }
            EXPECT_EQ(CountMessages(TrainingJob(spec), false), expected)
                << schedule << " " << microSequences;
        }
    }
}

} // namespace
