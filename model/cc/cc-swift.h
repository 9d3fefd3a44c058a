/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CC_SWIFT_H
#define CC_SWIFT_H

#include "congestion-control.h"

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Swift (Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the
 * Datacenter", SIGCOMM 2020, algorithm 1): a window, in fractions of packets, that keeps the delay
 * at a target.
 *
 *   target = BaseTarget + hops HopScale + max(0, min(a / sqrt(cwnd) + b, FsRange)) (section 3.5),
 *   a = FsRange / (1/sqrt(FsMinCwnd) - 1/sqrt(FsMaxCwnd)), b = -a / sqrt(FsMaxCwnd).
 *
 *   ACK, delay < target: cwnd = cwnd + ai n / cwnd, or + ai n if cwnd < 1; n: packets acknowledged;
 *   ACK, else:           cwnd = cwnd max(1 - beta (delay - target) / delay, 1 - max_mdf);
 *   loss:                cwnd = cwnd (1 - max_mdf); at the ResetThreshold-th timeout without an ACK
 * or a NAK between: cwnd = MinCwnd.
 *
 * Both decreases come at most once a round trip. The window is cwnd packets; if cwnd < 1 it is one
 * packet and the rate cwnd MTU / rtt, else the rate is the line rate. A new queue pair starts with
 * the packets that the line carries in BaseTarget, and cwnd never exceeds those that it carries in
 * the largest target, because more could only stand in queues (the paper gives no bound).
 *
 * The delay is the whole round-trip time: only the fabric's delay is modeled, not the host's. The
 * time of the last decrease changes only when cwnd falls: with "<=", as the paper prints it, each
 * ACK of a round trip in which no decrease is allowed would put off the next.
 */
class Swift : public CongestionControl
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    uint8_t GetFeedback() const override;
    uint32_t GetAckInterval() const override;
    void OnAck(int64_t now, const AckFeedback& feedback) override;
    void OnLoss(int64_t now, bool timedOut) override;

    /** @return cwnd, packets */
    double GetCwnd() const
    {
        return m_cwnd;
    }

    /**
     * @param hops switches on the way
     * @return the target delay at the present cwnd, ticks
     */
    double GetTargetDelay(uint8_t hops) const;

  protected:
    void DoStart(int64_t now) override;

  private:
    /**
     * @param delay a time
     * @return packets that the line carries in that time
     */
    double GetPackets(const Time& delay) const;

    /** Bound cwnd by the largest target. @param hops switches on the way */
    void BoundCwnd(uint8_t hops);

    /**
     * @param now the time, ticks
     * @return the last decrease is a round trip ago
     */
    bool CanDecrease(int64_t now) const;

    /**
     * @param now the time, ticks
     * @param cwnd the new cwnd, packets, before it is bounded
     */
    void SetCwnd(int64_t now, double cwnd);

    Time m_baseTarget;              //!< attribute BaseTarget
    Time m_hopScale;                //!< attribute HopScale
    Time m_range;                   //!< attribute FsRange
    double m_minScaled{0};          //!< attribute FsMinCwnd
    double m_maxScaled{0};          //!< attribute FsMaxCwnd
    double m_increase{0};           //!< attribute AdditiveIncrease
    double m_beta{0};               //!< attribute Beta
    double m_maxDecrease{0};        //!< attribute MaxDecrease
    double m_minCwnd{0};            //!< attribute MinCwnd
    double m_initialCwnd{0};        //!< attribute InitialCwnd
    uint32_t m_resetThreshold{0};   //!< attribute ResetThreshold
    double m_ticksPerSecond{0};     //!< ticks in a second
    double m_slope{0};              //!< a, ticks
    double m_offset{0};             //!< b, ticks
    double m_cwnd{1};               //!< cwnd, packets
    double m_maxCwnd{1};            //!< most of it
    uint64_t m_packets{0};          //!< acknowledged since the last round-trip time
    uint8_t m_hops{0};              //!< switches that m_maxCwnd counts with
    uint32_t m_timeouts{0};         //!< since the last ACK or NAK
    int64_t m_rtt{0};               //!< last round-trip time, ticks
    int64_t m_lastDecrease{-NEVER}; //!< when, ticks
};

} // namespace llmfabric
} // namespace ns3

#endif /* CC_SWIFT_H */
