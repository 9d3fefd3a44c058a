/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QUEUE_PAIR_H
#define QUEUE_PAIR_H

#include "nic-requester.h"
#include "nic-responder.h"

#include "ns3/simple-ref-count.h"

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

class RoceNic;

/** Who a queue pair is and whom it is connected to. */
struct QueuePairConfig
{
    uint32_t localAddress; //!< IPv4 address of this NIC
    uint32_t peerAddress;  //!< IPv4 address of the other
    uint32_t index;        //!< number of this queue pair between the two, below 65536
    uint32_t localNumber;  //!< queue pair number at this NIC
    uint32_t peerNumber;   //!< queue pair number at the other NIC
    uint32_t mtu;          //!< path MTU: payload bytes of a full packet
    uint32_t ackInterval;  //!< packets for which one acknowledgment is asked
    uint8_t priority;      //!< of data and acknowledgments
    uint8_t cnpPriority;   //!< of congestion notification packets
    uint8_t retryCount;    //!< timeouts and NAKs in a row before it gives up
    int64_t timeout;       //!< retransmission timeout, ticks; 0: none
    int64_t cnpInterval;   //!< least time between two CNPs, ticks
    int64_t sendLatency;   //!< from posting to the first packet, ticks
};

/**
 * @ingroup llm-fabric
 * One end of a reliable connection: it sends (Requester) and receives (Responder).
 */
class QueuePair : public SimpleRefCount<QueuePair>
{
  public:
    /**
     * @param nic the NIC it lives in
     * @param config who it is
     * @param control its congestion control
     */
    QueuePair(RoceNic& nic, const QueuePairConfig& config, Ptr<CongestionControl> control);

    /**
     * Write bytes to the peer's memory; cut into messages of at most 2^31 B.
     *
     * @param bytes how many; 0 is a message without payload
     * @return number of this transfer, counting from 0
     */
    uint64_t Post(uint64_t bytes)
    {
        return m_requester.Post(bytes);
    }

    /** @return the sending half */
    Requester& GetRequester()
    {
        return m_requester;
    }

    /** @return the receiving half */
    Responder& GetResponder()
    {
        return m_responder;
    }

    /** @return who it is */
    const QueuePairConfig& GetConfig() const
    {
        return m_config;
    }

    /** @return the id of what this end sends, see QueuePairId */
    uint64_t GetId() const;

    /** @return its UDP source port, 0xC000 | (hash(seed, source, destination, index) & 0x3FFF) */
    uint16_t GetSourcePort() const
    {
        return m_sourcePort;
    }

    /** @return what all frames of this end have in common: addresses, ports, flow, far end */
    Frame MakeTemplate() const;

  private:
    QueuePairConfig m_config; //!< who it is
    uint16_t m_sourcePort;    //!< UDP source port
    Requester m_requester;    //!< sends
    Responder m_responder;    //!< receives
};

} // namespace llmfabric
} // namespace ns3

#endif /* QUEUE_PAIR_H */
