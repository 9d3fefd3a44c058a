/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "program-text.h"
#include "small-training.h"

#include "ns3/plan-traffic.h"
#include "ns3/training-job.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>
#include <string>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/**
 * @return Example 5.1 of the paper, with the corpus and the compute times of preset gpt2-dp8
 */
TrainingSpec
Gpt2Dp8()
{
    TrainingSpec spec;
    spec.corpus = Corpus::FromWords(100000);
    spec.model = Transformer(Transformer::GetPreset("gpt2-small"));
    spec.model.OverrideParameters(128000000);
    spec.batch.globalTokens = 524288;
    spec.batch.localSequences = 32;
    spec.parallel.data = 8;
    spec.compute.forward = MilliSeconds(104);
    spec.compute.backward = MilliSeconds(208);
    return spec;
}

/**
 * @tparam Change takes a run
 * @param change makes a good run a bad one
 * @return the message with which it is refused
 */
template <typename Change>
std::string
ErrorAfter(Change change)
{
    TrainingSpec spec = Gpt2Dp8();
    change(spec);
    return ErrorOf([&] { TrainingJob job(spec); });
}

/**
 * @return 4 experts on 4 ranks with loads of their own, 2 tensor ranks, 2 stages
 */
TrainingSpec
UnevenExperts()
{
    TransformerDimensions dimensions = SmallDimensions(2);
    dimensions.experts.experts = 4;
    TrainingSpec spec = SmallTraining(2);
    spec.model = Transformer(dimensions);
    spec.parallel.data = 8;
    spec.parallel.expert = 4;
    spec.parallel.tensor = 2;
    spec.parallel.sequenceParallel = true;
    spec.parallel.pipeline = 2;
    spec.parallel.load.weights = {4, 2, 1, 1};
    return spec;
}

TEST(TrainingJob, ReportsExample51)
{
    const TrainingJob job(Gpt2Dp8());
    const StageReport& report = job.GetReport();
    EXPECT_EQ(report.tokens, 125000u);
    EXPECT_EQ(report.sequences, 122u);
    EXPECT_EQ(report.parameters, 128000000u);
    EXPECT_EQ(report.activeParameters, 128000000u);
    EXPECT_EQ(report.parameterBytes, 256000000u);
    EXPECT_EQ(report.gradientBytes, 256000000u);
    EXPECT_EQ(report.optimizerBytes, 12u * 128000000);
    EXPECT_EQ(report.activationBytes, 50331648u);
    EXPECT_EQ(report.ranks, 8u);
    EXPECT_EQ(report.globalTokens, 524288u);
    EXPECT_EQ(report.accumulationSteps, 2u);
    EXPECT_EQ(report.microBatches, 1u);
    EXPECT_EQ(report.tokensPerGpuStep, 65536u);
    EXPECT_EQ(report.computePerStep, MilliSeconds(624));
    EXPECT_DOUBLE_EQ(report.stepsPerEpoch, 122.0 * 1024 / 524288);
    EXPECT_DOUBLE_EQ(report.batchShare, 125000.0 / 524288);
    EXPECT_DOUBLE_EQ(report.flopsPerStep, 512 * job.GetCompute().GetFlopsPerSequence(1));
}

TEST(TrainingJob, OneGpuTakes16MiniBatchesAsInExample41)
{
    TrainingSpec spec = Gpt2Dp8();
    spec.parallel.data = 1;
    EXPECT_EQ(TrainingJob(spec).GetReport().accumulationSteps, 16u);
}

TEST(TrainingJob, GlobalTokensDefaultToOneMiniBatchPerRank)
{
    TrainingSpec spec = Gpt2Dp8();
    spec.batch.globalTokens = 0;
    const TrainingJob job(spec);
    EXPECT_EQ(job.GetReport().globalTokens, 262144u);
    EXPECT_EQ(job.GetReport().accumulationSteps, 1u);
}

TEST(TrainingJob, OnlyDataParallelRanksMultiplyTheBatch)
{
    const TrainingJob job(UnevenExperts());
    EXPECT_EQ(job.GetReport().ranks, 32u);
    EXPECT_EQ(job.GetReport().globalTokens, 8u * 32);
}

