/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "congestion-meter.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

void
CongestionMeter::Watch(const Fabric& fabric)
{
    m_ports = fabric.GetPorts();
    m_pauses.resize(m_ports.size());
    for (std::size_t index = 0; index < m_ports.size(); ++index)
    {
        m_ports[index]->GetHopSource().ConnectTickSink(
            MakeCallback(&CongestionMeter::OnHop, this).Bind(index));
    }
}

void
CongestionMeter::OnHop(std::size_t index,
                       int64_t tick,
                       const Frame& frame,
                       const HopOutcome& outcome)
{
    if (frame.kind == FrameKind::PFC && outcome.reason == DropReason::NONE)
    {
        OnPause(tick, frame, index);
    }
    else if (frame.kind == FrameKind::DATA && m_ports[index]->IsSwitchPort())
    {
        m_peak = std::max(m_peak, uint64_t{frame.queueBytes} + frame.BufferBytes());
    }
}

void
CongestionMeter::OnPause(int64_t tick, const Frame& frame, std::size_t index)
{
    Pause& pause = m_pauses[index][frame.pausePriority];
    const bool isPaused = tick < pause.until;
    if (!isPaused)
    {
        m_paused += pause.until - pause.since;
        pause.since = tick;
    }
    const double rate = static_cast<double>(m_ports[index]->GetDataRate().GetBitRate());
    const double bits = static_cast<double>(frame.pauseQuanta) * PAUSE_QUANTUM_BITS;
    pause.until = tick + Seconds(bits / rate).GetTimeStep();
}

Time
CongestionMeter::GetPauseTime() const
{
    const int64_t now = Simulator::Now().GetTimeStep();
    int64_t sum = m_paused;
    for (const PortPauses& port : m_pauses)
    {
        for (const Pause& pause : port)
        {
            sum += std::min(pause.until, now) - pause.since;
        }
    }
    return TimeStep(static_cast<uint64_t>(sum));
}

} // namespace llmfabric
} // namespace ns3
