/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "activation-memory.h"

#include "ns3/abort.h"
#include "ns3/user-error.h"

#include <cmath>

namespace ns3
{
namespace llmfabric
{

ActivationMemory::ActivationMemory(const Transformer& model,
                                   const ParallelPlan& plan,
                                   uint64_t sequences,
                                   uint64_t bytesPerValue)
    : m_model(&model),
      m_plan(plan),
      m_tokens(static_cast<double>(sequences) * model.GetDimensions().sequence),
      m_bytes(bytesPerValue)
{
    NS_ABORT_MSG_IF(plan.tensor == 0 || plan.context == 0, "a group has a rank at least");
}

uint64_t
ActivationMemory::GetLayerBytes(uint64_t layer) const
{
    const double vector = m_bytes * m_model->GetDimensions().hidden;
    if (m_plan.recompute == Recompute::FULL)
    {
        return GetRankBytes({vector, 0});
    }
    const TokenBytes attention = GetAttention();
    const TokenBytes feedForward = GetFeedForward(layer);
    const double norms = 2 * vector;
    return GetRankBytes(
        {norms + attention.whole + feedForward.whole, attention.split + feedForward.split});
}

uint64_t
ActivationMemory::GetEmbeddingBytes() const
{
    return GetRankBytes({GetMask(), 0});
}

uint64_t
ActivationMemory::GetOutputBytes() const
{
    static constexpr double LOGIT = 4; // bytes; the loss is computed so
    const TransformerDimensions& dimensions = m_model->GetDimensions();
    return GetRankBytes({2 * m_bytes * dimensions.hidden, LOGIT * dimensions.vocabulary});
}

ActivationMemory::TokenBytes
ActivationMemory::GetAttention() const
{
    const TransformerDimensions& dimensions = m_model->GetDimensions();
    const LatentAttention& latent = dimensions.latent;
    const double query = m_model->GetQuerySize();
    const double value = m_model->GetValueSize();
    TokenBytes kept;
    kept.whole = m_bytes * dimensions.hidden + GetMask();
    if (latent.keyValueRank == 0)
    {
        kept.split = m_bytes * (query + m_model->GetKeyValueSize() + value);
    }
    else
    {
        // queries and keys have the same size, and so have values and outputs
        kept.split = m_bytes * (2 * query + 2 * value);
        kept.whole +=
            m_bytes * (2.0 * latent.queryRank + 2.0 * latent.keyValueRank + latent.rotarySize);
    }
    if (m_plan.recompute == Recompute::NONE)
    {
        const double scores = static_cast<double>(dimensions.heads) * dimensions.sequence;
        kept.split += scores * (dimensions.dropout ? 2 * m_bytes + 1 : m_bytes);
    }
    return kept;
}

ActivationMemory::TokenBytes
ActivationMemory::GetFeedForward(uint64_t layer) const
{
    static constexpr double ROUTER_SCORE = 4; // bytes; routers compute so
    const TransformerDimensions& dimensions = m_model->GetDimensions();
    const double input = m_bytes * dimensions.hidden;
    const double inner = m_bytes * (dimensions.gatedFeedForward ? 3 : 2);
    if (!m_model->IsExpertLayer(layer))
    {
        return {input + GetMask(), inner * dimensions.feedForward};
    }
    const ExpertDimensions& mixture = dimensions.experts;
    const double passed = static_cast<double>(mixture.topK) + mixture.shared;
    return {input * (1.0 + mixture.topK) + ROUTER_SCORE * mixture.experts + GetMask(),
            inner * mixture.feedForward * passed};
}

double
ActivationMemory::GetMask() const
{
    static constexpr double MASK = 1; // bytes per value
    return m_model->GetDimensions().dropout ? MASK * m_model->GetDimensions().hidden : 0;
}

uint64_t
ActivationMemory::GetRankBytes(const TokenBytes& token) const
{
    static constexpr double LIMIT = 18446744073709551616.0; // 2^64
    // one division at the end, so that the result is exact if it is whole
    const double ranks = m_plan.tensor;
    const double sum = token.whole * (m_plan.sequenceParallel ? 1 : ranks) + token.split;
    const double bytes = std::ceil(sum * m_tokens / (ranks * m_plan.context));
    if (!(bytes < LIMIT))
    {
        throw UserError("the activation bytes do not fit 64 bits",
                        "",
                        "make the model, batch or corpus smaller");
    }
    return static_cast<uint64_t>(bytes);
}

} // namespace llmfabric
} // namespace ns3
