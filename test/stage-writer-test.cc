/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "program-text.h"
#include "small-training.h"

#include "ns3/training-job.h"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/**
 * @param job a job
 * @param stage a pipeline stage
 * @return the ops of its ranks
 */
std::shared_ptr<const OpList>
OpsOf(const TrainingJob& job, uint32_t stage)
{
    return job.GetProgram(job.GetGrid().Move(0, GridAxis::PIPELINE, stage)).GetList();
}

/// What each op of a list has to wait for, whether told to or by the order of its stream.
class Waits
{
  public:
    /**
     * @param list ops
     */
    explicit Waits(const OpList& list)
        : m_before(list.GetOpCount())
    {
        std::map<uint32_t, uint64_t> lastOfStream;
        for (uint64_t i = 0; i < list.GetOpCount(); ++i)
        {
            m_before[i].assign(i, false);
            const uint32_t stream = list.GetOp(i).stream;
            if (lastOfStream.count(stream) > 0)
            {
                Join(i, lastOfStream[stream]);
            }
            lastOfStream[stream] = i;
            for (uint64_t before : list.GetAfter(i))
            {
                Join(i, before);
            }
        }
    }

    /**
     * @param index an op
     * @param before an op before it
     * @return whether it begins after that one is over, whatever the times are
     */
    bool Holds(uint64_t index, uint64_t before) const
    {
        return m_before[index][before];
    }

  private:
    /**
     * @param index an op
     * @param before an op for which it waits
     */
    void Join(uint64_t index, uint64_t before)
    {
        m_before[index][before] = true;
        for (uint64_t i = 0; i < before; ++i)
        {
            m_before[index][i] = m_before[index][i] || m_before[before][i];
        }
    }

    std::vector<std::vector<bool>> m_before; //!< by op: which of those before it
};

/**
 * @param op an op
 * @param group a kind of group
 * @return whether that group does it
 */
bool
IsOf(const ProgramOp& op, GroupKind group)
{
    return op.GetKind() == ProgramOpKind::COLLECTIVE && op.stream == GetStream(group);
}

/**
 * @param op an op
 * @return whether it adds up gradients
 */
bool
SharesGradients(const ProgramOp& op)
{
    return IsOf(op, GroupKind::DATA) || IsOf(op, GroupKind::EXPERT_DATA) ||
           IsOf(op, GroupKind::EMBEDDING) || IsOf(op, GroupKind::MIRROR);
}

/**
 * @param random source of randomness
 * @return a plan with several kinds of parallelism
 */
TrainingSpec
AnyPlan(std::mt19937& random)
{
    TransformerDimensions dimensions = SmallDimensions(8);
    dimensions.tiedEmbeddings = random() % 2 == 0;
    const bool experts = random() % 3 == 0;
    dimensions.experts.experts = experts ? 4 : 0;
    dimensions.experts.firstDense = experts ? random() % 3 : 0;
    TrainingSpec spec = SmallTraining(8);
    spec.model = Transformer(dimensions);
    ParallelPlan& plan = spec.parallel;
    plan.data = 1 << random() % 3;
    plan.expert = experts && plan.data > 1 ? 2 : 1;
    plan.tensor = 1 << random() % 2;
    plan.sequenceParallel = plan.expert > 1 || random() % 2 == 0;
    plan.context = 1 << random() % 2;
    plan.contextMethod = random() % 2 == 0 ? ContextMethod::RING : ContextMethod::ULYSSES;
    plan.pipeline = 1 << random() % 3;
    const auto names = PipelineSchedule::GetNames();
    plan.schedule = plan.pipeline == 1 ? "1f1b" : names[random() % names.size()];
    plan.chunks = plan.schedule == "interleaved" ? 2 : 1;
    plan.zero = random() % 4;
    plan.noSync = random() % 2 == 0;
    plan.prefetch = random() % 4;
    plan.gradients = {plan.zero < 3 && random() % 2 == 0, 300, 900};
    plan.recompute = static_cast<Recompute>(random() % 3);
    plan.load.zipfExponent = random() % 2;
    spec.batch.localSequences = 2 * plan.pipeline;
    spec.batch.microSequences = 1;
    spec.batch.globalTokens = 32 * spec.batch.localSequences * plan.data * (1 + random() % 2);
    spec.precision.gradient = 4;
    return spec;
}

/**
 * @tparam Check takes a job, a stage and its ops
 * @param check is done for the stages of many plans
 */
template <typename Check>
void
ForManyPlans(Check check)
{
    std::mt19937 random(1);
    for (int i = 0; i < 60 && !testing::Test::HasFailure(); ++i)
    {
        const TrainingJob job(AnyPlan(random));
        for (uint32_t stage = 0; stage < job.GetSpec().parallel.pipeline; ++stage)
        {
            const auto ops = OpsOf(job, stage);
            check(job, stage, *ops);
            if (testing::Test::HasFailure())
            {
                ADD_FAILURE() << "plan " << i << " stage " << stage << "\n" << WriteOps(*ops);
                return;
            }
        }
    }
}

