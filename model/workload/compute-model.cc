/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "compute-model.h"

#include "checked-math.h"
#include "gpu-preset.h"

#include "ns3/abort.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// Blocks of a layer.
constexpr uint64_t BLOCKS = 2;

/**
 * @param time a given time
 * @param key its key in the scenario
 * @return its ticks
 * @throws UserError if it is negative
 */
uint64_t
GetTicks(const Time& time, const std::string& key)
{
    if (time.IsStrictlyNegative())
    {
        throw UserError("the duration is negative", key, "give a duration of 0 or more");
    }
    return static_cast<uint64_t>(time.GetTimeStep());
}

/**
 * @param ticks a number of ticks
 * @return that time
 * @throws UserError if time can't say it
 */
Time
MakeTime(uint64_t ticks)
{
    if (ticks > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    {
        throw UserError("a pass takes longer than simulated time can say",
                        "compute",
                        "make the durations or the mini-batch smaller");
    }
    return TimeStep(ticks);
}

/**
 * @param times what is given
 * @param peak FLOP/s of the GPU, 0 if none is named
 * @param usual part of it that is known to be reached, 0 if none is
 * @return FLOP/s that are reached
 * @throws UserError if they are not known
 */
double
FindRate(const ComputeTimes& times, double peak, double usual)
{
    if (peak == 0)
    {
        throw UserError("no compute times are given",
                        "compute",
                        "give forward and backward, or forward_per_layer and backward_per_layer, "
                        "or gpu");
    }
    const double efficiency = times.efficiency > 0 ? times.efficiency : usual;
    if (efficiency == 0)
    {
        throw UserError("the part of the peak that " + times.gpu + " reaches is not known",
                        "compute.efficiency",
                        "give a number above 0, at most 1");
    }
    return peak * efficiency;
}

/**
 * @param value a part of something
 * @param key its key in the scenario
 * @throws UserError if it is not one of 0 to 1
 */
void
CheckPart(double value, const std::string& key)
{
    if (!(value >= 0 && value <= 1))
    {
        throw UserError("the value " + std::to_string(value) + " is out of range",
                        key,
                        "allowed: 0 to 1");
    }
}

} // namespace

ComputeModel::ComputeModel(const TrainingSpec& spec)
    : m_spec(spec),
      m_microSequences(spec.batch.GetMicroSequences()),
      m_microBatches(spec.batch.localSequences / std::max<uint64_t>(m_microSequences, 1))
{
    NS_ABORT_MSG_IF(m_microBatches == 0 || spec.batch.localSequences % m_microSequences != 0,
                    "ComputeModel: the mini-batch is not cut in whole micro-batches");
    const ComputeTimes& times = m_spec.compute;
    GetTicks(times.update, "compute.update");
    CheckPart(times.weightShare, "compute.weight_share");
    CheckPart(times.efficiency, "compute.efficiency");
    double usual = 0;
    if (!times.gpu.empty())
    {
        const GpuPreset gpu = GpuPreset::Get(times.gpu);
        m_peak = gpu.peakFlops;
        usual = gpu.efficiency;
    }
    FindFlops();
    FindGiven();
    if (!m_given)
    {
        m_rate = FindRate(times, m_peak, usual);
    }
}

void
ComputeModel::FindFlops()
{
    for (const bool expert : {false, true})
    {
        const auto layer = m_spec.model.FindLayer(expert);
        if (layer)
        {
            m_flops[expert ? 1 : 0] =
                m_spec.model.GetLayerFlops(*layer,
                                           m_spec.model.GetDimensions().sequence,
                                           m_spec.compute.causalAttention);
        }
    }
}

void
ComputeModel::FindGiven()
{
    const ComputeTimes& times = m_spec.compute;
    const bool whole = times.forward || times.backward;
    const bool perLayer = times.forwardPerLayer || times.backwardPerLayer;
    m_given = whole || perLayer;
    if (!m_given)
    {
        return;
    }
    if ((whole && perLayer) || (whole && !(times.forward && times.backward)) ||
        (perLayer && !(times.forwardPerLayer && times.backwardPerLayer)))
    {
        throw UserError("the compute times are given in part or in two ways",
                        "compute",
                        "give forward and backward, or forward_per_layer and backward_per_layer");
    }
    const uint64_t layers = perLayer ? m_spec.model.GetDimensions().layers : 1;
    const std::string forwardKey = perLayer ? "compute.forward_per_layer" : "compute.forward";
    const std::string backwardKey = perLayer ? "compute.backward_per_layer" : "compute.backward";
    const Time forward = perLayer ? *times.forwardPerLayer : *times.forward;
    const Time backward = perLayer ? *times.backwardPerLayer : *times.backward;
    m_forward = CheckedProduct({layers, GetTicks(forward, forwardKey)}, forwardKey + ": the ticks");
    m_backward =
        CheckedProduct({layers, GetTicks(backward, backwardKey)}, backwardKey + ": the ticks");
    MakeTime(m_forward);
    MakeTime(m_backward);
    m_recompute = m_spec.parallel.recompute == Recompute::FULL ? m_backward / 3 : 0;
    m_backward -= m_recompute;
}

