/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "program-text.h"
#include "small-training.h"

#include "ns3/training-job.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/**
 * @param spec a run
 * @param stage a pipeline stage
 * @return the ops of its ranks as text
 */
std::string
TextOf(const TrainingSpec& spec, uint32_t stage = 0)
{
    const TrainingJob job(spec);
    return WriteOps(*job.GetProgram(job.GetGrid().Move(0, GridAxis::PIPELINE, stage)).GetList());
}

/**
 * @param zero ZeRO stage
 * @param layers L
 * @param data ranks that share gradients
 * @return a run of (128 + 528 L + 136) values
 */
TrainingSpec
Zero(uint32_t zero, uint64_t layers = 1, uint32_t data = 2)
{
    TrainingSpec spec = SmallTraining(layers);
    spec.parallel.data = data;
    spec.parallel.zero = zero;
    return spec;
}

/**
 * @param zero ZeRO stage
 * @return a run of two stages with a layer each, of which the last one has a copy of the embedding
 */
TrainingSpec
Tied(uint32_t zero)
{
    TransformerDimensions dimensions = SmallDimensions(2);
    dimensions.tiedEmbeddings = true;
    TrainingSpec spec = Zero(zero, 2);
    spec.model = Transformer(dimensions);
    spec.parallel.pipeline = 2;
    return spec;
}

TEST(GradientWriter, GradientsAreSharedOnceAfterTheLastMiniBatch)
{
    TrainingSpec spec = Zero(0);
    spec.batch.globalTokens = 3 * 2 * 32;
    EXPECT_EQ(TextOf(spec),
              "0 compute forward 8\n"
              "1 compute backward 16\n"
              "2 compute forward 8 of 1.0\n"
              "3 compute backward 16 of 1.0\n"
              "4 compute forward 8 of 2.0\n"
              "5 compute backward 16 of 2.0\n"
              "6 data allreduce 1584 after 5\n"
              "7 compute update 1 of 2.0 after 6\n");
}

TEST(GradientWriter, RanksWithoutPartnersShareNothing)
{
    for (const uint32_t zero : {0, 1, 2, 3})
    {
        for (const bool buckets : {false, true})
        {
            TrainingSpec spec = Zero(zero, 1, 1);
            spec.parallel.gradients.buckets = buckets && zero < 3;
            const std::string text = TextOf(spec);
            EXPECT_EQ(text.find("all"), std::string::npos) << text;
            EXPECT_EQ(text.find("scatter"), std::string::npos) << text;
        }
    }
}

TEST(GradientWriter, ContextRanksShareGradientsToo)
{
    TrainingSpec spec = Zero(0, 1, 1);
    spec.parallel.context = 2;
    EXPECT_NE(TextOf(spec).find("data allreduce 1584"), std::string::npos);
}

TEST(GradientWriter, GradientsHaveTheirOwnPrecision)
{
    TrainingSpec spec = Zero(1);
    spec.precision.gradient = 4;
    spec.precision.parameter = 3;
    EXPECT_EQ(TextOf(spec),
              "0 compute forward 8\n"
              "1 compute backward 16\n"
              "2 data reducescatter 3168 after 1\n"
              "3 compute update 1 after 2\n"
              "4 parameter allgather 2376 after 3\n"); // weights that were updated
}

TEST(GradientWriter, Zero2SharesGradientsAfterEachMicroBatch)
{
    TrainingSpec spec = Zero(2);
    spec.batch.localSequences = 2;
    spec.batch.microSequences = 1;
    spec.batch.globalTokens = 4 * 2 * 32;
    EXPECT_EQ(TextOf(spec),
              "0 compute forward 4\n"
              "1 compute backward 8\n"
              "2 data reducescatter 1584 after 1\n"
              "3 compute forward 4 of 0.1\n"
              "4 compute backward 8 of 0.1\n"
              "5 data reducescatter 1584 after 4\n"
              "6 compute forward 4 of 1.0\n"
              "7 compute backward 8 of 1.0\n"
              "8 data reducescatter 1584 after 7\n"
              "9 compute forward 4 of 1.1\n"
              "10 compute backward 8 of 1.1\n"
              "11 data reducescatter 1584 after 10\n"
              "12 compute update 1 of 1.0 after 11\n"
              "13 parameter allgather 1584 after 12\n");
}

