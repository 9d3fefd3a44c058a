/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "random-plan.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// Plans that each property is tried on.
constexpr int PLANS = 300;

/// A row of what is sent, without the ranks that do it.
using Row = std::tuple<std::string, std::string, std::string, uint64_t, uint64_t, uint64_t>;

/**
 * @param spec a plan
 * @return what it sends, in no order
 */
std::map<Row, std::pair<uint64_t, uint64_t>>
ListRows(const TrainingSpec& spec)
{
    std::map<Row, std::pair<uint64_t, uint64_t>> rows;
    for (const TrafficRow& row : GetTraffic(TrainingJob(spec)))
    {
        const Row key{row.object, row.op, row.group, row.payload, row.callsPerRank, row.ranks};
        rows[key].first += row.bytesPerRank;
        rows[key].second += row.totalBytes;
    }
    return rows;
}

/**
 * @param heads attention heads
 * @return a plan of a small mixture of experts on one rank
 */
TrainingSpec
MakeMixture(uint64_t heads)
{
    TransformerDimensions d;
    d.layers = 8;
    d.hidden = heads * 4;
    d.heads = heads;
    d.vocabulary = 100;
    d.sequence = 96;
    d.experts.experts = 12;
    d.experts.topK = 2;
    d.experts.frequency = 2;
    TrainingSpec spec = Gpt2Plan();
    spec.model = Transformer(d);
    spec.batch.localSequences = 1;
    spec.parallel.sequenceParallel = true;
    return spec;
}

/**
 * @param spec a plan of MakeMixture(12)
 * @return whether all that is divided can be
 */
bool
IsPossible(const TrainingSpec& spec)
{
    const ParallelPlan& plan = spec.parallel;
    const uint32_t tokens = 96 / plan.context;
    return plan.data % plan.expert == 0 && 12 % plan.expert == 0 && 12 % plan.tensor == 0 &&
           96 % plan.context == 0 && tokens % plan.tensor == 0 && plan.pipeline <= 8;
}

/**
 * @tparam Visitor takes a plan
 * @param ranks a number of ranks
 * @param visit called for each way to write it as data x tensor x pipeline x context, with each
 *        number of expert ranks that divides it
 */
template <typename Visitor>
void
ForFactorizations(uint32_t ranks, Visitor visit)
{
    const auto divides = [](uint32_t divisor, uint32_t value) { return value % divisor == 0; };
    ParallelPlan plan;
    plan.sequenceParallel = true;
    for (plan.tensor = 1; plan.tensor <= ranks; ++plan.tensor)
    {
        for (plan.pipeline = 1; plan.pipeline * plan.tensor <= ranks; ++plan.pipeline)
        {
            for (plan.context = 1; plan.context * plan.pipeline * plan.tensor <= ranks;
                 ++plan.context)
            {
                const uint32_t product = plan.context * plan.pipeline * plan.tensor;
                plan.data = ranks / product;
                for (plan.expert = 1; divides(product, ranks) && plan.expert <= ranks;
                     ++plan.expert)
                {
                    if (divides(plan.expert, ranks))
                    {
                        visit(plan);
                    }
                }
            }
        }
    }
}

TEST(PlanDegrees, TotalsDoNotDependOnTheOrderOfRanks)
{
    PlanDrawer drawer(7);
    for (int i = 0; i < 30; ++i)
    {
        TrainingSpec spec = drawer.DrawValid();
        SCOPED_TRACE(Describe(spec));
        const auto rows = ListRows(spec);
        std::sort(spec.parallel.order.begin(), spec.parallel.order.end());
        int orders = 0;
        do
        {
            ASSERT_EQ(ListRows(spec), rows);
            ++orders;
        } while (std::next_permutation(spec.parallel.order.begin(), spec.parallel.order.end()));
        ASSERT_EQ(orders, 120);
    }
}

