/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "training-job.h"

#include "checked-math.h"

#include "ns3/abort.h"
#include "ns3/user-error.h"

#include <limits>
#include <string>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param duration a duration
 * @param key the scenario's key of the duration
 * @throws UserError if it is negative
 */
void
CheckDuration(const Time& duration, const std::string& key)
{
    if (duration.IsStrictlyNegative())
    {
        throw UserError("the duration is negative", key, "give a duration of 0 or more");
    }
}

/**
 * @param tokens a number of tokens
 * @param unit what it should be a multiple of
 * @return the positive multiple that is nearest; of two, the larger one that fits 64 bits
 */
uint64_t
NearestMultiple(uint64_t tokens, uint64_t unit)
{
    const uint64_t below = tokens / unit * unit;
    const uint64_t rest = tokens - below;
    const bool upFits = below <= std::numeric_limits<uint64_t>::max() - unit;
    return below == 0 || (rest >= unit - rest && upFits) ? below + unit : below;
}

} // namespace

TrainingJob::TrainingJob(const TrainingSpec& spec)
    : m_spec(spec)
{
    CheckPositive(spec.precision.activation, "precision.activation");
    CheckPositive(spec.precision.gradient, "precision.gradient");
    CheckPositive(spec.precision.parameter, "precision.parameter");
    CheckPositive(spec.batch.localSequences, "batch.local_sequences");
    CheckPositive(spec.parallel.data, "parallel.data");
    CheckPositive(spec.steps, "run.steps");
    CheckDuration(spec.compute.forward, "compute.forward");
    CheckDuration(spec.compute.backward, "compute.backward");
    CheckDuration(spec.compute.update, "compute.update");
    DeriveSizes();
    DeriveBatch();
    DeriveCompute();
    MakeProgram();
}

const TrainingSpec&
TrainingJob::GetSpec() const
{
    return m_spec;
}

const StageReport&
TrainingJob::GetReport() const
{
    return m_report;
}

std::shared_ptr<const RankProgram>
TrainingJob::GetProgram(uint32_t rank) const
{
    NS_ABORT_MSG_IF(rank >= m_report.ranks, "TrainingJob: no rank " << rank);
    return m_program;
}

RankGroup
TrainingJob::GetGroup(uint32_t id) const
{
    NS_ABORT_MSG_IF(id != DATA_GROUP, "TrainingJob: no group " << id);
    return RankGroup(DATA_GROUP, 0, 1, m_report.ranks);
}

void
TrainingJob::DeriveSizes()
{
    const Transformer& model = m_spec.model;
    const Precision& bytes = m_spec.precision;
    StageReport& r = m_report;
    r.tokens = m_spec.corpus.GetTokens();
    r.sequences = m_spec.corpus.GetSequences(model.GetDimensions().sequence);
    r.parameters = model.GetParameterCount();
    r.parameterBytes = CheckedProduct({r.parameters, bytes.parameter}, "the parameter bytes");
    r.gradientBytes = CheckedProduct({r.parameters, bytes.gradient}, "the gradient bytes");
    r.activationBytes = model.GetActivationBytes(m_spec.batch.localSequences, bytes.activation);
    r.ranks = m_spec.parallel.GetRanks();
    r.allReducePayload = r.gradientBytes;
    r.allReducesPerStep = r.ranks > 1 ? 1 : 0;
}

void
TrainingJob::DeriveBatch()
{
    const uint64_t sequence = m_spec.model.GetDimensions().sequence;
    const uint64_t local = m_spec.batch.localSequences;
    const uint64_t unit = CheckedProduct({local, sequence, m_report.ranks}, "the batch's tokens");
    const uint64_t global = m_spec.batch.globalTokens == 0 ? unit : m_spec.batch.globalTokens;
    if (global % unit != 0)
    {
        throw UserError(std::to_string(global) + " global tokens are not a multiple of the " +
                            std::to_string(unit) + " tokens that " +
                            std::to_string(m_report.ranks) + " ranks x " + std::to_string(local) +
                            " sequences x " + std::to_string(sequence) + " tokens take at a time",
                        "batch.global_tokens",
                        "the nearest valid value is " +
                            std::to_string(NearestMultiple(global, unit)));
    }
    m_report.globalTokens = global;
    m_report.accumulationSteps = global / unit;
    m_report.tokensPerGpuStep = global / m_report.ranks;
    m_report.stepsPerEpoch =
        static_cast<double>(m_report.sequences) * static_cast<double>(sequence) / global;
}

void
TrainingJob::DeriveCompute()
{
    const ComputeTimes& times = m_spec.compute;
    const uint64_t forward = times.forward.GetTimeStep();
    const uint64_t backward = times.backward.GetTimeStep();
    const uint64_t update = times.update.GetTimeStep();
    const std::string what = "compute: the ticks of a step";
    const uint64_t miniBatch = CheckedSum({forward, backward}, what);
    const uint64_t passes = CheckedProduct({m_report.accumulationSteps, miniBatch}, what);
    const uint64_t ticks = CheckedSum({passes, update}, what);
    if (ticks > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    {
        throw UserError("a step computes longer than simulated time can say",
                        "compute",
                        "make the durations or batch.global_tokens smaller");
    }
    m_report.computePerStep = TimeStep(ticks);
}

void
TrainingJob::MakeProgram()
{
    CheckedSum({CheckedProduct({2, m_report.accumulationSteps}, "the ops of a step"), 2},
               "the ops of a step");
    DataParallelStep step;
    step.accumulationSteps = m_report.accumulationSteps;
    step.forward = m_spec.compute.forward;
    step.backward = m_spec.compute.backward;
    step.update = m_spec.compute.update;
    step.group = DATA_GROUP;
    step.gradientBytes = m_report.allReducePayload;
    step.synchronize = m_report.allReducesPerStep > 0;
    m_program = std::make_shared<const RankProgram>(step);
}

} // namespace llmfabric
} // namespace ns3
