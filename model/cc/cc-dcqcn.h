/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CC_DCQCN_H
#define CC_DCQCN_H

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
 * The reaction point of DCQCN (Zhu et al., "Congestion Control for Large-Scale RDMA Deployments",
 * SIGCOMM 2015, section 3.1), with the paper's parameters.
 *
 * On a CNP:      R_T = R_C;  R_C = max(Rmin, R_C (1 - alpha/2));  alpha = (1-g) alpha + g;
 *                T = BC = 0; both timers start again.
 * AlphaTimer:    without a CNP alpha = (1-g) alpha.
 * IncreaseTimer: T = T + 1, then an increase; each ByteCounter bytes sent: BC = BC + 1, the same.
 * Increase:      max(T, BC) <= F: R_C = (R_T + R_C) / 2 (fast recovery);
 *                min(T, BC) > F:  R_T = R_T + i R_HAI, i = min(T, BC) - F (hyper increase);
 *                else             R_T = R_T + R_AI (additive increase); then R_C = (R_T + R_C) / 2.
 *
 * A queue pair starts at line rate with alpha = 1; the timers run from its first CNP on, over idle
 * times too.
 */
class Dcqcn : public CongestionControl
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    void OnSend(int64_t now, uint32_t bytes) override;
    void OnCnp(int64_t now) override;

    /**
     * @param now the time, ticks
     * @return alpha, with the steps that are due
     */
    double GetAlpha(int64_t now);

    /** @return the target rate as of the last step, bit/s */
    double GetTargetRate() const
    {
        return m_target;
    }

  protected:
    void DoStart(int64_t now) override;
    void ApplySteps(int64_t now) override;

  private:
    /** Raise the rate after a timer or byte stage. */
    void Increase();

    double m_gain{0};              //!< attribute Gain
    double m_initialAlpha{0};      //!< attribute InitialAlpha
    Time m_alphaTimer;             //!< attribute AlphaTimer
    Time m_increaseTimer;          //!< attribute IncreaseTimer
    uint64_t m_byteCounter{0};     //!< attribute ByteCounter
    uint32_t m_fastStages{0};      //!< attribute FastRecoveryStages
    DataRate m_additive;           //!< attribute AdditiveIncrease
    DataRate m_hyper;              //!< attribute HyperIncrease
    DataRate m_minRate;            //!< attribute MinRate
    double m_alpha{1};             //!< estimate of congestion
    double m_target{0};            //!< R_T, bit/s
    uint64_t m_bytes{0};           //!< sent since the last byte stage
    uint64_t m_timerStages{0};     //!< T
    uint64_t m_byteStages{0};      //!< BC
    int64_t m_nextAlpha{NEVER};    //!< next step of alpha, ticks
    int64_t m_nextIncrease{NEVER}; //!< next timer stage, ticks
    bool m_active{false};          //!< a CNP has come
};

} // namespace llmfabric
} // namespace ns3

#endif /* CC_DCQCN_H */