/**
 * @param list ops of a step
 * @return place of the weight update
 */
uint64_t
FindUpdate(const OpList& list)
{
    for (uint64_t i = list.GetOpCount(); i-- > 0;)
    {
        const ProgramOp op = list.GetOp(i);
        const auto* compute = std::get_if<ComputeOp>(&op.what);
        if (compute && compute->phase == ComputePhase::UPDATE)
        {
            return i;
        }
    }
    return list.GetOpCount();
}

TEST(StageWriter, TheUpdateWaitsForAllGradientsAndPasses)
{
    ForManyPlans([](const TrainingJob&, uint32_t, const OpList& ops) {
        const Waits waits(ops);
        const uint64_t update = FindUpdate(ops);
        ASSERT_LT(update, ops.GetOpCount());
        for (uint64_t i = 0; i < update; ++i)
        {
            const ProgramOp op = ops.GetOp(i);
            const bool computes = op.GetKind() == ProgramOpKind::COMPUTE;
            EXPECT_TRUE(waits.Holds(update, i) || !(computes || SharesGradients(op))) << i;
        }
        for (uint64_t i = update + 1; i < ops.GetOpCount(); ++i)
        {
            EXPECT_TRUE(waits.Holds(i, update)); // only what gathers the new weights
            EXPECT_EQ(std::get<CollectiveOp>(ops.GetOp(i).what).kind, CollectiveKind::ALL_GATHER);
        }
    });
}

TEST(StageWriter, NothingComputesBeforeItsParametersAreThere)
{
    ForManyPlans([](const TrainingJob&, uint32_t, const OpList& ops) {
        const Waits waits(ops);
        for (uint64_t i = 0; i < ops.GetOpCount(); ++i)
        {
            for (uint64_t j = 0; j < i && ops.GetOp(i).GetKind() == ProgramOpKind::COMPUTE; ++j)
            {
                const ProgramOp op = ops.GetOp(j);
                const bool gathers =
                    IsOf(op, GroupKind::PARAMETER) || IsOf(op, GroupKind::EXPERT_PARAMETER);
                EXPECT_TRUE(!gathers || waits.Holds(i, j)) << i << " and " << j;
            }
        }
    });
}

TEST(StageWriter, GradientsAndMessagesWaitForThePassThatMadeThem)
{
    ForManyPlans([](const TrainingJob&, uint32_t, const OpList& ops) {
        const Waits waits(ops);
        uint64_t last = ops.GetOpCount(); // the last computation
        for (uint64_t i = 0; i < ops.GetOpCount(); ++i)
        {
            const ProgramOp op = ops.GetOp(i);
            const auto* send = std::get_if<SendOp>(&op.what);
            const bool between = send && send->channel != uint32_t(MessageChannel::CONTEXT);
            if ((between || SharesGradients(op)) && last < i)
            {
                EXPECT_TRUE(waits.Holds(i, last)) << i;
            }
            last = op.GetKind() == ProgramOpKind::COMPUTE ? i : last;
        }
    });
}

TEST(StageWriter, NothingOvertakesTheMiniBatchBefore)
{
    ForManyPlans([](const TrainingJob&, uint32_t, const OpList& ops) {
        const Waits waits(ops);
        uint64_t miniBatch = 0;
        uint64_t lastOfOther = ops.GetOpCount(); // last computation of another mini-batch
        uint64_t last = ops.GetOpCount();
        for (uint64_t i = 0; i < ops.GetOpCount(); ++i)
        {
            const ProgramOp op = ops.GetOp(i);
            const auto* compute = std::get_if<ComputeOp>(&op.what);
            if (compute && compute->miniBatch != miniBatch)
            {
                miniBatch = compute->miniBatch;
                lastOfOther = last;
            }
            if (lastOfOther < i && op.GetKind() != ProgramOpKind::RECEIVE)
            {
                EXPECT_TRUE(waits.Holds(i, lastOfOther)) << i;
            }
            last = compute ? i : last;
        }
    });
}

/**
 * @param job a job
 * @param stage a pipeline stage
 * @param eachPass whether they travel with each pass, or once
 * @return values that a rank shares in a step: dense ones, those of experts
 */
