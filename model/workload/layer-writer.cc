/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "layer-writer.h"

#include "checked-math.h"

#include "ns3/user-error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param time a time
 * @param part a part of it, 0 to 1, or a multiple
 * @return that part
 * @throws UserError if time can't say it
 */
Time
PartOf(const Time& time, double part)
{
    if (part == 1)
    {
        return time; // exact, also beyond 2^53 ticks
    }
    const double ticks = std::round(static_cast<double>(time.GetTimeStep()) * part);
    // As ComputeModel says it, so that a few of them together are not too long.
    if (part > 1 && !(ticks < static_cast<double>(std::numeric_limits<int64_t>::max() / 4)))
    {
        throw UserError("a layer computes longer than simulated time can say",
                        "compute",
                        "make the model or the micro-batch smaller");
    }
    const Time result = TimeStep(static_cast<uint64_t>(ticks));
    return part < 1 ? std::min(result, time) : result;
}

} // namespace

LayerWriter::LayerWriter(const TrainingSpec& spec,
                         const ComputeModel& compute,
                         const std::shared_ptr<const ExpertShares>& shares,
                         uint32_t expertRank,
                         ProgramWriter& writer)
    : m_spec(spec),
      m_compute(compute),
      m_shares(shares),
      m_expertRank(expertRank),
      m_writer(writer)
{
    const BatchPlan& batch = spec.batch;
    const uint64_t sequences = batch.GetMicroSequences();
    m_tokens = CheckedProduct({sequences, spec.model.GetDimensions().sequence},
                              "the tokens of a micro-batch") /
               spec.parallel.context;
}

uint64_t
LayerWriter::GetActivationBytes() const
{
    return CheckedProduct(
        {m_tokens, m_spec.model.GetDimensions().hidden, m_spec.precision.activation},
        "the activation bytes");
}

void
LayerWriter::EnterTensorBlock()
{
    if (m_spec.parallel.sequenceParallel)
    {
        m_writer.Collect(GroupKind::TENSOR, CollectiveKind::ALL_GATHER, GetActivationBytes());
    }
}

void
LayerWriter::LeaveTensorBlock()
{
    m_writer.Collect(GroupKind::TENSOR,
                     m_spec.parallel.sequenceParallel ? CollectiveKind::REDUCE_SCATTER
                                                      : CollectiveKind::ALL_REDUCE,
                     GetActivationBytes());
}

Time
LayerWriter::Load(uint64_t layer, LayerBlock block, Time time) const
{
    // Given times are what the user measured, whatever the load is.
    const bool expert = block == LayerBlock::FEED_FORWARD && m_shares &&
                        m_spec.model.IsExpertLayer(layer) && m_compute.GetRate() > 0;
    const double load = expert ? m_shares->GetLoad(m_expertRank) : 1;
    return PartOf(time, 1 + (load - 1) * m_compute.GetExpertsShare(layer));
}

void
LayerWriter::Forward(uint64_t layer, uint32_t microBatch)
{
    for (const LayerBlock block : {LayerBlock::ATTENTION, LayerBlock::FEED_FORWARD})
    {
        Pass(layer,
             block,
             Load(layer, block, m_compute.GetForward(layer, block, microBatch)),
             false);
    }
}

Time
LayerWriter::GetWeightTime(uint64_t layer, LayerBlock block, uint32_t microBatch) const
{
    return PartOf(Load(layer, block, m_compute.GetBackward(layer, block, microBatch)),
                  m_spec.compute.weightShare);
}

void
LayerWriter::Backward(uint64_t layer, uint32_t microBatch, bool inputOnly)
{
    if (m_spec.parallel.recompute == Recompute::FULL)
    {
        for (const LayerBlock block : {LayerBlock::ATTENTION, LayerBlock::FEED_FORWARD})
        {
            const Time again = m_compute.GetRecompute(layer, block, microBatch);
            Pass(layer, block, Load(layer, block, again), false);
        }
    }
    for (const LayerBlock block : {LayerBlock::FEED_FORWARD, LayerBlock::ATTENTION})
    {
        const Time whole = Load(layer, block, m_compute.GetBackward(layer, block, microBatch));
        const Time weight = inputOnly ? GetWeightTime(layer, block, microBatch) : Time(0);
        Pass(layer, block, whole - weight, true);
    }
}

void
LayerWriter::BackwardWeight(uint64_t layer, uint32_t microBatch)
{
    m_writer.Compute(GetWeightTime(layer, LayerBlock::FEED_FORWARD, microBatch) +
                     GetWeightTime(layer, LayerBlock::ATTENTION, microBatch));
}

void
LayerWriter::Pass(uint64_t layer, LayerBlock block, Time time, bool backward)
{
    if (block == LayerBlock::FEED_FORWARD && m_spec.parallel.expert > 1 &&
        m_spec.model.IsExpertLayer(layer))
    {
        DispatchAndCombine(time);
        return;
    }
    EnterTensorBlock();
    if (block == LayerBlock::ATTENTION)
    {
        Attend(layer, time, backward);
    }
    else
    {
        m_writer.Compute(time);
    }
    LeaveTensorBlock();
}

