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

/**
 * What a plan sends in a step, without programs: closed forms of what the paper's section 5 and
 * appendix A say of each strategy.
 */
class TrafficFormulas
{
  public:
    /**
     * @param job the plan
     */
    explicit TrafficFormulas(const TrainingJob& job)
        : m_job(job),
          m_spec(job.GetSpec()),
          m_plan(job.GetSpec().parallel),
          m_model(job.GetSpec().model),
          m_dimensions(m_model.GetDimensions()),
          m_steps(job.GetReport().accumulationSteps),
          m_tokens(m_spec.batch.localSequences * m_dimensions.sequence)
    {
        for (uint64_t layer = 0; layer < m_dimensions.layers; ++layer)
        {
            m_expertLayers += m_plan.expert > 1 && m_model.IsExpertLayer(layer) ? 1 : 0;
        }
    }

    /**
     * @return whether each expert gets the same and nothing is dropped; only then there is a
     *         closed form of what experts cost
     */
    bool IsEven() const
    {
        const ExpertLoad& load = m_plan.load;
        const auto& weights = load.weights;
        const bool same = std::all_of(weights.begin(), weights.end(), [&](double weight) {
            return weight == weights.front();
        });
        return m_expertLayers == 0 || (same && load.zipfExponent == 0 &&
                                       (load.capacityFactor == 0 || load.capacityFactor >= 1));
    }

    /**
     * @return both ways over each boundary, for each tensor rank or a part each
     */
    uint64_t GetPipeline() const
    {
        const bool parts = m_plan.sequenceParallel || m_plan.pipelineScatter;
        return 2 * CountBoundaries() * GetActivations() * (parts ? 1 : m_plan.tensor);
    }

    /**
     * @return two AllReduces for each pass of a layer, two for embeddings and output, and the
     *         activations that stages gather
     */
    uint64_t GetTensor() const
    {
        const uint64_t plain = m_dimensions.layers - m_expertLayers;
        const uint64_t mixed = 1 + m_dimensions.experts.topK + (m_dimensions.experts.shared > 0);
        const uint64_t reductions = GetPasses() * (2 * plain + mixed * m_expertLayers) + 2;
        const bool gathers = m_plan.pipelineScatter && !m_plan.sequenceParallel;
        const uint64_t gathered = gathers ? 2 * CountBoundaries() : 0;
        return (m_plan.tensor - 1) * GetActivations() * (2 * reductions + gathered);
    }

    /**
     * @return c - 1 blocks round the ring forward and 2 c - 1 backward; or two All-to-Alls a pass
     */
    uint64_t GetContext() const
    {
        const uint64_t c = m_plan.context;
        const uint64_t values =
            m_steps * m_dimensions.layers * m_plan.data * m_tokens * m_spec.precision.activation;
        const bool latent = m_dimensions.latent.keyValueRank > 0;
        const uint64_t queries = m_model.GetQuerySize();
        const uint64_t outputs = m_model.GetValueSize();
        if (m_plan.contextMethod == ContextMethod::RING)
        {
            const uint64_t blocks = (GetPasses() - 1) * (c - 1) + (c > 1 ? 2 * c - 1 : 0);
            return blocks * values * m_model.GetKeyValueSize() * (latent ? m_plan.tensor : 1);
        }
        const uint64_t keys = latent ? queries + outputs : m_model.GetKeyValueSize();
        return GetPasses() * (c - 1) * (values / c) * (queries + keys + outputs);
    }

    /**
     * @return K copies of each token to the experts and back, in each pass
     */
    uint64_t GetExpert() const
    {
        return GetPasses() * m_expertLayers * 2 * (m_plan.expert - 1) * m_dimensions.experts.topK *
               (GetActivations() / m_plan.expert);
    }

