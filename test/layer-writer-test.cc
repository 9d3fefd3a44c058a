/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "program-text.h"
#include "small-training.h"

#include "ns3/layer-writer.h"

#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// What a LayerWriter is asked to write.
enum class Part
{
    FORWARD,
    BACKWARD,
    INPUT, //!< first half of a backward pass
    WEIGHT //!< its second half
};

/**
 * @param spec a run
 * @param part what is written of layer 0
 * @param expertRank the rank's place in the expert group
 * @return the ops; a backward pass in halves, too, is called "backward"
 */
std::shared_ptr<const OpList>
OpsOf(const TrainingSpec& spec, Part part, uint32_t expertRank = 0)
{
    const ComputeModel compute(spec);
    const RankGrid grid(spec.parallel);
    const uint64_t experts = spec.model.GetDimensions().experts.experts;
    std::shared_ptr<const ExpertShares> shares;
    if (experts > 0)
    {
        shares = std::make_shared<ExpertShares>(spec.parallel.load, experts, spec.parallel.expert);
    }
    ProgramWriter writer(grid);
    LayerWriter layers(spec, compute, shares, expertRank, writer);
    writer.BeginBlock(1, 0);
    writer.BeginTask(part == Part::FORWARD ? ComputePhase::FORWARD : ComputePhase::BACKWARD, 0, 0);
    switch (part)
    {
    case Part::FORWARD:
        layers.Forward(0, 0);
        break;
    case Part::BACKWARD:
    case Part::INPUT:
        layers.Backward(0, 0, part == Part::INPUT);
        break;
    case Part::WEIGHT:
        layers.BackwardWeight(0, 0);
        break;
    }
    writer.EndTask();
    return writer.Take();
}

/**
 * @param spec a run
 * @param part what is written of layer 0
 * @param expertRank the rank's place in the expert group
 * @return the ops as text
 */
std::string
TextOf(const TrainingSpec& spec, Part part, uint32_t expertRank = 0)
{
    return WriteOps(*OpsOf(spec, part, expertRank));
}

/**
 * @param list ops
 * @return how long they compute, ticks
 */
int64_t
ComputeOf(const OpList& list)
{
    int64_t sum = 0;
    for (uint64_t i = 0; i < list.GetOpCount(); ++i)
    {
        const ProgramOp op = list.GetOp(i);
        const auto* compute = std::get_if<ComputeOp>(&op.what);
        sum += compute ? compute->duration.GetTimeStep() : 0;
    }
    return sum;
}

/**
 * @param shared shared experts
 * @return a run with 4 experts of which a token passes 2, on 2 expert ranks
 */
TrainingSpec
Experts(uint64_t shared = 0)
{
    TransformerDimensions dimensions = SmallDimensions(1);
    dimensions.experts.experts = 4;
    dimensions.experts.topK = 2;
    dimensions.experts.shared = shared;
    TrainingSpec spec = SmallTraining();
    spec.model = Transformer(dimensions);
    spec.parallel.data = 2;
    spec.parallel.expert = 2;
    return spec;
}

TEST(LayerWriter, AloneARankOnlyComputes)
{
    const TrainingSpec spec = SmallTraining();
    EXPECT_EQ(TextOf(spec, Part::FORWARD), "0 compute forward 8\n");
    EXPECT_EQ(TextOf(spec, Part::BACKWARD), "0 compute backward 16\n");
}

TEST(LayerWriter, BackwardPassesAreHalvedAsTheWeightShareSays)
{
    TrainingSpec spec = SmallTraining();
    spec.compute.weightShare = 0.25;
    EXPECT_EQ(TextOf(spec, Part::INPUT), "0 compute backward 12\n");
    EXPECT_EQ(TextOf(spec, Part::WEIGHT), "0 compute backward 4\n");
    spec.compute.weightShare = 1;
    EXPECT_EQ(TextOf(spec, Part::INPUT), "0 compute backward 0\n");
    EXPECT_EQ(TextOf(spec, Part::WEIGHT), "0 compute backward 16\n");
}

