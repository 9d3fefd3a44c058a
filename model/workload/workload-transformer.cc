/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-transformer.h"

#include "checked-math.h"
#include "transformer-presets.h"

#include "ns3/abort.h"
#include "ns3/user-error.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// For the messages of sums and products.
const char* const PARAMETERS = "model.parameters: the parameters";

/**
 * @param value a dimension
 * @param key its key in the scenario
 * @param divisor what must divide it
 * @param divisorKey the divisor's key
 * @throws UserError if it does not
 */
void
CheckDivides(uint64_t value,
             const std::string& key,
             uint64_t divisor,
             const std::string& divisorKey)
{
    if (value % divisor != 0)
    {
        throw UserError(std::to_string(value) + " is not a multiple of " + divisorKey + " " +
                            std::to_string(divisor),
                        key,
                        "change one of the two");
    }
}

/**
 * @param holds whether the dimensions are as they must be
 * @param what what is wrong if not
 * @param key the key of the value that is wrong
 * @param action what to do about it
 * @throws UserError if they are not
 */
void
Check(bool holds, const std::string& what, const std::string& key, const std::string& action)
{
    if (!holds)
    {
        throw UserError(what, key, action);
    }
}

/**
 * @param dimensions the shape of a model, with every default filled in
 * @throws UserError if its attention is not possible
 */
void
CheckAttention(const TransformerDimensions& dimensions)
{
    const LatentAttention& latent = dimensions.latent;
    if (latent.keyValueRank == 0)
    {
        const bool none = latent.queryRank == 0 && latent.headSize == 0 && latent.rotarySize == 0 &&
                          latent.valueSize == 0;
        Check(none,
              "latent attention has no rank of keys and values",
              "model.latent",
              "give it, or none of the sizes");
        CheckDivides(dimensions.hidden, "model.hidden", dimensions.heads, "model.heads");
        CheckDivides(dimensions.heads, "model.heads", dimensions.keyValueHeads, "model.kv_heads");
        return;
    }
    Check(latent.headSize > 0 && latent.valueSize > 0,
          "latent attention has no size of a head or of its value",
          "model.latent",
          "give both");
    Check(dimensions.keyValueHeads == dimensions.heads,
          "with latent attention there are as many as model.heads",
          "model.kv_heads",
          "leave it out");
}

/**
 * @param dimensions the shape of a model, with every default filled in
 * @throws UserError if its mixture of experts is not possible
 */
void
CheckExperts(const TransformerDimensions& dimensions)
{
    const ExpertDimensions& mixture = dimensions.experts;
    CheckPositive(mixture.topK, "model.top_k");
    CheckPositive(mixture.frequency, "model.moe_frequency");
    const uint64_t choice = std::max<uint64_t>(mixture.experts, 1);
    Check(mixture.topK <= choice,
          std::to_string(mixture.topK) + " of " + std::to_string(mixture.experts) + " experts",
          "model.top_k",
          "give at most model.experts, in a dense model 1");
    Check(mixture.shared == 0 || mixture.experts > 0,
          "a dense model has no shared experts",
          "model.shared_experts",
          "give model.experts, too, or 0");
    Check(mixture.firstDense <= dimensions.layers,
          std::to_string(mixture.firstDense) + " of " + std::to_string(dimensions.layers) +
              " layers",
          "model.dense_layers",
          "give at most model.layers");
}

/**
 * @param tensors tensors of a block
 * @param experts how many of the routed experts count
 * @return parameters of the block
 */
uint64_t
CountBlock(const std::vector<TensorShape>& tensors, uint64_t experts)
{
    uint64_t sum = 0;
    for (TensorShape tensor : tensors)
    {
        tensor.copies = tensor.expert ? experts : tensor.copies;
        sum = CheckedSum({sum, tensor.GetParameters()}, PARAMETERS);
    }
    return sum;
}

/**
 * A matrix of one column counts as a vector.
 *
 * @param tensors tensors of a block
 * @param experts how many of the routed experts a token passes
 * @return values of the matrices that a token is multiplied with
 */
