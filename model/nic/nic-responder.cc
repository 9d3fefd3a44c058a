/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nic-responder.h"

#include "queue-pair.h"
#include "roce-nic.h"

namespace ns3
{
namespace llmfabric
{

Responder::Responder(RoceNic& nic, QueuePair& pair)
    : m_nic(nic),
      m_pair(pair),
      m_recovery(&pair.GetRecovery()),
      m_expected(pair.GetConfig().peerPsn)
{
    UpdateTemplate();
}

void
Responder::UpdateTemplate()
{
    m_template = m_pair.MakeTemplate();
    // The id of the connection whose data it answers: the peer is the source.
    const QueuePairConfig& config = m_pair.GetConfig();
    m_template.queuePair = QueuePairId(config.peerAddress, config.localAddress, config.index);
    m_template.opcode = static_cast<uint8_t>(RoceOpcode::ACKNOWLEDGE);
    m_template.wireBytes = ACK_WIRE_BYTES;
}

void
Responder::OnData(const Frame& frame)
{
    m_feedback.Note(frame);
    const int64_t distance = PsnDistance(frame.psn, m_expected);
    bool asked = frame.ackRequest;
    if (distance > 0)
    {
        OnOutOfOrder(frame, static_cast<uint64_t>(distance));
        return;
    }
    if (distance == 0)
    {
        if (!Accept(frame))
        {
            return;
        }
        asked |= m_recovery->IsSelective() && AcceptKept();
    }
    else if (static_cast<RoceOpcode>(frame.opcode) == RoceOpcode::READ_REQUEST)
    {
        m_pair.GetReadResponder().Add(frame, m_expected - static_cast<uint64_t>(-distance));
    }
    if (asked)
    {
        Acknowledge();
    }
}

void
Responder::OnOutOfOrder(const Frame& frame, uint64_t distance)
{
    if (m_recovery->OnOutOfOrder(frame, distance, m_nakSent))
    {
        m_nakSent = true;
        Answer(FrameKind::NAK, SYNDROME_NAK_SEQUENCE);
    }
}

bool
Responder::AcceptKept()
{
    bool asked = false;
    while (const Frame* kept = m_recovery->GetKept())
    {
        if (!Accept(*kept))
        {
            break;
        }
        asked |= kept->ackRequest;
    }
    return asked;
}

bool
Responder::Accept(const Frame& frame)
{
    const auto opcode = static_cast<RoceOpcode>(frame.opcode);
    const OpcodeTraits traits = GetOpcodeTraits(opcode);
    if ((traits.send || traits.immediate) && !CheckReceive(traits, frame))
    {
        return false;
    }
    uint64_t count = 1;
    if (opcode == RoceOpcode::READ_REQUEST)
    {
        count = m_pair.GetReadResponder().Add(frame, m_expected);
    }
    m_expected += count;
    m_nakSent = false;
    if (m_waiting == FrameKind::NAK)
    {
        m_waiting = FrameKind::ACK; // what it asks for has come
        m_waitingSyndrome = SYNDROME_ACK;
    }
    m_receivedBytes += frame.payloadBytes;
    m_transferBytes += frame.payloadBytes;
    m_messageBytes += frame.payloadBytes;
    if (traits.last)
    {
        FinishMessage(traits, frame);
    }
    if (m_recovery->IsSelective())
    {
        m_recovery->OnInOrder(count);
    }
    return true;
}

bool
Responder::CheckReceive(const OpcodeTraits& traits, const Frame& frame)
{
    const bool needed = (traits.send && traits.first) || traits.immediate;
    if (needed && m_receives.GetCount() == 0)
    {
        m_nakSent = true; // what follows is out of order until this packet comes again
        Answer(FrameKind::NAK, static_cast<uint8_t>(SYNDROME_RNR | m_pair.GetConfig().rnrTimer));
        return false;
    }
    if (traits.send && m_messageBytes + frame.payloadBytes > m_receives.GetRoom())
    {
        Answer(FrameKind::NAK, SYNDROME_NAK_INVALID);
        return false;
    }
    return true;
}

void
Responder::FinishMessage(const OpcodeTraits& traits, const Frame& frame)
{
    ++m_messages;
    if (static_cast<RoceOpcode>(frame.opcode) == RoceOpcode::READ_REQUEST)
    {
        return;
    }
    m_nic.TraceMessageReceived(m_pair, m_messages - 1, m_messageBytes);
    const Ptr<CompletionQueue> queue = m_pair.GetCompletionQueue();
    if (traits.send || traits.immediate)
    {
        const uint64_t number = m_receives.Take();
        WorkCompletion
            done{m_pair.GetId(), RoceVerb::RECEIVE, number, m_messageBytes, {}, false, ""};
        if (traits.immediate)
        {
            done.immediate = frame.immediate;
        }
        if (queue)
        {
            m_nic.CallOut([queue, done]() { queue->Push(done); });
        }
    }
    m_messageBytes = 0;
    if (frame.endsTransfer)
    {
        if (!m_receive.IsNull())
        {
            m_nic.CallOut([callback = m_receive, bytes = m_transferBytes]() { callback(bytes); });
        }
        m_transferBytes = 0;
    }
}

void
Responder::Answer(FrameKind kind, uint8_t syndrome)
{
    if (m_pair.GetReadResponder().IsPending())
    {
        if (kind == FrameKind::NAK || m_waiting != FrameKind::NAK)
        {
            m_waiting = kind;
            m_waitingSyndrome = syndrome;
        }
        return;
    }
    Frame* answer = FramePool::Allocate(m_template);
    answer->kind = kind;
    answer->syndrome = syndrome;
    // An ACK names the last packet received, a NAK the next one expected.
    const uint64_t psn = kind == FrameKind::ACK ? m_expected - 1 : m_expected;
    answer->psn = static_cast<uint32_t>(psn) & MASK_24;
    answer->msn = static_cast<uint32_t>(m_messages) & MASK_24;
    answer->id = m_nic.NextFrameId();
    m_feedback.Fill(*answer);
    if (syndrome == SYNDROME_NAK_SEQUENCE)
    {
        m_recovery->FillNak(*answer);
    }
    m_nic.SendFrame(answer);
}

void
Responder::OnReadsDone()
{
    if (m_waiting != FrameKind::COUNT)
    {
        const FrameKind kind = m_waiting;
        m_waiting = FrameKind::COUNT;
        Answer(kind, m_waitingSyndrome);
    }
}

} // namespace llmfabric
} // namespace ns3
