/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "plan-fixture.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::llmfabric;

// Numbers of "Life of a Token"; names of tests say where they stand.

namespace
{

/// S_act of a mini-batch of the reference configuration, and so M_TP, bytes (Example 4.1).
constexpr uint64_t ACTIVATION = 50331648;

/**
 * @return Example 5.2: 8 stages of 1 and 2 layers, each layer 20 ms forward and 40 ms backward
 */
TrainingSpec
EightStages()
{
    TrainingSpec spec = Gpt2Plan();
    spec.parallel.pipeline = 8;
    spec.parallel.schedule = "naive";
    spec.parallel.layerSplit = LayerSplitMethod::GIVEN;
    spec.parallel.layersPerPart = {1, 1, 2, 2, 2, 2, 1, 1};
    spec.compute.forward.reset();
    spec.compute.backward.reset();
    spec.compute.forwardPerLayer = MilliSeconds(20);
    spec.compute.backwardPerLayer = MilliSeconds(40);
    return spec;
}

/**
 * Each layer 3 ms forward and 6 ms backward on 8 tensor ranks. They need a number of heads that 8
 * divides; it changes no other size.
 *
 * @param [in,out] spec a plan, which gets them
 */
void
AddEightTensorRanks(TrainingSpec& spec)
{
    TransformerDimensions gpt2 = Transformer::GetPreset("gpt2-small");
    gpt2.heads = 8;
    spec.model = Transformer(gpt2);
    spec.parallel.tensor = 8;
    spec.compute.forward.reset();
    spec.compute.backward.reset();
    spec.compute.forwardPerLayer = MilliSeconds(3);
    spec.compute.backwardPerLayer = MilliSeconds(6);
}

/**
 * @return Figure 8: 8 x 8 x 8 ranks, two executions per batch, with 3 ms layers
 */
TrainingSpec
HybridPlan()
{
    TrainingSpec spec = EightStages();
    AddEightTensorRanks(spec);
    spec.parallel.data = 8;
    spec.batch.globalTokens = 524288;
    return spec;
}

/**
 * @param starts times
 * @param from index of the first interval
 * @param count how many intervals
 * @param interval what each should be
 */
void
ExpectIntervals(const std::vector<Time>& starts, std::size_t from, std::size_t count, Time interval)
{
    ASSERT_GT(starts.size(), from + count);
    for (std::size_t i = from; i < from + count; ++i)
    {
        EXPECT_EQ(starts[i + 1] - starts[i], interval) << "interval " << i;
    }
}

/**
 * @param zero ZeRO stage
 * @param accumulationSteps N_acc
 * @param gradientBytes s_grad
 * @return bytes that the data-parallel ranks send for parameters and gradients
 */
uint64_t
CountDataBytes(uint32_t zero, uint64_t accumulationSteps = 1, uint64_t gradientBytes = 2)
{
    TrainingSpec spec = Gpt2Plan();
    spec.parallel.data = 8;
    spec.parallel.zero = zero;
    spec.batch.globalTokens = accumulationSteps * 32 * 1024 * 8;
    spec.precision.gradient = gradientBytes;
    const TrainingJob job(spec);
    return TotalOf(job, "data") + TotalOf(job, "parameter");
}

// ---------- stage 1 ----------

TEST(PaperSection3, APetabyteGivesTheFigureOfTokensAndSequences)
{
    const Corpus petabyte = Corpus::FromBytes(1000000000000000);
    EXPECT_EQ(petabyte.GetTokens(), 250000000000000u);
    EXPECT_NEAR(petabyte.GetSequences(1024), 2.44e11, 0.005e11);
    EXPECT_NEAR(petabyte.GetSequences(4096), 6.10e10, 0.005e10);
}

TEST(PaperSection3, TheDivineComedyIsAPartOfABatch)
{
    Corpus comedy = Corpus::FromWords(100000);
    EXPECT_EQ(comedy.GetTokens(), 125000u);
    EXPECT_EQ(comedy.GetSequences(1024), 122u);
    comedy.SetLastSequence(LastSequence::PAD);
    EXPECT_EQ(comedy.GetSequences(1024), 123u);
    comedy.SetLastSequence(LastSequence::PACK);
    EXPECT_EQ(comedy.GetStepsPerEpoch(1024, 500000), 0.25);
    EXPECT_EQ(comedy.GetStepsPerEpoch(2048, 3200000), 0.0390625);
    EXPECT_EQ(std::ceil(1 / comedy.GetStepsPerEpoch(2048, 3200000)), 26);
}

TEST(PaperSection3, AJobReportsTheComedysShareOfItsBatch)
{
    TrainingSpec spec = Gpt2Plan();
    spec.batch.localSequences = 25;
    spec.batch.globalTokens = 3200000;
    spec.parallel.data = 125;
    const TrainingJob job(spec);
    EXPECT_EQ(job.GetReport().batchShare, 0.0390625);
    EXPECT_EQ(job.GetReport().sequences, 122u);
}

// ---------- stage 2 ----------

TEST(PaperExample41, MiniBatchesHaveTheActivationsOfTheExample)
{
    TrainingSpec spec = Gpt2Plan();
    spec.batch.globalTokens = 524288;
    EXPECT_EQ(TrainingJob(spec).GetReport().activationBytes, ACTIVATION);
    EXPECT_EQ(TrainingJob(spec).GetReport().accumulationSteps, 16u);
    spec.batch.localSequences = 1;
    EXPECT_EQ(TrainingJob(spec).GetReport().activationBytes, 1572864u);
}

TEST(PaperSection4, ATokenOf2048ValuesTakes4Kilobytes)
{
    TransformerDimensions wide;
    wide.hidden = 2048;
    wide.heads = 16;
    wide.sequence = 1;
    EXPECT_EQ(Transformer(wide).GetActivationBytes(1, 2), 4096u);
}

TEST(PaperSection4, TrainingStateIs4To10TimesTheParameters)
{
    const RankMemory memory = TrainingJob(Gpt2Plan()).GetMemory(0);
    EXPECT_EQ(memory.parameters + memory.gradients + memory.optimizer, 8 * memory.parameters);
}

// ---------- stage 3 ----------

TEST(PaperExample51, EightDataRanksShareGradientsOnceAStep)
{
    TrainingSpec spec = Gpt2Plan();
    spec.model.OverrideParameters(128000000);
    spec.parallel.data = 8;
    spec.batch.globalTokens = 524288;
    const TrainingJob job(spec);
    EXPECT_EQ(job.GetReport().accumulationSteps, 2u);
    EXPECT_EQ(job.GetReport().tokensPerGpuStep, 65536u);
    const auto rows = GetTraffic(job);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].op, "allreduce");
    EXPECT_EQ(rows[0].payload, 256000000u);
    EXPECT_EQ(rows[0].callsPerRank, 1u);
    EXPECT_EQ(rows[0].bytesPerRank, 2u * 7 * 256000000 / 8);
}

