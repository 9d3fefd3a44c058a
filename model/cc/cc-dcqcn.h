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
#include <string>

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
 * A queue pair starts at line rate; the timers run from its first CNP on. Attributes choose what
 * others do: CutOrder `alpha-first` (the authors' simulator), Mode `periodic` (ConnectX), when a
 * cut moves the target (the clamp flags), what happens over idle times (IdleBehavior).
 *
 * Mode `periodic`: from the first CNP on, every AlphaTimer alpha = (1-g) alpha + g if a CNP came
 * since, else (1-g) alpha; every DecreaseInterval R_C is cut if a CNP came since. A cut, not a CNP,
 * sets T and BC to 0 and starts the increase timer. Steps of one instant: alpha, increase, cut.
 */
class Dcqcn : public CongestionControl
{
  public:
    /** What of a CNP comes first. */
    enum class CutOrder : uint8_t
    {
        CUT_FIRST,  //!< the cut takes the old alpha (paper)
        ALPHA_FIRST //!< the cut takes the raised alpha (authors' simulator)
    };

    /** When a CNP takes effect. */
    enum class Mode : uint8_t
    {
        IMMEDIATE, //!< when it comes (paper)
        PERIODIC   //!< when the next period of alpha and of the cut ends (ConnectX)
    };

    /** What idle time does. */
    enum class IdleBehavior : uint8_t
    {
        RECOVER,  //!< timers run
        HOLD,     //!< timers stop
        LINE_RATE //!< timers run; after IdleTime without a CNP the state is that of a new queue
                  //!< pair
    };

    /** @return the object TypeId */
    static TypeId GetTypeId();

    void OnSend(int64_t now, uint32_t bytes) override;
    void OnCnp(int64_t now) override;
    void OnIdle(int64_t now) override;
    void OnBusy(int64_t now) override;

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
    /** @param word attribute CutOrder */
    void SetCutOrder(std::string word);
    /** @return attribute CutOrder */
    std::string GetCutOrder() const;
    /** @param word attribute Mode */
    void SetMode(std::string word);
    /** @return attribute Mode */
    std::string GetMode() const;
    /** @param word attribute IdleBehavior */
    void SetIdleBehavior(std::string word);
    /** @return attribute IdleBehavior */
    std::string GetIdleBehavior() const;

    // The timers have a clock of their own, which stands still while they are held.

    /**
     * @param now the time, ticks
     * @return the time of the timers' clock
     */
    int64_t GetClock(int64_t now) const
    {
        return (m_held ? m_idleSince : now) - m_heldTicks;
    }

    /** @return the timers' clock at the next step that ApplySteps() has to apply, or NEVER */
    int64_t GetFirstStep() const;

    /**
     * @param clock time of the timers' clock
     * @param period a period of Mode `periodic`
     * @return the next end of such a period
     */
    int64_t GetPeriodEnd(int64_t clock, const Time& period) const;

    /** Say in ticks when the next step is. */
    void Arm();

    /** The state of a queue pair that has seen no CNP. @param tick when, ticks */
    void Renew(int64_t tick);

    /** Let idle time count from now on. @param clock time of the timers' clock */
    void StartRenewal(int64_t clock);

    /** Apply the alpha steps that are due. @param clock time of the timers' clock */
    void StepAlpha(int64_t clock);

    /** A timer stage is over. @param clock time of the timers' clock */
    void StepIncrease(int64_t clock);

    /** Take the first CNP. @param now the time, ticks */
    void Activate(int64_t now);

    /** Cut the rate and start to recover. @param now the time, ticks */
    void Cut(int64_t now);

    /** @return a cut sets the target to the rate */
    bool IsTargetClamped() const;

    /** Raise the rate after a timer or byte stage. @param tick when, ticks */
    void Increase(int64_t tick);

    /** @return the target that a stage aims at, bit/s */
    double GetRaisedTarget() const;

    /**
     * @param tick when it changes, ticks
     * @param target the new target rate, bit/s
     */
    void SetTarget(int64_t tick, double target);

    /**
     * @param tick when it changes, ticks
     * @param alpha the new alpha
     */
    void SetAlpha(int64_t tick, double alpha);

    CutOrder m_cutOrder{CutOrder::CUT_FIRST};           //!< attribute CutOrder
    Mode m_mode{Mode::IMMEDIATE};                       //!< attribute Mode
    IdleBehavior m_idleBehavior{IdleBehavior::RECOVER}; //!< attribute IdleBehavior
    bool m_clamp{true};                                 //!< attribute ClampTargetRate
    bool m_clampAfterTime{false};  //!< attribute ClampTargetRateAfterTimeIncrease
    bool m_cutFarTarget{false};    //!< attribute CutFarTarget
    double m_gain{0};              //!< attribute Gain
    double m_initialAlpha{0};      //!< attribute InitialAlpha
    double m_minDecreaseFactor{0}; //!< attribute MinDecreaseFactor
    Time m_alphaTimer;             //!< attribute AlphaTimer
    Time m_increaseTimer;          //!< attribute IncreaseTimer
    Time m_decreaseInterval;       //!< attribute DecreaseInterval
    Time m_idleTime;               //!< attribute IdleTime
    uint64_t m_byteCounter{0};     //!< attribute ByteCounter
    uint32_t m_fastStages{0};      //!< attribute FastRecoveryStages
    DataRate m_additive;           //!< attribute AdditiveIncrease
    DataRate m_hyper;              //!< attribute HyperIncrease
    DataRate m_minRate;            //!< attribute MinRate
    DataRate m_maxRate;            //!< attribute MaxRate
    DataRate m_firstRate;          //!< attribute RateOnFirstCnp

    double m_floor{0};             //!< least that a cut leaves, bit/s
    double m_ceiling{0};           //!< most that the rate recovers to, bit/s
    double m_alpha{1};             //!< estimate of congestion
    double m_target{0};            //!< R_T, bit/s
    uint64_t m_bytes{0};           //!< sent since the last byte stage
    uint64_t m_timerStages{0};     //!< T
    uint64_t m_byteStages{0};      //!< BC
    int64_t m_nextAlpha{NEVER};    //!< next step of alpha, timers' clock
    int64_t m_nextIncrease{NEVER}; //!< next timer stage, timers' clock
    int64_t m_nextCut{NEVER};      //!< with Mode `periodic`: next cut, timers' clock
    int64_t m_nextRenewal{NEVER};  //!< the idle state is forgotten, timers' clock
    int64_t m_firstCnp{0};         //!< from when periods are counted, timers' clock
    int64_t m_idleSince{NEVER};    //!< since when it is idle, ticks; NEVER: it is not
    int64_t m_heldTicks{0};        //!< how far the timers' clock is behind
    bool m_held{false};            //!< the timers' clock stands still
    bool m_active{false};          //!< a CNP has come
    bool m_cnpSeen{false};         //!< with Mode `periodic`: since the last step of alpha
};

} // namespace llmfabric
} // namespace ns3

#endif /* CC_DCQCN_H */
