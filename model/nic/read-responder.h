/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef READ_RESPONDER_H
#define READ_RESPONDER_H

#include "ns3/fabric-frame.h"

#include <cstdint>
#include <deque>

namespace ns3
{
namespace llmfabric
{

class QueuePair;
class RoceNic;

/**
 * @ingroup llm-fabric
 * Answers the reads that the peer of a queue pair asks for. The responses take the sequence numbers
 * that the request kept free, and are paced by the queue pair's congestion control; no window
 * holds them, since nothing acknowledges them.
 */
class ReadResponder
{
  public:
    /**
     * @param nic the NIC
     * @param pair the queue pair it is part of
     */
    ReadResponder(RoceNic& nic, QueuePair& pair);

    /**
     * A request has come, for the first time or again.
     *
     * @param frame the request
     * @param psn its sequence number
     * @return packets of its response
     */
    uint64_t Add(const Frame& frame, uint64_t psn);

    /** @return true if a packet of a response waits */
    bool HasPacket() const
    {
        return !m_reads.empty();
    }

    /** @return true while a response is not sent to its end */
    bool IsPending() const
    {
        return !m_reads.empty();
    }

    /** @return the next packet of a response; HasPacket() must be true */
    Frame* MakePacket();

    /** Take over what the queue pair's frames have in common. */
    void UpdateTemplate();

    /** @return payload sent in responses, bytes */
    uint64_t GetSentBytes() const
    {
        return m_sentBytes;
    }

  private:
    /** A response that is not sent to its end. */
    struct Read
    {
        uint64_t psn;     //!< next sequence number to send
        uint64_t end;     //!< the one after its last
        uint64_t bytes;   //!< left to send
        bool first{true}; //!< nothing is sent yet
    };

    RoceNic& m_nic;           //!< the NIC
    QueuePair& m_pair;        //!< the queue pair
    std::deque<Read> m_reads; //!< by sequence number
    uint64_t m_sentBytes{0};  //!< payload sent
    Frame m_template;         //!< what all packets have in common
};

} // namespace llmfabric
} // namespace ns3

#endif /* READ_RESPONDER_H */
