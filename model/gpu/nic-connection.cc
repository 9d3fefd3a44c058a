/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nic-connection.h"

#include "ns3/ipv4-address.h"
#include "ns3/simulator.h"

#include <sstream>

namespace ns3
{
namespace llmfabric
{

NicConnection::NicConnection(Ptr<QueuePair> sender,
                             Ptr<QueuePair> receiver,
                             Time sendLatency,
                             Time receiveLatency)
    : m_sender(sender),
      m_receiver(receiver),
      m_sendLatency(sendLatency),
      m_receiveLatency(receiveLatency)
{
    m_sender->GetRequester().SetCompletionCallback(MakeCallback(&NicConnection::OnComplete, this));
    m_receiver->GetResponder().SetReceiveCallback(MakeCallback(&NicConnection::OnReceive, this));
}

NicConnection::~NicConnection()
{
    m_sender->GetRequester().SetCompletionCallback({});
    m_receiver->GetResponder().SetReceiveCallback({});
}

void
NicConnection::Send(uint64_t bytes)
{
    if (m_sendLatency.IsZero())
    {
        Post(bytes);
        return;
    }
    Simulator::Schedule(m_sendLatency, &NicConnection::Post, Ptr<NicConnection>(this), bytes);
}

void
NicConnection::Post(uint64_t bytes)
{
    if (!m_sender->GetRequester().IsFailed())
    {
        m_sender->Post(bytes);
    }
}

uint64_t
NicConnection::GetSentBytes() const
{
    return m_sender->GetRequester().GetCounters().sentBytes;
}

void
NicConnection::OnReceive(uint64_t bytes)
{
    if (m_receiveLatency.IsZero())
    {
        Deliver(bytes);
        return;
    }
    Simulator::Schedule(m_receiveLatency, &NicConnection::Deliver, Ptr<NicConnection>(this), bytes);
}

void
NicConnection::Deliver(uint64_t bytes)
{
    if (!m_receive.IsNull())
    {
        m_receive(bytes);
    }
}

void
NicConnection::OnComplete(const TransferResult& result)
{
    if (!result.failed || m_broken)
    {
        return;
    }
    m_broken = true;
    if (!m_error.IsNull())
    {
        const QueuePairConfig& config = m_sender->GetConfig();
        std::ostringstream text;
        text << "queue pair " << Ipv4Address(config.localAddress) << " to "
             << Ipv4Address(config.peerAddress) << " (index " << config.index
             << "): " << result.reason;
        m_error(text.str());
    }
}

} // namespace llmfabric
} // namespace ns3