TEST(GradientWriter, BucketsLeaveWhenTheirLastGradientIsThere)
{
    TrainingSpec spec = Zero(0, 2); // bytes, last registered first: 256 16 | 256 256 16 128 384 16
    spec.parallel.gradients = {true, 300, 600};
    spec.batch.globalTokens = 2 * 2 * 32;
    EXPECT_EQ(TextOf(spec),
              "0 compute forward 16\n"
              "1 compute backward 32\n"
              "2 compute forward 16 of 1.0\n"
              "3 compute backward 16 of 1.0\n"
              "4 data allreduce 528 after 3\n" // 256 + 16 + 256
              "5 data allreduce 784 after 3\n" // 256 + 16 + 128 + 384
              "6 compute backward 16 of 1.0\n"
              "7 data allreduce 672 after 6\n" // 16 + 256 + 256 + 16 + 128
              "8 data allreduce 656 after 6\n" // 384 + 16 + embedding 256
              "9 compute update 1 of 1.0 after 8\n");
}

TEST(GradientWriter, BucketsOfZero1And2AreScattered)
{
    TrainingSpec spec = Zero(1);
    spec.parallel.gradients = {true, 1, 100000};
    spec.batch.localSequences = 2;
    spec.batch.microSequences = 1;
    EXPECT_EQ(TextOf(spec),
              "0 compute forward 4\n"
              "1 compute backward 8\n"
              "2 compute forward 4 of 0.1\n"
              "3 data reducescatter 256 after 2\n" // the output takes no time
              "4 compute backward 8 of 0.1\n"
              "5 data reducescatter 1328 after 4\n"
              "6 compute update 1 after 5\n"
              "7 parameter allgather 1584 after 6\n");
    spec.parallel.zero = 2;
    EXPECT_EQ(TextOf(spec),
              "0 compute forward 4\n"
              "1 data reducescatter 256 after 0\n"
              "2 compute backward 8\n"
              "3 data reducescatter 1328 after 2\n"
              "4 compute forward 4 of 0.1\n"
              "5 data reducescatter 256 after 4\n"
              "6 compute backward 8 of 0.1\n"
              "7 data reducescatter 1328 after 6\n"
              "8 compute update 1 after 7\n"
              "9 parameter allgather 1584 after 8\n");
}

TEST(GradientWriter, GradientsOfEmbeddingsWaitForTheWholeActivationGradient)
{
    TrainingSpec spec = Zero(0);
    spec.parallel.tensor = 2;
    spec.parallel.sequenceParallel = true;
    spec.parallel.gradients = {true, 100000, 1};
    const std::string text = TextOf(spec); // one bucket of 408 values
    EXPECT_NE(text.find("15 tensor allgather 512 after 14 13\n"
                        "16 data allreduce 816 after 15 13\n"
                        "17 compute update 1 after 15 16\n"),
              std::string::npos)
        << text;
}

TEST(GradientWriter, Zero3GathersEachUnitBeforeEitherPassAndScattersItsGradients)
{
    TrainingSpec spec = Zero(3, 2);
    spec.parallel.prefetch = 0; // when the unit before is over
    EXPECT_EQ(TextOf(spec),
              "0 parameter allgather 256\n" // the embeddings, which take no time
              "1 parameter allgather 1056\n"
              "2 compute forward 8 after 0 1\n"
              "3 parameter allgather 1056 after 2\n"
              "4 compute forward 8 after 3\n"
              "5 parameter allgather 272 after 4\n" // the output
              "6 parameter allgather 272 after 4\n"
              "7 data reducescatter 272 after 5 6 4\n"
              "8 parameter allgather 1056 after 4\n"
              "9 compute backward 16 after 5 6 8\n"
              "10 data reducescatter 1056 after 9\n"
              "11 parameter allgather 1056 after 9\n"
              "12 compute backward 16 after 11\n"
              "13 data reducescatter 1056 after 12\n"
              "14 parameter allgather 256 after 12\n"
              "15 data reducescatter 256 after 14 12\n"
              "16 compute update 1 after 14 15\n");
}

