/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "notification-point.h"

#include "queue-pair.h"
#include "roce-nic.h"
#include "roce-protocol.h"

namespace ns3
{
namespace llmfabric
{

void
NotificationPoint::Start(RoceNic& nic, CnpScope scope, int64_t interval, int64_t delay)
{
    m_nic = &nic;
    m_scope = scope;
    m_interval = interval;
    m_pipeline.Start(nic.GetEngine(),
                     this,
                     delay,
                     {nic.GetFabricId(), nic.GetPortIndex(), FabricEventKind::PIPELINE, 2});
}

int64_t&
NotificationPoint::GetLast(const QueuePair& pair)
{
    switch (m_scope)
    {
    case CnpScope::PORT:
        return m_lastOfPort;
    case CnpScope::ADDRESS:
        return m_lastOfAddress.emplace(pair.GetConfig().peerAddress, NONE).first->second;
    default:
        break;
    }
    const std::size_t place = pair.GetConfig().localNumber - FIRST_QUEUE_PAIR;
    if (place >= m_lastOfPair.size())
    {
        m_lastOfPair.resize(m_nic->GetQueuePairs().size(), NONE);
    }
    return m_lastOfPair[place];
}

void
NotificationPoint::OnMark(const QueuePair& pair)
{
    const int64_t now = m_nic->GetEngine().Now();
    int64_t& last = GetLast(pair);
    if (last != NONE && now - last < m_interval)
    {
        return;
    }
    last = now;
    const QueuePairConfig& config = pair.GetConfig();
    Frame* cnp = FramePool::Allocate(pair.MakeTemplate());
    cnp->kind = FrameKind::CNP;
    cnp->queuePair = QueuePairId(config.peerAddress, config.localAddress, config.index);
    cnp->opcode = static_cast<uint8_t>(RoceOpcode::CNP);
    cnp->priority = config.cnpPriority;
    cnp->dscp = config.cnpDscp;
    cnp->wireBytes = CNP_WIRE_BYTES;
    if (m_pipeline.IsBypassed())
    {
        Emit(cnp);
    }
    else
    {
        m_pipeline.Enter(cnp);
    }
}

void
NotificationPoint::Emit(Frame* cnp)
{
    ++m_sent;
    cnp->id = m_nic->NextFrameId();
    m_nic->GetTraces().cnpSent(m_nic->GetEngine().Now(), cnp->queuePair);
    m_nic->SendFrame(cnp);
}

} // namespace llmfabric
} // namespace ns3
