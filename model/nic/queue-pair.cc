/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "queue-pair.h"

#include "roce-codec.h"
#include "roce-nic.h"
#include "roce-protocol.h"

#include "ns3/hash-mix.h"
#include "ns3/ip-classifier.h"
#include "ns3/rng-seed-manager.h"

namespace ns3
{
namespace llmfabric
{

namespace
{
uint16_t
SourcePortOf(const QueuePairConfig& config)
{
    const uint64_t hash = HashValues(
        {RngSeedManager::GetSeed(), config.localAddress, config.peerAddress, config.index});
    return static_cast<uint16_t>(0xc000 | (hash & 0x3fff));
}
} // namespace

QueuePair::QueuePair(RoceNic& nic, const QueuePairConfig& config, Ptr<CongestionControl> control)
    : m_config(config),
      m_sourcePort(SourcePortOf(config)),
      m_requester(nic, *this, control),
      m_responder(nic, *this)
{
}

uint64_t
QueuePair::GetId() const
{
    return QueuePairId(m_config.localAddress, m_config.peerAddress, m_config.index);
}

Frame
QueuePair::MakeTemplate() const
{
    Frame frame;
    frame.codec = &RoceCodec::Get();
    frame.source = m_config.localAddress;
    frame.destination = m_config.peerAddress;
    frame.sourcePort = m_sourcePort;
    frame.destinationPort = ROCE_UDP_PORT;
    frame.flowHash = HashFiveTuple(frame.source,
                                   frame.destination,
                                   frame.protocol,
                                   frame.sourcePort,
                                   frame.destinationPort);
    frame.remoteQueuePair = m_config.peerNumber;
    return frame;
}

} // namespace llmfabric
} // namespace ns3
