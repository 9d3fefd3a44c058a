/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "port-queue-meter.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

void
PortQueueMeter::Watch(Ptr<FabricPort> port, Time from, Time to)
{
    m_port = port;
    m_from = from.GetTimeStep();
    m_to = to.GetTimeStep();
    port->GetHopSource().ConnectTickSink(MakeCallback(&PortQueueMeter::OnHop, this));
}

void
PortQueueMeter::OnHop(int64_t /* tick */, const Frame& frame, const HopOutcome& outcome)
{
    if (frame.kind != FrameKind::DATA || outcome.started < 0)
    {
        return;
    }
    AddWait(frame, outcome.enqueued, outcome.started);
    if (outcome.started >= m_from && outcome.started < m_to)
    {
        ++m_packets;
        m_marked += frame.ecn == Ecn::CE ? 1 : 0;
        m_wireTicks += outcome.ended - outcome.started;
    }
}

void
PortQueueMeter::AddWait(const Frame& frame, int64_t enqueued, int64_t started)
{
    const int64_t wait = std::min(started, m_to) - std::max(enqueued, m_from);
    if (wait > 0)
    {
        m_byteTicks += static_cast<double>(wait) * frame.BufferBytes();
    }
    if (enqueued >= m_from && enqueued < m_to)
    {
        m_peak = std::max(m_peak, uint64_t{frame.queueBytes} + frame.BufferBytes());
    }
}

void
PortQueueMeter::Finish()
{
    m_port->ForEachUnderWay([this](const Frame& frame, int64_t started, int64_t /* ended */) {
        if (frame.kind == FrameKind::DATA)
        {
            AddWait(frame, frame.enqueued, started < 0 ? m_to : started);
        }
    });
}

double
PortQueueMeter::GetMeanBytes() const
{
    return m_byteTicks / static_cast<double>(m_to - m_from);
}

double
PortQueueMeter::GetUtilization() const
{
    return static_cast<double>(m_wireTicks) / static_cast<double>(m_to - m_from);
}

} // namespace llmfabric
} // namespace ns3
