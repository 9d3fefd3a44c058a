/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EAGER_REACTION_POINT_H
#define EAGER_REACTION_POINT_H

#include "ns3/cc-dcqcn.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/** How a reaction point is set; rates in bit/s, times in ticks of 1 ps. */
struct ReactionSetup
{
    bool periodic{false};               //!< Mode
    bool alphaFirst{false};             //!< CutOrder
    bool clamp{true};                   //!< ClampTargetRate
    bool clampAfterTime{false};         //!< ClampTargetRateAfterTimeIncrease
    bool cutFarTarget{false};           //!< CutFarTarget
    std::string idle{"recover"};        //!< IdleBehavior
    int64_t idleTime{700000000};        //!< IdleTime
    int64_t alphaTimer{55000000};       //!< AlphaTimer
    int64_t increaseTimer{55000000};    //!< IncreaseTimer
    int64_t decreaseInterval{20000000}; //!< DecreaseInterval
    double minDecreaseFactor{0};        //!< MinDecreaseFactor
    double firstRate{0};                //!< RateOnFirstCnp
    double maxRate{100e9};              //!< MaxRate
    uint64_t fastStages{5};             //!< FastRecoveryStages

    static constexpr double LINE = 100e9;         //!< line rate
    static constexpr double GAIN = 1.0 / 256;     //!< Gain
    static constexpr double MIN_RATE = 100e6;     //!< MinRate
    static constexpr double ADDITIVE = 40e6;      //!< AdditiveIncrease
    static constexpr double HYPER = 200e6;        //!< HyperIncrease
    static constexpr uint64_t BYTE_STAGE = 10000; //!< ByteCounter

    /** @return a reaction point that is set like this and starts now */
    Ptr<Dcqcn> Make(CongestionObserver* observer) const
    {
        const auto bits = [](double rate) { return std::to_string(uint64_t(rate)) + "bps"; };
        const auto ticks = [](int64_t time) { return std::to_string(time) + "ps"; };
        const std::vector<std::pair<std::string, std::string>> values{
            {"Mode", periodic ? "periodic" : "immediate"},
            {"CutOrder", alphaFirst ? "alpha-first" : "cut-first"},
            {"ClampTargetRate", clamp ? "true" : "false"},
            {"ClampTargetRateAfterTimeIncrease", clampAfterTime ? "true" : "false"},
            {"CutFarTarget", cutFarTarget ? "true" : "false"},
            {"IdleBehavior", idle},
            {"IdleTime", ticks(idleTime)},
            {"AlphaTimer", ticks(alphaTimer)},
            {"IncreaseTimer", ticks(increaseTimer)},
            {"DecreaseInterval", ticks(decreaseInterval)},
            {"MinDecreaseFactor", std::to_string(minDecreaseFactor)},
            {"RateOnFirstCnp", bits(firstRate)},
            {"MaxRate", bits(maxRate)},
            {"FastRecoveryStages", std::to_string(fastStages)},
            {"ByteCounter", std::to_string(BYTE_STAGE)}};
        Ptr<Dcqcn> made = CreateObject<Dcqcn>();
        for (const auto& [name, value] : values)
        {
            made->SetAttribute(name, StringValue(value));
        }
        made->SetObserver(observer);
        made->Start(Simulator::Now().GetTimeStep(), {LINE});
        return made;
    }
};

/** What changed when, by quantity. */
class ChangeLog : public CongestionObserver
{
  public:
    void OnCongestionState(int64_t tick, CongestionQuantity quantity, double value) override
    {
        m_changes[static_cast<std::size_t>(quantity)].emplace_back(tick, value);
    }

    /// Ticks and values.
    using Changes = std::vector<std::pair<int64_t, double>>;

    /** @return the changes of a quantity */
    const Changes& Of(CongestionQuantity quantity) const
    {
        return m_changes[static_cast<std::size_t>(quantity)];
    }

  private:
    std::array<Changes, static_cast<std::size_t>(CongestionQuantity::COUNT)> m_changes;
};

/** A timer of true ns-3 events that can be held. */
class EagerTimer
{
  public:
    /**
     * @param level how many turns of the instant it lets go first
     * @param function what it does
     */
    EagerTimer(uint32_t level, std::function<void()> function)
        : m_level(level),
          m_function(std::move(function))
    {
    }

    /** @param ticks when it fires, from now or, if it is held, from when it goes on */
    void Start(int64_t ticks)
    {
        m_event.Cancel();
        m_left = ticks;
        if (!m_held)
        {
            m_event = Simulator::Schedule(TimeStep(uint64_t(ticks)), [this]() { Wait(m_level); });
        }
    }

    void Stop()
    {
        m_event.Cancel();
        m_left = -1;
    }

    void Hold()
    {
        m_left = m_event.IsRunning() ? Simulator::GetDelayLeft(m_event).GetTimeStep() : -1;
        m_event.Cancel();
        m_held = true;
    }

    void GoOn()
    {
        m_held = false;
        if (m_left >= 0)
        {
            Start(m_left);
        }
    }

  private:
    /** @param turns to let go first */
    void Wait(uint32_t turns)
    {
        if (turns > 0)
        {
            m_event = Simulator::ScheduleNow([this, turns]() { Wait(turns - 1); });
            return;
        }
        m_function();
    }

    uint32_t m_level;
    std::function<void()> m_function;
    EventId m_event;
    int64_t m_left{-1};
    bool m_held{false};
};

/** The reaction point of DCQCN with a true ns-3 event for each timer step. */
class EagerReactionPoint
{
  public:
    /// Turns of an instant after which all its timer steps are done.
    static constexpr uint32_t TURNS = 4;

    explicit EagerReactionPoint(const ReactionSetup& setup)
        : m_setup(setup)
    {
        Renew();
    }

