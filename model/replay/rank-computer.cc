/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-computer.h"

#include "ns3/simulator.h"
#include "ns3/user-error.h"

#include <cmath>
#include <sstream>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param duration a duration
 * @param factor at least 0
 * @return their product
 */
Time
Stretch(Time duration, double factor)
{
    if (factor == 1) // exact, however long it is
    {
        return duration;
    }
    const double ticks = factor * static_cast<double>(duration.GetTimeStep());
    const Time left = Simulator::GetMaximumSimulationTime() - Simulator::Now();
    if (!(ticks < static_cast<double>(left.GetTimeStep()) / 2))
    {
        throw UserError("a computation would end after the end of simulated time",
                        "stragglers",
                        "give smaller factors, and a jitter near 1");
    }
    return TimeStep(static_cast<uint64_t>(std::llround(ticks)));
}

} // namespace

RankComputer::RankComputer(uint32_t rank, OverCallback over)
    : m_rank(rank),
      m_over(over)
{
}

RankComputer::~RankComputer()
{
    Stop();
}

void
RankComputer::Begin(uint64_t index, uint64_t step, const ComputeOp& op, double factor)
{
    const Time now = Simulator::Now();
    if (m_underWay.empty())
    {
        m_busySince = now;
    }
    const Time duration = Stretch(op.duration, factor);
    Computation& one = m_underWay[index];
    one.span = {m_rank, step, op.phase, op.miniBatch, op.microBatch, op.part, now, now + duration};
    if (duration.IsZero())
    {
        OnEnd(index);
        return;
    }
    one.end = Simulator::Schedule(duration, &RankComputer::OnEnd, this, index);
}

void
RankComputer::OnEnd(uint64_t index)
{
    const auto found = m_underWay.find(index);
    const ComputeSpan span = found->second.span;
    m_underWay.erase(found);
    if (m_underWay.empty())
    {
        m_busyBefore += span.end - m_busySince;
    }
    m_over(index, span);
}

void
RankComputer::Stop()
{
    for (auto& [index, one] : m_underWay)
    {
        one.end.Cancel();
    }
    m_busyBefore = GetBusy();
    m_underWay.clear();
}

Time
RankComputer::GetBusy() const
{
    return m_underWay.empty() ? m_busyBefore : m_busyBefore + Simulator::Now() - m_busySince;
}

std::vector<std::string>
RankComputer::DescribeWaits() const
{
    std::vector<std::string> waits;
    for (const auto& [index, one] : m_underWay)
    {
        std::ostringstream text;
        text << "computes " << GetName(one.span.phase) << " of mini-batch " << one.span.miniBatch
             << " since " << one.span.start.As(Time::MS);
        waits.push_back(text.str());
    }
    return waits;
}

} // namespace llmfabric
} // namespace ns3