TEST(PlanDegrees, EveryOrderOfRanksComesToItsEnd)
{
    TrainingSpec spec = MakeMixture(8);
    spec.parallel.data = 4;
    spec.parallel.expert = 2;
    spec.parallel.tensor = 2;
    spec.parallel.pipeline = 2;
    spec.parallel.context = 2;
    std::sort(spec.parallel.order.begin(), spec.parallel.order.end());
    do
    {
        const TrainingJob job(spec);
        ASSERT_EQ(RunFree(job, ListRanks(job)).GetProblems(), std::vector<std::string>());
        ASSERT_EQ(CountMessages(job, false), CountMessages(job, true));
    } while (std::next_permutation(spec.parallel.order.begin(), spec.parallel.order.end()));
}

TEST(PlanDegrees, EveryFactorizationRunsOrIsRefusedWithItsKey)
{
    int taken = 0;
    const auto look = [&taken](const ParallelPlan& degrees) {
        TrainingSpec spec = MakeMixture(12);
        spec.parallel = degrees;
        SCOPED_TRACE(Describe(spec));
        const auto refusal = RefusalOf(spec);
        ASSERT_EQ(!refusal, IsPossible(spec));
        if (refusal)
        {
            const std::string room = refusal->GetWhere().substr(0, refusal->GetWhere().find('.'));
            ASSERT_TRUE(room == "parallel" || room == "batch" || room == "model") << room;
            ASSERT_GT(refusal->GetWhere().size(), room.size() + 1) << "no key";
            return;
        }
        const TrainingJob job(spec);
        ASSERT_EQ(job.GetRanks(), degrees.GetRanks());
        ASSERT_EQ(RunFree(job, ListRanks(job)).GetProblems(), std::vector<std::string>());
        ++taken;
    };
    ForFactorizations(48, look);
    ForFactorizations(64, look);
    EXPECT_GT(taken, 400);
}

TEST(PlanDegrees, PlansTooLongToListAreRefusedAtOnce)
{
    TrainingSpec spec = MakeMixture(12);
    spec.parallel.pipeline = 4;
    spec.batch.localSequences = 4000000000;
    spec.batch.microSequences = 1;
    for (const std::string schedule : {"1f1b", "dualpipe", "interleaved"})
    {
        spec.parallel.schedule = schedule;
        spec.parallel.chunks = schedule == "interleaved" ? 2 : 1;
        ASSERT_TRUE(RefusalOf(spec));
        EXPECT_EQ(RefusalOf(spec)->GetWhere(), "batch.micro_sequences");
    }
    TransformerDimensions d = spec.model.GetDimensions();
    d.experts.experts = uint64_t{1} << 32;
    spec.model = Transformer(d);
    spec.batch.localSequences = 12;
    spec.parallel.chunks = 1;
    spec.parallel.schedule = "1f1b";
    ASSERT_TRUE(RefusalOf(spec));
    EXPECT_EQ(RefusalOf(spec)->GetWhere(), "model.experts");
}

/**
 * @param memory a rank's memory
 * @return weights, gradients and optimizer state
 */
uint64_t
GetState(const RankMemory& memory)
{
    return memory.parameters + memory.gradients + memory.optimizer;
}

/**
 * @param spec a plan
 * @return memory of a rank of each stage
 */
std::vector<RankMemory>
ListMemory(const TrainingSpec& spec)
{
    const TrainingJob job(spec);
    std::vector<RankMemory> memory;
    for (uint32_t stage = 0; stage < spec.parallel.pipeline; ++stage)
    {
        memory.push_back(job.GetMemory(stage));
    }
    return memory;
}