TEST(GradientWriter, PrefetchedUnitsWaitForUnitsFurtherBack)
{
    TrainingSpec spec = Zero(3, 3);
    const auto gather = [&](uint32_t prefetch, const std::string& line) {
        spec.parallel.prefetch = prefetch;
        return TextOf(spec).find(line + "\n") != std::string::npos;
    };
    // Computations 2, 4, 6 of the layers forward, 11, 14, 17 backward.
    EXPECT_TRUE(gather(1, "3 parameter allgather 1056"));
    EXPECT_TRUE(gather(1, "5 parameter allgather 1056 after 2"));
    EXPECT_TRUE(gather(1, "13 parameter allgather 1056 after 6"));
    EXPECT_TRUE(gather(1, "16 parameter allgather 1056 after 11"));
    EXPECT_TRUE(gather(2, "5 parameter allgather 1056"));
    EXPECT_TRUE(gather(2, "7 parameter allgather 272 after 2"));
    EXPECT_TRUE(gather(2, "16 parameter allgather 1056 after 6"));
    EXPECT_TRUE(gather(100, "19 parameter allgather 256"));
}

TEST(GradientWriter, NoUnitIsGatheredBeforeTheMiniBatchBeforeIsOver)
{
    TrainingSpec spec = Zero(3);
    spec.parallel.prefetch = 100;
    spec.batch.globalTokens = 2 * 2 * 32;
    EXPECT_NE(TextOf(spec).find("10 data reducescatter 256 after 9 7\n"
                                "11 parameter allgather 256 after 7\n"
                                "12 parameter allgather 1056 after 7\n"
                                "13 compute forward 8 of 1.0 after 11 12\n"),
              std::string::npos);
}

TEST(GradientWriter, WithoutSyncGradientsTravelAtTheLastMicroBatchOnly)
{
    TrainingSpec spec = Zero(3);
    spec.parallel.noSync = true;
    spec.batch.localSequences = 2;
    spec.batch.microSequences = 1;
    spec.batch.globalTokens = 2 * 4 * 32; // two mini-batches
    const std::string text = TextOf(spec);
    const auto first = text.find("reducescatter");
    EXPECT_GT(first, text.find("forward 4 of 1.1"));
    EXPECT_NE(text.find("compute backward 8 of 1.1"), std::string::npos);
    EXPECT_NE(text.find("data reducescatter 272", first - 5), std::string::npos);
    EXPECT_NE(text.find("data reducescatter 1056", first), std::string::npos);
    EXPECT_NE(text.find("data reducescatter 256", first), std::string::npos);
}

TEST(GradientWriter, StagesAddUpTheGradientsOfATiedEmbedding)
{
    EXPECT_EQ(TextOf(Tied(0), 0),
              "0 compute forward 8\n"
              "1 forward-send 512 to 1 after 0\n"
              "2 backward-receive 512 from 1\n"
              "3 compute backward 16 after 2\n"
              "4 data allreduce 1312 after 3\n"
              "5 embedding allreduce 256 after 3 4\n"
              "6 compute update 1 after 4 5\n");
    EXPECT_EQ(TextOf(Tied(0), 1),
              "0 forward-receive 512 from 0\n"
              "1 compute forward 8 in 1 after 0\n"
              "2 compute backward 16 in 1\n"
              "3 backward-send 512 to 0 after 2\n"
              "4 data allreduce 1328 after 2\n"
              "5 embedding allreduce 256 after 2 4\n"
              "6 compute update 1 in 1 after 4 5\n");
    EXPECT_NE(TextOf(Tied(1), 0).find("embedding allreduce 256 "), std::string::npos);
    for (const uint32_t zero : {2, 3}) // what a rank keeps of it, half
    {
        EXPECT_NE(TextOf(Tied(zero), 0).find("embedding allreduce 128 "), std::string::npos);
        EXPECT_NE(TextOf(Tied(zero), 1).find("embedding allreduce 128 "), std::string::npos);
    }
}

