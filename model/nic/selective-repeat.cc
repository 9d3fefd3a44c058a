/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "selective-repeat.h"

#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(SelectiveRepeat);

TypeId
SelectiveRepeat::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llmfabric::SelectiveRepeat")
            .SetParent<LossRecovery>()
            .SetGroupName("LlmFabric")
            .AddConstructor<SelectiveRepeat>()
            .AddAttribute("Window",
                          "Most packets from the oldest unacknowledged one to the next; the "
                          "receiver keeps so many out of order.",
                          UintegerValue(512),
                          MakeUintegerAccessor(&SelectiveRepeat::m_window),
                          MakeUintegerChecker<uint32_t>(2, FrameExtension::BITMAP_BITS))
            .AddAttribute("ReorderTolerance",
                          "A packet is lost once one has come that was sent more than so many "
                          "packets after it; above 0 for paths that change the order.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&SelectiveRepeat::m_tolerance),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("ShortTimeout",
                          "Retransmission timeout with few packets under way (IRN: 100 us); 0: "
                          "that of the NIC.",
                          StringValue("100us"),
                          MakeTimeAccessor(&SelectiveRepeat::m_shortTimeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("LongTimeout",
                          "Retransmission timeout with more packets under way (IRN: 320 us); 0: "
                          "that of the NIC.",
                          StringValue("320us"),
                          MakeTimeAccessor(&SelectiveRepeat::m_longTimeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FewPackets",
                          "Packets under way below which the short timeout counts (IRN: 3).",
                          UintegerValue(3),
                          MakeUintegerAccessor(&SelectiveRepeat::m_fewPackets),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

SelectiveRepeat::SelectiveRepeat()
    : LossRecovery(true)
{
}

uint64_t
SelectiveRepeat::GetWindow() const
{
    return m_window;
}

int64_t
SelectiveRepeat::GetTimeout(uint64_t packets, int64_t standard) const
{
    const Time& time = packets < m_fewPackets ? m_shortTimeout : m_longTimeout;
    return time.IsZero() ? standard : time.GetTimeStep();
}

void
SelectiveRepeat::OnSent(uint64_t psn)
{
    if (m_sentPackets.empty())
    {
        m_sentPackets.resize(m_window);
        m_base = psn;
    }
    At(psn) = {++m_lastOrder, false, false};
}

uint64_t
SelectiveRepeat::TakeRepeat()
{
    while (!At(m_firstLost).lost)
    {
        ++m_firstLost;
    }
    At(m_firstLost).lost = false;
    --m_repeats;
    return m_firstLost;
}

void
SelectiveRepeat::Lose(uint64_t psn)
{
    SentPacket& packet = At(psn);
    if (packet.order == 0 || packet.received || packet.lost)
    {
        return;
    }
    packet.lost = true;
    m_firstLost = m_repeats == 0 ? psn : std::min(m_firstLost, psn);
    ++m_repeats;
}

uint64_t
SelectiveRepeat::EndOf(uint64_t unacked, uint64_t sent) const
{
    return std::min(sent, unacked + m_window);
}

LossRecovery::Repair
SelectiveRepeat::LoseOvertaken(uint64_t unacked, uint64_t sent)
{
    const uint64_t before = m_repeats;
    for (uint64_t psn = unacked; psn < EndOf(unacked, sent); ++psn)
    {
        if (At(psn).order + m_tolerance < m_newestOrder)
        {
            Lose(psn);
        }
    }
    return m_repeats > before ? Repair::REPEAT : Repair::NONE;
}

LossRecovery::Repair
SelectiveRepeat::OnAdvance(uint64_t unacked, uint64_t sent)
{
    const bool mayMiss = m_receivedAhead > 0 || m_repeats > 0;
    // What lies behind the window was never sent as a packet: the rest of a read.
    for (uint64_t psn = m_base; psn < std::min(unacked, m_base + m_window); ++psn)
    {
        SentPacket& packet = At(psn);
        m_newestOrder = std::max(m_newestOrder, packet.order);
        m_receivedAhead -= packet.received ? 1 : 0;
        m_repeats -= packet.lost ? 1 : 0;
        packet = {};
    }
    m_base = unacked;
    m_firstLost = std::max(m_firstLost, unacked);
    return mayMiss ? LoseOvertaken(unacked, sent) : Repair::NONE;
}

LossRecovery::Repair
SelectiveRepeat::OnNak(const Frame& nak, uint64_t unacked, uint64_t sent)
{
    const uint64_t end = EndOf(unacked, sent);
    for (uint64_t psn = unacked + 1; nak.extension && psn < end; ++psn)
    {
        SentPacket& packet = At(psn);
        if (!packet.received && nak.extension->received.test(psn - unacked - 1))
        {
            packet.received = true;
            ++m_receivedAhead;
            m_repeats -= packet.lost ? 1 : 0;
            packet.lost = false;
            m_newestOrder = std::max(m_newestOrder, packet.order);
        }
    }
    return LoseOvertaken(unacked, sent);
}

LossRecovery::Repair
SelectiveRepeat::OnMissing(uint64_t unacked, uint64_t sent, bool all)
{
    SentPacket& first = At(unacked);
    first.order = std::max<uint64_t>(first.order, 1); // also the rest of a read
    m_receivedAhead -= first.received ? 1 : 0;
    first.received = false; // it came early, but found no receive posted, or its ACK was lost
    const uint64_t end = all ? EndOf(unacked, sent) : unacked + 1;
    for (uint64_t psn = unacked; psn < end; ++psn)
    {
        Lose(psn);
    }
    return Repair::REPEAT;
}

bool
SelectiveRepeat::OnOutOfOrder(const Frame& frame, uint64_t distance, bool /* told */)
{
    if (distance >= m_window)
    {
        return false; // its sender has another window
    }
    if (m_kept.empty())
    {
        m_kept.resize(m_window);
    }
    KeptPacket& place = m_kept[(m_keptHead + distance) % m_window];
    if (!place.used)
    {
        place.used = true;
        place.frame = frame;
        place.frame.extension = nullptr;
        ++m_keptCount;
    }
    return true;
}

void
SelectiveRepeat::OnInOrder(uint64_t count)
{
    if (m_keptCount > 0 && m_kept[m_keptHead].used)
    {
        m_kept[m_keptHead].used = false;
        --m_keptCount;
    }
    m_keptHead = (m_keptHead + count) % m_window;
}

const Frame*
SelectiveRepeat::GetKept() const
{
    return m_keptCount > 0 && m_kept[m_keptHead].used ? &m_kept[m_keptHead].frame : nullptr;
}

void
SelectiveRepeat::FillNak(Frame& nak) const
{
    if (m_keptCount == 0)
    {
        return;
    }
    FrameExtension& extension = nak.extension ? *nak.extension : FramePool::Extend(&nak);
    uint32_t bits = 0;
    uint64_t left = m_keptCount;
    for (uint32_t i = 0; left > 0 && i + 1 < m_window; ++i)
    {
        if (m_kept[(m_keptHead + 1 + i) % m_window].used)
        {
            extension.received.set(i);
            bits = i + 1;
            --left;
        }
    }
    extension.bitmapBytes = (bits + 31) / 32 * 4;
    nak.wireBytes += extension.bitmapBytes;
}

} // namespace llmfabric
} // namespace ns3