TEST(TrainingJob, UnevenGlobalTokensAreRefusedWithTheNearestValidValue)
{
    const auto refuse = [](uint64_t tokens) {
        return ErrorAfter([tokens](TrainingSpec& spec) { spec.batch.globalTokens = tokens; });
    };
    EXPECT_EQ(refuse(500000),
              "batch.global_tokens: 500000 global tokens are not a multiple of the 262144 tokens "
              "that 8 data-parallel ranks x 32 sequences x 1024 tokens take at a time; the nearest "
              "valid value is 524288");
    EXPECT_NE(refuse(300000).find("nearest valid value is 262144"), std::string::npos);
    EXPECT_NE(refuse(1).find("nearest valid value is 262144"), std::string::npos);
    EXPECT_NE(refuse(393216).find("nearest valid value is 524288"), std::string::npos);
    EXPECT_NE(refuse(std::numeric_limits<uint64_t>::max())
                  .find("nearest valid value is 18446744073709289472"),
              std::string::npos);
}

TEST(TrainingJob, ImpossibleValuesAreRefusedWithTheirKey)
{
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.parallel.data = 0; }),
              "parallel.data: the value is 0; give a number of at least 1");
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.batch.localSequences = 0; }),
              "batch.local_sequences: the value is 0; give a number of at least 1");
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.precision.activation = 0; }),
              "precision.activation: the value is 0; give a number of at least 1");
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.precision.gradient = 0; }),
              "precision.gradient: the value is 0; give a number of at least 1");
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.precision.parameter = 0; }),
              "precision.parameter: the value is 0; give a number of at least 1");
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.steps = 0; }),
              "run.steps: the value is 0; give a number of at least 1");
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.compute.backward = MilliSeconds(-1); }),
              "compute.backward: the duration is negative; give a duration of 0 or more");
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.parallel.zero = 4; }),
              "parallel.zero: there is no ZeRO stage 4; allowed: 0 to 3");
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.batch.microSequences = 5; }),
              "batch.micro_sequences: the mini-batch of 32 sequences can't be cut in micro-batches "
              "of 5; give a divisor of batch.local_sequences");
}

TEST(TrainingJob, SizesBeyond64BitsAreRefused)
{
    const uint64_t huge = uint64_t{1} << 63;
    EXPECT_EQ(ErrorAfter([=](TrainingSpec& s) { s.model.OverrideParameters(huge); }),
              "the parameter bytes do not fit 64 bits; make the model, batch or corpus smaller");
    EXPECT_EQ(ErrorAfter([=](TrainingSpec& s) { s.model.OverrideParameters(huge / 4); }),
              "the optimizer's bytes do not fit 64 bits; make the model, batch or corpus smaller");
    EXPECT_EQ(ErrorAfter([=](TrainingSpec& s) { s.model.OverrideParameters(huge / 8); }),
              "no error");
    EXPECT_NE(ErrorAfter([=](TrainingSpec& s) { s.batch.localSequences = huge; }), "no error");
}

TEST(TrainingJob, StepsLongerThanTimeAreRefused)
{
    const std::string tooLong = "compute: a step computes longer than simulated time can say; make "
                                "the durations or batch.global_tokens smaller";
    const auto most = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    const auto refuse = [](uint64_t forward, uint64_t update) {
        return ErrorAfter([=](TrainingSpec& s) { // two mini-batches
            s.compute.forward = TimeStep(forward);
            s.compute.backward = TimeStep(0);
            s.compute.update = TimeStep(update);
        });
    };
    EXPECT_EQ(refuse(most / 2, 1), "no error");
    EXPECT_EQ(refuse(most / 2, 2), tooLong);
    EXPECT_EQ(refuse(most, 0), tooLong);
}

TEST(TrainingJob, StepsOfLoadedExpertsLongerThanTimeAreRefused)
{
    TransformerDimensions dimensions = SmallDimensions(2);
    dimensions.experts.experts = 16;
    TrainingSpec spec = SmallTraining(2);
    spec.model = Transformer(dimensions);
    spec.parallel.data = 16;
    spec.parallel.expert = 16;
    spec.compute = ComputeTimes();
    spec.compute.gpu = "V100";
    spec.ignoreMemory = true;
    // The experts take 2^57 ticks forward; the step could be said if all had the same load.
    const double seconds = std::pow(2, 57) / static_cast<double>(Seconds(1).GetTimeStep());
    spec.compute.efficiency = 2 * 32 * (256 + 8 * 16) / seconds / 125e12;
    EXPECT_EQ(ErrorOf([&] { TrainingJob job(spec); }), "no error");
    spec.parallel.load.zipfExponent = 100; // the first expert gets all of it, 16 times as much
    EXPECT_NE(ErrorOf([&] { TrainingJob job(spec); }).find("longer than simulated time can say"),
              std::string::npos);
}

