/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "random-plan.h"

#include <gtest/gtest.h>
#include <set>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// Plans that each property is tried on.
constexpr int PLANS = 150;

/// When a pass began and ended.
struct Interval
{
    Time begin{Time::Max()}; //!< of its first computation
    Time end;                //!< of its last computation
};

/// A pass: rank of the first stage of its pipeline, mini-batch, micro-batch, part.
using PassKey = std::tuple<uint32_t, uint64_t, uint32_t, uint32_t>;

/// The passes of a step in one phase.
using Passes = std::map<PassKey, Interval>;

/**
 * @return communication that takes times of no order
 */
TimelineCosts
MakeCosts()
{
    TimelineCosts costs;
    costs.collective = [](const CollectiveOp& op, const RankGroup& group) {
        return TimeStep(1 + op.payload * group.GetSize() % 977);
    };
    costs.message = [](uint32_t from, uint32_t to, uint64_t bytes) {
        return TimeStep(1 + (from * 7 + to * 13 + bytes) % 1009);
    };
    return costs;
}

/**
 * @param job a job
 * @param timeline its step
 * @param phases phases that are passes of one kind
 * @return those passes
 */
Passes
FindPasses(const TrainingJob& job,
           const StepTimeline& timeline,
           const std::set<ComputePhase>& phases)
{
    Passes passes;
    for (const TimelineSpan& span : timeline.GetSpans())
    {
        const auto* op = std::get_if<ComputeOp>(&span.op.what);
        if (op && phases.count(op->phase) > 0)
        {
            const uint32_t pipeline = job.GetGrid().Move(span.rank, GridAxis::PIPELINE, 0);
            Interval& pass = passes[{pipeline, op->miniBatch, op->microBatch, op->part}];
            pass.begin = std::min(pass.begin, span.start);
            pass.end = std::max(pass.end, span.end);
        }
    }
    return passes;
}

/**
 * @param key a pass
 * @param parts how many parts further
 * @return the pass of the same micro-batch through that part
 */
PassKey
Move(PassKey key, int parts)
{
    std::get<3>(key) += parts;
    return key;
}

/**
 * @param prefetch units gathered ahead
 * @param gather duration of an AllGather
 * @param share duration of a ReduceScatter
 * @return the step of 5 layers on 2 ranks with ZeRO-3; a layer takes 3 ms forward, 6 ms backward
 */
Time
RunZeroStage3(uint32_t prefetch, Time gather, Time share = Time(0))
{
    TrainingSpec spec = Gpt2Plan();
    TransformerDimensions d = spec.model.GetDimensions();
    d.layers = 5;
    spec.model = Transformer(d);
    spec.parallel.data = 2;
    spec.parallel.zero = 3;
    spec.parallel.prefetch = prefetch;
    spec.compute.forward = MilliSeconds(3 * 5);
    spec.compute.backward = MilliSeconds(6 * 5);
    const TrainingJob job(spec);
    TimelineCosts costs;
    costs.collective = [=](const CollectiveOp& op, const RankGroup&) {
        return op.kind == CollectiveKind::ALL_GATHER ? gather : share;
    };
    return StepTimeline(job, ListRanks(job), costs).GetEnd();
}

TEST(PlanTiming, PassesWaitForThoseThatTheyNeed)
{
    ForRandomPlans(31, PLANS, [](const TrainingJob& job) {
        const StepTimeline timeline(job, ListRanks(job), MakeCosts());
        const Passes forward = FindPasses(job, timeline, {ComputePhase::FORWARD});
        const Passes backward =
            FindPasses(job, timeline, {ComputePhase::BACKWARD, ComputePhase::BACKWARD_INPUT});
        const Passes weight = FindPasses(job, timeline, {ComputePhase::BACKWARD_WEIGHT});
        const TrainingSpec& spec = job.GetSpec();
        const uint64_t pipelines = job.GetRanks() / spec.parallel.pipeline;
        const uint64_t parts = job.GetParts().GetParts().size();
        ASSERT_EQ(forward.size(),
                  pipelines * parts * job.GetReport().accumulationSteps *
                      job.GetReport().microBatches);
        ASSERT_EQ(backward.size(), forward.size());
        for (const auto& [key, pass] : forward)
        {
            const uint32_t part = std::get<3>(key);
            ASSERT_GE(backward.at(key).begin, pass.end);
            ASSERT_TRUE(part == 0 || pass.begin > forward.at(Move(key, -1)).end);
            ASSERT_TRUE(part + 1 == parts ||
                        backward.at(key).begin > backward.at(Move(key, 1)).end);
        }
        for (const auto& [key, pass] : weight)
        {
            ASSERT_GE(pass.begin, backward.at(key).end);
        }
    });
}

