/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-connection.h"

#include "roce-nic.h"
#include "roce-protocol.h"

#include "ns3/abort.h"
#include "ns3/user-error.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

RoceConnection::RoceConnection(Ptr<RoceNic> from,
                               Ptr<RoceNic> to,
                               uint32_t queuePairs,
                               MessageSpread spread)
    : m_spread(spread),
      m_sent(queuePairs),
      m_arrived(queuePairs)
{
    NS_ABORT_MSG_IF(queuePairs == 0, "a RoceConnection needs a queue pair");
    const uint64_t first = RoceNic::NextIndex(from, to);
    if (first + queuePairs > uint64_t{MAX_QUEUE_PAIR_INDEX} + 1)
    {
        throw UserError("more than 65536 queue pairs between two NICs",
                        "RoceConnection",
                        "use fewer queue pairs, or several messages on one");
    }
    for (uint32_t i = 0; i < queuePairs; ++i)
    {
        m_pairs.push_back(RoceNic::Connect(from, to, static_cast<uint32_t>(first) + i));
        m_pairs[i].first->GetRequester().SetCompletionCallback(
            MakeCallback(&RoceConnection::OnComplete, this).Bind(i));
        m_pairs[i].second->GetResponder().SetReceiveCallback(
            MakeCallback(&RoceConnection::OnReceive, this).Bind(i));
    }
}

RoceConnection::~RoceConnection()
{
    for (const Ends& ends : m_pairs)
    {
        ends.first->GetRequester().SetCompletionCallback({});
        ends.second->GetResponder().SetReceiveCallback({});
    }
}

std::size_t
RoceConnection::ChoosePair(const WorkRequest& request)
{
    // Those that take receives go in a turn of their own, so that each finds the one posted for it.
    const bool plain = request.verb != RoceVerb::SEND && !request.immediate;
    const uint64_t turn = plain ? m_plain++ : m_posted - m_plain;
    return turn % m_pairs.size();
}

uint64_t
RoceConnection::Post(const WorkRequest& request)
{
    const bool split = m_spread == MessageSpread::SPLIT;
    const std::size_t count = split ? m_pairs.size() : 1;
    const std::size_t begin = split ? 0 : ChoosePair(request);
    const uint64_t number = m_posted;
    for (std::size_t i = 0; i < count; ++i)
    {
        WorkRequest part = request;
        part.bytes = request.bytes / count + (i < request.bytes % count ? 1 : 0);
        m_pairs[begin + i].first->Post(part); // the first is the longest: it throws or none does
        m_sent[begin + i].push_back(number);
    }
    ++m_posted;
    m_pending.emplace(number, Pending{request.bytes, count, request.verb, ""});
    if (!split && request.verb != RoceVerb::READ)
    {
        m_order.push_back(begin);
    }
    return number;
}

void
RoceConnection::PostReceive(uint64_t bytes, uint64_t count)
{
    const std::size_t pairs = m_pairs.size();
    const bool split = m_spread == MessageSpread::SPLIT;
    for (std::size_t i = 0; i < pairs; ++i)
    {
        // Round robin: the numbers from m_receivesPosted on that leave i when divided.
        const uint64_t before = (m_receivesPosted + pairs - 1 - i) / pairs;
        const uint64_t after = (m_receivesPosted + count + pairs - 1 - i) / pairs;
        m_pairs[i].second->PostReceive(split ? (bytes + pairs - 1) / pairs : bytes,
                                       split ? count : after - before);
    }
    m_receivesPosted += count;
}

void
RoceConnection::OnComplete(uint32_t pair, const TransferResult& result)
{
    const uint64_t number = m_sent[pair].front();
    m_sent[pair].pop_front();
    const auto place = m_pending.find(number);
    Pending& message = place->second;
    if (result.failed && message.reason.empty())
    {
        message.reason = result.reason;
    }
    if (--message.parts > 0)
    {
        return;
    }
    const TransferResult whole{number,
                               message.bytes,
                               !message.reason.empty(),
                               message.reason,
                               message.verb};
    m_pending.erase(place);
    if (!m_completion.IsNull())
    {
        m_completion(whole);
    }
}

void
RoceConnection::OnReceive(uint32_t pair, uint64_t bytes)
{
    m_arrived[pair].push_back(bytes);
    uint64_t next = 0;
    while (TakeNext(next))
    {
        if (!m_receive.IsNull())
        {
            m_receive(next);
        }
    }
}

bool
RoceConnection::TakeNext(uint64_t& bytes)
{
    if (m_spread == MessageSpread::ROUND_ROBIN)
    {
        if (m_order.empty() || m_arrived[m_order.front()].empty())
        {
            return false;
        }
        bytes = m_arrived[m_order.front()].front();
        m_arrived[m_order.front()].pop_front();
        m_order.pop_front();
        return true;
    }
    for (const auto& queue : m_arrived)
    {
        if (queue.empty())
        {
            return false;
        }
    }
    bytes = 0;
    for (auto& queue : m_arrived)
    {
        bytes += queue.front();
        queue.pop_front();
    }
    return true;
}

} // namespace llmfabric
} // namespace ns3
