/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "port-transmitter.h"

#include "fabric-port.h"

#include <algorithm>
#include <limits>

namespace ns3
{
namespace llmfabric
{

void
PortTransmitter::Start(FabricEngine& engine,
                       FabricPort* port,
                       LinkDirection* direction,
                       uint64_t bitsPerSecond)
{
    m_engine = &engine;
    m_port = port;
    m_direction = direction;
    m_bitsPerSecond = bitsPerSecond;
    m_rate.Set(bitsPerSecond);
    const uint32_t node = port->GetFabricId();
    const uint32_t index = port->GetPortIndex();
    m_complete.Bind<&PortTransmitter::OnComplete>(
        engine,
        this,
        {node, index, FabricEventKind::TRANSMIT_COMPLETE, 0});
    m_pauseExpiry.Bind<&PortTransmitter::OnPauseExpiry>(
        engine,
        this,
        {node, index, FabricEventKind::PAUSE_EXPIRY, 0});
}

void
PortTransmitter::Wake()
{
    if (m_taking || m_complete.IsPending())
    {
        return;
    }
    const int64_t now = m_engine->Now();
    if (now < m_busyUntil)
    {
        if (HasWorkAt(m_busyUntil))
        {
            m_complete.ScheduleAt(m_busyUntil);
        }
        return;
    }
    OnComplete();
}

bool
PortTransmitter::HasWorkAt(int64_t tick)
{
    return m_queue.HasFrame() ||
           (m_source && !m_queue.IsPaused(m_sourcePriority) && m_source->HasFrameAt(tick));
}

void
PortTransmitter::OnComplete()
{
    const int64_t now = m_engine->Now();
    // The observer may make this very port send a PFC frame: that one waits for the frame taken.
    m_taking = true;
    Frame* frame = Take(now);
    m_taking = false;
    if (frame)
    {
        Transmit(frame, now);
        if (HasWorkAt(m_busyUntil))
        {
            m_complete.ScheduleAt(m_busyUntil);
        }
    }
}

Frame*
PortTransmitter::Take(int64_t now)
{
    if (!m_source)
    {
        return TakeFromQueue(0);
    }
    if (Frame* frame = TakeFromQueue(TransmitQueue::GetRank(m_sourcePriority)))
    {
        return frame;
    }
    if (!m_queue.IsPaused(m_sourcePriority))
    {
        if (Frame* frame = m_source->PullFrame(now))
        {
            frame->enqueued = now;
            return frame;
        }
    }
    return TakeFromQueue(0);
}

Frame*
PortTransmitter::TakeFromQueue(uint32_t minRank)
{
    Frame* frame = m_queue.Pop(minRank);
    if (frame && m_observer && frame->kind != FrameKind::PFC)
    {
        m_observer->OnDequeue(*frame, m_queue.GetBytes(frame->priority) + frame->BufferBytes());
        if (frame->feedback)
        {
            WriteTelemetry(*frame);
        }
    }
    return frame;
}

void
PortTransmitter::WriteTelemetry(Frame& frame) const
{
    if (frame.kind != FrameKind::DATA || !(frame.feedback & FEEDBACK_TELEMETRY))
    {
        return;
    }
    TelemetryStack& stack = frame.extension->telemetry;
    if (stack.count < TelemetryStack::MAX_HOPS)
    {
        stack.hops[stack.count++] = {m_engine->Now(),
                                     m_port->GetCounters().wireBytesSent,
                                     m_queue.GetBytes(frame.priority),
                                     m_bitsPerSecond};
    }
}

void
PortTransmitter::Transmit(Frame* frame, int64_t now)
{
    frame->started = now;
    m_busyUntil = now + m_rate.Take(frame->wireBytes);
    m_port->OnTransmit(*frame, m_busyUntil);
    m_direction->Carry(frame, m_busyUntil);
}

void
PortTransmitter::Pause(uint8_t priority, uint16_t quanta)
{
    const uint64_t bytes = static_cast<uint64_t>(quanta) * PAUSE_QUANTUM_BITS / 8;
    m_pausedUntil[priority] = m_engine->Now() + m_rate.TimeOf(bytes);
    m_queue.SetPaused(priority, quanta > 0);
    SchedulePauseExpiry();
    if (quanta == 0)
    {
        Wake();
    }
}

void
PortTransmitter::SchedulePauseExpiry()
{
    int64_t next = std::numeric_limits<int64_t>::max();
    for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
    {
        if (m_queue.IsPaused(priority))
        {
            next = std::min(next, m_pausedUntil[priority]);
        }
    }
    if (next == std::numeric_limits<int64_t>::max())
    {
        m_pauseExpiry.Cancel();
        return;
    }
    m_pauseExpiry.ScheduleAt(next);
}

void
PortTransmitter::OnPauseExpiry()
{
    const int64_t now = m_engine->Now();
    for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
    {
        if (m_queue.IsPaused(priority) && m_pausedUntil[priority] <= now)
        {
            m_queue.SetPaused(priority, false);
        }
    }
    SchedulePauseExpiry();
    Wake();
}

} // namespace llmfabric
} // namespace ns3
