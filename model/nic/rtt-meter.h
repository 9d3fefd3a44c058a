/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RTT_METER_H
#define RTT_METER_H

#include <boost/circular_buffer.hpp>
#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Remembers when packets were sent that asked for an acknowledgment. A packet that was sent again
 * gives no round-trip time (Karn and Partridge, SIGCOMM 1987): Forget() is called then.
 */
class RttMeter
{
  public:
    /**
     * @param psn sequence number of a packet that asks for an acknowledgment, rising
     * @param now when it is sent, ticks
     */
    void OnSent(uint64_t psn, int64_t now)
    {
        if (m_sent.full())
        {
            m_sent.set_capacity(m_sent.capacity() > 0 ? 2 * m_sent.capacity() : 16);
        }
        m_sent.push_back({psn, now});
    }

    /**
     * @param psn the sequence number that an acknowledgment names
     * @param now when it came, ticks
     * @return the round-trip time of that packet, ticks; -1 if it is not known
     */
    int64_t OnAcknowledged(uint64_t psn, int64_t now)
    {
        while (!m_sent.empty() && m_sent.front().psn < psn)
        {
            m_sent.pop_front();
        }
        if (m_sent.empty() || m_sent.front().psn != psn)
        {
            return -1;
        }
        const int64_t rtt = now - m_sent.front().tick;
        m_sent.pop_front();
        return rtt;
    }

    /** Packets are sent again: forget all. */
    void Forget()
    {
        m_sent.clear();
    }

  private:
    /** A packet under way. */
    struct SentPacket
    {
        uint64_t psn; //!< its sequence number
        int64_t tick; //!< when it was sent, ticks
    };

    boost::circular_buffer<SentPacket> m_sent; //!< in order
};

} // namespace llmfabric
} // namespace ns3

#endif /* RTT_METER_H */
