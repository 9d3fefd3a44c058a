/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_NIC_H
#define ROCE_NIC_H

#include "nic-arbiter.h"
#include "queue-pair.h"

#include "ns3/event-impl.h"
#include "ns3/fabric-port.h"
#include "ns3/frame-pipeline.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/** Argument of the trace sources MessageSent and MessageReceived. */
struct MessageEvent
{
    uint64_t queuePair;   //!< see QueuePairId, of the sender
    uint64_t number;      //!< counts the messages of the queue pair from 0
    uint32_t source;      //!< IPv4 address of the sender
    uint32_t destination; //!< IPv4 address of the receiver
    uint64_t bytes;       //!< size of the message
    int64_t posted;       //!< MessageSent: when it was posted, ticks; else -1
    bool failed;          //!< MessageSent: the queue pair gave up
};

/** What a NIC has counted. */
struct NicCounters
{
    RequesterCounters requesters; //!< sums over the queue pairs
    uint64_t cnpSent{0};          //!< congestion notifications sent
};

/**
 * @ingroup llm-fabric
 * A RoCE v2 NIC behind one FabricPort, aggregated to it.
 *
 * @verbatim
     Post() -> QueuePair: Requester --+                    +-- Responder -> receive callback
                          Requester --+-> NicArbiter       +-- Responder
                                             |             ^
                         FrameSource::PullFrame       FrameReceiver
                                             v             |
                                           FabricPort (priority 3, CNPs 6)
   @endverbatim
 *
 * The receive side drains at line rate. Frames of the Internet stack pass through to the node.
 */
class RoceNic : public Object, private FrameSource, private FrameReceiver
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    RoceNic();
    ~RoceNic() override;

    /**
     * Signature of the trace sources MessageSent and MessageReceived.
     *
     * @param tick the time, ticks
     * @param message what was sent or received
     */
    typedef void (*MessageTracedCallback)(int64_t tick, const MessageEvent& message);

    /**
     * Connect two NICs by a new queue pair.
     *
     * @param a one NIC, whose port has an Address
     * @param b the other
     * @param index number of the queue pair between the two, below 65536; unique for the pair
     * @return the ends at a and at b
     */
    static std::pair<Ptr<QueuePair>, Ptr<QueuePair>> Connect(Ptr<RoceNic> a,
                                                             Ptr<RoceNic> b,
                                                             uint32_t index);

    /**
     * @param a one NIC
     * @param b the other
     * @return the number for a next queue pair between the two: how many there are
     */
    static uint32_t NextIndex(Ptr<RoceNic> a, Ptr<RoceNic> b);

    /** Get ready; called when the simulation starts, or earlier by Connect(). */
    void Prepare();

    /** @return its port */
    Ptr<FabricPort> GetPort() const;

    /** @return the queue pairs, by queue pair number less FIRST_QUEUE_PAIR */
    const std::vector<Ptr<QueuePair>>& GetQueuePairs() const
    {
        return m_pairs;
    }

    /** @return what was counted */
    NicCounters GetCounters() const;

    /** @return the source MessageSent, for sinks that do not read Simulator::Now() */
    HotTracedCallback<const MessageEvent&>& GetMessageSentSource()
    {
        return m_messageSent;
    }

    /** @return the source MessageReceived, for sinks that do not read Simulator::Now() */
    HotTracedCallback<const MessageEvent&>& GetMessageReceivedSource()
    {
        return m_messageReceived;
    }

    // What queue pairs need of their NIC.

    /** @return the engine */
    FabricEngine& GetEngine() const
    {
        return *m_engine;
    }

    /** @return line rate, bit/s */
    double GetLineRate() const
    {
        return static_cast<double>(m_port->GetDataRate().GetBitRate());
    }

    /** @return fabric id of the node */
    uint32_t GetFabricId() const
    {
        return m_port->GetFabricId();
    }

    /** @return index of the port */
    uint32_t GetPortIndex() const
    {
        return m_port->GetPortIndex();
    }

    /** @return a new frame id */
    uint64_t NextFrameId()
    {
        return m_port->NextFrameId();
    }

    /** @param requester one that has something to send */
    void Activate(Requester& requester);

    /** @param frame an ACK, NAK or CNP to send */
    void SendFrame(Frame* frame);

    /** @param function what to call in a true ns-3 event of this instant */
    void CallOut(std::function<void()> function);

    /**
     * @param pair the queue pair
     * @param number number of the message
     * @param bytes size of the message
     * @param posted when it was posted, ticks
     * @param failed the queue pair gave up
     */
    void TraceMessageSent(const QueuePair& pair,
                          uint64_t number,
                          uint64_t bytes,
                          int64_t posted,
                          bool failed);

    /**
     * @param pair the queue pair
     * @param number number of the message
     * @param bytes its size
     */
    void TraceMessageReceived(const QueuePair& pair, uint64_t number, uint64_t bytes);

  protected:
    void DoInitialize() override;
    void DoDispose() override;
    void NotifyNewAggregate() override;

  private:
    Frame* PullFrame(int64_t now) override;
    bool HasFrameAt(int64_t tick) override;
    void ReceiveFrame(Frame* frame, FabricPort& port) override;

    /** @param frame a frame that has passed the receive pipeline */
    void Handle(Frame* frame);
    /** The earliest queue pair may send now. */
    void OnKick();
    /** Set the kick to the earliest queue pair, unless the wire is busy until then. */
    void ScheduleKick();
    /** @return the configuration of the next queue pair, without its peer */
    QueuePairConfig NextConfig() const;
    /**
     * @param config who it is
     * @return the new queue pair
     */
    Ptr<QueuePair> AddQueuePair(const QueuePairConfig& config);

    std::vector<Ptr<QueuePair>> m_pairs;      //!< by number less FIRST_QUEUE_PAIR
    std::map<uint32_t, uint32_t> m_nextIndex; //!< by peer's address: number of the next queue pair
    NicArbiter m_arbiter;                     //!< who is next
    Ptr<FabricEngine> m_engine;               //!< the engine
    FabricPort* m_port{nullptr};              //!< its port; aggregated, so it lives as long
    FabricEvent m_kick;                       //!< the earliest queue pair may send
    FramePipeline<RoceNic, &RoceNic::Handle> m_pipeline;      //!< receive latency
    HotTracedCallback<const MessageEvent&> m_messageSent;     //!< a message is acknowledged
    HotTracedCallback<const MessageEvent&> m_messageReceived; //!< a message has come
    TypeId m_controlType;                                     //!< attribute CongestionControl
    Time m_cnpInterval;                                       //!< attribute CnpInterval
    Time m_transmitLatency;                                   //!< attribute TransmitLatency
    Time m_receiveLatency;                                    //!< attribute ReceiveLatency
    int64_t m_kickTick{0};                                    //!< time of m_kick, ticks
    uint64_t m_cnpSent{0};                                    //!< CNPs sent
    uint32_t m_mtu{0};                                        //!< attribute Mtu
    uint32_t m_ackInterval{0};                                //!< attribute AckInterval
    uint8_t m_timeoutExponent{0};                             //!< attribute TimeoutExponent
    uint8_t m_retryCount{0};                                  //!< attribute RetryCount
    uint8_t m_priority{0};                                    //!< attribute Priority
    uint8_t m_cnpPriority{0};                                 //!< attribute CnpPriority
};

} // namespace llmfabric
} // namespace ns3

#endif /* ROCE_NIC_H */
