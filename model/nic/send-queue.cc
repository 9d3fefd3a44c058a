/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "send-queue.h"

#include "roce-protocol.h"

#include "ns3/user-error.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

uint64_t
SendQueue::Post(const WorkRequest& request, int64_t now)
{
    if (request.verb == RoceVerb::SEND && request.bytes > MAX_MESSAGE_BYTES)
    {
        throw UserError("a Send of " + std::to_string(request.bytes) + " B",
                        "queue pair",
                        "send at most 2^31 B at once, or write them");
    }
    // A read takes the sequence numbers of its responses at once.
    const uint64_t most = request.verb == RoceVerb::READ
                              ? std::min(MAX_MESSAGE_BYTES, MAX_UNACKNOWLEDGED * m_mtu)
                              : MAX_MESSAGE_BYTES;
    uint64_t left = request.bytes;
    do
    {
        SendMessage message{};
        message.bytes = std::min(left, most);
        left -= message.bytes;
        message.firstPsn = m_end;
        message.packets = std::max<uint64_t>(1, (message.bytes + m_mtu - 1) / m_mtu);
        message.firstByte = m_endByte;
        message.transfer = m_transfers;
        message.transferBytes = request.bytes;
        message.posted = now;
        message.verb = request.verb;
        message.last = left == 0;
        message.hasImmediate = message.last && request.immediate.has_value();
        message.immediate = request.immediate.value_or(0);
        m_end += message.packets;
        m_endByte += message.GetSentBytes();
        if (request.verb == RoceVerb::READ)
        {
            m_reads.push_back(message.firstPsn);
        }
        m_messages.push_back(message);
    } while (left > 0);
    return m_transfers++;
}

void
SendQueue::MoveCursor(uint64_t psn)
{
    if (m_cursor + 1 < m_messages.size() && m_messages[m_cursor].GetEnd() == psn)
    {
        ++m_cursor;
        return;
    }
    m_cursor = IndexOf(psn);
}

SendMessage
SendQueue::PopFront()
{
    const SendMessage message = m_messages.front();
    m_messages.pop_front();
    m_cursor -= m_cursor > 0 ? 1 : 0;
    if (message.verb == RoceVerb::READ)
    {
        m_reads.pop_front();
    }
    return message;
}

std::size_t
SendQueue::IndexOf(uint64_t psn) const
{
    const auto after = std::upper_bound(
        m_messages.begin(),
        m_messages.end(),
        psn,
        [](uint64_t value, const SendMessage& one) { return value < one.firstPsn; });
    return static_cast<std::size_t>(after - m_messages.begin()) - 1;
}

uint64_t
SendQueue::GetBytesBefore(uint64_t unacked) const
{
    if (unacked >= m_end)
    {
        return m_endByte;
    }
    // One answer may acknowledge many messages.
    const SendMessage& message =
        m_messages[unacked < m_messages.front().GetEnd() ? 0 : IndexOf(unacked)];
    return message.firstByte +
           std::min((unacked - message.firstPsn) * m_mtu, message.GetSentBytes());
}

} // namespace llmfabric
} // namespace ns3
