/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "slice-receiver.h"

#include "ns3/abort.h"

namespace ns3
{
namespace llmfabric
{

SliceReceiver::SliceReceiver(Ptr<GpuConnection> connection, uint32_t slots, ArrivalCallback arrived)
    : m_connection(connection),
      m_slots(slots),
      m_callback(arrived)
{
    m_connection->SetReceiveCallback(MakeCallback(&SliceReceiver::OnReceive, this));
}

SliceReceiver::~SliceReceiver()
{
    m_connection->SetReceiveCallback({});
}

void
SliceReceiver::Grant()
{
    NS_ABORT_MSG_UNLESS(CanGrant(), "there is no slot to grant");
    ++m_used;
    m_connection->Grant();
}

void
SliceReceiver::Take()
{
    NS_ABORT_MSG_UNLESS(HasArrived(), "there is no slice to take");
    --m_arrived;
    if (m_slots > 0)
    {
        --m_used;
    }
}

void
SliceReceiver::OnReceive(uint64_t /* bytes */)
{
    ++m_arrived;
    m_callback();
}

} // namespace llmfabric
} // namespace ns3