Time
ComputeModel::GetPart(uint64_t total, uint64_t layer, LayerBlock block, uint32_t microBatch) const
{
    using Wide = unsigned __int128;
    const Wide layers = m_spec.model.GetDimensions().layers;
    const Wide count = m_microBatches * layers * BLOCKS;
    const Wide place = (microBatch * layers + layer) * BLOCKS + static_cast<uint64_t>(block);
    // Differences of running sums, so that all parts together are the total. The product may need
    // more than 128 bits only where the total has more ticks than time can say.
    return TimeStep(static_cast<uint64_t>((place + 1) * total / count - place * total / count));
}

Time
ComputeModel::GetTime(double flops) const
{
    const double ranks = static_cast<double>(m_spec.parallel.tensor) * m_spec.parallel.context;
    const double ticks =
        std::round(flops / (ranks * m_rate) * static_cast<double>(Seconds(1).GetTimeStep()));
    if (!(ticks < static_cast<double>(std::numeric_limits<int64_t>::max() / 4)))
    {
        throw UserError("a layer computes longer than simulated time can say",
                        "compute",
                        "make the model or the micro-batch smaller");
    }
    return TimeStep(static_cast<uint64_t>(ticks));
}

const LayerFlops&
ComputeModel::GetLayerFlops(uint64_t layer) const
{
    return m_flops[m_spec.model.IsExpertLayer(layer) ? 1 : 0];
}

double
ComputeModel::GetFlops(uint64_t layer, LayerBlock block) const
{
    const LayerFlops& flops = GetLayerFlops(layer);
    return static_cast<double>(m_microSequences) *
           (block == LayerBlock::ATTENTION ? flops.projections + flops.scores : flops.feedForward);
}

template <typename Pass>
Time
ComputeModel::GetWhole(Pass pass, const Time& output) const
{
    const std::string what = "compute: the ticks of a pass";
    auto sum = static_cast<uint64_t>(output.GetTimeStep());
    for (uint64_t layer = 0; layer < m_spec.model.GetDimensions().layers; ++layer)
    {
        for (const auto block : {LayerBlock::ATTENTION, LayerBlock::FEED_FORWARD})
        {
            sum = CheckedSum({sum, static_cast<uint64_t>(pass(layer, block).GetTimeStep())}, what);
        }
    }
    return MakeTime(CheckedProduct({sum, m_microBatches}, what));
}

Time
ComputeModel::GetForward(uint64_t layer, LayerBlock block, uint32_t microBatch) const
{
    return m_given ? GetPart(m_forward, layer, block, microBatch) : GetTime(GetFlops(layer, block));
}

Time
ComputeModel::GetBackward(uint64_t layer, LayerBlock block, uint32_t microBatch) const
{
    if (m_given)
    {
        return GetPart(m_backward, layer, block, microBatch);
    }
    const double flops = GetFlops(layer, block);
    const bool again =
        m_spec.parallel.recompute == Recompute::SELECTIVE && block == LayerBlock::ATTENTION;
    return GetTime(2 * flops + (again ? flops * GetScoresShare(layer) : 0));
}

Time
ComputeModel::GetRecompute(uint64_t layer, LayerBlock block, uint32_t microBatch) const
{
    if (m_spec.parallel.recompute != Recompute::FULL)
    {
        return Time(0);
    }
    return m_given ? GetPart(m_recompute, layer, block, microBatch)
                   : GetTime(GetFlops(layer, block));
}

Time
ComputeModel::GetOutputForward() const
{
    if (m_given)
    {
        return Time(0);
    }
    return GetTime(static_cast<double>(m_microSequences) *
                   m_spec.model.GetOutputFlops(m_spec.model.GetDimensions().sequence));
}

Time
ComputeModel::GetOutputBackward() const
{
    return GetOutputForward() + GetOutputForward();
}

double
ComputeModel::GetScoresShare(uint64_t layer) const
{
    const LayerFlops& flops = GetLayerFlops(layer);
    return flops.scores / (flops.projections + flops.scores);
}

double
ComputeModel::GetExpertsShare(uint64_t layer) const
{
    const LayerFlops& flops = GetLayerFlops(layer);
    return flops.experts / flops.feedForward;
}

double
ComputeModel::GetRate() const
{
    return m_rate;
}

double
ComputeModel::GetPeak() const
{
    return m_peak;
}

double
ComputeModel::GetFlopsPerSequence(double kept) const
{
    const uint64_t tokens = m_spec.model.GetDimensions().sequence;
    double sum = m_spec.model.GetOutputFlops(tokens);
    for (uint64_t layer = 0; layer < m_spec.model.GetDimensions().layers; ++layer)
    {
        const LayerFlops& flops = GetLayerFlops(layer);
        sum += flops.GetTotal() - (1 - kept) * flops.experts;
    }
    return 3 * sum; // forward once, backward twice
}

Time
ComputeModel::GetWholeForward() const
{
    if (m_given)
    {
        return MakeTime(m_forward);
    }
    const auto pass = [this](uint64_t layer, LayerBlock block) {
        return GetForward(layer, block, 0);
    };
    return GetWhole(pass, GetOutputForward());
}

Time
ComputeModel::GetWholeBackward() const
{
    if (m_given)
    {
        return MakeTime(m_backward + m_recompute);
    }
    const auto pass = [this](uint64_t layer, LayerBlock block) {
        return GetBackward(layer, block, 0) + GetRecompute(layer, block, 0);
    };
    return GetWhole(pass, GetOutputBackward());
}

} // namespace llmfabric
} // namespace ns3
