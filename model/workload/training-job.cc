/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "training-job.h"

#include "checked-math.h"
#include "gpu-preset.h"
#include "stage-writer.h"

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

/// For the messages of sums and products.
const char* const TICKS = "compute: the ticks of a step";

/**
 * @param ticks how long a step computes
 * @return that time
 * @throws UserError if time can't say it
 */
Time
MakeStep(uint64_t ticks)
{
    if (ticks > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    {
        throw UserError("a step computes longer than simulated time can say",
                        "compute",
                        "make the durations or batch.global_tokens smaller");
    }
    return TimeStep(ticks);
}

} // namespace

TrainingJob::TrainingJob(const TrainingSpec& spec)
    : m_spec(spec)
{
    CheckValues();
    m_grid = std::make_shared<const RankGrid>(m_spec.parallel);
    m_parts = std::make_shared<const ModelParts>(m_spec);
    m_compute = std::make_shared<const ComputeModel>(m_spec);
    const uint64_t experts = m_spec.model.GetDimensions().experts.experts;
    if (experts > 0)
    {
        m_shares = std::make_shared<const ExpertShares>(m_spec.parallel.load,
                                                        experts,
                                                        m_spec.parallel.expert);
    }
    DeriveSizes();
    DeriveBatch();
    CheckDuration();
    CheckMemory();
    DeriveComputeTime();
}

void
TrainingJob::CheckValues() const
{
    CheckPositive(m_spec.precision.activation, "precision.activation");
    CheckPositive(m_spec.precision.gradient, "precision.gradient");
    CheckPositive(m_spec.precision.parameter, "precision.parameter");
    CheckPositive(m_spec.batch.localSequences, "batch.local_sequences");
    CheckPositive(m_spec.parallel.data, "parallel.data");
    CheckPositive(m_spec.steps, "run.steps");
    if (m_spec.parallel.zero > 3)
    {
        throw UserError("there is no ZeRO stage " + std::to_string(m_spec.parallel.zero),
                        "parallel.zero",
                        "allowed: 0 to 3");
    }
}

uint32_t
TrainingJob::GetRanks() const
{
    return m_report.ranks;
}

