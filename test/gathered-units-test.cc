/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "small-training.h"

#include "ns3/step-timeline.h"
#include "ns3/training-job.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/**
 * @param tensor ranks that share each layer's matrices
 * @param pipeline stages
 * @param context ranks that share a sequence
 * @return 6 layers with ZeRO-3 on 2 data-parallel ranks, 2 mini-batches of 4 micro-batches
 */
TrainingSpec
Zero3(uint32_t tensor, uint32_t pipeline, uint32_t context)
{
    TrainingSpec spec = SmallTraining(6);
    spec.parallel.data = 2;
    spec.parallel.zero = 3;
    spec.parallel.tensor = tensor;
    spec.parallel.pipeline = pipeline;
    spec.parallel.context = context;
    spec.batch.localSequences = 4;
    spec.batch.microSequences = 1;
    spec.batch.globalTokens = 2 * 2 * 4 * 32;
    spec.compute.forwardPerLayer = TimeStep(800000);
    spec.compute.backwardPerLayer = TimeStep(1600000);
    return spec;
}

/**
 * @param job a job
 * @param ticksPerByte of a gather; all other communication takes a tick
 * @return the step of all ranks
 */
StepTimeline
TimelineOf(const TrainingJob& job, uint64_t ticksPerByte)
{
    std::vector<uint32_t> ranks;
    for (uint32_t rank = 0; rank < job.GetRanks(); ++rank)
    {
        ranks.push_back(rank);
    }
    TimelineCosts costs;
    costs.collective = [ticksPerByte](const CollectiveOp& op, const RankGroup&) {
        const bool gather = op.kind == CollectiveKind::ALL_GATHER;
        return TimeStep(gather ? op.payload * ticksPerByte : 1);
    };
    costs.message = [](uint32_t, uint32_t, uint64_t) { return TimeStep(1); };
    return StepTimeline(job, ranks, costs);
}

/**
 * A unit is in memory from the begin of its gather to the end of the last computation that its
 * program lists before the next gather.
 *
 * @param timeline a step
 * @return the most units that rank 0 has in memory at a time
 */
int
CountUnits(const StepTimeline& timeline)
{
    std::vector<TimelineSpan> spans;
    for (const TimelineSpan& span : timeline.GetSpans())
    {
        const auto* compute = std::get_if<ComputeOp>(&span.op.what);
        const bool passes = compute && compute->phase != ComputePhase::UPDATE;
        if (span.rank == 0 && (passes || span.op.stream == GetStream(GroupKind::PARAMETER)))
        {
            spans.push_back(span);
        }
    }
    std::sort(spans.begin(), spans.end(), [](const TimelineSpan& a, const TimelineSpan& b) {
        return a.index < b.index;
    });
    std::vector<std::pair<Time, int>> changes; // units that go come before those that come
    for (const TimelineSpan& span : spans)
    {
        if (span.op.GetKind() == ProgramOpKind::COLLECTIVE)
        {
            changes.emplace_back(span.start, 1);
            changes.emplace_back(span.end, -1);
        }
        else
        {
            changes.back().first = std::max(changes.back().first, span.end);
        }
    }
    std::sort(changes.begin(), changes.end());
    int units = 0;
    int most = 0;
    for (const auto& change : changes)
    {
        units += change.second;
        most = std::max(most, units);
    }
    return most;
}

TEST(GatheredUnits, AreAsManyAsTheMemoryCounts)
{
    for (const auto& [tensor, pipeline, context] : std::vector<std::array<uint32_t, 3>>{{1, 1, 1},
                                                                                        {2, 1, 1},
                                                                                        {1, 3, 1},
                                                                                        {1, 1, 4},
                                                                                        {2, 2, 2}})
    {
        TrainingSpec spec = Zero3(tensor, pipeline, context);
        for (uint32_t prefetch = 0; prefetch < 4; ++prefetch)
        {
            spec.parallel.prefetch = prefetch;
            const TrainingJob job(spec);
            const StepTimeline hidden = TimelineOf(job, 1);
            EXPECT_TRUE(hidden.GetProblems().empty());
            EXPECT_EQ(CountUnits(hidden), prefetch + 1) << tensor << pipeline << context;
            const StepTimeline slow = TimelineOf(job, 3000); // computations wait for gathers
            EXPECT_LE(CountUnits(slow), prefetch + 1) << tensor << pipeline << context;
        }
    }
}

TEST(GatheredUnits, AreHiddenByComputationIfTheyTakeLess)
{
    TrainingSpec spec = Zero3(1, 1, 1);
    spec.parallel.prefetch = 0;
    const Time inOrder = TimelineOf(TrainingJob(spec), 100).GetEnd();
    spec.parallel.prefetch = 100;
    const Time ahead = TimelineOf(TrainingJob(spec), 100).GetEnd();
    const Time compute = TrainingJob(spec).GetReport().computePerStep;
    const uint64_t layer = 1056 * 100;
    const uint64_t ends = (256 + 272) * 100;
    const uint64_t passes = 2 * 2 * 4; // of each micro-batch of each mini-batch
    EXPECT_EQ(inOrder, compute + TimeStep(passes * (6 * layer + ends) + 1));
    // What comes first; gradients of a layer and the embeddings come last.
    EXPECT_EQ(ahead, compute + TimeStep(2 * (256 * 100 + layer) + 2));
}

TEST(GatheredUnits, AreHiddenInLongRingsToo)
{
    TrainingSpec spec = Zero3(1, 1, 1);
    TransformerDimensions dimensions = SmallDimensions(2);
    dimensions.sequence = 128;
    spec.model = Transformer(dimensions);
    spec.batch = BatchPlan();
    spec.parallel.data = 1;
    spec.parallel.context = 128; // so a layer's pass has more than 128 computations
    const Time compute = TrainingJob(spec).GetReport().computePerStep;
    const uint64_t messages = 2 * (127 + 127 + 128);
    // A layer is gathered nearly as long as one computes. What comes first is not hidden, nor is
    // the turn to the backward pass, where the output takes no time.
    const Time gathers = TimeStep((256 + 1056 + 272 + 1056) * 700);
    EXPECT_LE(TimelineOf(TrainingJob(spec), 700).GetEnd(), compute + gathers + TimeStep(messages));
}

} // namespace
