/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nic-requester.h"

#include "queue-pair.h"
#include "roce-nic.h"
#include "roce-protocol.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

namespace
{
constexpr uint32_t STANDARD_ACK_INTERVAL = 16; //!< packets, if nobody says otherwise

/** @return packets for which one ACK is asked */
uint32_t
AckIntervalOf(const QueuePairConfig& config, const CongestionControl& control)
{
    if (config.ackInterval > 0)
    {
        return config.ackInterval;
    }
    const uint32_t wanted = control.GetAckInterval();
    return wanted > 0 ? wanted : STANDARD_ACK_INTERVAL;
}

/** @return the opcode of a packet of a message */
RoceOpcode
OpcodeOf(const SendMessage& message, bool first, bool last)
{
    if (message.verb == RoceVerb::READ)
    {
        return RoceOpcode::READ_REQUEST;
    }
    const bool send = message.verb == RoceVerb::SEND;
    if (!last)
    {
        return send ? (first ? RoceOpcode::SEND_FIRST : RoceOpcode::SEND_MIDDLE)
                    : (first ? RoceOpcode::WRITE_FIRST : RoceOpcode::WRITE_MIDDLE);
    }
    if (message.hasImmediate)
    {
        return send ? (first ? RoceOpcode::SEND_ONLY_IMMEDIATE : RoceOpcode::SEND_LAST_IMMEDIATE)
                    : (first ? RoceOpcode::WRITE_ONLY_IMMEDIATE : RoceOpcode::WRITE_LAST_IMMEDIATE);
    }
    return send ? (first ? RoceOpcode::SEND_ONLY : RoceOpcode::SEND_LAST)
                : (first ? RoceOpcode::WRITE_ONLY : RoceOpcode::WRITE_LAST);
}
} // namespace

Requester::Requester(RoceNic& nic, QueuePair& pair)
    : m_nic(nic),
      m_pair(pair),
      m_control(PeekPointer(pair.GetCongestionControl())),
      m_recovery(&pair.GetRecovery()),
      m_selective(m_recovery->IsSelective()),
      m_packetWindow(m_recovery->GetWindow()),
      m_unacked(pair.GetConfig().initialPsn),
      m_next(m_unacked),
      m_sent(m_unacked),
      m_awaited(m_unacked),
      m_arrived(m_unacked),
      m_queue(pair.GetConfig().mtu, m_unacked),
      m_ackInterval(AckIntervalOf(pair.GetConfig(), *m_control)),
      m_retriesLeft(pair.GetConfig().retryCount),
      m_rnrRetriesLeft(pair.GetConfig().rnrRetryCount),
      m_measures(m_control->GetAckInterval() > 0)
{
    UpdateTemplate();
    m_timer.Bind<&Requester::OnTimer>(
        nic.GetEngine(),
        this,
        {nic.GetFabricId(), nic.GetPortIndex(), FabricEventKind::RETRANSMIT, pair.GetOrder()});
}

void
Requester::UpdateTemplate()
{
    m_template = m_pair.MakeTemplate();
    m_template.kind = FrameKind::DATA;
    m_template.ecn = Ecn::ECT0;
    m_template.feedback = m_control->GetFeedback();
    m_template.wireBytes =
        DATA_OVERHEAD_BYTES + GetTrailerBytes(FrameKind::DATA, m_template.feedback);
}

uint64_t
Requester::Post(const WorkRequest& request)
{
    const int64_t now = m_nic.GetEngine().Now();
    const uint64_t transfer = m_queue.Post(request, now);
    if (m_failed)
    {
        Fail("the queue pair is in error");
        return transfer;
    }
    m_pair.UpdateIdle();
    m_pair.Activate();
    return transfer;
}

bool
Requester::MayGo()
{
    // A window may have shrunk below what is under way, none of which has asked for an ACK: then
    // one more goes, and asks.
    if (m_control->GetWindow() != CongestionControl::NO_WINDOW && m_awaited > m_unacked &&
        GetBytesInFlight() >= m_control->GetWindow())
    {
        return false;
    }
    if (!m_queue.HasRead())
    {
        return true;
    }
    const SendMessage& message = m_queue.Find(m_next);
    return message.verb != RoceVerb::READ || (m_readsUnderWay < m_pair.GetConfig().maxReads &&
                                              message.GetEnd() - m_unacked <= MAX_UNACKNOWLEDGED);
}

uint64_t
Requester::GetBytesInFlight() const
{
    const uint64_t ahead = m_recovery->GetReceivedAhead() * m_pair.GetConfig().mtu;
    const uint64_t bytes = m_nextByte - m_unackedByte;
    return bytes > ahead ? bytes - ahead : 0;
}

int64_t
Requester::GetReadyTime()
{
    const int64_t latency = m_pair.GetConfig().sendLatency;
    if (latency == 0 || m_recovery->HasRepeat())
    {
        return m_resume;
    }
    return std::max(m_resume, m_queue.Find(m_next).posted + latency);
}