TEST(PlanTiming, UpdatesWaitForAllGradients)
{
    ForRandomPlans(32, PLANS, [](const TrainingJob& job) {
        const StepTimeline timeline(job, ListRanks(job), MakeCosts());
        std::map<uint32_t, TimelineSpan> updates;
        for (const TimelineSpan& span :
             FindSpans<ComputeOp>(timeline, [](const auto&, const ComputeOp& op) {
                 return op.phase == ComputePhase::UPDATE;
             }))
        {
            ASSERT_TRUE(updates.emplace(span.rank, span).second);
        }
        ASSERT_EQ(updates.size(), job.GetRanks());
        const bool gathersAfter =
            job.GetSpec().parallel.zero == 1 || job.GetSpec().parallel.zero == 2;
        for (const TimelineSpan& span : timeline.GetSpans())
        {
            const TimelineSpan& update = updates.at(span.rank);
            const bool gathers = span.op.stream == GetStream(GroupKind::PARAMETER) ||
                                 span.op.stream == GetStream(GroupKind::EXPERT_PARAMETER);
            if (gathers && gathersAfter)
            {
                ASSERT_GE(span.start, update.end);
            }
            else if (span.index != update.index)
            {
                ASSERT_LE(span.end, update.start) << GetStreamName(span.op.stream);
            }
        }
    });
}

TEST(PlanTiming, StagesAddUpGradientsOnceTheyAreShared)
{
    int looked = 0;
    ForRandomPlans(34, PLANS, [&looked](const TrainingJob& job) {
        const StepTimeline timeline(job, ListRanks(job), MakeCosts());
        std::map<uint32_t, Time> shared; // by rank: when the last gradients were shared
        for (const TimelineSpan& span : timeline.GetSpans())
        {
            const bool data = span.op.stream == GetStream(GroupKind::DATA) ||
                              span.op.stream == GetStream(GroupKind::EXPERT_DATA);
            shared[span.rank] = data ? std::max(shared[span.rank], span.end) : shared[span.rank];
        }
        for (const TimelineSpan& span : timeline.GetSpans())
        {
            if (span.op.stream == GetStream(GroupKind::EMBEDDING) ||
                span.op.stream == GetStream(GroupKind::MIRROR))
            {
                ASSERT_GE(span.start, shared.at(span.rank));
                ++looked;
            }
        }
    });
    EXPECT_GT(looked, PLANS);
}

TEST(PlanTiming, NoMiniBatchGathersBeforeTheOneBeforeIsOver)
{
    int looked = 0;
    ForRandomPlans(35, PLANS, [&looked](const TrainingJob& job) {
        const uint64_t steps = job.GetReport().accumulationSteps;
        if (job.GetSpec().parallel.zero < 3)
        {
            return;
        }
        const StepTimeline timeline(job, ListRanks(job), MakeCosts());
        for (uint32_t rank = 0; rank < job.GetRanks(); ++rank)
        {
            const auto starts = ListStarts(timeline, rank, GroupKind::PARAMETER);
            for (uint64_t i = 1; i < steps && !starts.empty(); ++i)
            {
                const auto before =
                    FindSpans<ComputeOp>(timeline, [&](const auto& span, const ComputeOp& op) {
                        return span.rank == rank && op.miniBatch == i - 1;
                    });
                ASSERT_GE(starts[i * starts.size() / steps], before.back().end);
                ++looked;
            }
        }
    });
    EXPECT_GT(looked, PLANS);
}

