/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "step-chart.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cctype>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// Letters of a line.
constexpr int WIDTH = 100;

/// Letters of computations.
const char* const COMPUTE = "FBIWU";

/// Stages above which no picture is drawn.
constexpr std::size_t MAX_STAGES = 64;

} // namespace

StepChart::StepChart(const TrainingJob& job, const PlanCosts& costs)
    : m_job(job)
{
    const RankGrid& grid = job.GetGrid();
    const bool ring = job.GetSpec().parallel.contextMethod == ContextMethod::RING;
    std::vector<uint32_t> ranks;
    for (uint32_t stage = 0; stage < grid.GetDegree(GridAxis::PIPELINE); ++stage)
    {
        // The expert rank with the most tokens holds up all others.
        const uint32_t column = grid.Move(0, GridAxis::PIPELINE, stage);
        const uint32_t rank = grid.Move(column, GridAxis::EXPERT, FindBusiest());
        m_ranks.push_back(rank);
        // Ranks of a ring need each other's messages; all else is the same for all ranks.
        for (uint32_t i = 0; i < (ring ? grid.GetDegree(GridAxis::CONTEXT) : 1); ++i)
        {
            ranks.push_back(grid.Move(rank, GridAxis::CONTEXT, i));
            m_ops += job.GetProgram(ranks.back()).GetOpCount();
        }
    }
    if (m_ops <= MAX_OPS)
    {
        const StepTimeline timeline(job, ranks, costs.GetCosts());
        NS_ABORT_MSG_UNLESS(timeline.GetProblems().empty(), timeline.GetProblems().front());
        m_end = timeline.GetEnd();
        for (const TimelineSpan& span : timeline.GetSpans())
        {
            m_spans[span.rank].push_back(span);
        }
    }
}

uint32_t
StepChart::FindBusiest() const
{
    const RankGroup group = m_job.GetGrid().GetGroup(GroupKind::EXPERT, 0);
    uint32_t busiest = 0;
    for (uint32_t i = 1; m_job.HasShares(group.GetId()) && i < group.GetSize(); ++i)
    {
        const bool more = m_job.GetShare(group.GetId(), i) > m_job.GetShare(group.GetId(), busiest);
        busiest = more ? i : busiest;
    }
    return busiest;
}

char
StepChart::GetLetter(const ProgramOp& op)
{
    if (const auto* compute = std::get_if<ComputeOp>(&op.what))
    {
        return COMPUTE[static_cast<std::size_t>(compute->phase)];
    }
    if (op.GetKind() != ProgramOpKind::COLLECTIVE)
    {
        return ' ';
    }
    switch (static_cast<GroupKind>(op.stream - 1))
    {
    case GroupKind::TENSOR:
        return 't';
    case GroupKind::CONTEXT:
        return 'c';
    case GroupKind::EXPERT:
        return 'e';
    case GroupKind::PARAMETER:
    case GroupKind::EXPERT_PARAMETER:
        return 'p';
    default:
        return 'g';
    }
}

StepChart::Range
StepChart::GetRange(uint32_t rank, const std::string& letters) const
{
    Range range;
    for (const TimelineSpan& span : m_spans.at(rank))
    {
        if (letters.find(GetLetter(span.op)) != std::string::npos)
        {
            range.first = range.any ? std::min(range.first, span.start) : span.start;
            range.last = std::max(range.last, span.end);
            range.sum += span.end - span.start;
            range.any = true;
        }
    }
    return range;
}

ExplainTable
StepChart::MakeSummary() const
{
    ValueTable table("step", "Timeline of one step, by formula");
    if (m_ops > MAX_OPS)
    {
        table.Row("ops of one rank of each stage", "", m_ops, "ops");
        table.AddNote("The timeline is left out: more than " + std::to_string(MAX_OPS) +
                      " ops. Explain fewer mini-batches (batch.global_tokens) or micro-batches.");
        return table;
    }
    const StageReport& report = m_job.GetReport();
    const double end = m_end.GetSeconds();
    Time most;
    for (uint32_t rank : m_ranks)
    {
        most = std::max(most, GetRange(rank, COMPUTE).sum);
    }
    table.Row("step", "", ToMs(m_end), "ms");
    table.Row("compute", "of the busiest stage", ToMs(most), "ms");
    table.Row("bubble and exposed communication", "step - compute", ToMs(m_end - most), "ms");
    if (end > 0)
    {
        table.Row("tokens per second",
                  "tokens of a step / step",
                  static_cast<double>(report.globalTokens) / end,
                  "1/s");
    }
    const double peak = m_job.GetCompute().GetPeak();
    if (end > 0 && peak > 0)
    {
        table.Row("FLOP/s of a GPU",
                  "FLOPs of a step / (ranks x step)",
                  report.flopsPerStep / report.ranks / end / 1e12,
                  "TFLOP/s");
        table.Row("model FLOPs utilization",
                  "FLOPs of a step / (ranks x peak x step)",
                  100 * report.flopsPerStep / (report.ranks * peak * end),
                  "%");
    }
    table.AddNote(
        "No packet, no queue: rings at the cost of their slowest hop, GPUs of a node that "
        "send at once share its NICs;");
    table.AddNote(
        "the collectives and messages of one rank are taken as if each had the links alone; "
        "no start-up cost, no stragglers.");
    return table;
}