TEST(LayerWriter, TensorRanksAddUpAfterEachBlock)
{
    TrainingSpec spec = SmallTraining();
    spec.parallel.tensor = 2;
    spec.batch.localSequences = 3; // 3 * 512 B
    EXPECT_EQ(TextOf(spec, Part::FORWARD),
              "0 compute forward 4\n"
              "1 tensor allreduce 1536 after 0\n"
              "2 compute forward 4 after 1\n"
              "3 tensor allreduce 1536 after 2\n");
    EXPECT_EQ(TextOf(spec, Part::BACKWARD),
              "0 compute backward 8\n"
              "1 tensor allreduce 1536 after 0\n"
              "2 compute backward 8 after 1\n"
              "3 tensor allreduce 1536 after 2\n");
    EXPECT_EQ(TextOf(spec, Part::WEIGHT), "0 compute backward 8\n"); // nothing to add up
}

TEST(LayerWriter, SequenceParallelRanksGatherBeforeAndScatterAfter)
{
    TrainingSpec spec = SmallTraining();
    spec.parallel.tensor = 2;
    spec.parallel.sequenceParallel = true;
    EXPECT_EQ(TextOf(spec, Part::FORWARD),
              "0 tensor allgather 512\n"
              "1 compute forward 4 after 0\n"
              "2 tensor reducescatter 512 after 1\n"
              "3 tensor allgather 512 after 2 1\n"
              "4 compute forward 4 after 3\n"
              "5 tensor reducescatter 512 after 4\n");
    spec.parallel.tensor = 1;
    EXPECT_EQ(TextOf(spec, Part::FORWARD), "0 compute forward 8\n");
}

TEST(LayerWriter, BlocksOfKeysAndValuesGoRoundWhileOthersCompute)
{
    TrainingSpec spec = SmallTraining();
    spec.parallel.context = 2; // 16 tokens of 8 keys and 8 values, 2 B each
    spec.compute.forwardPerLayer = TimeStep(16);
    EXPECT_EQ(TextOf(spec, Part::FORWARD),
              "0 compute forward 4\n" // queries, keys, values
              "1 context-send 512 to 1 after 0\n"
              "2 context-receive 512 from 1\n"
              "3 compute forward 2\n" // the own block
              "4 compute forward 2 after 2\n"
              "5 compute forward 8\n");
}

TEST(LayerWriter, LongRingsPassOnWhatTheyGot)
{
    TrainingSpec spec = SmallTraining();
    spec.parallel.context = 4;
    spec.compute.forwardPerLayer = TimeStep(32);
    EXPECT_EQ(TextOf(spec, Part::FORWARD),
              "0 compute forward 8\n"
              "1 context-send 256 to 1 after 0\n"
              "2 context-receive 256 from 3\n"
              "3 compute forward 2\n"
              "4 context-send 256 to 1 after 2\n"
              "5 context-receive 256 from 3\n"
              "6 compute forward 2 after 2\n"
              "7 context-send 256 to 1 after 5\n"
              "8 context-receive 256 from 3\n"
              "9 compute forward 2 after 5\n"
              "10 compute forward 2 after 8\n"
              "11 compute forward 16\n");
}

TEST(LayerWriter, GradientsOfKeysAndValuesGoRoundAndComeHome)
{
    TrainingSpec spec = SmallTraining();
    spec.parallel.context = 2;
    EXPECT_EQ(TextOf(spec, Part::BACKWARD),
              "0 compute backward 8\n"
              "1 context-send 512 to 1 after 0\n" // keys and values
              "2 context-receive 512 from 1\n"
              "3 compute backward 2\n"
              "4 context-send 512 to 1 after 3\n" // their gradients
              "5 context-receive 512 from 1\n"
              "6 compute backward 2 after 2\n"
              "7 context-send 512 to 1 after 6 5\n" // with what the other rank added
              "8 context-receive 512 from 1\n"
              "9 compute backward 4 after 8\n");
}

TEST(LayerWriter, RingsOfTensorRanksAndFewHeadsSendLess)
{
    TrainingSpec spec = SmallTraining();
    TransformerDimensions dimensions = SmallDimensions(1);
    dimensions.keyValueHeads = 2;
    spec.model = Transformer(dimensions);
    spec.parallel.context = 2;
    spec.parallel.tensor = 2; // 16 tokens of 2 keys and 2 values
    const ProgramOp send = OpsOf(spec, Part::FORWARD)->GetOp(1);
    EXPECT_EQ(Write(send), "128 to 1");
    dimensions.keyValueHeads = 0;
    dimensions.latent = {0, 6, 2, 1, 2}; // 6 + 1 values that all heads have in common
    spec.model = Transformer(dimensions);
    EXPECT_EQ(Write(OpsOf(spec, Part::FORWARD)->GetOp(1)), "224 to 1");
}