TEST(GradientWriter, StagesBetweenHaveNoEmbedding)
{
    TransformerDimensions dimensions = SmallDimensions(3);
    dimensions.tiedEmbeddings = true;
    TrainingSpec spec = Tied(0);
    spec.model = Transformer(dimensions);
    spec.parallel.pipeline = 3;
    EXPECT_NE(TextOf(spec, 0).find("embedding"), std::string::npos);
    EXPECT_EQ(TextOf(spec, 1).find("embedding"), std::string::npos);
    EXPECT_NE(TextOf(spec, 2).find("embedding"), std::string::npos);
}

TEST(GradientWriter, StagesOfABidirectionalPipelineAddUpAllTheyHold)
{
    TrainingSpec spec = Tied(0); // values: embedding 128, layers, norm 8; no copy
    spec.parallel.schedule = "dualpipe";
    spec.batch.localSequences = 4;
    spec.batch.microSequences = 1;
    for (const uint32_t stage : {0, 1})
    {
        const std::string text = TextOf(spec, stage);
        EXPECT_NE(text.find("17 data allreduce 2384 after 16\n"
                            "18 mirror allreduce 2384 after 16 17\n"
                            "19 compute update 1"),
                  std::string::npos)
            << text;
        EXPECT_EQ(text.find("embedding"), std::string::npos);
    }
    spec.parallel.zero = 2; // half of it
    EXPECT_NE(TextOf(spec).find("mirror allreduce 1192 "), std::string::npos);
}

/**
 * @param zero ZeRO stage
 * @return a layer with 4 experts of 256 values, of which a rank has 2, and as many ranks have those
 */
TrainingSpec
Experts(uint32_t zero)
{
    TransformerDimensions dimensions = SmallDimensions(1);
    dimensions.experts.experts = 4;
    TrainingSpec spec = Zero(zero, 1, 4);
    spec.model = Transformer(dimensions);
    spec.parallel.expert = 2;
    return spec;
}

TEST(GradientWriter, GradientsOfExpertsGoTheirOwnWay)
{
    const auto has = [](const TrainingSpec& spec, const std::string& lines) {
        return TextOf(spec).find(lines) != std::string::npos;
    };
    EXPECT_TRUE(has(Experts(0), // 568 and 512 values
                    "8 data allreduce 1136 after 7\n"
                    "9 expert-data allreduce 1024 after 7\n"
                    "10 compute update 1 after 8 9\n"));
    EXPECT_TRUE(has(Experts(1),
                    "8 data reducescatter 1136 after 7\n"
                    "9 expert-data reducescatter 1024 after 7\n"
                    "10 compute update 1 after 8 9\n"
                    "11 parameter allgather 1136 after 10\n"
                    "12 expert-parameter allgather 1024 after 10\n"));
    EXPECT_TRUE(has(Experts(3),
                    "1 parameter allgather 608\n"
                    "2 expert-parameter allgather 1024\n"
                    "3 compute forward 4 after 0 1 2\n"));
    EXPECT_TRUE(has(Experts(3),
                    "16 data reducescatter 608 after 15\n"
                    "17 expert-data reducescatter 1024 after 15\n"));
    TrainingSpec alone = Experts(0);
    alone.parallel.expert = 4; // nobody else has the same
    EXPECT_TRUE(has(alone, "8 data allreduce 1136 after 7\n9 compute update 1 after 8\n"));
}

TEST(GradientWriter, ExpertsFillBucketsOfTheirOwn)
{
    TrainingSpec spec = Experts(0); // 2 experts of 2 tensors of 128 values
    spec.parallel.gradients = {true, 100, 300};
    const std::string text = TextOf(spec);
    EXPECT_NE(text.find("10 expert-data allreduce 256 after 8\n"
                        "11 expert-data allreduce 512 after 8\n"
                        "12 expert-data allreduce 256 after 8\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("compute update 1 after 13 12\n"), std::string::npos) << text;
}

} // namespace
