/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SEND_QUEUE_H
#define SEND_QUEUE_H

#include "work-request.h"

#include <cstddef>
#include <cstdint>
#include <deque>

namespace ns3
{
namespace llmfabric
{

/** A message that is posted and not yet acknowledged to its end. */
struct SendMessage
{
    uint64_t firstPsn;      //!< sequence number of its first packet
    uint64_t packets;       //!< sequence numbers that it takes; a read: those of its responses
    uint64_t bytes;         //!< its size
    uint64_t firstByte;     //!< payload that this end sends before it
    uint64_t transfer;      //!< number of the transfer it is part of
    uint64_t transferBytes; //!< size of that transfer
    int64_t posted;         //!< when it was posted, ticks
    uint32_t immediate;     //!< immediate data
    RoceVerb verb;          //!< what it does
    bool hasImmediate;      //!< immediate data goes with it
    bool last;              //!< the last of the transfer

    /** @return the sequence number after its last */
    uint64_t GetEnd() const
    {
        return firstPsn + packets;
    }

    /** @return payload that this end sends for it, bytes */
    uint64_t GetSentBytes() const
    {
        return verb == RoceVerb::READ ? 0 : bytes;
    }
};

/**
 * @ingroup llm-fabric
 * The messages of a queue pair that are posted and not yet acknowledged, in order, and their
 * sequence numbers (64 bit, without gaps).
 */
class SendQueue
{
  public:
    /**
     * @param mtu path MTU, bytes
     * @param psn the first sequence number
     */
    SendQueue(uint32_t mtu, uint64_t psn)
        : m_mtu(mtu),
          m_end(psn)
    {
    }

    /**
     * Append a transfer, cut into messages of at most 2^31 B, reads also of at most
     * MAX_UNACKNOWLEDGED packets.
     *
     * @param request the transfer
     * @param now the time, ticks
     * @return its number, counting from 0
     * @throws UserError if it is a Send of more than one message
     */
    uint64_t Post(const WorkRequest& request, int64_t now);

    /** @return true if all is acknowledged */
    bool IsEmpty() const
    {
        return m_messages.empty();
    }

    /** @return the sequence number after the last that is posted */
    uint64_t GetEnd() const
    {
        return m_end;
    }

    /** @return true if a read is posted that is not complete */
    bool HasRead() const
    {
        return !m_reads.empty();
    }

    /** @return the oldest read that is not complete; there must be one */
    const SendMessage& GetFirstRead() const
    {
        return m_messages[IndexOf(m_reads.front())];
    }

    /**
     * @param psn a sequence number of a message that is not acknowledged to its end
     * @return the message
     */
    const SendMessage& Find(uint64_t psn)
    {
        const SendMessage* message = &m_messages[m_cursor];
        if (psn < message->firstPsn || psn >= message->GetEnd())
        {
            MoveCursor(psn);
            message = &m_messages[m_cursor];
        }
        return *message;
    }

    /** @return the oldest message; there must be one */
    const SendMessage& GetFront() const
    {
        return m_messages.front();
    }

    /** @return the oldest message, taken out; there must be one */
    SendMessage PopFront();

    /**
     * @param unacked the oldest sequence number that is not acknowledged
     * @return payload that this end sends before it, bytes
     */
    uint64_t GetBytesBefore(uint64_t unacked) const;

    /** @return the messages, the oldest first */
    const std::deque<SendMessage>& GetMessages() const
    {
        return m_messages;
    }

  private:
    /**
     * @param psn a sequence number of a message
     * @return the index of the message
     */
    std::size_t IndexOf(uint64_t psn) const;
    /** @param psn a sequence number whose message the cursor shall stand on */
    void MoveCursor(uint64_t psn);

    uint32_t m_mtu;                     //!< path MTU
    std::deque<SendMessage> m_messages; //!< in order
    std::size_t m_cursor{0};            //!< index of the message that was last looked for
    uint64_t m_end;                     //!< next sequence number
    uint64_t m_endByte{0};              //!< payload that is sent before the next message
    uint64_t m_transfers{0};            //!< transfers posted
    std::deque<uint64_t> m_reads;       //!< first sequence numbers of reads
};

} // namespace llmfabric
} // namespace ns3

#endif /* SEND_QUEUE_H */