ParameterShare
SharedValues(const TrainingJob& job, uint32_t stage, bool eachPass)
{
    const ModelParts& parts = job.GetParts();
    const uint64_t passes = parts.GetShape().microBatches * job.GetReport().accumulationSteps /
                            (parts.GetSchedule().IsBidirectional() ? 2 : 1);
    ParameterShare sum;
    for (uint32_t chunk = 0; chunk < parts.GetChunks(); ++chunk)
    {
        const ParameterShare share = parts.GetShare(parts.GetPart(stage, chunk));
        sum.dense += share.dense * (eachPass ? passes : 1);
        sum.expert += share.expert * (eachPass ? passes : 1);
    }
    return sum;
}

TEST(StageWriter, EachStageOfZeroSharesAllValuesAsOftenAsItMust)
{
    ForManyPlans([](const TrainingJob& job, uint32_t stage, const OpList& ops) {
        std::map<GroupKind, uint64_t> bytes;
        for (uint64_t i = 0; i < ops.GetOpCount(); ++i)
        {
            const ProgramOp op = ops.GetOp(i);
            if (const auto* collective = std::get_if<CollectiveOp>(&op.what))
            {
                bytes[static_cast<GroupKind>(collective->group)] += collective->payload;
            }
        }
        const ParallelPlan& plan = job.GetSpec().parallel;
        const bool eachPass = plan.zero == 2 || (plan.zero == 3 && !plan.noSync);
        const ParameterShare gradients = SharedValues(job, stage, eachPass);
        const uint64_t others = plan.data * plan.context;
        EXPECT_EQ(bytes[GroupKind::DATA], others > 1 ? gradients.dense * 4 : 0);
        EXPECT_EQ(bytes[GroupKind::EXPERT_DATA], others > plan.expert ? gradients.expert * 4 : 0);
        const ParameterShare values = SharedValues(job, stage, plan.zero == 3);
        const uint64_t times = plan.zero == 0 ? 0 : plan.zero == 3 ? 2 : 1;
        EXPECT_EQ(bytes[GroupKind::PARAMETER], others > 1 ? values.dense * 2 * times : 0);
        EXPECT_EQ(bytes[GroupKind::EXPERT_PARAMETER],
                  others > plan.expert ? values.expert * 2 * times : 0);
    });
}

TEST(StageWriter, AStageWithoutLayersPassesOnWhatItGets)
{
    TrainingSpec spec = SmallTraining(2);
    spec.parallel.pipeline = 4;
    spec.parallel.data = 2;
    spec.parallel.layerSplit = LayerSplitMethod::GIVEN;
    spec.parallel.layersPerPart = {0, 1, 0, 1};
    const TrainingJob job(spec);
    EXPECT_EQ(WriteOps(*OpsOf(job, 2)),
              "0 forward-receive 512 from 1\n"
              "1 compute forward 0 in 2 after 0\n"
              "2 forward-send 512 to 3 after 1\n"
              "3 backward-receive 512 from 3\n"
              "4 compute backward 0 in 2 after 3\n"
              "5 backward-send 512 to 1 after 4\n"
              "6 compute update 1 in 2\n");
    EXPECT_EQ(WriteOps(*OpsOf(job, 0)),
              "0 compute forward 0\n"
              "1 forward-send 512 to 1 after 0\n"
              "2 backward-receive 512 from 1\n"
              "3 compute backward 0 after 2\n"
              "4 data allreduce 256 after 3\n" // the embeddings
              "5 compute update 1 after 4\n");
    spec.parallel.zero = 3;
    EXPECT_EQ(OpsOf(TrainingJob(spec), 2)->GetOpCount(), 7u); // nothing to gather
}

TEST(StageWriter, ThousandsOfMicroBatchesAreWritten)
{
    TrainingSpec spec = SmallTraining();
    spec.parallel.pipeline = 1;
    spec.batch.localSequences = 20000;
    spec.batch.microSequences = 1;
    spec.batch.globalTokens = 32 * 20000 * uint64_t{1000000000};
    const TrainingJob job(spec);
    const auto ops = OpsOf(job, 0);
    EXPECT_EQ(ops->GetStoredCount(), 2 * 40000u + 1);
    EXPECT_EQ(ops->GetOpCount(), 40000 * uint64_t{1000000000} + 1);
    EXPECT_EQ(Write(ops->GetOp(ops->GetOpCount() - 2)), "backward 1 of 999999999.19999");
}

TEST(StageWriter, MoreOpsThan64BitsCountAreRefused)
{
    TransformerDimensions dimensions = SmallDimensions(1);
    dimensions.sequence = 1;
    TrainingSpec spec = SmallTraining();
    spec.model = Transformer(dimensions);
    spec.compute.forwardPerLayer = Time(0);
    spec.compute.backwardPerLayer = Time(0);
    spec.batch.globalTokens = UINT64_MAX; // mini-batches of one token
    EXPECT_EQ(ErrorOf([&] { TrainingJob job(spec); }),
              "the ops of a step do not fit 64 bits; make the model, batch or corpus smaller");
}

} // namespace