    void OnCnp()
    {
        if (!m_started)
        {
            StartTimers();
        }
        if (m_idle && m_setup.idle == "line-rate")
        {
            m_renewTimer.Start(m_setup.idleTime);
        }
        m_seenForAlpha = m_seenForCut = true;
        if (m_setup.periodic)
        {
            return;
        }
        const double raised = (1 - ReactionSetup::GAIN) * alpha + ReactionSetup::GAIN;
        Cut(m_setup.alphaFirst ? raised : alpha);
        Set(CongestionQuantity::ALPHA, alpha, raised);
        m_alphaTimer.Start(m_setup.alphaTimer);
    }

    void OnSend(uint32_t bytes)
    {
        m_sent += m_started ? bytes : 0;
        while (m_sent >= ReactionSetup::BYTE_STAGE)
        {
            m_sent -= ReactionSetup::BYTE_STAGE;
            ++m_byte;
            Raise();
        }
    }

    void OnIdle()
    {
        m_idle = true;
        if (m_setup.idle == "hold")
        {
            ForTimers(&EagerTimer::Hold);
        }
        else if (m_setup.idle == "line-rate")
        {
            m_renewTimer.Start(m_setup.idleTime);
        }
    }

    void OnBusy()
    {
        m_idle = false;
        m_renewTimer.Stop();
        if (m_setup.idle == "hold")
        {
            ForTimers(&EagerTimer::GoOn);
        }
    }

    double rate{ReactionSetup::LINE};   //!< R_C
    double target{ReactionSetup::LINE}; //!< R_T
    double alpha{1};                    //!< alpha
    ChangeLog log;                      //!< what changed

  private:
    void ForTimers(void (EagerTimer::*what)())
    {
        (m_alphaTimer.*what)();
        (m_increaseTimer.*what)();
        (m_cutTimer.*what)();
    }

    void StartTimers()
    {
        m_started = true;
        m_timer = m_byte = m_sent = 0;
        m_alphaTimer.Start(m_setup.alphaTimer);
        if (m_setup.periodic)
        {
            m_cutTimer.Start(m_setup.decreaseInterval);
        }
        if (m_setup.firstRate > 0)
        {
            Set(CongestionQuantity::RATE, rate, std::min(rate, m_setup.firstRate));
            Set(CongestionQuantity::TARGET_RATE, target, rate);
        }
    }

    void Renew()
    {
        Set(CongestionQuantity::RATE, rate, m_setup.maxRate);
        Set(CongestionQuantity::TARGET_RATE, target, m_setup.maxRate);
        Set(CongestionQuantity::ALPHA, alpha, 1);
        ForTimers(&EagerTimer::Stop);
        m_started = m_seenForAlpha = m_seenForCut = false;
    }

    void OnAlpha()
    {
        const bool seen = m_setup.periodic && m_seenForAlpha;
        m_seenForAlpha = false;
        Set(CongestionQuantity::ALPHA,
            alpha,
            (1 - ReactionSetup::GAIN) * alpha + (seen ? ReactionSetup::GAIN : 0));
        m_alphaTimer.Start(m_setup.alphaTimer);
    }

    void OnIncrease()
    {
        ++m_timer;
        Raise();
        m_increaseTimer.Start(m_setup.increaseTimer);
    }

    void OnCut()
    {
        if (m_seenForCut)
        {
            Cut(alpha);
        }
        m_seenForCut = false;
        m_cutTimer.Start(m_setup.decreaseInterval);
    }

    void Cut(double by)
    {
        if (m_setup.clamp || (m_setup.clampAfterTime && m_timer > 0) || m_byte > 0)
        {
            Set(CongestionQuantity::TARGET_RATE, target, rate);
        }
        const double share = std::max(1 - by / 2, m_setup.minDecreaseFactor);
        Set(CongestionQuantity::RATE, rate, std::max(ReactionSetup::MIN_RATE, rate * share));
        m_timer = m_byte = m_sent = 0;
        m_increaseTimer.Start(m_setup.increaseTimer);
    }

    void Raise()
    {
        const uint64_t fast = m_setup.fastStages;
        double aim = target;
        if (m_setup.cutFarTarget && (m_timer == 1 || m_byte == 1) && target > 10 * rate)
        {
            aim /= 8;
        }
        else if (m_timer > fast && m_byte > fast)
        {
            aim += static_cast<double>(std::min(m_timer, m_byte) - fast) * ReactionSetup::HYPER;
        }
        else if (m_timer > fast || m_byte > fast)
        {
            aim += ReactionSetup::ADDITIVE;
        }
        Set(CongestionQuantity::TARGET_RATE, target, std::min(aim, m_setup.maxRate));
        Set(CongestionQuantity::RATE, rate, (target + rate) / 2);
    }

    /**
     * @param quantity what is set
     * @param state where it is kept
     * @param value its value
     */
    void Set(CongestionQuantity quantity, double& state, double value)
    {
        if (value != state)
        {
            state = value;
            log.OnCongestionState(Simulator::Now().GetTimeStep(), quantity, value);
        }
    }

    ReactionSetup m_setup;
    uint64_t m_timer{0};
    uint64_t m_byte{0};
    uint64_t m_sent{0};
    bool m_started{false};
    bool m_idle{false};
    bool m_seenForAlpha{false};
    bool m_seenForCut{false};
    EagerTimer m_alphaTimer{0, [this]() { OnAlpha(); }};
    EagerTimer m_increaseTimer{1, [this]() { OnIncrease(); }};
    EagerTimer m_cutTimer{2, [this]() { OnCut(); }};
    EagerTimer m_renewTimer{3, [this]() { Renew(); }};
};

} // namespace llmfabric
} // namespace ns3

#endif /* EAGER_REACTION_POINT_H */