    /**
     * @param experts whether those of the experts are meant
     * @return gradients: AllReduce or ReduceScatter, once, or once per backward pass
     */
    uint64_t GetGradients(bool experts) const
    {
        const bool once = m_plan.zero < 2 || (m_plan.zero == 3 && m_plan.noSync);
        const uint64_t rounds = m_plan.zero == 0 ? 2 : 1;
        return SumParts(experts) * (once ? 1 : CountPartPasses()) * rounds *
               m_spec.precision.gradient;
    }

    /**
     * @param experts whether those of the experts are meant
     * @return parameters: ZeRO-1 and 2 after the update, ZeRO-3 before each pass
     */
    uint64_t GetParameters(bool experts) const
    {
        const uint64_t times = m_plan.zero == 0 ? 0 : m_plan.zero < 3 ? 1 : 2 * CountPartPasses();
        return SumParts(experts) * times * m_spec.precision.parameter;
    }

    /**
     * @return gradients of a tied embedding, which first and last stage hold
     */
    uint64_t GetEmbedding() const
    {
        const bool both = m_dimensions.tiedEmbeddings && m_plan.pipeline > 1 && !IsBidirectional();
        return both ? CountPairBytes(m_job.GetParts().GetTokenEmbeddingShare(), 0) : 0;
    }

    /**
     * @return gradients of all that two stages of a bidirectional pipeline hold
     */
    uint64_t GetMirror() const
    {
        uint64_t sum = 0;
        for (uint32_t stage = 0; stage < m_plan.pipeline / 2 && IsBidirectional(); ++stage)
        {
            ParameterShare held = m_job.GetParts().GetShare(m_job.GetParts().GetPart(stage, 0));
            held += m_job.GetParts().GetShare(m_job.GetParts().GetPart(stage, 1));
            sum += CountPairBytes(held.dense, held.expert);
        }
        return sum;
    }

  private:
    /// @return whether micro-batches run from both ends
    bool IsBidirectional() const
    {
        return m_plan.schedule == "dualpipe";
    }

    /// @return boundaries that a micro-batch crosses each way
    uint64_t CountBoundaries() const
    {
        return uint64_t{m_plan.pipeline} * m_plan.chunks - 1;
    }

    /// @return passes through a layer: forward, backward, and forward again if it is recomputed
    uint64_t GetPasses() const
    {
        return m_plan.recompute == Recompute::FULL ? 3 : 2;
    }

    /// @return S_act of all mini-batches of a step together, bytes
    uint64_t GetActivations() const
    {
        return m_steps * m_plan.data * m_tokens * m_dimensions.hidden * m_spec.precision.activation;
    }

    /// @return backward passes of a step through a part on one stage
    uint64_t CountPartPasses() const
    {
        return m_steps * m_job.GetReport().microBatches / (IsBidirectional() ? 2 : 1);
    }

    /**
     * @param experts whether those of the experts are meant
     * @return for all groups that share values: the values times the other members
     */
    uint64_t SumParts(bool experts) const
    {
        uint64_t sum = 0;
        for (const ModelPart& part : m_job.GetParts().GetParts())
        {
            const ParameterShare share = m_job.GetParts().GetShare(part);
            sum += (experts ? share.expert : share.dense) * (IsBidirectional() ? 2 : 1);
        }
        const uint64_t members = m_plan.context * m_plan.data / (experts ? m_plan.expert : 1);
        return sum * (members - 1) * m_plan.tensor * (experts ? m_plan.expert : 1);
    }

    /**
     * @param dense values but those of experts
     * @param expert values of experts
     * @return bytes of AllReduces of their gradients by two stages, of what a rank has of them
     */
    uint64_t CountPairBytes(uint64_t dense, uint64_t expert) const
    {
        const uint64_t members = m_plan.zero < 2 ? 1 : m_plan.context * m_plan.data;
        const uint64_t holders = m_plan.zero < 2 ? 1 : members / m_plan.expert;
        const uint64_t values = (dense + members - 1) / members + (expert + holders - 1) / holders;
        return 2 * values * m_spec.precision.gradient * (m_job.GetRanks() / m_plan.pipeline);
    }

