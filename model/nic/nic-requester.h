/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NIC_REQUESTER_H
#define NIC_REQUESTER_H

#include "loss-recovery.h"
#include "rtt-meter.h"
#include "send-queue.h"

#include "ns3/callback.h"
#include "ns3/congestion-control.h"
#include "ns3/fabric-event-queue.h"
#include "ns3/fabric-frame.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace llmfabric
{

class QueuePair;
class RoceNic;

/** What a requester has counted. */
struct RequesterCounters
{
    uint64_t sentBytes{0};     //!< payload bytes sent, retransmissions included
    uint64_t timeouts{0};      //!< retransmission timeouts
    uint64_t retransmitted{0}; //!< packets sent again
    uint64_t naks{0};          //!< negative acknowledgments received, without the next
    uint64_t rnrNaks{0};       //!< receiver-not-ready negative acknowledgments received
};

/**
 * @ingroup llm-fabric
 * The sending half of a queue pair: messages become packets, acknowledgments and responses of reads
 * free them, its LossRecovery and a timeout repeat them.
 *
 * @verbatim
     oldest unacknowledged    next new or again    first never sent    end of what is posted
            m_unacked      <=      m_next       <=      m_sent      <=   m_queue.GetEnd()
   @endverbatim
 * Sequence numbers are 64 bit inside and 24 bit on the wire; they start at InitialPsn. A read is
 * one packet and takes the sequence numbers of its responses.
 */
class Requester
{
  public:
    /// Called in a true ns-3 event when a transfer is acknowledged or has failed.
    using CompletionCallback = Callback<void, const TransferResult&>;

    /**
     * @param nic the NIC
     * @param pair the queue pair it is half of; its configuration is complete
     */
    Requester(RoceNic& nic, QueuePair& pair);

    /** @param callback who is told of completions */
    void SetCompletionCallback(CompletionCallback callback)
    {
        m_completion = callback;
    }

    /**
     * @param request the transfer; on a queue pair in error it fails at once
     * @return its number
     */
    uint64_t Post(const WorkRequest& request);

    /** @return true if a packet waits that the protocol and the window let go */
    bool HasPacket()
    {
        if (m_recovery->HasRepeat())
        {
            return !m_failed;
        }
        return m_next < m_queue.GetEnd() && m_next - m_unacked < m_packetWindow && MayGo();
    }

    /** @return the earliest time at which the next packet is ready, ticks; HasPacket() is true */
    int64_t GetReadyTime();

    /**
     * Make the next packet; HasPacket() must be true.
     *
     * @param now the time, ticks
     * @return the frame
     */
    Frame* MakePacket(int64_t now);

    /**
     * An ACK or NAK came in.
     *
     * @param frame the frame
     */
    void OnAcknowledge(const Frame& frame);

    /**
     * A packet of a read's response came in.
     *
     * @param frame the frame
     */
    void OnResponse(const Frame& frame);

    /** Take over what the queue pair's frames have in common. */
    void UpdateTemplate();

    /** @return what was counted */
    const RequesterCounters& GetCounters() const
    {
        return m_counters;
    }

    /** @return true once it gave up */
    bool IsFailed() const
    {
        return m_failed;
    }

    /** @return true if nothing is left to send or to be acknowledged */
    bool IsIdle() const
    {
        return m_queue.IsEmpty();
    }

    /** @return payload that is sent and not known to have come, bytes */
    uint64_t GetBytesInFlight() const;

    /**
     * Look at the messages that are not yet acknowledged to their end, in order.
     *
     * @tparam F a function of (number of the message, bytes, tick of posting)
     * @param visit called with each
     */
    template <typename F>
    void ForEachPending(F visit) const
    {
        uint64_t number = m_completed;
        for (const SendMessage& message : m_queue.GetMessages())
        {
            visit(number++, message.bytes, message.posted);
        }
    }

  private:
    /** @return true if window and reads under way let the packet m_next go */
    bool MayGo();
    /**
     * @param frame a data frame to fill
     * @param message the message it is part of
     * @param psn its sequence number
     */
    void FillPacket(Frame& frame, const SendMessage& message, uint64_t psn);
    /**
     * @param last true for the last packet of a message
     * @param repeat true if it is sent out of order
     * @return true if this packet asks for an acknowledgment
     */
    bool AskForAck(bool last, bool repeat);
    /**
     * An answer to all before a sequence number is awaited: the retransmission timer runs from the
     * first such packet that is not acknowledged.
     *
     * @param end the sequence number
     * @param now the time, ticks
     */
    void AwaitAnswer(uint64_t end, int64_t now);
    /** @param now when the retransmission timer starts, or starts anew, ticks */
    void StartTimer(int64_t now);
    /** @return the retransmission timeout, ticks; 0: none */
    int64_t GetTimeout() const;
    /**
     * @param frame an answer
     * @return the first sequence number that it does not acknowledge; m_unacked if it is old
     */
    uint64_t GetAcknowledged(const Frame& frame) const;
    /**
     * @param acked the first sequence number that has not come to the peer
     * @return the same, or where the oldest read begins whose response has not come
     */
    uint64_t GetNextRead(uint64_t acked) const;
    /**
     * @param acked the first sequence number that is not acknowledged
     * @param now the time, ticks
     * @param answer the frame that says so
     */
    void Advance(uint64_t acked, int64_t now, const Frame& answer);
    /** Tell of the messages that are acknowledged to their end. */
    void CompleteMessages();
    /**
     * @param message a message that is over
     * @param reason why it failed, or empty
     */
    void Complete(const SendMessage& message, const std::string& reason);
    /**
     * @param result what became of a transfer
     */
    void Tell(const TransferResult& result);
    /**
     * @param frame a negative acknowledgment
     * @param now the time, ticks
     */
    void OnNak(const Frame& frame, int64_t now);
    /**
     * @param frame a receiver-not-ready negative acknowledgment
     * @param now the time, ticks
     */
    void OnReceiverNotReady(const Frame& frame, int64_t now);
    /** A part of the response of the oldest read is missing. */
    void OnResponseGap();
    /**
     * Packets were lost.
     *
     * @param repair what the loss recovery says
     * @param now the time, ticks
     * @param timedOut a timeout says so
     */
    void Repair(LossRecovery::Repair repair, int64_t now, bool timedOut = false);
    /** @param repair what the loss recovery says, for another reason than a loss */
    void Resend(LossRecovery::Repair repair);
    /** Go back to the oldest unacknowledged packet. */
    void Rewind();
    /**
     * @param why what happened
     * @return true if a retry was left
     */
    bool TakeRetry(const char* why);
    /** The retransmission timer may have run out. */
    void OnTimer();
    /** @param reason why the queue pair gives up */
    void Fail(const std::string& reason);
    /** Tell the trace source of the bytes in flight. */
    void TraceBytesInFlight() const;

    RoceNic& m_nic;                  //!< the NIC
    QueuePair& m_pair;               //!< the queue pair
    CongestionControl* m_control;    //!< its window; the queue pair holds it
    LossRecovery* m_recovery;        //!< what to do about losses; the queue pair holds it
    bool m_selective;                //!< see LossRecovery::IsSelective
    uint64_t m_packetWindow;         //!< most sequence numbers under way
    uint64_t m_unacked;              //!< oldest unacknowledged sequence number
    uint64_t m_next;                 //!< next to send, but for repeats
    uint64_t m_sent;                 //!< first that was never sent
    uint64_t m_awaited;              //!< end of what an answer was asked for
    uint64_t m_arrived;              //!< all before has come to the peer, also behind a read
    uint64_t m_nextByte{0};          //!< payload sent before m_next
    uint64_t m_unackedByte{0};       //!< payload sent before m_unacked
    SendQueue m_queue;               //!< messages that are not yet acknowledged
    uint64_t m_completed{0};         //!< messages completed
    uint32_t m_sinceAckRequest{0};   //!< packets since the last that asked for an ACK
    uint32_t m_ackInterval;          //!< packets for which one ACK is asked
    uint32_t m_readsUnderWay{0};     //!< reads sent since the last rewind and not complete
    uint8_t m_retriesLeft;           //!< before it gives up
    uint8_t m_rnrRetriesLeft;        //!< the same for receiver-not-ready
    bool m_failed{false};            //!< it gave up
    bool m_measures{false};          //!< round-trip times are wanted
    bool m_gapTold{false};           //!< the missing part of a response was asked for
    int64_t m_resume{0};             //!< not before that, as the receiver was not ready, ticks
    int64_t m_deadline{0};           //!< when the retransmission timer runs out, ticks
    int64_t m_timerTick{0};          //!< when m_timer comes, if it is pending, ticks
    RttMeter m_rttMeter;             //!< when packets were sent that asked for an ACK
    Frame m_template;                //!< what all packets have in common
    FabricEvent m_timer;             //!< at or before the deadline
    CompletionCallback m_completion; //!< who is told
    RequesterCounters m_counters;    //!< what was counted
};

} // namespace llmfabric
} // namespace ns3

#endif /* NIC_REQUESTER_H */
