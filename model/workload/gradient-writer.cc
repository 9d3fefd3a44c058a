/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "gradient-writer.h"

#include "checked-math.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

GradientWriter::GradientWriter(const TrainingSpec& spec,
                               const ModelParts& parts,
                               const RankGrid& grid,
                               uint32_t stage,
                               ProgramWriter& writer)
    : m_spec(spec),
      m_parts(parts),
      m_grid(grid),
      m_stage(stage),
      m_writer(writer)
{
}

void
GradientWriter::BeginMiniBatch()
{
    m_shared.clear();
}

bool
GradientWriter::UsesBuckets(bool lastOfPart) const
{
    const ParallelPlan& plan = m_spec.parallel;
    return plan.gradients.buckets && (lastOfPart || plan.zero == 2);
}

void
GradientWriter::AddTensors(const std::vector<TensorShape>& tensors, uint64_t ready)
{
    for (const TensorShape& tensor : tensors)
    {
        auto& list = tensor.expert ? m_expertTensors : m_denseTensors;
        list.insert(list.end(),
                    tensor.GetCopiesPerRank(m_spec.parallel.expert),
                    {GetGradientBytes(tensor.GetCopyPerRank(m_spec.parallel.tensor)), ready});
    }
}

void
GradientWriter::BeginPass(const ModelPart& part, bool lastOfPart)
{
    if (!UsesBuckets(lastOfPart))
    {
        return;
    }
    const Transformer& model = m_spec.model;
    m_denseTensors.clear();
    m_expertTensors.clear();
    if (part.embedding)
    {
        AddTensors(model.GetEmbeddingTensors(), part.layers + 1);
    }
    for (uint64_t i = 0; i < part.layers; ++i)
    {
        AddTensors(model.GetLayerTensors(part.firstLayer + i), part.layers - i);
    }
    if (part.output)
    {
        AddTensors(model.GetOutputTensors(), 0);
    }
    if (part.embeddingCopy)
    {
        AddTensors({model.GetEmbeddingTensors().front()}, 0);
    }
    const auto fill = [this](std::vector<GradientTensor> tensors) {
        std::reverse(tensors.begin(), tensors.end());
        const auto buckets = FillBuckets(tensors, m_spec.parallel.gradients);
        return std::deque<GradientBucket>(buckets.begin(), buckets.end());
    };
    m_denseBuckets = fill(m_denseTensors);
    m_expertBuckets = fill(m_expertTensors);
}

void
GradientWriter::EndUnit(const ParameterShare& share, bool lastOfPart)
{
    if (m_spec.parallel.zero == 3 && (!m_spec.parallel.noSync || lastOfPart))
    {
        ShareGradients(share);
    }
}

void
GradientWriter::EndPass(const ModelPart& part, bool lastOfPart)
{
    EndLayers(part.layers + 1);
    if (m_spec.parallel.zero == 2 && !UsesBuckets(lastOfPart))
    {
        ShareGradients(m_parts.GetShare(part));
    }
}

CollectiveKind
GradientWriter::GetGradientCollective() const
{
    return m_spec.parallel.zero == 0 ? CollectiveKind::ALL_REDUCE : CollectiveKind::REDUCE_SCATTER;
}

void
GradientWriter::EndLayers(uint64_t ready)
{
    const auto send = [&](std::deque<GradientBucket>& buckets, GroupKind group) {
        while (!buckets.empty() && buckets.front().ready <= ready)
        {
            ShareValues(group, GetGradientCollective(), buckets.front().bytes, m_writer.GetEnd());
            buckets.pop_front();
        }
    };
    send(m_denseBuckets, GroupKind::DATA);
    send(m_expertBuckets, GroupKind::EXPERT_DATA);
}

void
GradientWriter::ShareGradients(const ParameterShare& share)
{
    const std::vector<uint32_t> after = m_writer.GetEnd();
    ShareValues(GroupKind::DATA, GetGradientCollective(), GetGradientBytes(share.dense), after);
    ShareValues(GroupKind::EXPERT_DATA,
                GetGradientCollective(),
                GetGradientBytes(share.expert),
                after);
}

void
GradientWriter::ShareValues(GroupKind group,
                            CollectiveKind kind,
                            uint64_t bytes,
                            const std::vector<uint32_t>& after)
{
    const auto op = m_writer.CollectAside(group, kind, bytes, after);
    if (op)
    {
        m_shared[group] = *op; // the stream keeps the order, so the last one is enough
    }
}

uint64_t
GradientWriter::GetGradientBytes(uint64_t values) const
{
    return CheckedProduct({values, m_spec.precision.gradient}, "the gradient bytes");
}

void
GradientWriter::ShareBetweenStages(const ParameterShare& held)
{
    // From stage 2 on a rank keeps its part of the gradients only.
    const auto kept = [this](uint64_t values, GroupKind group) {
        const uint64_t ranks = m_spec.parallel.zero >= 2 ? m_grid.GetGroupSize(group) : 1;
        return GetGradientBytes(CeilDivide(values, ranks));
    };
    std::vector<uint32_t> after = m_writer.GetEnd();
    for (const auto& entry : m_shared)
    {
        after.push_back(entry.second);
    }
    const bool outer = m_stage == 0 || m_stage + 1 == m_parts.GetShape().stages;
    if (m_parts.IsEmbeddingShared() && outer)
    {
        ShareValues(GroupKind::EMBEDDING,
                    CollectiveKind::ALL_REDUCE,
                    kept(m_parts.GetTokenEmbeddingShare(), GroupKind::DATA),
                    after);
    }
    if (m_parts.GetSchedule().IsBidirectional())
    {
        ShareValues(GroupKind::MIRROR,
                    CollectiveKind::ALL_REDUCE,
                    CheckedSum({kept(held.dense, GroupKind::DATA),
                                kept(held.expert, GroupKind::EXPERT_DATA)},
                               "the gradient bytes"),
                    after);
    }
}

std::array<std::optional<uint32_t>, 2>
GradientWriter::GatherParameters(const ParameterShare& share, const std::vector<uint32_t>& after)
{
    const auto gather = [&](GroupKind group, uint64_t values) {
        return m_writer.CollectAside(
            group,
            CollectiveKind::ALL_GATHER,
            CheckedProduct({values, m_spec.precision.parameter}, "the parameter bytes"),
            after);
    };
    const auto dense = gather(GroupKind::PARAMETER, share.dense);
    return {dense, gather(GroupKind::EXPERT_PARAMETER, share.expert)};
}

void
GradientWriter::EndStep()
{
    const ParameterShare held = m_parts.GetStageShare(m_stage);
    const ParallelPlan& plan = m_spec.parallel;
    if (plan.zero <= 1 && !plan.gradients.buckets)
    {
        ShareGradients(held);
    }
    ShareBetweenStages(held);
    m_writer.BeginTask(ComputePhase::UPDATE, 0, m_parts.GetPart(m_stage, 0).index);
    for (const auto& entry : m_shared)
    {
        m_writer.WaitFor(entry.second);
    }
    m_writer.Compute(m_spec.compute.update);
    m_writer.EndTask();
    if (plan.zero == 1 || plan.zero == 2)
    {
        GatherParameters(held, m_writer.GetEnd());
    }
}

} // namespace llmfabric
} // namespace ns3
