/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nic-requester.h"

#include "queue-pair.h"
#include "roce-nic.h"
#include "roce-protocol.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

Requester::Requester(RoceNic& nic, QueuePair& pair, Ptr<CongestionControl> control)
    : m_nic(nic),
      m_pair(pair),
      m_control(control),
      m_retriesLeft(pair.GetConfig().retryCount),
      m_template(pair.MakeTemplate())
{
    const QueuePairConfig& config = pair.GetConfig();
    m_order = static_cast<uint64_t>(config.peerAddress) << 16 | config.index;
    m_template.kind = FrameKind::DATA;
    m_template.queuePair = pair.GetId();
    m_template.priority = config.priority;
    m_template.ecn = Ecn::ECT0;
    BindTimer();
    m_control->Start(nic.GetEngine().Now(), nic.GetLineRate());
}

void
Requester::BindTimer()
{
    m_timer.Bind<&Requester::OnTimer>(
        m_nic.GetEngine(),
        this,
        {m_nic.GetFabricId(), m_nic.GetPortIndex(), FabricEventKind::RETRANSMIT, m_order});
}

uint64_t
Requester::Post(uint64_t bytes)
{
    NS_ABORT_MSG_IF(m_failed, "a transfer was posted to a queue pair that is in error");
    const int64_t now = m_nic.GetEngine().Now();
    const uint64_t mtu = m_pair.GetConfig().mtu;
    uint64_t left = bytes;
    do
    {
        const uint64_t size = std::min(left, MAX_MESSAGE_BYTES);
        left -= size;
        const uint64_t packets = std::max<uint64_t>(1, (size + mtu - 1) / mtu);
        m_messages.push_back({m_end, packets, size, m_transfers, bytes, now, left == 0});
        m_end += packets;
    } while (left > 0);
    m_nic.Activate(*this);
    return m_transfers++;
}

const Requester::Message&
Requester::CurrentMessage()
{
    while (m_next >= m_messages[m_current].firstPsn + m_messages[m_current].packets)
    {
        ++m_current;
    }
    return m_messages[m_current];
}

int64_t
Requester::GetNextTime()
{
    const int64_t latency = m_pair.GetConfig().sendLatency;
    return latency == 0 ? m_nextTime : std::max(m_nextTime, CurrentMessage().posted + latency);
}

Frame*
Requester::MakePacket(int64_t now)
{
    const Message& message = CurrentMessage();
    Frame* frame = FramePool::Allocate(m_template);
    FillPacket(*frame, message);
    if (frame->ackRequest)
    {
        AwaitAck(now);
    }
    if (m_next < m_sent)
    {
        ++m_counters.retransmitted;
    }
    ++m_next;
    m_sent = std::max(m_sent, m_next);
    m_counters.sentBytes += frame->payloadBytes;
    m_control->OnSend(now, frame->payloadBytes);
    Pace(*frame, now);
    return frame;
}

void
Requester::FillPacket(Frame& frame, const Message& message)
{
    const uint32_t mtu = m_pair.GetConfig().mtu;
    const uint64_t position = m_next - message.firstPsn;
    const uint64_t left = message.bytes - position * mtu;
    const bool first = position == 0;
    const bool last = position + 1 == message.packets;
    frame.id = m_nic.NextFrameId();
    frame.psn = static_cast<uint32_t>(m_next) & MASK_24;
    frame.payloadBytes = static_cast<uint32_t>(std::min<uint64_t>(mtu, left));
    const uint32_t padded = (frame.payloadBytes + 3) & ~3U;
    frame.wireBytes = padded + DATA_OVERHEAD_BYTES + (first ? RETH_BYTES : 0);
    const RoceOpcode opcode = first ? (last ? RoceOpcode::WRITE_ONLY : RoceOpcode::WRITE_FIRST)
                                    : (last ? RoceOpcode::WRITE_LAST : RoceOpcode::WRITE_MIDDLE);
    frame.opcode = static_cast<uint8_t>(opcode);
    frame.messageBytes = static_cast<uint32_t>(message.bytes);
    frame.endsTransfer = last && message.last;
    frame.ackRequest = AskForAck(last);
}

bool
Requester::AskForAck(bool last)
{
    ++m_sinceAckRequest;
    const bool windowEnds = m_next + 1 - m_unacked == MAX_UNACKNOWLEDGED;
    if (!last && !windowEnds && m_sinceAckRequest < m_pair.GetConfig().ackInterval)
    {
        return false;
    }
    m_sinceAckRequest = 0;
    return true;
}