TEST(LayerWriter, UlyssesChangesFromTokensToHeadsAndBack)
{
    TrainingSpec spec = SmallTraining();
    spec.parallel.context = 2;
    spec.parallel.contextMethod = ContextMethod::ULYSSES; // 16 tokens of 24 and of 8 values
    EXPECT_EQ(TextOf(spec, Part::FORWARD),
              "0 compute forward 2\n"
              "1 context alltoall 768 after 0\n"
              "2 compute forward 2 after 1\n"
              "3 context alltoall 256 after 2\n"
              "4 compute forward 4 after 3\n");
    EXPECT_EQ(TextOf(spec, Part::BACKWARD),
              "0 compute backward 8\n"
              "1 context alltoall 256 after 0\n"
              "2 compute backward 4 after 1\n"
              "3 context alltoall 768 after 2\n"
              "4 compute backward 4 after 3\n");
    spec.parallel.tensor = 2;
    EXPECT_EQ(Write(OpsOf(spec, Part::FORWARD)->GetOp(1)), "alltoall 384");
}

TEST(LayerWriter, UlyssesGivesLatentHeadsKeysAndValuesOfTheirOwn)
{
    TransformerDimensions dimensions = SmallDimensions(1);
    dimensions.latent = {0, 6, 2, 1, 2};
    TrainingSpec spec = SmallTraining();
    spec.model = Transformer(dimensions);
    spec.parallel.context = 2;
    spec.parallel.contextMethod = ContextMethod::ULYSSES;
    const auto ops = OpsOf(spec, Part::FORWARD); // 4 heads: 3 values a query and key, 2 a value
    EXPECT_EQ(Write(ops->GetOp(1)), "alltoall " + std::to_string(16 * (12 + 12 + 8) * 2));
    EXPECT_EQ(Write(ops->GetOp(3)), "alltoall " + std::to_string(16 * 8 * 2));
}

TEST(LayerWriter, TokensGoToTheirExpertsAndBack)
{
    EXPECT_EQ(TextOf(Experts(), Part::FORWARD),
              "0 compute forward 4\n"
              "1 expert alltoall 1024 after 0\n" // 2 copies of 512 B
              "2 compute forward 4 after 1\n"
              "3 expert alltoall 1024 after 2\n");
    EXPECT_EQ(TextOf(Experts(), Part::BACKWARD),
              "0 expert alltoall 1024\n"
              "1 compute backward 8 after 0\n"
              "2 expert alltoall 1024 after 1\n"
              "3 compute backward 8 after 2\n");
}

TEST(LayerWriter, LayersWithoutExpertsAndExpertsOnOneRankAreNotAskedFor)
{
    TrainingSpec spec = Experts();
    spec.parallel.expert = 1;
    EXPECT_EQ(TextOf(spec, Part::FORWARD), "0 compute forward 8\n");
    spec.parallel.expert = 2;
    TransformerDimensions dimensions = spec.model.GetDimensions();
    dimensions.experts.firstDense = 1;
    spec.model = Transformer(dimensions);
    EXPECT_EQ(TextOf(spec, Part::FORWARD), "0 compute forward 8\n");
}

TEST(LayerWriter, TokensAboveTheCapacityAreNotSent)
{
    TrainingSpec spec = Experts();
    spec.parallel.load.capacityFactor = 0.75;
    EXPECT_EQ(Write(OpsOf(spec, Part::FORWARD)->GetOp(1)), "alltoall 768");
    spec.parallel.load.weights = {3, 1, 0, 0}; // who sends to whom is said by the shares
    EXPECT_EQ(Write(OpsOf(spec, Part::FORWARD)->GetOp(1)), "alltoall 1024 by-destination");
}

