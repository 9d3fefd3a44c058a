/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PORT_QUEUE_METER_H
#define PORT_QUEUE_METER_H

#include "ns3/fabric-port.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Measures the queue of data packets in a port over a time: its exact mean, its peak, and how much
 * of what left it was marked.
 *
 * Each packet adds (bytes) x (how long it waited within that time) to the integral of the queue, so
 * no queue length is ever sampled. Bytes are those that the buffer holds, Ethernet header to FCS; a
 * packet leaves the queue when its first bit starts on the wire. The meter has to live as long as
 * the simulation.
 */
class PortQueueMeter
{
  public:
    PortQueueMeter() = default;
    PortQueueMeter(const PortQueueMeter&) = delete;
    PortQueueMeter& operator=(const PortQueueMeter&) = delete;

    /**
     * Begin to listen; call this before the simulation.
     *
     * @param port a port
     * @param from begin of the time
     * @param to its end
     */
    void Watch(Ptr<FabricPort> port, Time from, Time to);

    /** Add what still waits; call this once, when the simulation has stopped. */
    void Finish();

    /** @return mean of the queue over the time, bytes */
    double GetMeanBytes() const;

    /** @return largest queue that a packet made when it came, bytes */
    uint64_t GetPeakBytes() const
    {
        return m_peak;
    }

    /** @return packets that started on the wire */
    uint64_t GetPackets() const
    {
        return m_packets;
    }

    /** @return how many of them arrived with Congestion Experienced */
    uint64_t GetMarked() const
    {
        return m_marked;
    }

    /** @return wire time of those packets by the whole time, 0 to 1 */
    double GetUtilization() const;

  private:
    /**
     * The sink of the trace source Hop.
     *
     * @param tick the time, ticks
     * @param frame a frame that has left the port
     * @param outcome its times
     */
    void OnHop(int64_t tick, const Frame& frame, const HopOutcome& outcome);
    /**
     * @param frame a packet
     * @param enqueued when it entered the queue, ticks
     * @param started when it left the queue, ticks
     */
    void AddWait(const Frame& frame, int64_t enqueued, int64_t started);

    Ptr<FabricPort> m_port; //!< the port
    int64_t m_from{0};      //!< begin, ticks
    int64_t m_to{0};        //!< end, ticks
    double m_byteTicks{0};  //!< integral of the queue, bytes x ticks
    uint64_t m_peak{0};     //!< largest queue, bytes
    uint64_t m_packets{0};  //!< packets that left
    uint64_t m_marked{0};   //!< marked ones of them
    int64_t m_wireTicks{0}; //!< wire time of them, ticks
};

} // namespace llmfabric
} // namespace ns3

#endif /* PORT_QUEUE_METER_H */
