/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/training-job.h"
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
 * @param spec a training run
 * @return the message with which it is refused
 */
std::string
ErrorOf(const TrainingSpec& spec)
{
    try
    {
        TrainingJob job(spec);
    }
    catch (const UserError& error)
    {
        return error.what();
    }
    return "no error";
}

/**
 * @param change makes a good run a bad one
 * @return the message with which it is refused
 */
template <typename CHANGE>
std::string
ErrorAfter(CHANGE change)
{
    TrainingSpec spec = Gpt2Dp8();
    change(spec);
    return ErrorOf(spec);
}

/**
 * @param program a program
 * @return its ops as text
 */
std::string
Write(const RankProgram& program)
{
    std::string text;
    for (uint64_t i = 0; i < program.GetOpCount(); ++i)
    {
        const ProgramOp op = program.GetOp(i);
        if (const auto* compute = std::get_if<ComputeOp>(&op))
        {
            text += GetName(compute->phase) + " " + std::to_string(compute->miniBatch) + " " +
                    std::to_string(compute->duration.GetMilliSeconds()) + "ms\n";
        }
        else
        {
            const auto& collective = std::get<CollectiveOp>(op);
            text += GetName(collective.kind) + " group " + std::to_string(collective.group) + " " +
                    std::to_string(collective.payload) + "B\n";
        }
    }
    return text;
}

TEST(TrainingJob, ReportsExample51)
{
    const TrainingJob job(Gpt2Dp8());
    const StageReport& report = job.GetReport();
    EXPECT_EQ(report.tokens, 125000u);
    EXPECT_EQ(report.sequences, 122u);
    EXPECT_EQ(report.parameters, 128000000u);
    EXPECT_EQ(report.parameterBytes, 256000000u);
    EXPECT_EQ(report.gradientBytes, 256000000u);
    EXPECT_EQ(report.activationBytes, 50331648u);
    EXPECT_EQ(report.ranks, 8u);
    EXPECT_EQ(report.globalTokens, 524288u);
    EXPECT_EQ(report.accumulationSteps, 2u);
    EXPECT_EQ(report.tokensPerGpuStep, 65536u);
    EXPECT_EQ(report.allReducePayload, 256000000u);
    EXPECT_EQ(report.allReducesPerStep, 1u);
    EXPECT_EQ(report.computePerStep, MilliSeconds(624));
    EXPECT_DOUBLE_EQ(report.stepsPerEpoch, 122.0 * 1024 / 524288);
}

TEST(TrainingJob, OneGpuTakes16MiniBatchesAsInExample41)
{
    TrainingSpec spec = Gpt2Dp8();
    spec.parallel.data = 1;
    EXPECT_EQ(TrainingJob(spec).GetReport().accumulationSteps, 16u);
    EXPECT_EQ(TrainingJob(spec).GetReport().allReducesPerStep, 0u);
}

TEST(TrainingJob, GlobalTokensDefaultToOneMiniBatchPerRank)
{
    TrainingSpec spec = Gpt2Dp8();
    spec.batch.globalTokens = 0;
    const TrainingJob job(spec);
    EXPECT_EQ(job.GetReport().globalTokens, 262144u);
    EXPECT_EQ(job.GetReport().accumulationSteps, 1u);
}

TEST(TrainingJob, UnevenGlobalTokensAreRefusedWithTheNearestValidValue)
{
    const auto refuse = [](uint64_t tokens) {
        return ErrorAfter([tokens](TrainingSpec& spec) { spec.batch.globalTokens = tokens; });
    };
    EXPECT_EQ(refuse(500000),
              "batch.global_tokens: 500000 global tokens are not a multiple of the 262144 tokens "
              "that 8 ranks x 32 sequences x 1024 tokens take at a time; the nearest valid value "
              "is 524288");
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
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.precision.gradient = 0; }),
              "precision.gradient: the value is 0; give a number of at least 1");
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.steps = 0; }),
              "run.steps: the value is 0; give a number of at least 1");
    EXPECT_EQ(ErrorAfter([](TrainingSpec& s) { s.compute.backward = MilliSeconds(-1); }),
              "compute.backward: the duration is negative; give a duration of 0 or more");
}