TEST(PaperExample52, EightStagesTake240And480Milliseconds)
{
    const TrainingJob job(EightStages());
    const StepTimeline timeline = RunFree(job, ListRanks(job));
    EXPECT_TRUE(timeline.GetProblems().empty());
    EXPECT_EQ(GetLatency(timeline, ComputePhase::FORWARD, 0), MilliSeconds(240));
    EXPECT_EQ(GetLatency(timeline, ComputePhase::BACKWARD, 0), MilliSeconds(480));
    const int64_t stages[] = {20, 20, 40, 40, 40, 40, 20, 20};
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        EXPECT_EQ(timeline.GetComputeTime(rank), MilliSeconds(3 * stages[rank]));
    }
}

TEST(PaperExample52, SevenBoundariesCarryAnActivationEachWay)
{
    for (uint64_t microSequences : {32, 8, 1})
    {
        TrainingSpec spec = EightStages();
        spec.batch.microSequences = microSequences;
        const LaneBytes lanes = CountMessages(TrainingJob(spec), false);
        EXPECT_EQ(lanes.size(), 2u * 7);
        for (const auto& [lane, bytes] : lanes)
        {
            EXPECT_EQ(bytes, ACTIVATION);
        }
        EXPECT_EQ(TotalOf(TrainingJob(spec), "pipeline"), 7u * 100663296);
    }
}

TEST(PaperExample53, TensorRanksMeetEach1And3Milliseconds)
{
    TrainingSpec spec = Gpt2Plan();
    AddEightTensorRanks(spec);
    const TrainingJob job(spec);
    const auto starts = ListStarts(RunFree(job, ListRanks(job)), 5, GroupKind::TENSOR);
    // embeddings, two in each of 12 layers; output layer, two in each layer
    ASSERT_EQ(starts.size(), 25u + 25);
    ExpectIntervals(starts, 0, 24, MicroSeconds(1500));
    ExpectIntervals(starts, 25, 24, MilliSeconds(3));
    const auto rows = GetTraffic(job);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].op, "allreduce");
    EXPECT_EQ(rows[0].payload, ACTIVATION);
}

