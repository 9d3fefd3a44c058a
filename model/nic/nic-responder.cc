/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nic-responder.h"

#include "queue-pair.h"
#include "roce-nic.h"
#include "roce-protocol.h"

namespace ns3
{
namespace llmfabric
{

Responder::Responder(RoceNic& nic, QueuePair& pair)
    : m_nic(nic),
      m_pair(pair),
      m_template(pair.MakeTemplate())
{
    // The id of the connection whose data it answers: the peer is the source.
    const QueuePairConfig& config = pair.GetConfig();
    m_template.queuePair = QueuePairId(config.peerAddress, config.localAddress, config.index);
}

void
Responder::OnData(const Frame& frame)
{
    if (frame.ecn == Ecn::CE)
    {
        NotifyCongestion();
    }
    const int64_t distance = PsnDistance(frame.psn, m_expected);
    if (distance == 0)
    {
        Accept(frame);
    }
    else if (distance > 0)
    {
        if (!m_nakSent)
        {
            m_nakSent = true;
            Acknowledge(FrameKind::NAK, m_expected);
        }
        return;
    }
    if (frame.ackRequest)
    {
        Acknowledge(FrameKind::ACK, m_expected - 1);
    }
}

void
Responder::Accept(const Frame& frame)
{
    ++m_expected;
    m_nakSent = false;
    m_receivedBytes += frame.payloadBytes;
    m_transferBytes += frame.payloadBytes;
    m_messageBytes += frame.payloadBytes;
    const auto opcode = static_cast<RoceOpcode>(frame.opcode);
    if (opcode != RoceOpcode::WRITE_LAST && opcode != RoceOpcode::WRITE_ONLY)
    {
        return;
    }
    m_nic.TraceMessageReceived(m_pair, m_messages, m_messageBytes);
    ++m_messages;
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
Responder::NotifyCongestion()
{
    const QueuePairConfig& config = m_pair.GetConfig();
    const int64_t now = m_nic.GetEngine().Now();
    if (m_lastCnp >= 0 && now - m_lastCnp < config.cnpInterval)
    {
        return;
    }
    m_lastCnp = now;
    Frame* cnp = FramePool::Allocate(m_template);
    cnp->kind = FrameKind::CNP;
    cnp->opcode = static_cast<uint8_t>(RoceOpcode::CNP);
    cnp->priority = config.cnpPriority;
    cnp->wireBytes = CNP_WIRE_BYTES;
    Send(cnp);
}

void
Responder::Acknowledge(FrameKind kind, uint64_t psn)
{
    Frame* answer = FramePool::Allocate(m_template);
    answer->kind = kind;
    answer->opcode = static_cast<uint8_t>(RoceOpcode::ACKNOWLEDGE);
    answer->syndrome = kind == FrameKind::ACK ? SYNDROME_ACK : SYNDROME_NAK_SEQUENCE;
    answer->priority = m_pair.GetConfig().priority;
    answer->wireBytes = ACK_WIRE_BYTES;
    answer->psn = static_cast<uint32_t>(psn) & MASK_24;
    answer->msn = static_cast<uint32_t>(m_messages) & MASK_24;
    Send(answer);
}

void
Responder::Send(Frame* frame)
{
    frame->id = m_nic.NextFrameId();
    m_nic.SendFrame(frame);
}

} // namespace llmfabric
} // namespace ns3
