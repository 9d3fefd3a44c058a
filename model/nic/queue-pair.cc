/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "queue-pair.h"

#include "roce-nic.h"
#include "roce-protocol.h"

namespace ns3
{
namespace llmfabric
{

QueuePair::QueuePair(RoceNic& nic, const QueuePairConfig& config, Ptr<CongestionControl> control)
    : m_config(config),
      m_requester(nic, *this, control),
      m_responder(nic, *this)
{
}

uint64_t
QueuePair::GetId() const
{
    return QueuePairId(m_config.localAddress, m_config.peerAddress, m_config.index);
}

uint16_t
QueuePair::GetSourcePort() const
{
    return m_requester.GetSourcePort();
}

} // namespace llmfabric
} // namespace ns3