    const TrainingJob& m_job;                  //!< the plan
    const TrainingSpec& m_spec;                //!< what the user asked for
    const ParallelPlan& m_plan;                //!< the division
    const Transformer& m_model;                //!< the model
    const TransformerDimensions& m_dimensions; //!< its shape
    uint64_t m_steps;                          //!< N_acc
    uint64_t m_tokens;                         //!< B T
    uint64_t m_expertLayers{0};                //!< layers whose experts several ranks share
};

/// Plans that each formula is tried on.
constexpr int PLANS = 500;

TEST(PlanFormula, StagesSendTwoActivationsOverEachBoundary)
{
    ForRandomPlans(11, PLANS, [](const TrainingJob& job) {
        ASSERT_EQ(TotalOf(job, "pipeline"), TrafficFormulas(job).GetPipeline());
    });
}

TEST(PlanFormula, TensorRanksReduceTwiceInEachPassOfALayer)
{
    ForRandomPlans(12, PLANS, [](const TrainingJob& job) {
        const TrafficFormulas formulas(job);
        if (formulas.IsEven())
        {
            ASSERT_EQ(TotalOf(job, "tensor"), formulas.GetTensor());
        }
    });
}

TEST(PlanFormula, ContextRanksSendKeysAndValuesRoundOrHeadsAcross)
{
    ForRandomPlans(13, PLANS, [](const TrainingJob& job) {
        ASSERT_EQ(TotalOf(job, "context"), TrafficFormulas(job).GetContext());
    });
}

TEST(PlanFormula, ExpertRanksSendEachTokenThereAndBack)
{
    ForRandomPlans(14, PLANS, [](const TrainingJob& job) {
        const TrafficFormulas formulas(job);
        if (formulas.IsEven())
        {
            ASSERT_EQ(TotalOf(job, "expert"), formulas.GetExpert());
        }
    });
}

TEST(PlanFormula, EachGradientIsSharedAsOftenAsTheZeroStageSays)
{
    ForRandomPlans(15, PLANS, [](const TrainingJob& job) {
        const TrafficFormulas formulas(job);
        ASSERT_EQ(TotalOf(job, "data"), formulas.GetGradients(false));
        ASSERT_EQ(TotalOf(job, "expert-data"), formulas.GetGradients(true));
        ASSERT_EQ(TotalOf(job, "embedding"), formulas.GetEmbedding());
        ASSERT_EQ(TotalOf(job, "mirror"), formulas.GetMirror());
    });
}

TEST(PlanFormula, EachParameterIsGatheredAsOftenAsTheZeroStageSays)
{
    ForRandomPlans(16, PLANS, [](const TrainingJob& job) {
        const TrafficFormulas formulas(job);
        ASSERT_EQ(TotalOf(job, "parameter"), formulas.GetParameters(false));
        ASSERT_EQ(TotalOf(job, "expert-parameter"), formulas.GetParameters(true));
    });
}

TEST(PlanFormula, StagesHoldTheWholeModelOnce)
{
    ForRandomPlans(17, PLANS, [](const TrainingJob& job) {
        const TransformerDimensions& model = job.GetSpec().model.GetDimensions();
        const ParallelPlan& plan = job.GetSpec().parallel;
        if (plan.tensor > 1)
        {
            return; // some tensors are on all tensor ranks
        }
        ParameterShare sum;
        for (const ModelPart& part : job.GetParts().GetParts())
        {
            sum += job.GetParts().GetShare(part);
        }
        const bool copy = model.tiedEmbeddings && plan.pipeline > 1 && plan.schedule != "dualpipe";
        ASSERT_EQ(sum.dense + plan.expert * sum.expert,
                  job.GetSpec().model.GetParameterCount() +
                      (copy ? model.vocabulary * model.hidden : 0));
    });
}

} // namespace
