/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-mailbox.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"

#include <sstream>

namespace ns3
{
namespace llmfabric
{

RankMailbox::RankMailbox(uint32_t rank, OverCallback over)
    : m_rank(rank),
      m_over(over)
{
}

void
RankMailbox::SetSend(uint32_t peer, uint32_t channel, Ptr<GpuConnection> connection)
{
    m_sendTo[{peer, channel}] = connection;
}

void
RankMailbox::SetReceive(uint32_t peer, uint32_t channel, Ptr<GpuConnection> connection)
{
    m_inboxes[{peer, channel}].connection = connection;
    connection->SetReceiveCallback(
        MakeCallback(&RankMailbox::OnReceive, this).Bind(Channel{peer, channel}));
}

void
RankMailbox::Send(uint64_t index, uint64_t step, const SendOp& op)
{
    const auto connection = m_sendTo.find({op.peer, op.channel});
    NS_ABORT_MSG_IF(connection == m_sendTo.end(),
                    "rank " << m_rank << " has no connection to rank " << op.peer << " on channel "
                            << op.channel);
    connection->second->Send(op.bytes);
    const Time now = Simulator::Now();
    m_over(index, {m_rank, step, op.peer, op.channel, op.bytes, true, now, now});
}

void
RankMailbox::Receive(uint64_t index, uint64_t step, const ReceiveOp& op)
{
    Inbox& inbox = m_inboxes[{op.peer, op.channel}];
    const Time now = Simulator::Now();
    inbox.waiting.push_back(
        {index, {m_rank, step, op.peer, op.channel, op.bytes, false, now, Time(0)}});
    Match(inbox);
}

void
RankMailbox::OnReceive(Channel channel, uint64_t /* bytes */)
{
    Inbox& inbox = m_inboxes[channel];
    ++inbox.arrived;
    Match(inbox);
}

void
RankMailbox::Match(Inbox& inbox)
{
    while (inbox.arrived > 0 && !inbox.waiting.empty())
    {
        Request request = inbox.waiting.front();
        inbox.waiting.pop_front();
        --inbox.arrived;
        request.span.end = Simulator::Now();
        m_over(request.index, request.span);
    }
}

uint64_t
RankMailbox::GetSentBytes() const
{
    uint64_t sum = 0;
    for (const auto& [channel, connection] : m_sendTo)
    {
        sum += connection->GetSentBytes();
    }
    return sum;
}

std::vector<std::string>
RankMailbox::DescribeWaits() const
{
    std::vector<std::string> waits;
    for (const auto& [channel, inbox] : m_inboxes)
    {
        for (const Request& request : inbox.waiting)
        {
            std::ostringstream text;
            text << "waits for message from rank " << channel.first << " on channel "
                 << channel.second << " since " << request.span.start.As(Time::MS);
            waits.push_back(text.str());
        }
    }
    return waits;
}

} // namespace llmfabric
} // namespace ns3
