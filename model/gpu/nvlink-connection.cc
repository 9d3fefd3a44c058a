/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvlink-connection.h"

#include "nvlink-switch.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{
namespace
{

/// Segments of a message at most. Those of 128 KiB grow from 8 GiB on, so that no message takes
/// events without end, and far above what would be unfair to the messages of a training step.
constexpr uint64_t SEGMENTS = 65536;

} // namespace

NvlinkConnection::NvlinkConnection(Ptr<NvlinkSwitch> nvlink, uint32_t from, uint32_t to)
    : m_nvlink(nvlink),
      m_from(from),
      m_to(to)
{
}

NvlinkConnection::~NvlinkConnection() = default;

void
NvlinkConnection::Send(uint64_t bytes)
{
    m_sentBytes += bytes;
    m_nvlink->CheckEnd(bytes);
    const bool waits = HasMore();
    m_messages.push_back({bytes, bytes});
    if (!waits)
    {
        m_nvlink->Enqueue(m_from, this);
    }
}

uint64_t
NvlinkConnection::GetSegmentSize(uint64_t least) const
{
    return std::max(least, (m_messages.front().bytes - 1) / SEGMENTS + 1);
}

NvlinkConnection::Piece
NvlinkConnection::Take(uint64_t most)
{
    Message& first = m_messages.front();
    const uint64_t taken = std::min(most, first.left);
    first.left -= taken;
    if (first.left > 0)
    {
        return {taken, 0};
    }
    const uint64_t whole = first.bytes;
    m_messages.pop_front();
    return {taken, whole};
}

void
NvlinkConnection::Deliver(uint64_t bytes)
{
    if (!m_receive.IsNull())
    {
        m_receive(bytes);
    }
}

void
NvlinkConnection::Grant()
{
    // A flag of a few bytes, which does not keep the links busy.
    Simulator::Schedule(m_nvlink->GetDelay(),
                        &NvlinkConnection::DeliverGrant,
                        Ptr<NvlinkConnection>(this));
}

void
NvlinkConnection::DeliverGrant()
{
    if (!m_grant.IsNull())
    {
        m_grant();
    }
}

bool
NvlinkConnection::IsFar() const
{
    return false;
}

uint64_t
NvlinkConnection::GetSentBytes() const
{
    return m_sentBytes;
}

} // namespace llmfabric
} // namespace ns3