double
CountMatrixValues(const std::vector<TensorShape>& tensors, uint64_t experts)
{
    double sum = 0;
    for (const TensorShape& tensor : tensors)
    {
        if (tensor.columns > 1)
        {
            const uint64_t copies = tensor.expert ? experts : tensor.copies;
            sum += static_cast<double>(tensor.rows) * tensor.columns * copies;
        }
    }
    return sum;
}

} // namespace

Transformer::Transformer(const TransformerDimensions& dimensions)
    : m_dimensions(dimensions)
{
    TransformerDimensions& d = m_dimensions;
    CheckPositive(d.layers, "model.layers");
    CheckPositive(d.hidden, "model.hidden");
    CheckPositive(d.heads, "model.heads");
    CheckPositive(d.vocabulary, "model.vocabulary");
    CheckPositive(d.sequence, "model.sequence");
    d.keyValueHeads = d.keyValueHeads == 0 ? d.heads : d.keyValueHeads;
    d.feedForward =
        d.feedForward == 0 ? CheckedProduct({4, d.hidden}, "model.hidden: 4d") : d.feedForward;
    d.experts.feedForward = d.experts.feedForward == 0 ? d.feedForward : d.experts.feedForward;
    CheckAttention(d);
    CheckExperts(d);
}

TransformerDimensions
Transformer::GetPreset(const std::string& name)
{
    const auto& presets = GetTransformerPresets();
    const auto found = presets.find(name);
    if (found == presets.end())
    {
        std::string known;
        for (const auto& preset : presets)
        {
            known += (known.empty() ? "" : ", ") + preset.first;
        }
        throw UserError("unknown preset '" + name + "'", "model.preset", "known: " + known);
    }
    return found->second;
}

std::vector<std::string>
Transformer::GetPresetNames()
{
    std::vector<std::string> names;
    for (const auto& preset : GetTransformerPresets())
    {
        names.push_back(preset.first);
    }
    return names;
}

void
Transformer::OverrideParameters(uint64_t parameters)
{
    CheckPositive(parameters, "model.parameters");
    m_overriddenParameters = parameters;
}

bool
Transformer::HasOverride() const
{
    return m_overriddenParameters != 0;
}

const TransformerDimensions&
Transformer::GetDimensions() const
{
    return m_dimensions;
}

uint64_t
Transformer::GetParameterCount() const
{
    return HasOverride() ? m_overriddenParameters : GetDerivedParameterCount();
}

uint64_t
Transformer::GetDerivedParameterCount() const
{
    return CountParameters(m_dimensions.experts.experts);
}

uint64_t
Transformer::GetActiveParameterCount() const
{
    return CountParameters(m_dimensions.experts.topK);
}

bool
Transformer::IsExpertLayer(uint64_t layer) const
{
    NS_ABORT_MSG_IF(layer >= m_dimensions.layers, "there is no layer " << layer);
    const ExpertDimensions& mixture = m_dimensions.experts;
    return mixture.experts > 0 && layer >= mixture.firstDense &&
           (layer - mixture.firstDense) % mixture.frequency == 0;
}

std::optional<uint64_t>
Transformer::FindLayer(bool expert) const
{
    const uint64_t mixed = CountExpertLayers();
    if (expert)
    {
        return mixed > 0 ? std::optional<uint64_t>(m_dimensions.experts.firstDense) : std::nullopt;
    }
    if (mixed == m_dimensions.layers)
    {
        return std::nullopt;
    }
    return IsExpertLayer(0) ? 1 : 0;
}

std::vector<TensorShape>
Transformer::GetEmbeddingTensors() const
{
    return TransformerTensors(m_dimensions).GetEmbedding();
}

std::vector<TensorShape>
Transformer::GetLayerTensors(uint64_t layer) const
{
    return TransformerTensors(m_dimensions).GetLayer(IsExpertLayer(layer));
}

