/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nic-connection.h"

#include "ns3/abort.h"
#include "ns3/ipv4-address.h"
#include "ns3/simulator.h"

#include <sstream>

namespace ns3
{
namespace llmfabric
{

NicConnection::NicConnection(const std::vector<Ends>& pairs, Time sendLatency, Time receiveLatency)
    : m_pairs(pairs),
      m_arrived(pairs.size()),
      m_sendLatency(sendLatency),
      m_receiveLatency(receiveLatency)
{
    NS_ABORT_MSG_IF(pairs.empty(), "a connection between nodes needs a queue pair");
    for (uint32_t i = 0; i < pairs.size(); ++i)
    {
        const auto& [sender, receiver] = pairs[i];
        const auto onComplete = MakeCallback(&NicConnection::OnComplete, this).Bind(i);
        sender->GetRequester().SetCompletionCallback(onComplete);
        receiver->GetRequester().SetCompletionCallback(onComplete);
        receiver->GetResponder().SetReceiveCallback(
            MakeCallback(&NicConnection::OnReceive, this).Bind(i));
    }
    pairs.front().first->GetResponder().SetReceiveCallback(
        MakeCallback(&NicConnection::OnGrant, this));
}

NicConnection::~NicConnection()
{
    for (const auto& [sender, receiver] : m_pairs)
    {
        sender->GetRequester().SetCompletionCallback({});
        receiver->GetRequester().SetCompletionCallback({});
        receiver->GetResponder().SetReceiveCallback({});
    }
    m_pairs.front().first->GetResponder().SetReceiveCallback({});
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
    QueuePair& pair = *m_pairs[m_posted++ % m_pairs.size()].first;
    if (!pair.GetRequester().IsFailed())
    {
        pair.PostWrite(bytes);
    }
}

void
NicConnection::Grant()
{
    if (m_receiveLatency.IsZero())
    {
        PostGrant();
        return;
    }
    Simulator::Schedule(m_receiveLatency, &NicConnection::PostGrant, Ptr<NicConnection>(this));
}

void
NicConnection::PostGrant()
{
    QueuePair& pair = *m_pairs.front().second;
    if (!pair.GetRequester().IsFailed())
    {
        pair.PostWrite(GRANT_BYTES);
    }
}

void
NicConnection::OnGrant(uint64_t /* bytes */)
{
    if (m_sendLatency.IsZero())
    {
        DeliverGrant();
        return;
    }
    Simulator::Schedule(m_sendLatency, &NicConnection::DeliverGrant, Ptr<NicConnection>(this));
}

void
NicConnection::DeliverGrant()
{
    if (!m_grant.IsNull())
    {
        m_grant();
    }
}

bool
NicConnection::IsFar() const
{
    return true;
}

uint64_t
NicConnection::GetSentBytes() const
{
    uint64_t sum = 0;
    for (const auto& [sender, receiver] : m_pairs)
    {
        sum += sender->GetRequester().GetCounters().sentBytes;
    }
    return sum;
}

void
NicConnection::OnReceive(uint32_t pair, uint64_t bytes)
{
    if (m_pairs.size() == 1) // nothing can come early
    {
        HandOn(bytes);
        return;
    }
    m_arrived[pair].push_back(bytes);
    for (auto* next = &m_arrived[m_delivered % m_pairs.size()]; !next->empty();
         next = &m_arrived[m_delivered % m_pairs.size()])
    {
        const uint64_t one = next->front();
        next->pop_front();
        ++m_delivered;
        HandOn(one);
    }
}

void
NicConnection::HandOn(uint64_t bytes)
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
NicConnection::OnComplete(uint32_t pair, const TransferResult& result)
{
    if (!result.failed || m_broken)
    {
        return;
    }
    m_broken = true;
    if (!m_error.IsNull())
    {
        const QueuePairConfig& config = m_pairs[pair].first->GetConfig();
        std::ostringstream text;
        text << "queue pair " << Ipv4Address(config.localAddress) << " to "
             << Ipv4Address(config.peerAddress) << " (index " << config.index
             << "): " << result.reason;
        m_error(text.str());
    }
}

} // namespace llmfabric
} // namespace ns3