TEST(TrainingJob, AccumulationStepsTimesTheirTokensAreTheBatchForAnyValidPlan)
{
    std::mt19937 random(1);
    for (int i = 0; i < 200; ++i)
    {
        TrainingSpec spec = Gpt2Dp8();
        spec.parallel.data = 1 + random() % 4096;
        spec.batch.localSequences = 1 + random() % 64;
        const uint64_t steps = 1 + random() % 100;
        spec.batch.globalTokens = steps * spec.parallel.data * spec.batch.localSequences * 1024;
        const TrainingJob job(spec);
        EXPECT_EQ(job.GetReport().accumulationSteps, steps);
        EXPECT_EQ(job.GetReport().tokensPerGpuStep * spec.parallel.data, spec.batch.globalTokens);
        EXPECT_EQ(job.GetProgram(0).GetOpCount(), 2 * steps + (spec.parallel.data > 1 ? 1 : 0) + 1);
    }
}

TEST(TrainingJob, AccumulatesThenSharesGradientsThenUpdates)
{
    TrainingSpec spec = Gpt2Dp8();
    spec.compute.forward = TimeStep(104);
    spec.compute.backward = TimeStep(208);
    spec.compute.update = TimeStep(5);
    EXPECT_EQ(WriteOps(TrainingJob(spec).GetProgram(3)),
              "0 compute forward 104\n"
              "1 compute backward 208\n"
              "2 compute forward 104 of 1.0\n"
              "3 compute backward 208 of 1.0\n"
              "4 data allreduce 256000000 after 3\n"
              "5 compute update 5 of 1.0 after 4\n");
}

TEST(TrainingJob, RunsItsProgramForEachStep)
{
    TrainingSpec spec = Gpt2Dp8();
    spec.steps = 7;
    const TrainingJob job(spec);
    EXPECT_EQ(job.GetSteps(), 7u);
    EXPECT_EQ(job.GetRanks(), 8u);
    EXPECT_DEATH(job.GetProgram(8), "no rank 8");
}

TEST(TrainingJob, OpsAddUpToTheComputingOfAStep)
{
    const TrainingJob job(UnevenExperts());
    const RankProgram program = job.GetProgram(0);
    Time sum;
    for (uint64_t i = 0; i < program.GetOpCount(); ++i)
    {
        const ProgramOp op = program.GetOp(i);
        const auto* compute = std::get_if<ComputeOp>(&op.what);
        sum += compute ? compute->duration : Time(0);
    }
    EXPECT_EQ(sum, job.GetReport().computePerStep);
    EXPECT_EQ(sum, TimeStep(8 + 16 + 1));
}

TEST(TrainingJob, PlansThatDoNotFitTheMemoryAreRefusedWithItsParts)
{
    TrainingSpec spec = SmallTraining(2);
    spec.parallel.pipeline = 2; // 656 and 664 values
    const TrainingJob job(spec);
    const uint64_t first = job.GetMemory(0).GetTotal();
    const uint64_t last = job.GetMemory(1).GetTotal();
    ASSERT_GT(last, first + 1); // it keeps the logits, too
    EXPECT_EQ(job.GetGpuMemory(), std::nullopt);
    spec.gpuMemory = last;
    EXPECT_EQ(TrainingJob(spec).GetGpuMemory(), last);
    spec.gpuMemory = last - 1;
    EXPECT_EQ(ErrorOf([&] { TrainingJob refused(spec); }),
              "parallel: a rank of pipeline stage 1 needs " + std::to_string(last) +
                  " B (parameters 1328 B + gradients 1328 B + optimizer 7968 B + activations " +
                  std::to_string(last - 664 * 16) + " B), but a GPU has " +
                  std::to_string(last - 1) +
                  " B; share it by more ranks, recompute, or set run.ignore_memory");
    spec.ignoreMemory = true;
    EXPECT_EQ(ErrorOf([&] { TrainingJob taken(spec); }), "no error");
}

TEST(TrainingJob, AGpuPresetKnowsItsMemory)
{
    TrainingSpec spec = SmallTraining();
    spec.compute.gpu = "A100";
    EXPECT_EQ(TrainingJob(spec).GetGpuMemory(), 80000000000u);
    spec.gpuMemory = 40000000000; // there is such a one, too
    EXPECT_EQ(TrainingJob(spec).GetGpuMemory(), 40000000000u);
}

