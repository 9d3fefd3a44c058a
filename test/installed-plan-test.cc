/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-fixture.h"

#include "ns3/plan-traffic.h"
#include "ns3/training-job.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/**
 * @param parallel the division of a small mixture of experts
 * @return the run, whose computations take 1 ms
 */
TrainingSpec
MakeSpec(const ParallelPlan& parallel)
{
    TransformerDimensions dimensions;
    dimensions.layers = 8;
    dimensions.hidden = 64;
    dimensions.heads = 4;
    dimensions.vocabulary = 96;
    dimensions.sequence = 32;
    dimensions.experts.experts = 4;
    dimensions.experts.topK = 2;
    TrainingSpec spec;
    spec.corpus = Corpus::FromTokens(1000000);
    spec.model = Transformer(dimensions);
    spec.batch.localSequences = 8;
    spec.batch.microSequences = 1;
    spec.batch.globalTokens = uint64_t{2} * parallel.data * 8 * 32;
    spec.parallel = parallel;
    spec.compute.forward = MilliSeconds(1);
    spec.compute.backward = MilliSeconds(2);
    spec.steps = 2;
    return spec;
}

/// The parameter says how the work is divided.
class InstalledPlanTest : public RankFixture, public testing::WithParamInterface<ParallelPlan>
{
};

TEST_P(InstalledPlanTest, RunsToItsEndAndSendsWhatThePlanSays)
{
    const auto job = std::make_shared<const TrainingJob>(MakeSpec(GetParam()));
    Run(job, 4);
    uint64_t planned = 0;
    for (const TrafficRow& row : GetTraffic(*job))
    {
        planned += row.totalBytes;
    }
    uint64_t sent = 0;
    for (const Ptr<RankApplication>& rank : m_ranks)
    {
        sent += rank->GetSentBytes();
    }
    EXPECT_GT(sent, 0u);
    EXPECT_EQ(sent, 2 * planned);
    EXPECT_EQ(m_observer.GetSteps().size(), 2u);
}

/** @return plans of 8 ranks, each with something of its own */
std::vector<ParallelPlan>
MakePlans()
{
    std::vector<ParallelPlan> plans(7);
    plans[0].data = 8;
    plans[0].expert = 4;
    plans[0].gradients.buckets = true;
    plans[1].data = 4;
    plans[1].tensor = 2;
    plans[1].zero = 3;
    plans[2].tensor = 2;
    plans[2].sequenceParallel = true;
    plans[2].pipeline = 4;
    plans[3].data = 2;
    plans[3].expert = 2;
    plans[3].pipeline = 4;
    plans[3].schedule = "dualpipe";
    plans[4].context = 4;
    plans[4].data = 2;
    plans[4].zero = 1;
    plans[5].pipeline = 2;
    plans[5].context = 2;
    plans[5].contextMethod = ContextMethod::ULYSSES;
    plans[5].data = 2;
    plans[5].expert = 2;
    plans[5].load.zipfExponent = 1;
    plans[6].pipeline = 4;
    plans[6].data = 2;
    plans[6].schedule = "interleaved";
    plans[6].chunks = 2;
    return plans;
}

INSTANTIATE_TEST_SUITE_P(Of8Ranks,
                         InstalledPlanTest,
                         testing::ValuesIn(MakePlans()),
                         [](const auto& test) { return "Plan" + std::to_string(test.index); });

} // namespace