TEST(TrainingJob, SizesBeyond64BitsAreRefused)
{
    const uint64_t huge = uint64_t{1} << 63;
    EXPECT_NE(ErrorAfter([=](TrainingSpec& s) { s.model.OverrideParameters(huge); }), "no error");
    EXPECT_NE(ErrorAfter([=](TrainingSpec& s) { s.batch.localSequences = huge; }), "no error");
    EXPECT_NE(ErrorAfter([=](TrainingSpec& s) { s.compute.forward = Time::Max(); }), "no error");
    EXPECT_EQ(ErrorAfter([=](TrainingSpec& s) { s.model.OverrideParameters(huge / 2); }),
              "no error");
}

TEST(TrainingJob, AccumulationStepsTimesTheirTokensAreTheBatchForAnyValidPlan)
{
    std::mt19937 random(1);
    for (int i = 0; i < 500; ++i)
    {
        TrainingSpec spec = Gpt2Dp8();
        spec.parallel.data = 1 + random() % 4096;
        spec.batch.localSequences = 1 + random() % 64;
        const uint64_t steps = 1 + random() % 100;
        spec.batch.globalTokens = steps * spec.parallel.data * spec.batch.localSequences * 1024;
        const TrainingJob job(spec);
        EXPECT_EQ(job.GetReport().accumulationSteps, steps);
        EXPECT_EQ(job.GetReport().tokensPerGpuStep * spec.parallel.data, spec.batch.globalTokens);
        EXPECT_EQ(job.GetProgram(0)->GetOpCount(),
                  2 * steps + (spec.parallel.data > 1 ? 1 : 0) + 1);
    }
}

TEST(RankProgram, AccumulatesThenSharesGradientsThenUpdates)
{
    EXPECT_EQ(Write(*TrainingJob(Gpt2Dp8()).GetProgram(3)),
              "forward 0 104ms\nbackward 0 208ms\nforward 1 104ms\nbackward 1 208ms\n"
              "allreduce group 0 256000000B\nupdate 1 0ms\n");
}

TEST(RankProgram, ARankWithoutPartnersSharesNothing)
{
    TrainingSpec spec = Gpt2Dp8();
    spec.parallel.data = 1;
    spec.batch.globalTokens = 0;
    spec.compute.update = MilliSeconds(5);
    EXPECT_EQ(Write(*TrainingJob(spec).GetProgram(0)),
              "forward 0 104ms\nbackward 0 208ms\nupdate 0 5ms\n");
}

TEST(RankProgram, OpsAddUpToTheComputingOfAStep)
{
    const TrainingJob job(Gpt2Dp8());
    Time sum;
    for (uint64_t i = 0; i < job.GetProgram(0)->GetOpCount(); ++i)
    {
        const ProgramOp op = job.GetProgram(0)->GetOp(i);
        if (const auto* compute = std::get_if<ComputeOp>(&op))
        {
            sum += compute->duration;
        }
    }
    EXPECT_EQ(sum, job.GetReport().computePerStep);
}

TEST(RankProgram, AllRanksOfAHugeJobShareOneProgram)
{
    TrainingSpec spec = Gpt2Dp8();
    spec.parallel.data = 100000;
    spec.batch.globalTokens = 0;
    const TrainingJob job(spec);
    EXPECT_EQ(job.GetProgram(0), job.GetProgram(99999));
}

TEST(RankGroup, TheDataGroupHoldsAllRanksInOrder)
{
    const TrainingJob job(Gpt2Dp8());
    const RankGroup group = job.GetGroup(0);
    EXPECT_EQ(group.GetSize(), 8u);
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        EXPECT_EQ(group.GetRank(rank), rank);
        EXPECT_EQ(group.GetIndex(rank), rank);
    }
    EXPECT_FALSE(group.Contains(8));
}

TEST(RankGroup, StridesSkipTheRanksBetween)
{
    const RankGroup group(5, 2, 4, 3);
    EXPECT_EQ(group.GetId(), 5u);
    EXPECT_EQ(group.GetRank(2), 10u);
    EXPECT_EQ(group.GetIndex(6), 1u);
    EXPECT_TRUE(group.Contains(10));
    EXPECT_FALSE(group.Contains(14));
    EXPECT_FALSE(group.Contains(4));
    EXPECT_FALSE(group.Contains(1));
}

} // namespace
