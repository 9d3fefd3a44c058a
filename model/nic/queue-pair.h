/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QUEUE_PAIR_H
#define QUEUE_PAIR_H

#include "completion-queue.h"
#include "loss-recovery.h"
#include "nic-requester.h"
#include "nic-responder.h"
#include "read-responder.h"

#include "ns3/congestion-control.h"
#include "ns3/simple-ref-count.h"
#include "ns3/tick-rate.h"

#include <boost/intrusive/set_hook.hpp>
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
    uint32_t initialPsn;   //!< sequence number of the first packet that this end sends
    uint32_t peerPsn;      //!< sequence number of the first packet that the other sends
    uint32_t mtu;          //!< path MTU: payload bytes of a full packet
    uint32_t ackInterval;  //!< packets for which one acknowledgment is asked
    uint32_t maxReads;     //!< reads that may be under way
    uint8_t priority;      //!< of data and acknowledgments
    uint8_t dscp;          //!< the same
    uint8_t cnpPriority;   //!< of congestion notification packets
    uint8_t cnpDscp;       //!< the same
    uint8_t retryCount;    //!< timeouts and NAKs in a row before it gives up
    uint8_t rnrRetryCount; //!< receiver-not-ready NAKs in a row before it gives up; 7: never
    uint8_t rnrTimer;      //!< code of the time that a receiver-not-ready NAK asks for
    int64_t timeout;       //!< retransmission timeout, ticks; 0: none
    int64_t sendLatency;   //!< from posting to the first packet, ticks
    int64_t baseRtt;       //!< round-trip time of the network without queues, ticks; 0: unknown
};

/**
 * @ingroup llm-fabric
 * One end of a reliable connection: it sends (Requester), receives (Responder) and answers reads
 * (ReadResponder), all paced by one congestion control.
 */