void
LayerWriter::Attend(uint64_t layer, Time time, bool backward)
{
    const ParallelPlan& plan = m_spec.parallel;
    if (plan.context == 1)
    {
        m_writer.Compute(time);
        return;
    }
    const Time scores = PartOf(time, m_compute.GetScoresShare(layer));
    const Time rest = time - scores;
    m_writer.Compute(backward ? Time(0) : rest);
    if (plan.contextMethod == ContextMethod::RING)
    {
        RunRing(scores, backward);
    }
    else
    {
        const auto payload = [&](uint64_t values) {
            return CheckedProduct({m_tokens, values / plan.tensor, m_spec.precision.activation},
                                  "the bytes of an All-to-All");
        };
        const Transformer& model = m_spec.model;
        const bool latent = model.GetDimensions().latent.keyValueRank > 0;
        // Heads of latent attention each need keys and values of their own.
        const uint64_t keysAndValues =
            latent ? model.GetQuerySize() + model.GetValueSize() : model.GetKeyValueSize();
        const uint64_t in = payload(model.GetQuerySize() + keysAndValues);
        const uint64_t out = payload(model.GetValueSize());
        m_writer.Collect(GroupKind::CONTEXT, CollectiveKind::ALL_TO_ALL, backward ? out : in);
        m_writer.Compute(scores);
        m_writer.Collect(GroupKind::CONTEXT, CollectiveKind::ALL_TO_ALL, backward ? in : out);
    }
    m_writer.Compute(backward ? rest : Time(0));
}

void
LayerWriter::RunRing(Time time, bool backward)
{
    const ParallelPlan& plan = m_spec.parallel;
    const uint32_t ranks = plan.context;
    const uint64_t values = m_spec.model.GetKeyValueSize();
    // Latent attention's compressed keys and values are the same for all tensor ranks.
    const bool latent = m_spec.model.GetDimensions().latent.keyValueRank > 0;
    const uint64_t bytes = CheckedProduct(
        {m_tokens, latent ? values : values / plan.tensor, m_spec.precision.activation},
        "the bytes of keys and values");
    const MessageChannel ring = MessageChannel::CONTEXT;
    std::vector<uint32_t> block = m_writer.GetEnd(); // keys and values to send on
    std::optional<uint32_t> gradient;                // what others added to their gradients
    for (uint32_t j = 0; j < ranks; ++j)
    {
        std::optional<uint32_t> next;
        if (j + 1 < ranks)
        {
            m_writer.SendAside(ring, 1, bytes, block);
            next = m_writer.ReceiveAside(ring, ranks - 1, bytes);
        }
        m_writer.Compute(PartOf(time, (j + 1.0) / ranks) - PartOf(time, double(j) / ranks));
        m_writer.Flush();
        if (backward)
        {
            std::vector<uint32_t> after = m_writer.GetEnd();
            if (gradient)
            {
                after.push_back(*gradient);
            }
            m_writer.SendAside(ring, 1, bytes, after);
            gradient = m_writer.ReceiveAside(ring, ranks - 1, bytes);
        }
        if (next)
        {
            block = {*next};
            m_writer.WaitFor(next);
        }
    }
    m_writer.WaitFor(gradient); // of the own keys and values, come home
}

void
LayerWriter::DispatchAndCombine(Time time)
{
    const ParallelPlan& plan = m_spec.parallel;
    const ExpertDimensions& experts = m_spec.model.GetDimensions().experts;
    const uint64_t copies =
        CheckedProduct({experts.topK, GetActivationBytes()}, "the bytes of an All-to-All");
    const bool even = m_shares->IsEven();
    const auto kept = [](uint64_t bytes, double part) {
        return part == 1 ? bytes : static_cast<uint64_t>(static_cast<long double>(bytes) * part);
    };
    const uint64_t own = CeilDivide(copies, plan.tensor); // tensor ranks hold parts of the tokens
    const uint64_t dispatched = even ? kept(own, m_shares->GetTotal()) : own;
    const uint64_t gathered = kept(copies, m_shares->GetLoad(m_expertRank));
    if (experts.shared > 0)
    {
        EnterTensorBlock();
    }
    m_writer.Collect(GroupKind::EXPERT,
                     CollectiveKind::ALL_TO_ALL,
                     dispatched,
                     even ? AllToAllShares::EVEN : AllToAllShares::BY_DESTINATION);
    m_writer.Collect(GroupKind::TENSOR, CollectiveKind::ALL_GATHER, gathered);
    m_writer.Compute(time);
    m_writer.Collect(GroupKind::TENSOR, CollectiveKind::REDUCE_SCATTER, gathered);
    m_writer.Collect(GroupKind::EXPERT,
                     CollectiveKind::ALL_TO_ALL,
                     dispatched,
                     even ? AllToAllShares::EVEN : AllToAllShares::BY_SOURCE);
    if (experts.shared > 0)
    {
        LeaveTensorBlock();
    }
}

} // namespace llmfabric
} // namespace ns3
