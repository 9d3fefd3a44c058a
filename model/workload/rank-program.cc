/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-program.h"

#include "ns3/abort.h"

#include <limits>

namespace ns3
{
namespace llmfabric
{

std::string
GetName(ComputePhase phase)
{
    switch (phase)
    {
    case ComputePhase::FORWARD:
        return "forward";
    case ComputePhase::BACKWARD:
        return "backward";
    case ComputePhase::UPDATE:
        return "update";
    }
    return "unknown";
}

std::string
GetName(CollectiveKind kind)
{
    switch (kind)
    {
    case CollectiveKind::ALL_REDUCE:
        return "allreduce";
    }
    return "unknown";
}

RankProgram::RankProgram(const DataParallelStep& step)
    : m_step(step)
{
    static constexpr uint64_t MAX_STEPS =
        std::numeric_limits<uint64_t>::max() / 2 - 1; // so that GetOpCount() fits
    NS_ABORT_MSG_IF(step.accumulationSteps == 0 || step.accumulationSteps > MAX_STEPS,
                    "RankProgram: accumulation steps " << step.accumulationSteps);
}

uint64_t
RankProgram::GetOpCount() const
{
    return 2 * m_step.accumulationSteps + (m_step.synchronize ? 1 : 0) + 1;
}

ProgramOp
RankProgram::GetOp(uint64_t index) const
{
    NS_ABORT_MSG_IF(index >= GetOpCount(), "RankProgram: op " << index << " of " << GetOpCount());
    const uint64_t passes = 2 * m_step.accumulationSteps;
    if (index < passes && index % 2 == 0)
    {
        return ComputeOp{ComputePhase::FORWARD, index / 2, m_step.forward};
    }
    if (index < passes)
    {
        return ComputeOp{ComputePhase::BACKWARD, index / 2, m_step.backward};
    }
    if (index + 1 < GetOpCount())
    {
        return CollectiveOp{CollectiveKind::ALL_REDUCE, m_step.group, m_step.gradientBytes};
    }
    return ComputeOp{ComputePhase::UPDATE, m_step.accumulationSteps - 1, m_step.update};
}

} // namespace llmfabric
} // namespace ns3