TEST(TrainingJob, RanksOfAClassShareTheirOpsAndAllRanksAreInOne)
{
    for (const bool even : {false, true})
    {
        TrainingSpec spec = UnevenExperts();
        spec.parallel.order = {GridAxis::EXPERT,
                               GridAxis::PIPELINE,
                               GridAxis::TENSOR,
                               GridAxis::DATA,
                               GridAxis::CONTEXT};
        if (even)
        {
            spec.parallel.load.weights.clear();
        }
        const TrainingJob job(spec);
        std::map<const OpList*, uint64_t> ranks;
        for (uint32_t rank = 0; rank < job.GetRanks(); ++rank)
        {
            ++ranks[job.GetProgram(rank).GetList().get()];
        }
        const auto classes = job.GetClasses();
        EXPECT_EQ(classes.size(), even ? 2u : 8u);
        EXPECT_EQ(ranks.size(), classes.size());
        for (const RankClass& one : classes)
        {
            EXPECT_EQ(ranks[job.GetProgram(one.first).GetList().get()], one.count);
            EXPECT_EQ(job.GetGrid().GetCoordinate(one.first, GridAxis::PIPELINE), one.stage);
        }
    }
}

TEST(TrainingJob, AllToAllsSendWhatTheSharesSay)
{
    const TrainingJob job(UnevenExperts());
    const RankGroup group = job.GetGrid().GetGroup(GroupKind::EXPERT, 0);
    CollectiveOp op;
    op.kind = CollectiveKind::ALL_TO_ALL;
    op.payload = 1000;
    EXPECT_EQ(job.GetGroupName(group.GetId()), "expert");
    const uint64_t shares[] = {500, 250, 125, 125};
    for (uint32_t from = 0; from < 4; ++from)
    {
        for (uint32_t to = 0; to < 4; ++to)
        {
            op.shares = AllToAllShares::EVEN;
            EXPECT_EQ(job.GetAllToAllBytes(op, group, from, to), 250u);
            op.shares = AllToAllShares::BY_DESTINATION;
            EXPECT_EQ(job.GetAllToAllBytes(op, group, from, to), shares[to]);
            op.shares = AllToAllShares::BY_SOURCE;
            EXPECT_EQ(job.GetAllToAllBytes(op, group, from, to), shares[from]);
        }
    }
    op.shares = AllToAllShares::EVEN;
    op.payload = std::numeric_limits<uint64_t>::max();
    uint64_t sum = 0;
    for (uint32_t to = 0; to < 4; ++to)
    {
        sum += job.GetAllToAllBytes(op, group, 0, to);
    }
    EXPECT_EQ(sum, op.payload);
}

TEST(PlanTraffic, GroupsSendWhatRingsDo)
{
    EXPECT_EQ(GetGroupBytes(CollectiveKind::ALL_REDUCE, 8, 1000), 14000u);
    EXPECT_EQ(GetGroupBytes(CollectiveKind::REDUCE_SCATTER, 8, 1000), 7000u);
    EXPECT_EQ(GetGroupBytes(CollectiveKind::ALL_GATHER, 8, 1000), 7000u);
    EXPECT_EQ(GetGroupBytes(CollectiveKind::ALL_TO_ALL, 8, 1000), 7000u);
    EXPECT_EQ(GetGroupBytes(CollectiveKind::ALL_REDUCE, 1, 1000), 0u);
}

TEST(PlanTraffic, RowsAddUpOverRanksAndMiniBatches)
{
    TrainingSpec spec = SmallTraining(2);
    spec.parallel.data = 3;
    spec.parallel.pipeline = 2;
    spec.batch.globalTokens = 4 * 3 * 32; // 4 mini-batches
    const auto rows = GetTraffic(TrainingJob(spec));
    ASSERT_EQ(rows.size(), 4u); // 656 and 664 values, messages each way
    EXPECT_EQ(rows[0].object + rows[0].op + rows[0].group, "gradientsallreducedata");
    EXPECT_EQ(rows[0].payload, 1312u);
    EXPECT_EQ(rows[0].groupSize, 3u);
    EXPECT_EQ(rows[0].ranks, 3u);
    EXPECT_EQ(rows[0].callsPerRank, 1u);
    EXPECT_EQ(rows[0].totalBytes, 4u * 1312);
    EXPECT_EQ(rows[0].bytesPerRank, (4u * 1312 + 2) / 3);
    EXPECT_EQ(rows[1].payload, 1328u);
    EXPECT_EQ(rows[2].object + rows[2].op + rows[2].group, "activationssendpipeline");
    EXPECT_EQ(rows[2].callsPerRank, 4u);
    EXPECT_EQ(rows[2].bytesPerRank, 4u * 512);
    EXPECT_EQ(rows[2].ranks, 3u);
    EXPECT_EQ(rows[2].totalBytes, 12u * 512);
    EXPECT_EQ(rows[3].object, "activation gradients");
}

} // namespace