uint64_t
TrainingJob::GetSteps() const
{
    return m_spec.steps;
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

const RankGrid&
TrainingJob::GetGrid() const
{
    return *m_grid;
}

const ModelParts&
TrainingJob::GetParts() const
{
    return *m_parts;
}

const ComputeModel&
TrainingJob::GetCompute() const
{
    return *m_compute;
}

RankMemory
TrainingJob::GetMemory(uint32_t stage) const
{
    return GetRankMemory(m_spec, *m_parts, *m_grid, stage);
}

std::optional<uint64_t>
TrainingJob::GetGpuMemory() const
{
    if (m_spec.gpuMemory || m_spec.compute.gpu.empty())
    {
        return m_spec.gpuMemory;
    }
    return GpuPreset::Get(m_spec.compute.gpu).memoryBytes;
}

bool
TrainingJob::DependsOnExpertRank() const
{
    return m_shares && m_spec.parallel.expert > 1 && !m_shares->IsEven();
}

std::shared_ptr<const OpList>
TrainingJob::GetOps(uint32_t stage, uint32_t expertRank) const
{
    std::shared_ptr<const OpList>& ops = m_ops[{stage, expertRank}];
    if (!ops)
    {
        StageWriter writer(m_spec,
                           *m_parts,
                           *m_compute,
                           m_shares,
                           *m_grid,
                           m_report.accumulationSteps);
        ops = writer.Write(stage, expertRank);
    }
    return ops;
}

RankProgram
TrainingJob::GetProgram(uint32_t rank) const
{
    NS_ABORT_MSG_IF(rank >= m_report.ranks, "TrainingJob: no rank " << rank);
    const uint32_t expertRank =
        DependsOnExpertRank() ? m_grid->GetCoordinate(rank, GridAxis::EXPERT) : 0;
    return RankProgram(GetOps(m_grid->GetCoordinate(rank, GridAxis::PIPELINE), expertRank),
                       m_grid,
                       rank);
}

RankGroup
TrainingJob::GetGroup(uint32_t id) const
{
    return m_grid->GetGroup(id);
}

std::string
TrainingJob::GetGroupName(uint32_t id) const
{
    return GetName(m_grid->GetKind(id));
}

bool
TrainingJob::HasShares(uint32_t id) const
{
    return DependsOnExpertRank() && m_grid->GetKind(id) == GroupKind::EXPERT;
}

double
TrainingJob::GetShare(uint32_t id, uint32_t index) const
{
    NS_ABORT_MSG_UNLESS(HasShares(id), "TrainingJob: group " << id << " has no shares");
    return m_shares->GetShare(index);
}

std::vector<RankClass>
TrainingJob::GetClasses() const
{
    const uint32_t stages = m_spec.parallel.pipeline;
    const bool byExpertRank = DependsOnExpertRank();
    const uint32_t experts = byExpertRank ? m_spec.parallel.expert : 1;
    const uint64_t count = m_report.ranks / (uint64_t{stages} * experts);
    std::vector<RankClass> classes;
    for (uint32_t stage = 0; stage < stages; ++stage)
    {
        const uint32_t column = m_grid->Move(0, GridAxis::PIPELINE, stage);
        for (uint32_t expert = 0; expert < experts; ++expert)
        {
            const uint32_t first = m_grid->Move(column, GridAxis::EXPERT, expert);
            classes.push_back({stage, expert, byExpertRank, first, count});
        }
    }
    return classes;
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
    r.activeParameters =
        model.HasOverride() ? model.GetParameterCount() : model.GetActiveParameterCount();
    r.parameterBytes = CheckedProduct({r.parameters, bytes.parameter}, "the parameter bytes");
    r.gradientBytes = CheckedProduct({r.parameters, bytes.gradient}, "the gradient bytes");
    r.optimizerBytes =
        CheckedProduct({r.parameters, bytes.GetOptimizerBytes()}, "the optimizer's bytes");
    r.activationBytes = model.GetActivationBytes(m_spec.batch.localSequences, bytes.activation);
    r.ranks = m_grid->GetRanks();
    r.microBatches = m_parts->GetShape().microBatches;
}

void
TrainingJob::DeriveBatch()
{
    const uint64_t sequence = m_spec.model.GetDimensions().sequence;
    const uint64_t local = m_spec.batch.localSequences;
    const uint64_t data = m_spec.parallel.data;
    const uint64_t unit = CheckedProduct({local, sequence, data}, "the batch's tokens");
    const uint64_t global = m_spec.batch.globalTokens == 0 ? unit : m_spec.batch.globalTokens;
    if (global % unit != 0)
    {
        throw UserError(std::to_string(global) + " global tokens are not a multiple of the " +
                            std::to_string(unit) + " tokens that " + std::to_string(data) +
                            " data-parallel ranks x " + std::to_string(local) + " sequences x " +
                            std::to_string(sequence) + " tokens take at a time",
                        "batch.global_tokens",
                        "the nearest valid value is " +
                            std::to_string(NearestMultiple(global, unit)));
    }
    m_report.globalTokens = global;
    m_report.accumulationSteps = global / unit;
    m_report.tokensPerGpuStep = global / data;
    m_report.stepsPerEpoch = m_spec.corpus.GetStepsPerEpoch(sequence, global);
    m_report.batchShare = static_cast<double>(m_report.tokens) / static_cast<double>(global);
    const double kept = m_shares ? m_shares->GetTotal() : 1;
    m_report.flopsPerStep = m_compute->GetFlopsPerSequence(kept) * static_cast<double>(global) /
                            static_cast<double>(sequence);
}

void
TrainingJob::CheckDuration() const
{
    const auto ticks = [](const Time& time) { return static_cast<uint64_t>(time.GetTimeStep()); };
    const uint64_t miniBatch =
        CheckedSum({ticks(m_compute->GetWholeForward()), ticks(m_compute->GetWholeBackward())},
                   TICKS);
    const uint64_t passes = CheckedProduct({m_report.accumulationSteps, miniBatch}, TICKS);
    MakeStep(CheckedSum({passes, ticks(m_spec.compute.update)}, TICKS));
}

void
TrainingJob::CheckMemory() const
{
    const std::optional<uint64_t> limit = GetGpuMemory();
    for (uint32_t stage = 0; stage < m_spec.parallel.pipeline && limit && !m_spec.ignoreMemory;
         ++stage)
    {
        const RankMemory memory = GetMemory(stage);
        if (memory.GetTotal() > *limit)
        {
            throw UserError("a rank of pipeline stage " + std::to_string(stage) + " needs " +
                                std::to_string(memory.GetTotal()) + " B (" + memory.Describe() +
                                "), but a GPU has " + std::to_string(*limit) + " B",
                            "parallel",
                            "share it by more ranks, recompute, or set run.ignore_memory");
        }
    }
}

void
TrainingJob::DeriveComputeTime()
{
    uint64_t compute = 0;
    GetOps(0, 0)->ForEachStored([&](const ProgramOp& op, uint64_t repeats) {
        if (const auto* one = std::get_if<ComputeOp>(&op.what))
        {
            // Loaded experts may compute longer than CheckDuration() knows.
            const auto ticks = static_cast<uint64_t>(one->duration.GetTimeStep());
            compute = CheckedSum({compute, CheckedProduct({ticks, repeats}, TICKS)}, TICKS);
        }
    });
    m_report.computePerStep = MakeStep(compute);
}

} // namespace llmfabric
} // namespace ns3
