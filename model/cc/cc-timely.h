/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CC_TIMELY_H
#define CC_TIMELY_H

#include "congestion-control.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * TIMELY (Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015,
 * algorithm 1): a rate from the gradient of the round-trip time.
 *
 * On each round-trip time that ends a segment:
 *
 *   diff = (1 - alpha) diff + alpha (rtt - rtt before);  gradient = diff / minRTT;
 *   rtt < Tlow:    R = R + delta;
 *   rtt > Thigh:   R = R (1 - beta (1 - Thigh/rtt));
 *   gradient <= 0: R = R + N delta, N = 5 after five such segments, else 1;
 *   else           R = R (1 - beta gradient).
 *
 * With Patched (Zhu et al., "ECN or Delay: Lessons Learnt from Analysis of DCQCN and TIMELY",
 * CoNEXT 2016, section 4.3, algorithm 2), between Tlow and Thigh:
 *
 *   w = 0 for gradient <= -1/4, 1 for gradient >= 1/4, else 2 gradient + 1/2;
 *   R = delta (1 - w) + R (1 - beta w (rtt - ref) / ref).
 *
 * The first round-trip time is only there to compare with. R starts at the line rate and never
 * falls below MinRate. Loss changes nothing: the paper's network loses no packet.
 */
class Timely : public CongestionControl
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    uint32_t GetAckInterval() const override;
    void OnAck(int64_t now, const AckFeedback& feedback) override;

    /** @return the normalized gradient as of the last segment */
    double GetGradient() const
    {
        return m_diff / m_baseRtt;
    }

  protected:
    void DoStart(int64_t now) override;

  private:
    /**
     * @param rtt round-trip time that ends a segment, ticks
     * @return the new rate, bit/s
     */
    double GetNextRate(double rtt) const;

    /** @return the rate by the paper's gradient, bit/s */
    double GetGradientRate() const;

    /**
     * @param rtt round-trip time that ends a segment, ticks
     * @return the rate by the patched rule, bit/s
     */
    double GetPatchedRate(double rtt) const;

    bool m_patched{false};       //!< attribute Patched
    double m_weight{0};          //!< attribute Alpha
    double m_beta{0};            //!< attribute Beta
    Time m_low;                  //!< attribute TLow
    Time m_high;                 //!< attribute THigh
    Time m_minRtt;               //!< attribute MinRtt
    Time m_reference;            //!< attribute ReferenceRtt
    DataRate m_delta;            //!< attribute Delta
    DataRate m_initialRate;      //!< attribute InitialRate
    DataRate m_minRate;          //!< attribute MinRate
    uint32_t m_hyperFactor{0};   //!< attribute HyperFactor
    uint32_t m_hyperSegments{0}; //!< attribute HyperSegments
    uint64_t m_segmentSize{0};   //!< attribute SegmentSize
    double m_baseRtt{1};         //!< minRTT, ticks
    double m_diff{0};            //!< average difference of round-trip times, ticks
    double m_previous{-1};       //!< round-trip time before, ticks; below 0: none
    uint64_t m_bytes{0};         //!< payload acknowledged since the last segment
    uint32_t m_calm{0};          //!< segments before this one, without a break, with gradient <= 0
};

} // namespace llmfabric
} // namespace ns3

#endif /* CC_TIMELY_H */