TEST(PlanMemoryProperty, ShrinksWithEachZeroStage)
{
    PlanDrawer drawer(18);
    for (int i = 0; i < PLANS; ++i)
    {
        TrainingSpec spec = drawer.DrawValid();
        SCOPED_TRACE(Describe(spec));
        spec.parallel.gradients.buckets = false;
        std::vector<RankMemory> before;
        for (uint32_t zero = 0; zero < 4; ++zero)
        {
            spec.parallel.zero = zero;
            spec.parallel.noSync = false;
            const std::vector<RankMemory> now = ListMemory(spec);
            for (std::size_t stage = 0; stage < before.size(); ++stage)
            {
                const bool shared = spec.parallel.data * spec.parallel.context > 1;
                const bool empty = GetState(now[stage]) == 0; // a stage without layers
                ASSERT_LE(GetState(now[stage]), GetState(before[stage]));
                ASSERT_EQ(now[stage].gathered > 0, zero >= 2 && shared && !empty);
                ASSERT_EQ(now[stage].activations, before[stage].activations);
                ASSERT_EQ(GetState(now[stage]) < GetState(before[stage]), shared && !empty);
            }
            before = now;
        }
    }
}

TEST(PlanMemoryProperty, GradientsThatAddUpAreWhole)
{
    TrainingSpec spec = Gpt2Plan();
    spec.parallel.data = 4;
    spec.parallel.zero = 3;
    spec.parallel.noSync = true;
    EXPECT_EQ(ListMemory(spec)[0].gradients, 124439808u / 4 * 2);
    spec.batch.globalTokens = 2 * 4 * 32 * 1024;
    EXPECT_EQ(ListMemory(spec)[0].gradients, 124439808u * 2);
    spec.batch.globalTokens = 0;
    spec.batch.microSequences = 16;
    EXPECT_EQ(ListMemory(spec)[0].gradients, 124439808u * 2);
    spec.parallel.noSync = false;
    EXPECT_EQ(ListMemory(spec)[0].gradients, 124439808u / 4 * 2);
}

TEST(PlanMemoryProperty, ExpertsThatNobodySharesAreNotGathered)
{
    TrainingSpec spec = MakeMixture(4);
    spec.parallel.zero = 3;
    EXPECT_EQ(ListMemory(spec)[0].gathered, 0u);
    spec.parallel.data = 12;
    spec.parallel.expert = 12;
    const uint64_t onlyDense = ListMemory(spec)[0].gathered;
    spec.parallel.expert = 6;
    // The largest unit is a layer of 2 experts, of which 2 are gathered and 1 has its gradients.
    const uint64_t expert = 2 * 4 * 16 * 16 + 5 * 16;
    EXPECT_GT(ListMemory(spec)[0].gathered, onlyDense + 2 * expert);
}

TEST(PlanMemoryProperty, ShrinksWithMoreTensorRanks)
{
    PlanDrawer drawer(19);
    int compared = 0;
    for (int i = 0; i < PLANS; ++i)
    {
        TrainingSpec spec = drawer.DrawValid();
        SCOPED_TRACE(Describe(spec));
        const std::vector<RankMemory> before = ListMemory(spec);
        spec.parallel.tensor *= 2;
        for (std::size_t stage = 0; stage < before.size() && !RefusalOf(spec); ++stage)
        {
            const RankMemory now = ListMemory(spec)[stage];
            ASSERT_LE(GetState(now), GetState(before[stage]));
            ASSERT_LE(now.activations, before[stage].activations);
            ++compared;
        }
    }
    EXPECT_GT(compared, PLANS / 2);
}

TEST(PlanMemoryProperty, ShrinksWithRecomputation)
{
    PlanDrawer drawer(20);
    for (int i = 0; i < PLANS; ++i)
    {
        TrainingSpec spec = drawer.DrawValid();
        SCOPED_TRACE(Describe(spec));
        std::vector<RankMemory> before;
        for (const auto method : {Recompute::NONE, Recompute::SELECTIVE, Recompute::FULL})
        {
            spec.parallel.recompute = method;
            const std::vector<RankMemory> now = ListMemory(spec);
            for (std::size_t stage = 0; stage < before.size(); ++stage)
            {
                ASSERT_LE(now[stage].activations, before[stage].activations);
                ASSERT_LE(now[stage].GetTotal(), before[stage].GetTotal());
                ASSERT_EQ(GetState(now[stage]), GetState(before[stage]));
            }
            before = now;
        }
    }
}

} // namespace
