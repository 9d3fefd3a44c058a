/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "receive-buffer.h"

#include "roce-nic.h"
#include "roce-protocol.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

namespace
{
constexpr uint16_t PAUSE_QUANTA = 65535; //!< the longest pause, as switches send by default

bool
IsResponse(const Frame& frame)
{
    return frame.kind == FrameKind::DATA && IsReadResponse(frame.opcode);
}
} // namespace

ReceiveBuffer::ReceiveBuffer(RoceNic& nic, const ReceiveBufferConfig& config)
    : m_nic(nic),
      m_config(config),
      m_linkDelay(nic.GetPort()->GetLink()->GetDelay().GetTimeStep())
{
    m_rate.Set(config.drainRate);
    m_event.Bind<&ReceiveBuffer::OnDrained>(
        nic.GetEngine(),
        this,
        {nic.GetFabricId(), nic.GetPortIndex(), FabricEventKind::DRAIN, 0});
    FabricPort* port = PeekPointer(nic.GetPort());
    for (uint8_t priority = 0; config.pfc && priority < PRIORITIES; ++priority)
    {
        // What fits is asked here, for all bytes at once: the headroom of the account is no limit.
        m_accounts[priority].Start(nic.GetEngine(),
                                   port,
                                   priority,
                                   config.bytes,
                                   PAUSE_QUANTA,
                                   config.xoff - config.xon);
    }
}

ReceiveBuffer::~ReceiveBuffer()
{
    FramePool::FreeAll(m_frames);
}

void
ReceiveBuffer::Enter(Frame* frame)
{
    if (frame->kind != FrameKind::DATA)
    {
        PassBy(frame);
        return;
    }
    const int64_t now = m_nic.GetEngine().Now();
    const int64_t begin = std::max(m_drained, frame->started + m_linkDelay);
    const int64_t end = std::max(now, begin + m_rate.Take(frame->payloadBytes));
    if (end == now && m_frames.IsEmpty())
    {
        m_drained = end;
        m_nic.OnDrained(frame);
    }
    else if (Admit(*frame))
    {
        m_drained = end;
        Push(frame);
    }
    else
    {
        m_nic.GetPort()->Drop(frame, DropReason::NIC_BUFFER_FULL);
    }
}

void
ReceiveBuffer::PassBy(Frame* frame)
{
    if (m_responses > 0 && frame->kind != FrameKind::CNP)
    {
        Push(frame);
        return;
    }
    m_nic.OnDrained(frame);
}

bool
ReceiveBuffer::Admit(const Frame& frame)
{
    uint64_t& held = m_held[frame.priority];
    const uint64_t bytes = frame.BufferBytes();
    if (held + bytes > m_config.bytes)
    {
        return false;
    }
    held += bytes;
    m_peak = std::max(m_peak, held);
    if (m_config.pfc)
    {
        uint64_t below = 0;
        m_accounts[frame.priority].Add(bytes, m_config.xoff, true, below);
    }
    return true;
}

void
ReceiveBuffer::Push(Frame* frame)
{
    frame->due = m_drained;
    m_responses += IsResponse(*frame) ? 1 : 0;
    if (m_frames.IsEmpty())
    {
        m_event.ScheduleAt(frame->due);
    }
    m_frames.Push(frame);
}

void
ReceiveBuffer::OnDrained()
{
    Frame* frame = m_frames.Pop();
    if (!m_frames.IsEmpty())
    {
        m_event.ScheduleAt(m_frames.Front()->due);
    }
    m_responses -= IsResponse(*frame) ? 1 : 0;
    if (frame->kind == FrameKind::DATA)
    {
        m_held[frame->priority] -= frame->BufferBytes();
    }
    if (frame->kind == FrameKind::DATA && m_config.pfc)
    {
        IngressAccount& account = m_accounts[frame->priority];
        account.Remove(frame->BufferBytes());
        if (account.IsPaused())
        {
            account.Relieve(m_config.xoff);
        }
    }
    m_nic.OnDrained(frame);
}

uint64_t
ReceiveBuffer::GetPauses() const
{
    uint64_t sum = 0;
    for (const IngressAccount& account : m_accounts)
    {
        sum += account.GetPauses();
    }
    return sum;
}

uint64_t
ReceiveBuffer::GetResumes() const
{
    uint64_t sum = 0;
    for (const IngressAccount& account : m_accounts)
    {
        sum += account.GetResumes();
    }
    return sum;
}

} // namespace llmfabric
} // namespace ns3
