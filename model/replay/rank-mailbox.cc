/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-mailbox.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <sstream>

namespace ns3
{
namespace llmfabric
{

RankMailbox::RankMailbox(uint32_t rank, const CollectiveConfig& config, OverCallback over)
    : m_rank(rank),
      m_slots(config.slots),
      m_protocol(config.protocol.value_or(CollectiveProtocol::SIMPLE)),
      m_slice(config.slice.value_or(ProtocolProfile::Get(m_protocol).GetSlice())),
      m_stepLatency(config.stepLatency),
      m_over(over)
{
}

void
RankMailbox::SetSend(uint32_t peer, uint32_t channel, Ptr<GpuConnection> connection)
{
    Outbox& outbox = m_outboxes[{peer, channel}];
    outbox.sender =
        std::make_unique<SliceSender>(connection, m_slots, [this, &outbox]() { Push(outbox); });
}

void
RankMailbox::SetReceive(uint32_t peer, uint32_t channel, Ptr<GpuConnection> connection)
{
    Inbox& inbox = m_inboxes[{peer, channel}];
    inbox.receiver =
        std::make_unique<SliceReceiver>(connection, m_slots, [this, &inbox]() { Pull(inbox); });
}

void
RankMailbox::Send(uint64_t index, uint64_t step, const SendOp& op)
{
    const auto outbox = m_outboxes.find({op.peer, op.channel});
    NS_ABORT_MSG_IF(outbox == m_outboxes.end(),
                    "rank " << m_rank << " has no connection to rank " << op.peer << " on channel "
                            << op.channel);
    const TransferSpan
        span{m_rank, step, op.peer, op.channel, op.bytes, true, Simulator::Now(), Time(0)};
    outbox->second.waiting.push_back({index, span, op.bytes});
    Push(outbox->second);
}

void
RankMailbox::Push(Outbox& outbox)
{
    const ProtocolProfile& profile = ProtocolProfile::Get(m_protocol);
    while (!outbox.waiting.empty() && outbox.sender->CanSend())
    {
        Request& request = outbox.waiting.front();
        const uint64_t bytes = std::min(request.left, m_slice);
        const Time latency = m_stepLatency.value_or(
            profile.GetStepLatency(LatencyRow::RING, outbox.sender->IsFar(), false));
        outbox.sender->Send(profile.GetSentBytes(bytes), latency);
        request.left -= bytes;
        if (request.left == 0)
        {
            Request over = request;
            outbox.waiting.pop_front();
            over.span.end = Simulator::Now();
            m_over(over.index, over.span);
        }
    }
}

void
RankMailbox::Receive(uint64_t index, uint64_t step, const ReceiveOp& op)
{
    Inbox& inbox = m_inboxes[{op.peer, op.channel}]; // without a receiver if the peer never sends
    const TransferSpan
        span{m_rank, step, op.peer, op.channel, op.bytes, false, Simulator::Now(), Time(0)};
    inbox.waiting.push_back({index, span, op.bytes});
    inbox.ungranted += op.bytes / m_slice + (op.bytes % m_slice != 0 ? 1 : 0);
    Pull(inbox);
}

void
RankMailbox::Pull(Inbox& inbox)
{
    if (!inbox.receiver)
    {
        return;
    }
    while (!inbox.waiting.empty() && inbox.receiver->HasArrived())
    {
        Request& request = inbox.waiting.front();
        inbox.receiver->Take();
        request.left -= std::min(request.left, m_slice);
        if (request.left == 0)
        {
            Request over = request;
            inbox.waiting.pop_front();
            over.span.end = Simulator::Now();
            m_over(over.index, over.span);
        }
    }
    while (inbox.ungranted > 0 && inbox.receiver->CanGrant())
    {
        --inbox.ungranted;
        inbox.receiver->Grant();
    }
}

void
RankMailbox::Stop()
{
    for (auto& [channel, outbox] : m_outboxes)
    {
        outbox.waiting.clear();
    }
    for (auto& [channel, inbox] : m_inboxes)
    {
        inbox.waiting.clear();
        inbox.ungranted = 0;
    }
}

uint64_t
RankMailbox::GetSentBytes() const
{
    uint64_t sum = 0;
    for (const auto& [channel, outbox] : m_outboxes)
    {
        sum += outbox.sender->GetSentBytes();
    }
    return sum;
}

std::vector<std::string>
RankMailbox::DescribeWaits() const
{
    std::vector<std::string> waits;
    const auto describe = [&waits](const Request& request, const std::string& what) {
        std::ostringstream text;
        text << "waits for " << what << " rank " << request.span.peer << " on channel "
             << request.span.channel << " since " << request.span.start.As(Time::MS);
        waits.push_back(text.str());
    };
    for (const auto& [channel, inbox] : m_inboxes)
    {
        for (const Request& request : inbox.waiting)
        {
            describe(request, "message from");
        }
    }
    for (const auto& [channel, outbox] : m_outboxes)
    {
        for (const Request& request : outbox.waiting)
        {
            describe(request, "a slot to send to");
        }
    }
    return waits;
}

} // namespace llmfabric
} // namespace ns3