TEST(PaperFigure8, WithoutTensorRanksPassesTake240And480Milliseconds)
{
    TrainingSpec spec = HybridPlan();
    spec.compute.forwardPerLayer = MilliSeconds(20);
    spec.compute.backwardPerLayer = MilliSeconds(40);
    const TrainingJob job(spec);
    const StepTimeline timeline = RunFree(job, ListPipeline(job));
    for (uint64_t execution : {0, 1})
    {
        EXPECT_EQ(GetLatency(timeline, ComputePhase::FORWARD, execution), MilliSeconds(240));
        EXPECT_EQ(GetLatency(timeline, ComputePhase::BACKWARD, execution), MilliSeconds(480));
    }
    // A stage in the middle: activations gathered, 4 AllReduces; gradients gathered, 4 AllReduces.
    const uint32_t middle = ListPipeline(job)[3];
    const auto starts = ListStarts(timeline, middle, GroupKind::TENSOR);
    ASSERT_EQ(starts.size(), 2u * 10);
    ExpectIntervals(starts, 0, 4, MilliSeconds(10));
    ExpectIntervals(starts, 5, 4, MilliSeconds(20));
}

TEST(PaperFigure8, WithTensorRanksPassesTake36And72Milliseconds)
{
    const TrainingJob job(HybridPlan());
    EXPECT_EQ(job.GetRanks(), 512u);
    EXPECT_EQ(job.GetReport().accumulationSteps, 2u);
    const StepTimeline timeline = RunFree(job, ListPipeline(job));
    for (uint64_t execution : {0, 1})
    {
        EXPECT_EQ(GetLatency(timeline, ComputePhase::FORWARD, execution), MilliSeconds(36));
        EXPECT_EQ(GetLatency(timeline, ComputePhase::BACKWARD, execution), MilliSeconds(72));
    }
    const auto starts = ListStarts(timeline, ListPipeline(job)[3], GroupKind::TENSOR);
    ExpectIntervals(starts, 0, 4, MicroSeconds(1500));
    ExpectIntervals(starts, 5, 4, MilliSeconds(3));
    // one AllReduce of gradients, once the second backward pass is over on the stage
    for (uint32_t rank : ListPipeline(job))
    {
        const auto data = ListStarts(timeline, rank, GroupKind::DATA);
        ASSERT_EQ(data.size(), 1u);
        const auto passes = FindSpans<ComputeOp>(timeline, [&](const auto& span, const auto& op) {
            return span.rank == rank && op.phase == ComputePhase::BACKWARD && op.miniBatch == 1;
        });
        EXPECT_EQ(data[0], passes.back().end);
    }
}

TEST(PaperFigure8, MessagesOfEightTensorRanksAreOneActivation)
{
    const TrainingJob job(HybridPlan());
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint64_t> boundaries;
    for (const auto& [lane, bytes] : CountMessages(job, false))
    {
        const auto [from, to, channel] = lane;
        const uint32_t data = job.GetGrid().GetCoordinate(from, GridAxis::DATA);
        const uint32_t stage = job.GetGrid().GetCoordinate(from, GridAxis::PIPELINE);
        boundaries[{data, stage, channel}] += bytes;
    }
    EXPECT_EQ(boundaries.size(), 8u * 7 * 2);
    for (const auto& [boundary, bytes] : boundaries)
    {
        EXPECT_EQ(bytes, 2 * ACTIVATION); // of two executions
    }
    TrainingSpec whole = HybridPlan();
    whole.parallel.pipelineScatter = false;
    EXPECT_EQ(TotalOf(TrainingJob(whole), "pipeline"), 8 * TotalOf(job, "pipeline"));
}

TEST(PaperTableOfStrategies, TensorRanksSend4ActivationsPerLayer)
{
    TrainingSpec spec = Gpt2Plan();
    AddEightTensorRanks(spec);
    const auto bytes = [&](uint64_t layers, bool sequenceParallel) {
        TransformerDimensions gpt2 = spec.model.GetDimensions();
        gpt2.layers = layers;
        spec.model = Transformer(gpt2);
        spec.parallel.sequenceParallel = sequenceParallel;
        return TotalOf(TrainingJob(spec), "tensor");
    };
    EXPECT_EQ(bytes(12, false) - bytes(11, false), 4 * 2 * 7 * ACTIVATION);
    EXPECT_EQ(bytes(12, true), bytes(12, false));
    EXPECT_EQ(TotalOf(TrainingJob(spec), "tensor", "reducescatter") * 2, bytes(12, true));
    EXPECT_EQ(TotalOf(TrainingJob(spec), "tensor", "allgather") * 2, bytes(12, true));
}

