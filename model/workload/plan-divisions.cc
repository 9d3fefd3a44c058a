/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "plan-divisions.h"

#include "ns3/user-error.h"

#include <string>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// So that what is listed by layer stays small.
constexpr uint64_t MAX_LAYERS = 10000;

/// So that what is listed by expert stays small.
constexpr uint64_t MAX_EXPERTS = 100000;

/**
 * @param value a dimension
 * @param name its name, in words and in the scenario's section "model"
 * @param most what it may be
 * @throws UserError if it is more
 */
void
CheckLimit(uint64_t value, const std::string& name, uint64_t most)
{
    if (value > most)
    {
        throw UserError("a plan of " + std::to_string(value) + " " + name + " is too large",
                        "model." + name,
                        "give at most " + std::to_string(most));
    }
}

/**
 * @param value what is divided
 * @param what it, in words
 * @param degree by how many ranks
 * @param key the scenario's key of the degree
 * @throws UserError if it can't be divided evenly
 */
void
CheckShares(uint64_t value, const std::string& what, uint64_t degree, const std::string& key)
{
    if (value % degree != 0)
    {
        throw UserError(std::to_string(value) + " " + what + " can't be shared evenly by " +
                            std::to_string(degree) + " ranks",
                        key,
                        "give a divisor of " + std::to_string(value));
    }
}

/**
 * @param spec the training run
 * @throws UserError if heads, values or tokens can't be shared evenly
 */
void
CheckShapes(const TrainingSpec& spec)
{
    const TransformerDimensions& model = spec.model.GetDimensions();
    const ParallelPlan& plan = spec.parallel;
    CheckLimit(model.layers, "layers", MAX_LAYERS);
    CheckLimit(model.experts.experts, "experts", MAX_EXPERTS);
    CheckShares(model.heads, "attention heads", plan.tensor, "parallel.tensor");
    CheckShares(model.keyValueHeads, "key and value heads", plan.tensor, "parallel.tensor");
    CheckShares(model.feedForward, "feed-forward values", plan.tensor, "parallel.tensor");
    CheckShares(model.experts.feedForward,
                "feed-forward values of an expert",
                plan.tensor,
                "parallel.tensor");
    CheckShares(model.sequence, "tokens of a sequence", plan.context, "parallel.context");
    if (plan.sequenceParallel)
    {
        CheckShares(model.sequence / plan.context,
                    "tokens of a sequence and context rank",
                    plan.tensor,
                    "parallel.sequence_parallel");
    }
    if (plan.context > 1 && plan.contextMethod == ContextMethod::ULYSSES)
    {
        const uint64_t heads = model.latent.keyValueRank > 0 ? model.heads : model.keyValueHeads;
        CheckShares(heads / plan.tensor,
                    "key and value heads of a tensor rank",
                    plan.context,
                    "parallel.context");
    }
}

/**
 * @param spec the training run
 * @throws UserError if its experts can't be shared
 */
void
CheckExperts(const TrainingSpec& spec)
{
    const TransformerDimensions& model = spec.model.GetDimensions();
    const ParallelPlan& plan = spec.parallel;
    if (plan.expert > 1 && model.experts.experts == 0)
    {
        throw UserError("the model has no experts to share by " + std::to_string(plan.expert) +
                            " ranks",
                        "parallel.expert",
                        "set it to 1, or take a model with experts");
    }
    CheckShares(model.experts.experts, "experts", plan.expert, "parallel.expert");
    if (plan.expert > 1 && plan.tensor > 1 && !plan.sequenceParallel)
    {
        throw UserError("with experts shared over ranks, tensor-parallel ranks have to share the "
                        "tokens, too",
                        "parallel.sequence_parallel",
                        "set it to true, or parallel.tensor or parallel.expert to 1");
    }
    if (plan.expert > 1 && spec.model.HasOverride())
    {
        throw UserError("a given total does not tell the parameters of the experts",
                        "model.parameters",
                        "remove it, or set parallel.expert to 1");
    }
}

} // namespace

void
CheckPlanDivisions(const TrainingSpec& spec)
{
    CheckShapes(spec);
    CheckExperts(spec);
    const ParallelPlan& plan = spec.parallel;
    const bool byTensor = plan.gradients.buckets || plan.zero == 3;
    if (byTensor && spec.model.HasOverride())
    {
        throw UserError("a given total does not tell the sizes of the tensors, which " +
                            std::string(plan.zero == 3 ? "ZeRO-3 gathers" : "buckets hold"),
                        "model.parameters",
                        "remove it");
    }
    if (plan.gradients.buckets && plan.zero == 3)
    {
        throw UserError("ZeRO-3 shares gradients layer by layer, not in buckets",
                        "parallel.buckets",
                        "set it to false");
    }
}

} // namespace llmfabric
} // namespace ns3
