/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_NIC_H
#define ROCE_NIC_H

#include "nic-arbiter.h"
#include "nic-traces.h"
#include "notification-point.h"
#include "queue-pair.h"
#include "receive-buffer.h"

#include "ns3/data-rate.h"
#include "ns3/event-impl.h"
#include "ns3/fabric-port.h"
#include "ns3/frame-pipeline.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/type-id.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/** What a NIC has counted. */
struct NicCounters
{
    RequesterCounters requesters; //!< sums over the queue pairs; read responses in sentBytes, too
    uint64_t cnpSent{0};          //!< congestion notifications sent
    uint64_t cnpReceived{0};      //!< congestion notifications received
    uint64_t pausesSent{0};       //!< PFC pause frames sent, renewals included
    uint64_t resumesSent{0};      //!< PFC resume frames sent
};

/**
 * @ingroup llm-fabric
 * A RoCE v2 NIC behind one FabricPort, aggregated to it.
 *
 * @verbatim
     Post() -> QueuePair: Requester --+                    +-- Responder -> receive callback
                          Requester --+-> NicArbiter       +-- Responder
                                             |             ^
                                             |      ReceiveBuffer (host drains it)
                         FrameSource::PullFrame       FrameReceiver
                                             v             |
                                           FabricPort (priority 3, CNPs 6)
   @endverbatim
 *
 * The host drains at line rate, and nothing is buffered, unless DrainRate is set: then a
 * ReceiveBuffer holds data back and pauses the switch when it fills. Frames of the Internet stack
 * pass through to the node.
 */
class RoceNic : public Object, public NicTraces, private FrameSource, private FrameReceiver
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    RoceNic();
    ~RoceNic() override;

    /**
     * Connect two NICs by a new queue pair. Its path MTU is the smaller of the two.
     *
     * @param a one NIC, whose port has an Address
     * @param b the other
     * @param index number of the queue pair between the two, below 65536; unique for the pair
     * @return the ends at a and at b
     * @throws UserError if the two repair losses in different ways
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

    /**
     * Check the receive buffer; called by Prepare(), or earlier, once all attributes are set, to
     * see a mistake in time.
     *
     * @throws UserError if it can't hold what comes after a pause was sent
     */
    void CheckReceiveBuffer() const;

    /** @return the receive buffer; null if the host drains at line rate, or before Prepare() */
    const ReceiveBuffer* GetReceiveBuffer() const
    {
        return m_receiveBuffer.get();
    }

    /** @return its port */
    Ptr<FabricPort> GetPort() const;

    /** @return the queue pairs, by queue pair number less FIRST_QUEUE_PAIR */
    const std::vector<Ptr<QueuePair>>& GetQueuePairs() const
    {
        return m_pairs;
    }

    /**
     * @param ticks round-trip time of the network without queues, ticks; counts where BaseRtt is 0
     */
    void SetNetworkRtt(int64_t ticks)
    {
        m_networkRtt = ticks;
    }

    /** @return what was counted */
    NicCounters GetCounters() const;

    /** @return the trace sources, for sinks that do not read Simulator::Now() */
    NicTraces& GetTraces()
    {
        return *this;
    }

    /** @param frame a frame that the host has taken out of the receive buffer, or that needs none
     */
    void OnDrained(Frame* frame);

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

    /** @return true if timer steps of congestion controls are fabric events of their own */
    bool StepsAreEvents() const
    {
        return m_stepEvents || HasStateSinks();
    }

    /** @param pair one that has something to send */
    void Activate(QueuePair& pair);

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
    /**
     * @return how the receive buffer works
     * @throws UserError if it can't hold what comes after a pause was sent
     */
    ReceiveBufferConfig MakeReceiveConfig() const;
    /** Make the receive buffer, if the host drains at a limited rate. */
    void StartReceiveBuffer();
    /** The earliest queue pair may send now. */
    void OnKick();
    /** Set the kick to the earliest queue pair, unless the wire is busy until then. */
    void ScheduleKick();
    /** @return the configuration of the next queue pair, without its peer */
    QueuePairConfig NextConfig() const;
    /** @return DSCP by priority, from the attribute Dscp */
    std::array<uint8_t, PRIORITIES> ReadDscp() const;
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
    FramePipeline<RoceNic, &RoceNic::Handle> m_pipeline; //!< receive latency
    NotificationPoint m_notification;                    //!< answers marks
    std::unique_ptr<ReceiveBuffer> m_receiveBuffer;      //!< null: nothing is held back
    TypeId m_controlType;                                //!< attribute CongestionControl
    TypeId m_recoveryType;                               //!< attribute LossRecovery
    std::string m_cnpScope;                              //!< attribute CnpScope
    std::string m_dscp;                                  //!< attribute Dscp
    Time m_cnpInterval;                                  //!< attribute CnpInterval
    Time m_cnpDelay;                                     //!< attribute CnpDelay
    Time m_transmitLatency;                              //!< attribute TransmitLatency
    Time m_receiveLatency;                               //!< attribute ReceiveLatency
    Time m_baseRtt;                                      //!< attribute BaseRtt
    DataRate m_drainRate;                                //!< attribute DrainRate
    uint64_t m_receiveBytes{0};                          //!< attribute ReceiveBuffer
    uint64_t m_receiveXoff{0};                           //!< attribute ReceiveXoff
    uint64_t m_receiveXon{0};                            //!< attribute ReceiveXon
    bool m_receivePfc{true};                             //!< attribute ReceivePfc
    int64_t m_networkRtt{0};                             //!< see SetNetworkRtt
    int64_t m_kickTick{0};                               //!< time of m_kick, ticks
    uint32_t m_initialPsn{0};                            //!< attribute InitialPsn
    uint32_t m_mtu{0};                                   //!< attribute Mtu
    uint32_t m_ackInterval{0};                           //!< attribute AckInterval
    uint32_t m_maxReads{0};                              //!< attribute MaxReads
    uint8_t m_timeoutExponent{0};                        //!< attribute TimeoutExponent
    uint8_t m_retryCount{0};                             //!< attribute RetryCount
    uint8_t m_rnrRetryCount{0};                          //!< attribute RnrRetryCount
    uint8_t m_rnrTimer{0};                               //!< attribute RnrTimer
    uint8_t m_priority{0};                               //!< attribute Priority
    uint8_t m_cnpPriority{0};                            //!< attribute CnpPriority
    bool m_stepEvents{false};                            //!< attribute StepEvents
};

} // namespace llmfabric
} // namespace ns3

#endif /* ROCE_NIC_H */
