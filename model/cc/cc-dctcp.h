/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CC_DCTCP_H
#define CC_DCTCP_H

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
 * A rate by the rules of DCTCP (Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, section
 * 3.3), as HPCC's authors compare with it: without slow start, and a rate instead of a window.
 *
 * A round trip ends when a packet is acknowledged that was sent after its begin.
 *
 *   Each round trip: alpha = (1-g) alpha + g F, F = marked bytes / acknowledged bytes in it.
 *   Marked packets, none of the round trip after the last cut: R = max(MinRate, R (1 - alpha/2)).
 *   Each round trip that ends without a cut under way: R = R + R_AI.
 *   Loss: R = max(MinRate, R/2), at most once a round trip with the cuts by marks, as TCP does.
 *
 * A cut is under way until the first packet sent after it is acknowledged. R starts at the line
 * rate with alpha = 1.
 */
class Dctcp : public CongestionControl
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    uint8_t GetFeedback() const override;
    uint32_t GetAckInterval() const override;
    void OnAck(int64_t now, const AckFeedback& feedback) override;
    void OnLoss(int64_t now, bool timedOut) override;

    /** @return alpha */
    double GetAlpha() const
    {
        return m_alpha;
    }

    /** @return R_AI, bit/s a round trip */
    double GetRateIncrease() const
    {
        return m_step;
    }

  protected:
    void DoStart(int64_t now) override;

  private:
    /** A round trip is over. @param now the time, ticks */
    void EndRound(int64_t now);

    /**
     * @param now the time, ticks
     * @param share part of the rate that stays
     */
    void Cut(int64_t now, double share);

    /** @return a cut is under way */
    bool IsCutting() const
    {
        return m_cutting && m_acknowledged <= m_cutEnd;
    }

    double m_gain{0};           //!< attribute Gain
    double m_initialAlpha{0};   //!< attribute InitialAlpha
    DataRate m_increase;        //!< attribute AdditiveIncrease
    DataRate m_minRate;         //!< attribute MinRate
    Time m_rttAttribute;        //!< attribute BaseRtt
    double m_alpha{1};          //!< estimate of the share of marked bytes
    double m_step{0};           //!< R_AI, bit/s
    uint64_t m_bytes{0};        //!< acknowledged in this round trip
    uint64_t m_markedBytes{0};  //!< of them marked
    uint64_t m_acknowledged{0}; //!< first sequence number that is not acknowledged
    uint64_t m_next{0};         //!< sequence number of the next new packet
    uint64_t m_roundEnd{0};     //!< sequence number that starts the next round trip
    uint64_t m_cutEnd{0};       //!< the same of the last cut
    bool m_measuring{false};    //!< an ACK has come
    bool m_cutting{false};      //!< there was a cut
};

} // namespace llmfabric
} // namespace ns3

#endif /* CC_DCTCP_H */
