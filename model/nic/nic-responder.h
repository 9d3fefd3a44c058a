/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NIC_RESPONDER_H
#define NIC_RESPONDER_H

#include "answer-feedback.h"
#include "receive-queue.h"
#include "roce-protocol.h"

#include "ns3/callback.h"
#include "ns3/fabric-frame.h"

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

class LossRecovery;
class QueuePair;
class RoceNic;

/**
 * @ingroup llm-fabric
 * The receiving half of a queue pair: takes packets in order, acknowledges when asked, asks for
 * what is missing as its LossRecovery says, and hands reads to the ReadResponder.
 *
 * Answers keep the order of requests: while the response of a read is under way they wait.
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
     * @param bytes room of each receive
     * @param count how many receives to add
     */
    void PostReceive(uint64_t bytes, uint64_t count)
    {
        m_receives.Post(bytes, count);
    }

    /** @return receives that are posted and not taken */
    uint64_t GetReceives() const
    {
        return m_receives.GetCount();
    }

    /**
     * A data packet or a read came in.
     *
     * @param frame the frame
     */
    void OnData(const Frame& frame);

    /** The responses of all reads have gone: answers that waited may go. */
    void OnReadsDone();

    /** Take over what the queue pair's frames have in common. */
    void UpdateTemplate();

    /** @return payload bytes received in order, each once */
    uint64_t GetReceivedBytes() const
    {
        return m_receivedBytes;
    }

    /** @return messages completed, reads with their request; the MSN of answers */
    uint32_t GetMessages() const
    {
        return static_cast<uint32_t>(m_messages);
    }

  private:
    /**
     * @param frame the packet that is next in order
     * @return false if it is not taken: a receive is missing or too small
     */
    bool Accept(const Frame& frame);
    /**
     * @param traits what the packet is
     * @param frame the packet
     * @return false if it needs a receive that is not there, or is too small
     */
    bool CheckReceive(const OpcodeTraits& traits, const Frame& frame);
    /**
     * @param traits what the packet is
     * @param frame the last packet of a message
     */
    void FinishMessage(const OpcodeTraits& traits, const Frame& frame);
    /**
     * Take the packets that came early and are next now.
     *
     * @return true if one of them asked for an acknowledgment
     */
    bool AcceptKept();
    /**
     * @param frame a packet that came out of order
     * @param distance how far after the expected one
     */
    void OnOutOfOrder(const Frame& frame, uint64_t distance);

    /** Acknowledge what has come in order. */
    void Acknowledge()
    {
        Answer(FrameKind::ACK, SYNDROME_ACK);
    }

    /**
     * Send an answer, or keep it in mind while responses are under way.
     *
     * @param kind ACK or NAK
     * @param syndrome its syndrome
     */
    void Answer(FrameKind kind, uint8_t syndrome);

    RoceNic& m_nic;                        //!< the NIC
    QueuePair& m_pair;                     //!< the queue pair
    LossRecovery* m_recovery;              //!< what to do about losses; the queue pair holds it
    ReceiveQueue m_receives;               //!< posted receives
    AnswerFeedback m_feedback;             //!< what the next answer tells of the way
    uint64_t m_expected;                   //!< next sequence number in order
    uint64_t m_messages{0};                //!< messages completed
    uint64_t m_transferBytes{0};           //!< received of the current transfer
    uint64_t m_receivedBytes{0};           //!< received in all
    uint64_t m_messageBytes{0};            //!< received of the current message
    FrameKind m_waiting{FrameKind::COUNT}; //!< answer that waits for responses; COUNT: none
    uint8_t m_waitingSyndrome{0};          //!< its syndrome
    bool m_nakSent{false};                 //!< the gap was reported
    Frame m_template;                      //!< what all answers have in common
    ReceiveCallback m_receive;             //!< who is told
};

} // namespace llmfabric
} // namespace ns3

#endif /* NIC_RESPONDER_H */