TEST(PlanTiming, OnlyTheLastBackwardPassHidesGradients)
{
    int hidden = 0;
    ForRandomPlans(33, PLANS, [&hidden](const TrainingJob& job) {
        const ParallelPlan& plan = job.GetSpec().parallel;
        if (plan.zero == 2 || (plan.zero == 3 && !plan.noSync) || job.GetParts().GetChunks() > 1)
        {
            return; // gradients travel after each pass, or after the last one of each part
        }
        const StepTimeline timeline(job, ListRanks(job), MakeCosts());
        std::map<uint32_t, std::map<std::pair<uint64_t, uint32_t>, Time>> ends; // by rank and pass
        for (const TimelineSpan& span : timeline.GetSpans())
        {
            const auto* op = std::get_if<ComputeOp>(&span.op.what);
            if (op &&
                (op->phase == ComputePhase::BACKWARD || op->phase == ComputePhase::BACKWARD_WEIGHT))
            {
                ends[span.rank][{op->miniBatch, op->microBatch}] = span.end;
            }
        }
        for (const TimelineSpan& span : timeline.GetSpans())
        {
            if (span.op.stream == GetStream(GroupKind::DATA))
            {
                std::vector<Time> passes;
                for (const auto& [pass, end] : ends.at(span.rank))
                {
                    passes.push_back(end);
                }
                std::sort(passes.rbegin(), passes.rend());
                ASSERT_TRUE(passes.size() == 1 || span.start >= passes[1]);
                ASSERT_TRUE(plan.gradients.buckets || plan.zero == 3 || span.start >= passes[0]);
                hidden += span.start < passes[0] ? 1 : 0;
            }
        }
    });
    EXPECT_GT(hidden, PLANS);
}

TEST(PlanTiming, ZeroStage3GathersAheadAsFarAsItMay)
{
    const Time slow = MilliSeconds(10);
    // Each layer waits for its parameters; embeddings and output have nothing to compute.
    EXPECT_EQ(RunZeroStage3(0, slow), 4 * slow + 5 * MilliSeconds(13) + 5 * MilliSeconds(16));
    // One AllGather after the other.
    EXPECT_EQ(RunZeroStage3(1, slow), 14 * slow);
    // AllGathers are hidden, but for the first two of each pass.
    const Time fast = MilliSeconds(1);
    EXPECT_EQ(RunZeroStage3(1, fast), MilliSeconds(45) + 4 * fast);
    EXPECT_EQ(RunZeroStage3(0, Time(0)), MilliSeconds(45));
    // Gradients travel beside: only those of layer 0 and the embeddings are left at the end.
    EXPECT_EQ(RunZeroStage3(0, Time(0), MilliSeconds(4)), MilliSeconds(45) + 2 * MilliSeconds(4));
}

TEST(PlanTiming, ZeroStage2SharesBucketsInEachPass)
{
    TrainingSpec spec = Gpt2Plan();
    spec.parallel.data = 2;
    spec.parallel.zero = 2;
    spec.parallel.gradients.buckets = true;
    spec.batch.localSequences = 3;
    spec.batch.microSequences = 1;
    spec.batch.globalTokens = 2 * 2 * 3 * 1024;
    spec.compute.forward = MilliSeconds(90);
    spec.compute.backward = MilliSeconds(180);
    const TrainingJob job(spec);
    const auto starts = ListStarts(RunFree(job, ListRanks(job)), 1, GroupKind::DATA);
    ASSERT_EQ(starts.size(), 7u * 3 * 2);
    for (uint64_t pass = 0; pass < 6; ++pass)
    {
        EXPECT_EQ(starts[7 * pass + 1] - starts[7 * pass], MilliSeconds(10)); // two layers
        EXPECT_EQ(starts[7 * pass + 6], MilliSeconds(90 * (pass + 1)));
    }
}

TEST(PlanTiming, KeysAndGradientsGoRoundOneAfterTheOther)
{
    TrainingSpec spec = Gpt2Plan();
    TransformerDimensions d = spec.model.GetDimensions();
    d.layers = 1;
    spec.model = Transformer(d);
    spec.parallel.context = 4;
    const TrainingJob job(spec);
    const RankProgram program = job.GetProgram(2);
    std::vector<uint64_t> sends;
    std::vector<uint64_t> receives;
    ForEachOp(program, [&](const ProgramOp& op, uint64_t index) {
        const bool sent = op.GetKind() == ProgramOpKind::SEND;
        const bool received = op.GetKind() == ProgramOpKind::RECEIVE;
        (sent ? sends : receives).insert((sent ? sends : receives).end(), sent || received, index);
    });
    // 3 blocks forward; 3 blocks and 4 gradients of blocks backward, a block first
    ASSERT_EQ(sends.size(), 3u + 7);
    ASSERT_EQ(receives.size(), sends.size());
    const std::pair<int, int> needs[] = {{1, 0}, {2, 1}, {5, 3}, {7, 5}, {6, 4}, {8, 6}, {9, 8}};
    for (const auto& [sent, received] : needs)
    {
        const std::vector<uint64_t> after = program.GetAfter(sends[sent]);
        EXPECT_EQ(std::count(after.begin(), after.end(), receives[received]), 1) << sent;
    }
}

} // namespace
