/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "step-timeline.h"

#include "step-execution.h"

#include "ns3/abort.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace llmfabric
{

StepTimeline::StepTimeline(const RankPlan& plan,
                           const std::vector<uint32_t>& ranks,
                           const TimelineCosts& costs)
{
    for (uint32_t rank : ranks)
    {
        NS_ABORT_MSG_UNLESS(m_compute.emplace(rank, Time(0)).second,
                            "StepTimeline: rank " << rank << " is named twice");
    }
    StepExecution execution(plan, ranks, costs);
    execution.Run();
    m_spans = std::move(execution.spans);
    m_problems = std::move(execution.problems);
    for (const TimelineSpan& span : m_spans)
    {
        m_end = std::max(m_end, span.end);
        if (span.op.GetKind() == ProgramOpKind::COMPUTE)
        {
            m_compute[span.rank] += span.end - span.start;
        }
    }
}

const std::vector<TimelineSpan>&
StepTimeline::GetSpans() const
{
    return m_spans;
}

Time
StepTimeline::GetEnd() const
{
    return m_end;
}

Time
StepTimeline::GetComputeTime(uint32_t rank) const
{
    const auto found = m_compute.find(rank);
    NS_ABORT_MSG_IF(found == m_compute.end(), "StepTimeline: rank " << rank << " is not looked at");
    return found->second;
}

const std::vector<std::string>&
StepTimeline::GetProblems() const
{
    return m_problems;
}

} // namespace llmfabric
} // namespace ns3
