/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANDOM_PLAN_H
#define RANDOM_PLAN_H

#include "plan-fixture.h"

#include "ns3/pipeline-schedule.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace llmfabric
{

/**
 * Draws plans of small models on at most 64 ranks.
 */
class PlanDrawer
{
  public:
    /**
     * @param seed seed of the random numbers
     */
    explicit PlanDrawer(uint32_t seed)
        : m_random(seed)
    {
    }

    /**
     * @param least the least number
     * @param most the largest number
     * @return a number between them
     */
    uint32_t Draw(uint32_t least, uint32_t most)
    {
        return std::uniform_int_distribution<uint32_t>(least, most)(m_random);
    }

    /**
     * @tparam T type of a value
     * @param values some values
     * @return one of them
     */
    template <typename T>
    T Pick(const std::vector<T>& values)
    {
        return values[Draw(0, static_cast<uint32_t>(values.size()) - 1)];
    }

    /**
     * @param percent how likely it is
     * @return whether it happens
     */
    bool Happens(uint32_t percent)
    {
        return Draw(1, 100) <= percent;
    }

    /**
     * @return a plan, which may be refused
     */
    TrainingSpec DrawAny()
    {
        TrainingSpec spec;
        do
        {
            DrawDegrees(spec.parallel);
        } while (spec.parallel.GetRanks() > 64);
        DrawOptions(spec.parallel);
        DrawModel(spec);
        DrawBatch(spec);
        DrawTimes(spec);
        spec.precision.activation = Pick<uint64_t>({1, 2, 4});
        spec.precision.gradient = Pick<uint64_t>({2, 4});
        spec.precision.parameter = Pick<uint64_t>({2, 4});
        return spec;
    }

    /**
     * @return a plan that is taken
     */
    TrainingSpec DrawValid()
    {
        while (true)
        {
            const TrainingSpec spec = DrawAny();
            if (!RefusalOf(spec))
            {
                return spec;
            }
        }
    }

  private:
    /**
     * @param [out] plan gets degrees and schedule
     */
    void DrawDegrees(ParallelPlan& plan)
    {
        plan.schedule = Pick(PipelineSchedule::GetNames());
        plan.pipeline = Pick<uint32_t>({1, 2, 2, 3, 4, 4, 6});
        plan.tensor = Pick<uint32_t>({1, 1, 2, 4});
        plan.context = Pick<uint32_t>({1, 1, 2, 3, 4});
        plan.expert = Pick<uint32_t>({1, 1, 2, 4});
        plan.data = plan.expert * Draw(1, 3);
        plan.chunks = plan.schedule == "interleaved" ? Draw(2, 3) : 1;
    }

    /**
     * @param [in,out] plan gets everything but the degrees
     */
    void DrawOptions(ParallelPlan& plan)
    {
        std::shuffle(plan.order.begin(), plan.order.end(), m_random);
        plan.zero = Draw(0, 3);
        plan.gradients.buckets = plan.zero < 3 && Happens(50);
        plan.gradients.firstBucketBytes = Draw(1, 3000);
        plan.gradients.bucketBytes = Draw(1, 20000);
        plan.prefetch = Draw(0, 3);
        plan.noSync = Happens(30);
        plan.sequenceParallel = Happens(60);
        plan.pipelineScatter = Happens(50);
        plan.contextMethod = Pick<ContextMethod>({ContextMethod::RING, ContextMethod::ULYSSES});
        plan.recompute = Pick<Recompute>({Recompute::NONE, Recompute::SELECTIVE, Recompute::FULL});
        plan.load.capacityFactor = Pick<double>({0, 0, 0.5, 1, 1.25});
        plan.load.zipfExponent = Pick<double>({0, 0, 0.7, 1.3});
    }

    /**
     * @param [in,out] spec gets a model that its degrees divide, and how it is cut
     */
    void DrawModel(TrainingSpec& spec)
    {
        ParallelPlan& plan = spec.parallel;
        TransformerDimensions d;
        const bool bothEnds = plan.schedule == "dualpipe";
        const uint32_t parts = plan.pipeline * plan.chunks;
        d.layers = parts + Draw(0, 3);
        d.heads = plan.tensor * (plan.context == 3 ? 6 : 4);
        d.keyValueHeads = d.heads / Draw(1, 2);
        d.hidden = d.heads * 4;
        d.feedForward = plan.tensor * Draw(1, 40);
        d.vocabulary = Draw(1, 100);
        d.sequence = 48;
        d.tiedEmbeddings = Happens(50);
        d.learnedPositions = Happens(50);
        d.biases = Happens(50);
        d.gatedFeedForward = Happens(50);
        d.dropout = Happens(50);
        if (plan.expert > 1 || Happens(20))
        {
            d.experts = {4 * uint64_t{Draw(1, 2)}, Draw(1, 2), Draw(0, 1), Draw(0, 9), Draw(0, 1)};
            d.experts.frequency = Draw(1, 2);
            d.experts.routerBias = Happens(50);
        }
        if (Happens(15))
        {
            d.keyValueHeads = d.heads;
            d.latent = {Draw(0, 6), Draw(1, 6), Draw(1, 6), Draw(0, 6), Draw(1, 6)};
        }
        spec.model = Transformer(d);
        if (plan.load.zipfExponent == 0 && d.experts.experts > 0 && Happens(30))
        {
            for (uint64_t e = 0; e < d.experts.experts; ++e)
            {
                plan.load.weights.push_back(e == 0 ? 1 : Draw(0, 3));
            }
        }
        DrawSplit(plan, bothEnds ? plan.pipeline : parts, d.layers);
    }

    /**
     * @param [out] plan gets a way of cutting the model
     * @param parts parts
     * @param layers layers
     */
    void DrawSplit(ParallelPlan& plan, uint32_t parts, uint64_t layers)
    {
        plan.layerSplit = Pick<LayerSplitMethod>(
            {LayerSplitMethod::EVEN, LayerSplitMethod::BALANCED, LayerSplitMethod::GIVEN});
        if (plan.layerSplit == LayerSplitMethod::GIVEN)
        {
            plan.layersPerPart.assign(parts, 0);
            for (uint64_t layer = 0; layer < layers; ++layer)
            {
                ++plan.layersPerPart[Draw(0, parts - 1)];
            }
        }
    }

    /**
     * @param [in,out] spec gets the sizes of batches
     */
    void DrawBatch(TrainingSpec& spec)
    {
        const uint32_t p = spec.parallel.pipeline;
        uint64_t microBatches = Draw(1, 5);
        microBatches = spec.parallel.schedule == "interleaved" ? p * Draw(1, 2) : microBatches;
        microBatches = spec.parallel.schedule == "dualpipe" ? 2 * (p + Draw(0, 2)) : microBatches;
        spec.batch.microSequences = Draw(1, 3);
        spec.batch.localSequences = microBatches * spec.batch.microSequences;
        const uint64_t tokens = spec.batch.localSequences * spec.model.GetDimensions().sequence;
        spec.batch.globalTokens = tokens * spec.parallel.data * Draw(1, 3);
    }

    /**
     * @param [in,out] spec gets durations
     */
    void DrawTimes(TrainingSpec& spec)
    {
        ComputeTimes& times = spec.compute;
        times.update = TimeStep(Draw(0, 5000));
        times.weightShare = Pick<double>({0, 0.3, 0.5, 1});
        if (Happens(20))
        {
            times.gpu = "A100";
        }
        else if (Happens(50))
        {
            times.forward = TimeStep(Draw(0, 100000));
            times.backward = TimeStep(Draw(0, 200000));
        }
        else
        {
            times.forwardPerLayer = TimeStep(Draw(0, 20000));
            times.backwardPerLayer = TimeStep(Draw(0, 40000));
        }
    }

    std::mt19937 m_random; //!< source of randomness
};

/**
 * @param spec a plan
 * @return what is needed to make it again, for messages of tests
 */
inline std::string
Describe(const TrainingSpec& spec)
{
    const ParallelPlan& plan = spec.parallel;
    const TransformerDimensions& d = spec.model.GetDimensions();
    std::string text = plan.schedule + " v" + std::to_string(plan.chunks);
    const auto add = [&text](const std::string& name, uint64_t value) {
        text += " " + name + " " + std::to_string(value);
    };
    add("data", plan.data);
    add("tensor", plan.tensor);
    add("pipeline", plan.pipeline);
    add("context", plan.context);
    add("expert", plan.expert);
    add("zero", plan.zero);
    add("buckets", plan.gradients.buckets);
    add("prefetch", plan.prefetch);
    add("no_sync", plan.noSync);
    add("sequence_parallel", plan.sequenceParallel);
    add("scatter", plan.pipelineScatter);
    add("ulysses", plan.contextMethod == ContextMethod::ULYSSES);
    add("recompute", static_cast<uint64_t>(plan.recompute));
    add("capacity x 100", static_cast<uint64_t>(plan.load.capacityFactor * 100));
    add("zipf x 10", static_cast<uint64_t>(plan.load.zipfExponent * 10));
    add("weights", plan.load.weights.size());
    add("layers", d.layers);
    add("split", static_cast<uint64_t>(plan.layerSplit));
    add("tied", d.tiedEmbeddings);
    add("experts", d.experts.experts);
    add("latent", d.latent.keyValueRank);
    add("local", spec.batch.localSequences);
    add("micro", spec.batch.microSequences);
    add("tokens", spec.batch.globalTokens);
    return text;
}

/**
 * @tparam Visitor takes a job
 * @param seed seed of the plans
 * @param count how many
 * @param visit called for each of them
 */
template <typename Visitor>
void
ForRandomPlans(uint32_t seed, int count, Visitor visit)
{
    PlanDrawer drawer(seed);
    for (int i = 0; i < count; ++i)
    {
        const TrainingJob job(drawer.DrawValid());
        SCOPED_TRACE(Describe(job.GetSpec()));
        visit(job);
    }
}

} // namespace llmfabric
} // namespace ns3

#endif /* RANDOM_PLAN_H */