TEST(LayerWriter, TensorRanksOfExpertsGatherTheTokensThatTheyGot)
{
    TrainingSpec spec = Experts(1);
    spec.parallel.tensor = 2;
    spec.parallel.sequenceParallel = true;
    spec.parallel.load.weights = {1, 0, 2, 1}; // rank 1 gets 3 / 2 of 1024 B
    EXPECT_EQ(TextOf(spec, Part::FORWARD, 1),
              "0 tensor allgather 512\n"
              "1 compute forward 4 after 0\n"
              "2 tensor reducescatter 512 after 1\n"
              "3 tensor allgather 512 after 2 1\n" // for the shared expert
              "4 expert alltoall 512 by-destination after 3 1\n"
              "5 tensor allgather 1536 after 4 1\n"
              "6 compute forward 4 after 5\n"
              "7 tensor reducescatter 1536 after 6\n"
              "8 expert alltoall 512 by-source after 7 6\n"
              "9 tensor reducescatter 512 after 8 6\n");
    spec.parallel.load.weights = {1, 1, 0, 0}; // nobody comes
    EXPECT_EQ(TextOf(spec, Part::FORWARD, 1),
              "0 tensor allgather 512\n"
              "1 compute forward 4 after 0\n"
              "2 tensor reducescatter 512 after 1\n"
              "3 tensor allgather 512 after 2 1\n"
              "4 expert alltoall 512 by-destination after 3 1\n"
              "5 compute forward 4 after 4\n"
              "6 expert alltoall 512 by-source after 5\n"
              "7 tensor reducescatter 512 after 6 5\n");
}

TEST(LayerWriter, LoadedExpertsComputeLongerUnlessTimesAreGiven)
{
    TrainingSpec spec = Experts();
    spec.parallel.load.weights = {3, 3, 1, 1};
    EXPECT_EQ(ComputeOf(*OpsOf(spec, Part::FORWARD, 0)), 8);
    spec.compute = ComputeTimes();
    spec.compute.gpu = "V100";
    spec.compute.efficiency = 1e-6;
    const ComputeModel model(spec);
    const auto attention = model.GetForward(0, LayerBlock::ATTENTION, 0).GetTimeStep();
    const auto experts = model.GetForward(0, LayerBlock::FEED_FORWARD, 0).GetTimeStep();
    ASSERT_GT(experts, 100000);
    // The router works on all tokens, whatever the experts get.
    const double half = 0.5 * model.GetExpertsShare(0) * experts;
    const auto all = attention + experts;
    EXPECT_LT(half, 0.5 * experts);
    EXPECT_NEAR(ComputeOf(*OpsOf(spec, Part::FORWARD, 0)), all + half, 1);
    EXPECT_NEAR(ComputeOf(*OpsOf(spec, Part::FORWARD, 1)), all - half, 1);
}

TEST(LayerWriter, FullRecomputationRepeatsTheForwardPassWithItsMessages)
{
    TrainingSpec spec = Experts();
    spec.parallel.recompute = Recompute::FULL;
    spec.compute.backwardPerLayer = TimeStep(24);
    EXPECT_EQ(TextOf(spec, Part::BACKWARD),
              "0 compute backward 4\n"
              "1 expert alltoall 1024 after 0\n"
              "2 compute backward 4 after 1\n"
              "3 expert alltoall 1024 after 2\n"
              "4 expert alltoall 1024 after 3 2\n"
              "5 compute backward 8 after 4\n"
              "6 expert alltoall 1024 after 5\n"
              "7 compute backward 8 after 6\n");
    EXPECT_EQ(ComputeOf(*OpsOf(spec, Part::FORWARD)), 8);
}

TEST(LayerWriter, NoTickIsLostHoweverALayerIsCut)
{
    std::mt19937 random(1);
    for (int i = 0; i < 200; ++i)
    {
        const int64_t scale =
            i % 2 == 0 ? 100 : int64_t{1} << 61; // doubles can't say each of those
        TrainingSpec spec = i % 3 == 0 ? Experts() : SmallTraining();
        const int64_t forward = random() % 100 + scale;
        const int64_t backward = random() % 100 + scale;
        spec.compute.forwardPerLayer = TimeStep(forward);
        spec.compute.backwardPerLayer = TimeStep(backward);
        spec.compute.weightShare = random() % 101 / 100.0;
        spec.parallel.context = 1 << random() % 3;
        spec.parallel.contextMethod =
            random() % 2 == 0 ? ContextMethod::RING : ContextMethod::ULYSSES;
        spec.parallel.recompute = static_cast<Recompute>(random() % 3);
        EXPECT_EQ(ComputeOf(*OpsOf(spec, Part::FORWARD)), forward);
        EXPECT_EQ(ComputeOf(*OpsOf(spec, Part::BACKWARD)), backward);
        EXPECT_EQ(ComputeOf(*OpsOf(spec, Part::INPUT)) + ComputeOf(*OpsOf(spec, Part::WEIGHT)),
                  backward);
        spec.compute.weightShare = 1;
        spec.parallel.recompute = Recompute::NONE;
        EXPECT_EQ(ComputeOf(*OpsOf(spec, Part::INPUT)), 0);
    }
}

} // namespace