class QueuePair : public SimpleRefCount<QueuePair>,
                  public boost::intrusive::set_base_hook<>,
                  private CongestionObserver
{
  public:
    /**
     * @param nic the NIC it lives in
     * @param config who it is
     * @param control its congestion control
     * @param recovery what it does about losses
     */
    QueuePair(RoceNic& nic,
              const QueuePairConfig& config,
              Ptr<CongestionControl> control,
              Ptr<LossRecovery> recovery);
    ~QueuePair() override;

    /**
     * Post a transfer. Any number may be under way; they are done in order.
     *
     * @param request what to do
     * @return number of this transfer, counting from 0
     * @throws UserError if it is a Send of more than 2^31 B
     */
    uint64_t Post(const WorkRequest& request)
    {
        return m_requester.Post(request);
    }

    /**
     * Write bytes to the peer's memory; cut into messages of at most 2^31 B.
     *
     * @param bytes how many; 0 is a message without payload
     * @return number of this transfer, counting from 0
     */
    uint64_t PostWrite(uint64_t bytes)
    {
        return Post({RoceVerb::WRITE, bytes, {}});
    }

    /**
     * Let the peer take bytes in its next receive.
     *
     * @param bytes how many, at most 2^31
     * @return number of this transfer, counting from 0
     */
    uint64_t PostSend(uint64_t bytes)
    {
        return Post({RoceVerb::SEND, bytes, {}});
    }

    /**
     * Fetch bytes from the peer's memory; cut into messages of at most 2^31 B.
     *
     * @param bytes how many
     * @return number of this transfer, counting from 0
     */
    uint64_t PostRead(uint64_t bytes)
    {
        return Post({RoceVerb::READ, bytes, {}});
    }

    /**
     * Be ready for Sends and immediate data of the peer.
     *
     * @param bytes room of each receive
     * @param count how many receives to add
     */
    void PostReceive(uint64_t bytes, uint64_t count = 1)
    {
        m_responder.PostReceive(bytes, count);
    }

    /** @param queue where completions of transfers and receives go; null: nowhere */
    void SetCompletionQueue(Ptr<CompletionQueue> queue)
    {
        m_completions = queue;
    }

    /** @return where completions go, or null */
    Ptr<CompletionQueue> GetCompletionQueue() const
    {
        return m_completions;
    }

    /** @return the sending half */
    Requester& GetRequester()
    {
        return m_requester;
    }

    /** @return the sending half */
    const Requester& GetRequester() const
    {
        return m_requester;
    }

    /** @return the receiving half */
    Responder& GetResponder()
    {
        return m_responder;
    }

    /** @return what answers reads */
    ReadResponder& GetReadResponder()
    {
        return m_reads;
    }

    /** @return what answers reads */
    const ReadResponder& GetReadResponder() const
    {
        return m_reads;
    }

    /** @return its congestion control */
    Ptr<CongestionControl> GetCongestionControl() const
    {
        return m_control;
    }

    /** @return what it does about losses */
    LossRecovery& GetRecovery() const
    {
        return *m_recovery;
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

    /**
     * @param port UDP source port of all that this end sends; before the first transfer
     */
    void SetSourcePort(uint16_t port);

    /** @return what all frames of this end have in common: addresses, ports, flow, far end */
    Frame MakeTemplate() const;

    // What its halves and the arbiter need.

    /** @return true if a packet waits that protocol and window let go */
    bool HasPacket()
    {
        return m_requester.HasPacket() || m_reads.HasPacket();
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

    /** Tell the NIC if something can be sent. */
    void Activate();

    /** Tell the congestion control if work has begun or ended. */
    void UpdateIdle();

    /**
     * A congestion notification packet came in.
     */
    void OnCnp();

    /** The congestion control may have other steps to come: set the event for them if it is used.
     */
    void UpdateSteps();

    /**
     * @param other another queue pair of the same NIC
     * @return true if this one is served first when both are ready: it has sent less; among
     *         equals by GetOrder()
     */
    bool operator<(const QueuePair& other) const
    {
        return m_served != other.m_served ? m_served < other.m_served : m_order < other.m_order;
    }

    /**
     * @return its order among the queue pairs of the NIC: by how far the peer's address is behind
     *         its own, then by index; so all hosts of a ring serve their neighbors alike
     */
    uint64_t GetOrder() const
    {
        return m_order;
    }

    /** @return congestion notifications received */
    uint64_t GetCnps() const
    {
        return m_cnps;
    }

  private:
    friend class NicArbiter;

    void OnCongestionState(int64_t tick, CongestionQuantity quantity, double value) override;

    /**
     * @param frame the frame that goes now
     * @param now the time, ticks
     */
    void Pace(const Frame& frame, int64_t now);
    /** A timer step of the congestion control is due. */
    void OnStep();

    QueuePairConfig m_config;           //!< who it is
    RoceNic& m_nic;                     //!< the NIC
    Ptr<CongestionControl> m_control;   //!< rate and window
    Ptr<LossRecovery> m_recovery;       //!< what it does about losses
    Ptr<CompletionQueue> m_completions; //!< where completions go
    uint16_t m_sourcePort;              //!< UDP source port
    uint64_t m_order;                   //!< order among the queue pairs of the NIC
    uint64_t m_served{0};               //!< wire bytes sent, as the arbiter counts
    double m_pacedRate{0};              //!< rate that m_pacer is set to, bit/s
    TickRate m_pacer;                   //!< time of bytes at that rate
    int64_t m_nextTime{0};              //!< when the pace allows the next packet, ticks
    uint64_t m_cnps{0};                 //!< congestion notifications received
    int64_t m_waitingUntil{0};          //!< while m_waiting: until when, ticks
    bool m_waiting{false};              //!< in the arbiter's heap of those whose time is to come
    bool m_readTurn{false};             //!< a read's response goes before a request
    bool m_idle{true};                  //!< nothing to send or to be acknowledged
    FabricEvent m_step;                 //!< a step of the congestion control, if they are events
    Requester m_requester;              //!< sends
    Responder m_responder;              //!< receives
    ReadResponder m_reads;              //!< answers reads
};

} // namespace llmfabric
} // namespace ns3

#endif /* QUEUE_PAIR_H */
