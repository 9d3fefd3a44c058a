/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NIC_REQUESTER_H
#define NIC_REQUESTER_H

#include "roce-protocol.h"

#include "ns3/callback.h"
#include "ns3/congestion-control.h"
#include "ns3/fabric-event-queue.h"
#include "ns3/fabric-frame.h"
#include "ns3/ptr.h"
#include "ns3/tick-rate.h"

#include <boost/intrusive/set_hook.hpp>
#include <cstdint>
#include <deque>
#include <string>

namespace ns3
{
namespace llmfabric
{

class QueuePair;
class RoceNic;

/** What became of a posted transfer. */
struct TransferResult
{
    uint64_t transfer;  //!< its number at the queue pair
    uint64_t bytes;     //!< its size
    bool failed;        //!< true if the queue pair gave up
    std::string reason; //!< why, if it failed
};

/** What a requester has counted. */
struct RequesterCounters
{
    uint64_t sentBytes{0};     //!< payload bytes sent, retransmissions included
    uint64_t timeouts{0};      //!< retransmission timeouts
    uint64_t retransmitted{0}; //!< packets sent again
    uint64_t naks{0};          //!< negative acknowledgments received
    uint64_t cnps{0};          //!< congestion notifications received
};

/**
 * @ingroup llm-fabric
 * The sending half of a queue pair: messages become packets, acknowledgments free them, go-back-N
 * and a timeout repeat them.
 *
 * @verbatim
     oldest unacknowledged      next to send       end of what is posted
            m_unacked   <=        m_next     <=        m_end
   @endverbatim
 * Sequence numbers are 64 bit inside and 24 bit on the wire.
 */
class Requester : public boost::intrusive::set_base_hook<>
{
  public:
    /// Called in a true ns-3 event when a transfer is acknowledged or has failed.
    using CompletionCallback = Callback<void, const TransferResult&>;

    /**
     * @param nic the NIC
     * @param pair the queue pair it is half of; its configuration is complete
     * @param control its congestion control
     */
    Requester(RoceNic& nic, QueuePair& pair, Ptr<CongestionControl> control);

    /** @param callback who is told of completions */
    void SetCompletionCallback(CompletionCallback callback)
    {
        m_completion = callback;
    }

    /**
     * @param bytes size of the transfer
     * @return its number
     */
    uint64_t Post(uint64_t bytes);

    /** @return true if a packet waits that the protocol lets go */
    bool HasPacket() const
    {
        return m_next < m_end && m_next - m_unacked < MAX_UNACKNOWLEDGED;
    }

    /** @return the earliest time of the next packet, ticks; HasPacket() must be true */
    int64_t GetNextTime();

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

    /** A congestion notification came in. */
    void OnCnp();

    /** @return its congestion control */
    Ptr<CongestionControl> GetCongestionControl() const
    {
        return m_control;
    }

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
        for (const Message& message : m_messages)
        {
            visit(number++, message.bytes, message.posted);
        }
    }

    /**
     * @param other another requester of the same NIC
     * @return true if this one is served first when both are ready
     */
    bool operator<(const Requester& other) const
    {
        return m_order < other.m_order;
    }

  private:
    friend class NicArbiter;

    /** A message that is not yet acknowledged to its end. */
    struct Message
    {
        uint64_t firstPsn; //!< sequence number of its first packet
        uint64_t packets;  //!< how many packets
        uint64_t bytes;    //!< its size
        uint64_t transfer; //!< number of the transfer it is part of
        uint64_t ofBytes;  //!< size of that transfer
        int64_t posted;    //!< when it was posted, ticks
        bool last;         //!< the last of the transfer
    };

    /** Make the event of the retransmission timer known to the engine. */
    void BindTimer();
    /** @return the message that holds m_next */
    const Message& CurrentMessage();
    /**
     * @param frame a data frame to fill
     * @param message the message it is part of
     */
    void FillPacket(Frame& frame, const Message& message);
    /**
     * @param last true for the last packet of a message
     * @return true if this packet asks for an acknowledgment
     */
    bool AskForAck(bool last);
    /**
     * The packet m_next asks for an acknowledgment: the retransmission timer runs from the first
     * such packet that is not acknowledged.
     *
     * @param now the time, ticks
     */
    void AwaitAck(int64_t now);
    /**
     * @param frame the frame that goes now
     * @param now the time, ticks
     */
    void Pace(const Frame& frame, int64_t now);
    /**
     * @param acked the first sequence number that is not acknowledged
     * @param now the time, ticks
     */
    void Advance(uint64_t acked, int64_t now);
    /** Tell of the messages that are acknowledged to their end. */
    void CompleteMessages();
    /**
     * @param message a message that is over
     * @param failed the queue pair gave up
     * @param reason why
     */
    void Complete(const Message& message, bool failed, const std::string& reason);
    /**
     * Go back to the oldest unacknowledged packet, or give up.
     *
     * @param now the time, ticks
     * @param why what happened
     */
    void GoBack(int64_t now, const char* why);
    /** The retransmission timer may have run out. */
    void OnTimer();
    /** @param reason why the queue pair gives up */
    void Fail(const std::string& reason);

    RoceNic& m_nic;                   //!< the NIC
    QueuePair& m_pair;                //!< the queue pair
    Ptr<CongestionControl> m_control; //!< its rate
    double m_pacedRate{0};            //!< rate that m_pacer is set to, bit/s
    TickRate m_pacer;                 //!< time of bytes at that rate
    int64_t m_nextTime{0};            //!< when the pace allows the next packet, ticks
    uint64_t m_unacked{0};            //!< oldest unacknowledged sequence number
    uint64_t m_next{0};               //!< next to send
    uint64_t m_sent{0};               //!< first that was never sent
    uint64_t m_end{0};                //!< end of what is posted
    uint64_t m_awaited{0};            //!< end of what an acknowledgment was asked for
    std::deque<Message> m_messages;   //!< not yet acknowledged
    std::size_t m_current{0};         //!< index of the message that holds m_next
    uint64_t m_order{0};              //!< order among the requesters of the NIC
    uint64_t m_transfers{0};          //!< transfers posted
    uint64_t m_completed{0};          //!< messages completed
    uint32_t m_sinceAckRequest{0};    //!< packets since the last that asked for an ACK
    uint8_t m_retriesLeft{0};         //!< before it gives up
    bool m_failed{false};             //!< it gave up
    bool m_waiting{false};            //!< in the arbiter's heap of paced requesters
    int64_t m_deadline{0};            //!< when the retransmission timer runs out, ticks
    Frame m_template;                 //!< what all packets have in common
    FabricEvent m_timer;              //!< at or before the deadline
    CompletionCallback m_completion;  //!< who is told
    RequesterCounters m_counters;     //!< what was counted
};

} // namespace llmfabric
} // namespace ns3

#endif /* NIC_REQUESTER_H */