ExplainTable
StepChart::MakeStages() const
{
    ExplainTable table("timeline",
                       "Timeline of each stage, ms",
                       {"stage",
                        "rank",
                        "forward from",
                        "forward to",
                        "backward from",
                        "backward to",
                        "gradients from",
                        "gradients to",
                        "compute",
                        "tensor groups",
                        "gradients",
                        "end"});
    for (std::size_t stage = 0; stage < m_ranks.size() && m_ops <= MAX_OPS; ++stage)
    {
        const uint32_t rank = m_ranks[stage];
        const Range forward = GetRange(rank, "F");
        const Range backward = GetRange(rank, "BIW");
        const Range gradients = GetRange(rank, "g");
        table.Add({static_cast<uint64_t>(stage),
                   static_cast<uint64_t>(rank),
                   ToMs(forward.first),
                   ToMs(forward.last),
                   ToMs(backward.first),
                   ToMs(backward.last),
                   ToMs(gradients.first),
                   ToMs(gradients.last),
                   ToMs(GetRange(rank, COMPUTE).sum),
                   ToMs(GetRange(rank, "t").sum),
                   ToMs(gradients.sum),
                   ToMs(GetRange(rank, "FBIWUtcegp ").last)});
    }
    table.AddNote(
        "tensor groups, gradients: from when the rank is there, so waiting for others is in "
        "them");
    return table;
}

std::string
StepChart::DrawLine(uint32_t rank, bool compute) const
{
    std::vector<std::map<char, double>> cells(WIDTH); // parts of a letter's time
    const double width = static_cast<double>(m_end.GetTimeStep()) / WIDTH;
    for (const TimelineSpan& span : m_spans.at(rank))
    {
        const char letter = GetLetter(span.op);
        const bool drawn = compute ? std::isupper(static_cast<unsigned char>(letter)) != 0
                                   : std::islower(static_cast<unsigned char>(letter)) != 0;
        if (!drawn)
        {
            continue;
        }
        const double first = static_cast<double>(span.start.GetTimeStep()) / width;
        const double last = static_cast<double>(span.end.GetTimeStep()) / width;
        for (int i = static_cast<int>(first); i < WIDTH && i < last; ++i)
        {
            cells[i][letter] += std::min(last, i + 1.0) - std::max(first, double(i));
        }
    }
    std::string line;
    for (const auto& cell : cells)
    {
        char best = ' ';
        double most = 0;
        double sum = 0;
        for (const auto& [letter, part] : cell)
        {
            best = part > most ? letter : best;
            most = std::max(most, part);
            sum += part;
        }
        line += compute && sum < 0.5 ? '.' : best; // a stage that mostly waits is drawn so
    }
    return line;
}

void
StepChart::Draw(std::ostream& out) const
{
    if (m_ops > MAX_OPS || m_ranks.size() > MAX_STAGES || m_end.IsZero())
    {
        return;
    }
    out << "\nOne step, from 0 to " << ToMs(m_end) << " ms, a rank of each stage\n"
        << "  F forward, B backward, I and W its halves, U update, . nothing; below it "
           "collectives:\n"
        << "  t tensor, c context, e expert, g gradients, p parameters\n";
    for (std::size_t stage = 0; stage < m_ranks.size(); ++stage)
    {
        const std::string name = std::to_string(stage);
        const std::string collectives = DrawLine(m_ranks[stage], false);
        out << "  " << std::string(3 - std::min<std::size_t>(3, name.size()), ' ') << name << " |"
            << DrawLine(m_ranks[stage], true) << "|\n";
        if (collectives.find_first_not_of(' ') != std::string::npos)
        {
            out << "      |" << collectives << "|\n";
        }
    }
}

} // namespace llmfabric
} // namespace ns3