std::vector<TensorShape>
Transformer::GetOutputTensors() const
{
    return TransformerTensors(m_dimensions).GetOutput();
}

LayerFlops
Transformer::GetLayerFlops(uint64_t layer, uint64_t tokens, bool causal) const
{
    const TransformerTensors tensors(m_dimensions);
    const uint64_t experts = m_dimensions.experts.topK;
    const double products = 2.0 * tokens; // a multiply and an add for each value of a matrix
    const double scores = (static_cast<double>(GetQuerySize()) + GetValueSize()) *
                          m_dimensions.sequence * (causal ? 0.5 : 1.0);
    LayerFlops flops;
    flops.projections = products * CountMatrixValues(tensors.GetAttention(), experts);
    flops.scores = products * scores;
    std::vector<TensorShape> feedForward = tensors.GetFeedForward(IsExpertLayer(layer));
    flops.feedForward = products * CountMatrixValues(feedForward, experts);
    feedForward.erase(std::remove_if(feedForward.begin(),
                                     feedForward.end(),
                                     [](const TensorShape& one) { return !one.expert; }),
                      feedForward.end());
    flops.experts = products * CountMatrixValues(feedForward, experts);
    return flops;
}

double
Transformer::GetOutputFlops(uint64_t tokens) const
{
    return 2.0 * tokens * m_dimensions.hidden * m_dimensions.vocabulary;
}

uint64_t
Transformer::GetActivationBytes(uint64_t sequences, uint64_t bytesPerValue) const
{
    return CheckedProduct({sequences, m_dimensions.sequence, m_dimensions.hidden, bytesPerValue},
                          "the activation bytes");
}

uint64_t
Transformer::GetKeyValueSize() const
{
    const LatentAttention& latent = m_dimensions.latent;
    if (latent.keyValueRank > 0)
    {
        return CheckedSum({latent.keyValueRank, latent.rotarySize}, "keys and values");
    }
    const uint64_t head = m_dimensions.hidden / m_dimensions.heads;
    return CheckedProduct({2, head, m_dimensions.keyValueHeads}, "keys and values");
}

uint64_t
Transformer::GetQuerySize() const
{
    const LatentAttention& latent = m_dimensions.latent;
    if (latent.keyValueRank == 0)
    {
        return m_dimensions.hidden;
    }
    const uint64_t head = CheckedSum({latent.headSize, latent.rotarySize}, "queries");
    return CheckedProduct({m_dimensions.heads, head}, "queries");
}

uint64_t
Transformer::GetValueSize() const
{
    const LatentAttention& latent = m_dimensions.latent;
    return latent.keyValueRank == 0
               ? m_dimensions.hidden
               : CheckedProduct({m_dimensions.heads, latent.valueSize}, "the attention output");
}

uint64_t
Transformer::CountParameters(uint64_t experts) const
{
    const TransformerTensors tensors(m_dimensions);
    const uint64_t mixed = CountExpertLayers();
    const uint64_t plain = m_dimensions.layers - mixed;
    const uint64_t mixedLayer = mixed > 0 ? CountBlock(tensors.GetLayer(true), experts) : 0;
    const uint64_t plainLayer = plain > 0 ? CountBlock(tensors.GetLayer(false), experts) : 0;
    return CheckedSum({CountBlock(tensors.GetEmbedding(), experts),
                       CheckedProduct({mixed, mixedLayer}, PARAMETERS),
                       CheckedProduct({plain, plainLayer}, PARAMETERS),
                       CountBlock(tensors.GetOutput(), experts)},
                      PARAMETERS);
}

uint64_t
Transformer::CountExpertLayers() const
{
    const ExpertDimensions& mixture = m_dimensions.experts;
    const uint64_t candidates = m_dimensions.layers - mixture.firstDense;
    return mixture.experts == 0 || candidates == 0 ? 0 : (candidates - 1) / mixture.frequency + 1;
}

} // namespace llmfabric
} // namespace ns3
