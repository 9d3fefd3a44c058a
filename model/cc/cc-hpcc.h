/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CC_HPCC_H
#define CC_HPCC_H

#include "congestion-control.h"

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * HPCC (Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, algorithm 1): a window
 * from in-band telemetry.
 *
 * On each ACK with telemetry, for each hop against the telemetry of the ACK before:
 *
 *   txRate = d(sent bytes) / d(time);  u = min(queue, queue before) / (B T) + txRate / B;
 *   tau = min(T, d(time) of the hop of the largest u);  U = (1 - tau/T) U + tau/T max u.
 *   U >= eta or incStage >= maxStage: W = Wc / (U/eta) + W_AI, incStage = 0;
 *   else                              W = Wc + W_AI, incStage = incStage + 1.
 *
 * Wc and incStage change once a round trip: when a packet is acknowledged that was sent after the
 * last change. W is at most Winit = (line rate) T, and the rate is W / T. As in its authors'
 * simulator a flow starts with W = Winit and U = 1, and the first ACK only gives the telemetry to
 * compare with; so does one whose hops are not those of the ACK before. Loss changes nothing.
 */
class Hpcc : public CongestionControl
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    uint8_t GetFeedback() const override;
    uint32_t GetAckInterval() const override;
    void OnAck(int64_t now, const AckFeedback& feedback) override;

    /** @return U, the bytes in flight on the busiest link as a share of B T */
    double GetUtilization() const
    {
        return m_utilization;
    }

    /** @return Wc, bytes */
    double GetReferenceWindow() const
    {
        return m_reference;
    }

    /** @return W_AI, bytes */
    double GetWindowIncrease() const
    {
        return m_step;
    }

  protected:
    void DoStart(int64_t now) override;

  private:
    /**
     * @param telemetry of the newest packet
     * @return it can be compared with the telemetry before
     */
    bool IsComparable(const TelemetryStack& telemetry) const;

    /** Update U. @param telemetry of the newest packet, comparable */
    void Measure(const TelemetryStack& telemetry);

    /** Update W, and Wc if it is time to. @param renew update Wc and incStage, too */
    void ComputeWindow(bool renew);

    /** Send by W. @param now the time, ticks */
    void Apply(int64_t now);

    double m_eta{0};              //!< attribute TargetUtilization
    uint32_t m_maxStage{0};       //!< attribute MaxStage
    uint32_t m_flows{0};          //!< attribute Flows
    uint64_t m_increase{0};       //!< attribute WindowIncrease
    Time m_rttAttribute;          //!< attribute BaseRtt
    int64_t m_rtt{0};             //!< T, ticks
    double m_ticksPerSecond{0};   //!< ticks in a second
    double m_most{0};             //!< Winit, bytes
    double m_step{0};             //!< W_AI, bytes
    double m_size{0};             //!< W, bytes
    double m_reference{0};        //!< Wc, bytes
    double m_utilization{1};      //!< U
    uint32_t m_stage{0};          //!< incStage
    uint64_t m_lastUpdate{0};     //!< sequence number of the next packet when Wc changed last
    TelemetryStack m_telemetry{}; //!< of the ACK before
};

} // namespace llmfabric
} // namespace ns3

#endif /* CC_HPCC_H */
