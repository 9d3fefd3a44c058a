/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "slice-sender.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

SliceSender::SliceSender(Ptr<GpuConnection> connection, uint32_t slots, GrantCallback granted)
    : m_connection(connection),
      m_slots(slots),
      m_callback(granted)
{
    m_connection->SetGrantCallback(MakeCallback(&SliceSender::OnGrant, this));
}

SliceSender::~SliceSender()
{
    m_connection->SetGrantCallback({});
}

void
SliceSender::Send(uint64_t bytes, Time latency)
{
    NS_ABORT_MSG_UNLESS(CanSend(), "a slice needs a slot");
    if (m_slots > 0)
    {
        --m_granted;
    }
    const Time now = Simulator::Now();
    m_last = std::max(m_last, now + latency);
    if (m_last == now)
    {
        m_connection->Send(bytes);
        return;
    }
    Simulator::Schedule(m_last - now, &GpuConnection::Send, m_connection, bytes);
}

void
SliceSender::OnGrant()
{
    ++m_granted;
    m_callback();
}

} // namespace llmfabric
} // namespace ns3