TEST(PaperTableOfStrategies, ZeroSendsAsMuchAsDataParallelism)
{
    const uint64_t gradients = 124439808 * 2;
    EXPECT_EQ(CountDataBytes(0), 2 * 7 * gradients);
    EXPECT_EQ(CountDataBytes(1), CountDataBytes(0));
    EXPECT_EQ(CountDataBytes(2), CountDataBytes(0));
    EXPECT_EQ(CountDataBytes(1, 2), CountDataBytes(0, 2));
    EXPECT_EQ(CountDataBytes(2, 2) * 2, CountDataBytes(0, 2) * 3); // gradients each mini-batch
}

TEST(PaperTableOfStrategies, ZeroStage3Sends3HalvesPerMiniBatch)
{
    for (uint64_t steps : {1, 2, 5})
    {
        EXPECT_EQ(CountDataBytes(3, steps) * 2, CountDataBytes(0, steps) * 3 * steps);
    }
    // Gradients of 4 bytes: 2 + 2 + 4 per value instead of 2 x 4.
    EXPECT_EQ(CountDataBytes(3, 1, 4), CountDataBytes(0, 1, 4));
}

TEST(PaperAppendixA4, EightExpertRanksSend44MegabytesPerPhase)
{
    TrainingSpec spec = Gpt2Plan();
    TransformerDimensions gpt2 = Transformer::GetPreset("gpt2-small");
    gpt2.experts.experts = 8;
    spec.model = Transformer(gpt2);
    spec.parallel.data = 8;
    spec.parallel.expert = 8;
    const TrainingJob job(spec);
    const auto rows = GetTraffic(job);
    const auto row = std::find_if(rows.begin(), rows.end(), [](const TrafficRow& one) {
        return one.op == "alltoall";
    });
    ASSERT_NE(row, rows.end());
    EXPECT_EQ(row->payload, ACTIVATION);
    EXPECT_EQ(row->callsPerRank, 4u * 12);
    EXPECT_EQ(row->bytesPerRank, 12u * 176160768);
    EXPECT_EQ(row->bytesPerRank / row->callsPerRank, 44040192u);
}

// ---------- stage 4 ----------

TEST(PaperSection6, RingsSendTheTotalsOfTheTable)
{
    for (uint64_t p : {2, 3, 8, 512})
    {
        EXPECT_EQ(GetGroupBytes(CollectiveKind::ALL_REDUCE, p, 256000000), 2 * (p - 1) * 256000000);
        EXPECT_EQ(GetGroupBytes(CollectiveKind::ALL_TO_ALL, p, 256000000), (p - 1) * 256000000);
    }
}

// ---------- the testbed ----------

TEST(PaperTableA7, BucketsLeaveAsLayersAreDone)
{
    TrainingSpec spec = Gpt2Plan();
    spec.batch.localSequences = 1;
    spec.parallel.data = 7;
    spec.parallel.gradients.buckets = true;
    spec.compute.forward = MilliSeconds(310);
    spec.compute.backward = MilliSeconds(620);
    const TrainingJob job(spec);
    const StepTimeline timeline = RunFree(job, ListRanks(job));
    const auto buckets = FindSpans<CollectiveOp>(timeline, [](const auto& span, const auto&) {
        return span.rank == 3;
    });
    const uint64_t bytes[] = {4723200, 28351488, 28351488, 28351488, 28351488, 28351488, 102398976};
    const int64_t layers[] = {1, 3, 5, 7, 9, 11, 12};
    ASSERT_EQ(buckets.size(), 7u);
    for (std::size_t i = 0; i < buckets.size(); ++i)
    {
        EXPECT_EQ(std::get<CollectiveOp>(buckets[i].op.what).payload, bytes[i]);
        const Time left = TimeStep(MilliSeconds(620).GetTimeStep() * (12 - layers[i]) / 12);
        EXPECT_EQ(buckets[i].start, MilliSeconds(930) - left);
    }
    EXPECT_EQ(timeline.GetEnd(), MilliSeconds(930));
}

} // namespace