Frame*
Requester::MakePacket(int64_t now)
{
    const bool repeat = m_recovery->HasRepeat();
    const uint64_t psn = repeat ? m_recovery->TakeRepeat() : m_next;
    const SendMessage& message = m_queue.Find(psn);
    const bool read = message.verb == RoceVerb::READ;
    const uint64_t end = read ? message.GetEnd() : psn + 1;
    Frame* frame = FramePool::Allocate(m_template);
    FillPacket(*frame, message, psn);
    frame->ackRequest = !read && AskForAck(end == message.GetEnd(), repeat);
    const bool again = psn < m_sent;
    if (again)
    {
        ++m_counters.retransmitted;
        m_nic.GetTraces().retransmission(now, m_template.queuePair, frame->psn);
    }
    if (!repeat)
    {
        m_next = end;
        m_nextByte += frame->payloadBytes;
        m_readsUnderWay += read ? 1 : 0;
    }
    m_sent = std::max(m_sent, m_next);
    if (m_selective)
    {
        m_recovery->OnSent(psn);
    }
    if (frame->ackRequest && !again && (m_measures || !m_nic.GetTraces().rtt.IsEmpty()))
    {
        m_rttMeter.OnSent(psn, now);
    }
    if (read || frame->ackRequest)
    {
        AwaitAnswer(end, now);
    }
    m_counters.sentBytes += frame->payloadBytes;
    TraceBytesInFlight();
    return frame;
}

void
Requester::FillPacket(Frame& frame, const SendMessage& message, uint64_t psn)
{
    const uint32_t mtu = m_pair.GetConfig().mtu;
    const uint64_t position = psn - message.firstPsn;
    const uint64_t left = message.bytes - position * mtu;
    const RoceOpcode opcode = OpcodeOf(message, position == 0, position + 1 == message.packets);
    const OpcodeTraits traits = GetOpcodeTraits(opcode);
    frame.id = m_nic.NextFrameId();
    frame.opcode = static_cast<uint8_t>(opcode);
    frame.psn = static_cast<uint32_t>(psn) & MASK_24;
    if (message.verb == RoceVerb::READ)
    {
        frame.ecn = Ecn::NOT_ECT; // as ACKs: it is not paced by marks
        frame.offset = static_cast<uint32_t>(position * mtu);
        frame.messageBytes = static_cast<uint32_t>(left);
    }
    else
    {
        frame.payloadBytes = static_cast<uint32_t>(std::min<uint64_t>(mtu, left));
        frame.messageBytes = static_cast<uint32_t>(message.bytes);
        frame.immediate = message.immediate;
        frame.endsTransfer = traits.last && message.last;
    }
    frame.wireBytes += ((frame.payloadBytes + 3) & ~3U) + (traits.reth ? RETH_BYTES : 0) +
                       (traits.immediate ? IMMEDIATE_BYTES : 0);
    frame.wireBytes = std::max(frame.wireBytes, MIN_WIRE_BYTES); // an empty Send
    if (frame.feedback & AckFeedback::TELEMETRY)
    {
        FramePool::Extend(&frame);
    }
}

bool
Requester::AskForAck(bool last, bool repeat)
{
    ++m_sinceAckRequest;
    const bool windowEnds = m_next + 1 - m_unacked >= m_packetWindow;
    if (!last && !repeat && !windowEnds && m_sinceAckRequest < m_ackInterval)
    {
        // Nor may the congestion control's window close on packets none of which asks.
        const uint64_t window = m_control->GetWindow();
        if (window == CongestionControl::NO_WINDOW ||
            GetBytesInFlight() + m_pair.GetConfig().mtu < window)
        {
            return false;
        }
    }
    m_sinceAckRequest = 0;
    return true;
}

int64_t
Requester::GetTimeout() const
{
    const QueuePairConfig& config = m_pair.GetConfig();
    if (!m_selective)
    {
        return config.timeout;
    }
    const int64_t timeout = m_recovery->GetTimeout(m_next - m_unacked, config.timeout);
    if (timeout == config.timeout)
    {
        return timeout;
    }
    // A shorter one doubles with each retry, up to that of the NIC.
    const int64_t doubled = timeout << (config.retryCount - m_retriesLeft);
    return config.timeout > 0 ? std::min(doubled, std::max(timeout, config.timeout)) : doubled;
}

void
Requester::AwaitAnswer(uint64_t end, int64_t now)
{
    m_awaited = std::max(m_awaited, end);
    if (!m_timer.IsPending())
    {
        StartTimer(now);
    }
}

void
Requester::StartTimer(int64_t now)
{
    const int64_t timeout = GetTimeout();
    if (timeout == 0)
    {
        return;
    }
    m_deadline = std::max(now, m_resume) + timeout;
    if (!m_timer.IsPending() || m_deadline < m_timerTick)
    {
        m_timerTick = m_deadline;
        m_timer.ScheduleAt(m_timerTick);
    }
}

} // namespace llmfabric
} // namespace ns3
