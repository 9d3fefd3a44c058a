/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NIC_RESPONDER_H
#define NIC_RESPONDER_H

#include "ns3/callback.h"
#include "ns3/fabric-frame.h"

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

class QueuePair;
class RoceNic;

/**
 * @ingroup llm-fabric
 * The receiving half of a queue pair: takes packets in order, acknowledges when asked, asks once
 * for what is missing, and tells the sender of congestion (the notification point of DCQCN).
 */
class Responder
{
  public:
    /// Called in a true ns-3 event when the last packet of a transfer has come: its bytes.
    using ReceiveCallback = Callback<void, uint64_t>;

    /**
     * @param nic the NIC
     * @param pair the queue pair it is half of; its configuration is complete
     */
    Responder(RoceNic& nic, QueuePair& pair);

    /** @param callback who is told of received transfers */
    void SetReceiveCallback(ReceiveCallback callback)
    {
        m_receive = callback;
    }

    /**
     * A data packet came in.
     *
     * @param frame the frame
     */
    void OnData(const Frame& frame);

    /** @return payload bytes received in order, each once */
    uint64_t GetReceivedBytes() const
    {
        return m_receivedBytes;
    }

  private:
    /** @param frame the packet that is next in order */
    void Accept(const Frame& frame);
    /** Tell the sender of a mark, unless it was told shortly before. */
    void NotifyCongestion();
    /**
     * @param kind ACK or NAK
     * @param psn the sequence number it names
     */
    void Acknowledge(FrameKind kind, uint64_t psn);
    /** @param frame an answer to send */
    void Send(Frame* frame);

    RoceNic& m_nic;              //!< the NIC
    QueuePair& m_pair;           //!< the queue pair
    uint64_t m_expected{0};      //!< next sequence number in order
    uint64_t m_messages{0};      //!< messages completed
    uint64_t m_transferBytes{0}; //!< received of the current transfer
    uint64_t m_receivedBytes{0}; //!< received in all
    uint64_t m_messageBytes{0};  //!< received of the current message
    int64_t m_lastCnp{-1};       //!< when the last CNP went, ticks; -1: never
    bool m_nakSent{false};       //!< the gap was reported
    Frame m_template;            //!< what all answers have in common
    ReceiveCallback m_receive;   //!< who is told
};

} // namespace llmfabric
} // namespace ns3

#endif /* NIC_RESPONDER_H */
