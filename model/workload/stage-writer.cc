/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "stage-writer.h"

#include "checked-math.h"

#include <map>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param task a task
 * @return whether gradients of weights are complete after it
 */
bool
MakesWeightGradients(const PipelineTask& task)
{
    return task.action == PipelineAction::BACKWARD ||
           task.action == PipelineAction::BACKWARD_WEIGHT;
}

/**
 * @param action what a stage does
 * @return the phase of its computations
 */
ComputePhase
GetPhase(PipelineAction action)
{
    switch (action)
    {
    case PipelineAction::FORWARD:
        return ComputePhase::FORWARD;
    case PipelineAction::BACKWARD:
        return ComputePhase::BACKWARD;
    case PipelineAction::BACKWARD_INPUT:
        return ComputePhase::BACKWARD_INPUT;
    case PipelineAction::BACKWARD_WEIGHT:
        return ComputePhase::BACKWARD_WEIGHT;
    }
    return ComputePhase::FORWARD;
}

} // namespace

StageWriter::StageWriter(const TrainingSpec& spec,
                         const ModelParts& parts,
                         const ComputeModel& compute,
                         const std::shared_ptr<const ExpertShares>& shares,
                         const RankGrid& grid,
                         uint64_t accumulationSteps)
    : m_spec(spec),
      m_parts(parts),
      m_compute(compute),
      m_shares(shares),
      m_grid(grid),
      m_accumulationSteps(accumulationSteps)
{
}

std::shared_ptr<const OpList>
StageWriter::Write(uint32_t stage, uint32_t expertRank)
{
    m_stage = stage;
    m_writer = std::make_unique<ProgramWriter>(m_grid);
    m_layers = std::make_unique<LayerWriter>(m_spec, m_compute, m_shares, expertRank, *m_writer);
    m_gradients = std::make_unique<GradientWriter>(m_spec, m_parts, m_grid, stage, *m_writer);
    if (m_accumulationSteps > 1)
    {
        m_writer->BeginBlock(m_accumulationSteps - 1, 0);
        WriteMiniBatch(false);
    }
    m_writer->BeginBlock(1, m_accumulationSteps - 1);
    WriteMiniBatch(true);
    m_gradients->EndStep();
    return m_writer->Take();
}

void
StageWriter::WriteMiniBatch(bool last)
{
    m_unitEnds.clear();
    m_gradients->BeginMiniBatch();
    const auto tasks = m_parts.GetSchedule().GetTasks(m_parts.GetShape(), m_stage);
    std::map<uint32_t, std::size_t> lastOfChunk;
    for (std::size_t i = 0; i < tasks.size(); ++i)
    {
        if (MakesWeightGradients(tasks[i]))
        {
            lastOfChunk[tasks[i].chunk] = i;
        }
    }
    std::vector<Pass> block; // passes that begin and end together
    for (std::size_t i = 0; i < tasks.size(); ++i)
    {
        const ModelPart& part = m_parts.GetPart(m_stage, tasks[i].chunk);
        block.push_back({tasks[i], &part, last && lastOfChunk[tasks[i].chunk] == i});
        if (!tasks[i].withNext)
        {
            WriteBlock(block);
            block.clear();
        }
    }
}

void
StageWriter::WriteBlock(const std::vector<Pass>& block)
{
    for (const Pass& pass : block)
    {
        Receive(pass);
    }
    for (const Pass& pass : block)
    {
        m_writer->BeginTask(GetPhase(pass.task.action), pass.task.microBatch, pass.part->index);
        pass.task.action == PipelineAction::FORWARD ? Forward(pass) : Backward(pass);
    }
    for (const Pass& pass : block)
    {
        Send(pass);
    }
}

void
StageWriter::Forward(const Pass& pass)
{
    const ModelPart& part = *pass.part;
    if (part.embedding)
    {
        Gather(m_parts.GetEmbeddingShare(part));
        EndUnit();
        m_layers->LeaveTensorBlock(); // each tensor rank has looked up its part of the vocabulary
    }
    for (uint64_t i = 0; i < part.layers; ++i)
    {
        const uint64_t layer = part.firstLayer + i;
        Gather(m_parts.GetLayerShare(layer));
        m_layers->Forward(layer, pass.task.microBatch);
        EndUnit();
    }
    if (part.output)
    {
        Gather(m_parts.GetOutputShare(part));
        m_layers->EnterTensorBlock();
        m_writer->Compute(m_compute.GetOutputForward());
        EndUnit();
    }
    m_writer->EndTask();
}

void
StageWriter::Backward(const Pass& pass)
{
    const ModelPart& part = *pass.part;
    const bool weights = MakesWeightGradients(pass.task);
    const bool inputs = pass.task.action != PipelineAction::BACKWARD_WEIGHT;
    if (weights)
    {
        m_gradients->BeginPass(part, pass.lastOfPart);
    }
    if (part.output)
    {
        BackwardOutput(pass, inputs);
    }
    for (uint64_t i = part.layers; i-- > 0;)
    {
        BackwardLayer(pass, part.firstLayer + i);
        m_gradients->EndLayers(part.layers - i);
    }
    if (part.embedding)
    {
        if (inputs)
        {
            m_layers->EnterTensorBlock();
            Gather(m_parts.GetEmbeddingShare(part));
            EndUnit();
        }
        EndUnitGradients(pass, m_parts.GetEmbeddingShare(part));
    }
    m_writer->EndTask();
    if (weights)
    {
        m_gradients->EndPass(part, pass.lastOfPart);
    }
}