void
Requester::AwaitAck(int64_t now)
{
    const int64_t timeout = m_pair.GetConfig().timeout;
    if (m_awaited <= m_unacked && timeout > 0)
    {
        m_deadline = now + timeout;
        m_timer.ScheduleAt(m_deadline);
    }
    m_awaited = m_next + 1;
}

void
Requester::Pace(const Frame& frame, int64_t now)
{
    const double rate = m_control->GetRate(now);
    if (rate >= m_control->GetLineRate())
    {
        m_nextTime = now; // the port itself is the pacer
        return;
    }
    if (rate != m_pacedRate)
    {
        m_pacedRate = rate;
        m_pacer.Set(std::max<uint64_t>(1, static_cast<uint64_t>(rate)));
    }
    m_nextTime = now + m_pacer.Take(frame.wireBytes);
}

void
Requester::OnAcknowledge(const Frame& frame)
{
    const int64_t now = m_nic.GetEngine().Now();
    if (m_failed)
    {
        return;
    }
    const bool nak = frame.kind == FrameKind::NAK;
    // An ACK names the last packet received, a NAK the next one expected.
    const int64_t distance = PsnDistance(frame.psn, m_unacked) + (nak ? 0 : 1);
    if (distance < 0 || m_unacked + static_cast<uint64_t>(distance) > m_sent)
    {
        return;
    }
    if (distance > 0)
    {
        Advance(m_unacked + static_cast<uint64_t>(distance), now);
    }
    if (nak)
    {
        ++m_counters.naks;
        GoBack(now, "negative acknowledgments");
    }
    else if (HasPacket())
    {
        m_nic.Activate(*this); // the window may have been closed
    }
}

void
Requester::Advance(uint64_t acked, int64_t now)
{
    const uint64_t packets = acked - m_unacked;
    m_unacked = acked;
    m_next = std::max(m_next, acked);
    m_retriesLeft = m_pair.GetConfig().retryCount;
    m_deadline = now + m_pair.GetConfig().timeout;
    if (m_awaited <= m_unacked)
    {
        m_timer.Cancel();
    }
    m_control->OnAck(now, packets);
    CompleteMessages();
}

void
Requester::CompleteMessages()
{
    while (!m_messages.empty() &&
           m_messages.front().firstPsn + m_messages.front().packets <= m_unacked)
    {
        const Message message = m_messages.front();
        m_messages.pop_front();
        m_current -= m_current > 0 ? 1 : 0;
        Complete(message, false, "");
    }
}

void
Requester::Complete(const Message& message, bool failed, const std::string& reason)
{
    m_nic.TraceMessageSent(m_pair, m_completed++, message.bytes, message.posted, failed);
    if (message.last && !m_completion.IsNull())
    {
        m_nic.CallOut(
            [callback = m_completion,
             result = TransferResult{message.transfer, message.ofBytes, failed, reason}]() {
                callback(result);
            });
    }
}

void
Requester::GoBack(int64_t now, const char* why)
{
    if (m_retriesLeft == 0)
    {
        Fail(std::string("no progress after ") + std::to_string(m_pair.GetConfig().retryCount) +
             " retries, the last ones " + why);
        return;
    }
    --m_retriesLeft;
    m_timer.Cancel();
    m_awaited = m_unacked;
    m_next = m_unacked;
    m_current = 0;
    m_sinceAckRequest = 0;
    m_control->OnLoss(now);
    m_nic.Activate(*this);
}

void
Requester::OnTimer()
{
    const int64_t now = m_nic.GetEngine().Now();
    if (now < m_deadline)
    {
        m_timer.ScheduleAt(m_deadline);
        return;
    }
    ++m_counters.timeouts;
    GoBack(now, "timeouts");
}

void
Requester::Fail(const std::string& reason)
{
    m_failed = true;
    m_timer.Cancel();
    m_next = m_end;
    std::deque<Message> messages;
    messages.swap(m_messages);
    m_current = 0;
    for (const Message& message : messages)
    {
        Complete(message, true, reason);
    }
}

void
Requester::OnCnp()
{
    ++m_counters.cnps;
    m_control->OnCnp(m_nic.GetEngine().Now());
}

} // namespace llmfabric
} // namespace ns3
