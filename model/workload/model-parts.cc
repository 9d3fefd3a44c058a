/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-parts.h"

#include "checked-math.h"
#include "plan-divisions.h"

#include "ns3/user-error.h"

namespace ns3
{
namespace llmfabric
{

namespace
{

/// Forward passes of a stage in a mini-batch; a program of more would be too long.
constexpr uint64_t MAX_PASSES = 1000000;

/**
 * @param batch the batch
 * @param chunks parts of the model on each stage, positive
 * @return micro-batches of a mini-batch
 * @throws UserError if it can't be cut so, or they are too many
 */
uint32_t
CountMicroBatches(const BatchPlan& batch, uint32_t chunks)
{
    const uint64_t micro = batch.GetMicroSequences();
    const std::string cut = "the mini-batch of " + std::to_string(batch.localSequences) +
                            " sequences can't be cut in micro-batches of " + std::to_string(micro);
    if (batch.localSequences % micro != 0)
    {
        throw UserError(cut, "batch.micro_sequences", "give a divisor of batch.local_sequences");
    }
    if (batch.localSequences / micro > MAX_PASSES / chunks)
    {
        throw UserError(cut + ", they would be too many",
                        "batch.micro_sequences",
                        "make them larger, or the mini-batch smaller");
    }
    return static_cast<uint32_t>(batch.localSequences / micro);
}

/**
 * @param tensors some tensors
 * @return values of them all
 */
uint64_t
CountAll(const std::vector<TensorShape>& tensors)
{
    uint64_t sum = 0;
    for (const TensorShape& tensor : tensors)
    {
        sum = CheckedSum({sum, tensor.GetParameters()}, "the parameters");
    }
    return sum;
}

/**
 * @param value a number
 * @param factor what it is multiplied with
 * @param divisor and divided by
 * @return the result, rounded down
 */
uint64_t
Scale(uint64_t value, uint64_t factor, uint64_t divisor)
{
    return static_cast<uint64_t>(static_cast<unsigned __int128>(value) * factor / divisor);
}

} // namespace

ModelParts::ModelParts(const TrainingSpec& spec)
    : m_spec(spec)
{
    const ParallelPlan& plan = m_spec.parallel;
    CheckPositive(spec.batch.localSequences, "batch.local_sequences");
    CheckPositive(plan.tensor, "parallel.tensor");
    CheckPositive(plan.pipeline, "parallel.pipeline");
    CheckPositive(plan.expert, "parallel.expert");
    CheckPositive(plan.context, "parallel.context");
    CheckPositive(plan.chunks, "parallel.chunks");
    m_shape.stages = plan.pipeline;
    m_shape.microBatches = CountMicroBatches(spec.batch, plan.chunks);
    m_shape.chunks = plan.chunks;
    m_schedule = PipelineSchedule::Create(plan.schedule);
    m_schedule->Check(m_shape);
    CheckPlanDivisions(m_spec);
    Cut();
}

LayerSplit
ModelParts::MakeSplit() const
{
    const uint64_t layers = m_spec.model.GetDimensions().layers;
    const uint32_t parts = m_schedule->GetParts(m_shape);
    switch (m_spec.parallel.layerSplit)
    {
    case LayerSplitMethod::GIVEN:
        return LayerSplit::Given(m_spec.parallel.layersPerPart, layers, parts);
    case LayerSplitMethod::BALANCED: {
        // Per token; the embeddings cost one addition a value.
        const uint64_t tokens = m_spec.model.GetDimensions().sequence;
        std::vector<double> costs;
        for (uint64_t layer = 0; layer < layers; ++layer)
        {
            costs.push_back(
                m_spec.model.GetLayerFlops(layer, tokens, m_spec.compute.causalAttention)
                    .GetTotal());
        }
        const double embedding =
            static_cast<double>(tokens) * static_cast<double>(m_spec.model.GetDimensions().hidden);
        return LayerSplit::Balanced(costs, embedding, m_spec.model.GetOutputFlops(tokens), parts);
    }
    case LayerSplitMethod::EVEN:
        break;
    }
    return LayerSplit::Even(layers, parts);
}

void
ModelParts::Cut()
{
    const LayerSplit split = MakeSplit();
    const bool tied = m_spec.model.GetDimensions().tiedEmbeddings;
    for (uint32_t i = 0; i < split.GetParts(); ++i)
    {
        ModelPart part;
        part.index = i;
        part.firstLayer = split.GetFirst(i);
        part.layers = split.GetLayers(i);
        part.embedding = i == 0;
        part.output = i + 1 == split.GetParts();
        // A bidirectional pipeline has both ends of the model on one stage.
        part.embeddingCopy =
            part.output && tied && m_shape.stages > 1 && !m_schedule->IsBidirectional();
        m_parts.push_back(part);
        if (m_spec.model.HasOverride())
        {
            m_wholes.push_back(CheckedSum({m_wholes.back(), CountWhole(part)}, "the parameters"));
        }
    }
    const auto sum = [this](bool expert) {
        const auto layer = m_spec.model.FindLayer(expert);
        return layer ? Sum(m_spec.model.GetLayerTensors(*layer)) : ParameterShare();
    };
    m_denseLayer = sum(false);
    m_expertLayer = sum(true);
}

ParameterShare
ModelParts::Sum(const std::vector<TensorShape>& tensors) const
{
    ParameterShare share;
    for (const TensorShape& tensor : tensors)
    {
        const uint64_t values =
            tensor.GetParametersPerRank(m_spec.parallel.tensor, m_spec.parallel.expert);
        uint64_t& sum = tensor.expert ? share.expert : share.dense;
        sum = CheckedSum({sum, values}, "the parameters of a rank");
    }
    return share;
}

uint64_t
ModelParts::CountWhole(const ModelPart& part) const
{
    uint64_t sum = part.embedding ? CountAll(m_spec.model.GetEmbeddingTensors()) : 0;
    for (uint64_t i = 0; i < part.layers; ++i)
    {
        const auto tensors = m_spec.model.GetLayerTensors(part.firstLayer + i);
        sum = CheckedSum({sum, CountAll(tensors)}, "the parameters");
    }
    const uint64_t output = part.output ? CountAll(m_spec.model.GetOutputTensors()) : 0;
    return CheckedSum({sum, output}, "the parameters");
}

ParameterShare
ModelParts::GetShare(const ModelPart& part) const
{
    if (m_spec.model.HasOverride())
    {
        // Scaled, so that the parts add up to the given total.
        const uint64_t given = m_spec.model.GetParameterCount();
        const uint64_t derived = m_wholes.back();
        const uint64_t whole = Scale(m_wholes[part.index + 1], given, derived) -
                               Scale(m_wholes[part.index], given, derived);
        const uint64_t tensor = m_spec.parallel.tensor;
        const uint64_t copy = part.embeddingCopy ? GetTokenEmbeddingShare() : 0;
        return {CheckedSum({CeilDivide(whole, tensor), copy}, "the parameters of a rank"), 0};
    }
    ParameterShare share = GetEmbeddingShare(part);
    share += GetOutputShare(part);
    for (uint64_t i = 0; i < part.layers; ++i)
    {
        share += GetLayerShare(part.firstLayer + i);
    }
    return share;
}

ParameterShare
ModelParts::GetStageShare(uint32_t stage) const
{
    ParameterShare held;
    for (uint32_t chunk = 0; chunk < GetChunks(); ++chunk)
    {
        held += GetShare(GetPart(stage, chunk));
    }
    return held;
}

ParameterShare
ModelParts::GetLayerShare(uint64_t layer) const
{
    return m_spec.model.IsExpertLayer(layer) ? m_expertLayer : m_denseLayer;
}

ParameterShare
ModelParts::GetEmbeddingShare(const ModelPart& part) const
{
    return part.embedding ? Sum(m_spec.model.GetEmbeddingTensors()) : ParameterShare();
}

ParameterShare
ModelParts::GetOutputShare(const ModelPart& part) const
{
    ParameterShare share = part.output ? Sum(m_spec.model.GetOutputTensors()) : ParameterShare();
    share.dense += part.embeddingCopy ? GetTokenEmbeddingShare() : 0;
    return share;
}

uint64_t
ModelParts::GetTokenEmbeddingShare() const
{
    return Sum({m_spec.model.GetEmbeddingTensors().front()}).dense;
}

bool
ModelParts::IsEmbeddingShared() const
{
    return m_parts.back().embeddingCopy;
}

const PipelineSchedule&
ModelParts::GetSchedule() const
{
    return *m_schedule;
}

const PipelineShape&
ModelParts::GetShape() const
{
    return m_shape;
}

const std::vector<ModelPart>&
ModelParts::GetParts() const
{
    return m_parts;
}

const ModelPart&
ModelParts::GetPart(uint32_t stage, uint32_t chunk) const
{
    return m_parts.at(m_schedule->GetPart(m_shape, {stage, chunk}));
}

uint32_t
ModelParts::GetChunks() const
{
    return m_schedule->GetChunks(m_shape);
}

} // namespace llmfabric
} // namespace ns3