void
StageWriter::BackwardOutput(const Pass& pass, bool inputs)
{
    // One product for the gradients of the inputs, one as large for those of the weights.
    const Time whole = m_compute.GetOutputBackward();
    const Time weight = pass.task.action == PipelineAction::BACKWARD
                            ? Time(0)
                            : TimeStep(static_cast<uint64_t>(whole.GetTimeStep()) / 2);
    if (inputs)
    {
        Gather(m_parts.GetOutputShare(*pass.part));
        m_writer->Compute(whole - weight);
        EndUnit();
        m_layers->LeaveTensorBlock();
    }
    else
    {
        m_writer->Compute(weight);
    }
    EndUnitGradients(pass, m_parts.GetOutputShare(*pass.part));
    if (MakesWeightGradients(pass.task))
    {
        m_gradients->EndLayers(0);
    }
}

void
StageWriter::BackwardLayer(const Pass& pass, uint64_t layer)
{
    if (pass.task.action == PipelineAction::BACKWARD_WEIGHT)
    {
        m_layers->BackwardWeight(layer, pass.task.microBatch);
    }
    else
    {
        const bool inputOnly = pass.task.action == PipelineAction::BACKWARD_INPUT;
        Gather(m_parts.GetLayerShare(layer));
        m_layers->Backward(layer, pass.task.microBatch, inputOnly);
        EndUnit();
    }
    EndUnitGradients(pass, m_parts.GetLayerShare(layer));
}

void
StageWriter::EndUnitGradients(const Pass& pass, const ParameterShare& share)
{
    if (MakesWeightGradients(pass.task))
    {
        m_gradients->EndUnit(share, pass.lastOfPart);
    }
}

// ---------- between stages ----------

MessageChannel
StageWriter::GetChannel(const Pass& pass) const
{
    const bool mirror = m_parts.GetSchedule().IsBidirectional() && pass.task.chunk == 1;
    if (pass.task.action == PipelineAction::FORWARD)
    {
        return mirror ? MessageChannel::FORWARD_MIRROR : MessageChannel::FORWARD;
    }
    return mirror ? MessageChannel::BACKWARD_MIRROR : MessageChannel::BACKWARD;
}

uint64_t
StageWriter::GetBoundaryBytes() const
{
    const ParallelPlan& plan = m_spec.parallel;
    const uint64_t whole = m_layers->GetActivationBytes();
    const bool parts = plan.sequenceParallel || plan.pipelineScatter;
    return parts ? CeilDivide(whole, plan.tensor) : whole;
}

void
StageWriter::Receive(const Pass& pass)
{
    if (pass.task.action == PipelineAction::BACKWARD_WEIGHT)
    {
        return;
    }
    const PipelineSchedule& schedule = m_parts.GetSchedule();
    const PipelinePlace place{m_stage, pass.task.chunk};
    const bool forward = pass.task.action == PipelineAction::FORWARD;
    const auto from = forward ? schedule.GetPrevious(m_parts.GetShape(), place)
                              : schedule.GetNext(m_parts.GetShape(), place);
    if (!from || from->stage == m_stage)
    {
        return;
    }
    m_writer->Receive(GetChannel(pass), from->stage, GetBoundaryBytes());
    if (m_spec.parallel.pipelineScatter && !m_spec.parallel.sequenceParallel)
    {
        m_writer->Collect(GroupKind::TENSOR,
                          CollectiveKind::ALL_GATHER,
                          m_layers->GetActivationBytes());
    }
}

void
StageWriter::Send(const Pass& pass)
{
    if (pass.task.action == PipelineAction::BACKWARD_WEIGHT)
    {
        return;
    }
    const PipelineSchedule& schedule = m_parts.GetSchedule();
    const PipelinePlace place{m_stage, pass.task.chunk};
    const bool forward = pass.task.action == PipelineAction::FORWARD;
    const auto to = forward ? schedule.GetNext(m_parts.GetShape(), place)
                            : schedule.GetPrevious(m_parts.GetShape(), place);
    if (to && to->stage != m_stage)
    {
        m_writer->Send(GetChannel(pass), to->stage, GetBoundaryBytes());
    }
}

// ---------- ZeRO-3 ----------

void
StageWriter::Gather(const ParameterShare& share)
{
    const ParallelPlan& plan = m_spec.parallel;
    if (plan.zero < 3)
    {
        return;
    }
    std::vector<uint32_t> after;
    if (m_unitEnds.size() > plan.prefetch)
    {
        const auto end = m_unitEnds[m_unitEnds.size() - 1 - plan.prefetch];
        after = end ? std::vector<uint32_t>{*end} : std::vector<uint32_t>{};
    }
    for (const auto& op : m_gradients->GatherParameters(share, after))
    {
        m_writer->WaitFor(op);
    }
}

void
StageWriter::EndUnit()
{
    if (m_spec.parallel.zero == 3)
    {
        m_unitEnds.push_back(m_writer->Flush());
        if (m_unitEnds.size() > std::size_t{m_spec.parallel.prefetch} + 1)
        {
            m_unitEnds.pop_front();
        }
    }
}

} // namespace llmfabric
} // namespace ns3
