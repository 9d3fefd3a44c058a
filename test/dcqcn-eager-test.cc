/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "eager-reaction-point.h"
#include "simulation-fixture.h"

#include "ns3/cc-dcqcn.h"

#include <gtest/gtest.h>
#include <random>
#include <string>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/** Drives reaction points by the same random CNPs, packets, idle times and looks. */
class RandomDriver
{
  public:
    RandomDriver(uint32_t seed, const ReactionSetup& setup)
        : m_random(seed),
          m_setup(setup),
          m_eager(setup),
          m_lazy(setup.Make(nullptr)),
          m_observed(setup.Make(&m_observedLog)),
          m_driven(setup.Make(&m_drivenLog))
    {
    }

    void Run(uint32_t operations)
    {
        m_left = operations;
        Next();
        Simulator::Run();
        if (!testing::Test::HasFatalFailure())
        {
            ExpectSameLogs();
        }
    }

  private:
    /** @return a period of one of the timers, ticks */
    int64_t Period()
    {
        const int64_t periods[] = {m_setup.alphaTimer,
                                   m_setup.increaseTimer,
                                   m_setup.decreaseInterval,
                                   m_setup.idleTime};
        return periods[m_random() % 4];
    }

    /** @return the gap to the next operation, ticks: often short, now and then very long */
    int64_t Gap()
    {
        const int64_t now = Simulator::Now().GetTimeStep();
        const uint64_t choice = m_random() % 200;
        if (choice < 50) // at the very instant of a step
        {
            const int64_t period = Period();
            const int64_t steps = (now - m_last) / period + 1 + int64_t(m_random() % 8);
            return m_last + steps * period - now;
        }
        const int64_t longest = choice < 160 ? 27000000 : choice < 198 ? 1100000000 : 165000000000;
        return int64_t(m_random() % uint64_t(longest));
    }

    void Next()
    {
        if (m_left-- > 0)
        {
            Simulator::Schedule(TimeStep(uint64_t(Gap())),
                                [this]() { Wait(EagerReactionPoint::TURNS); });
            return;
        }
        Simulator::Stop();
    }

    /** @param turns of this instant to let go first */
    void Wait(uint32_t turns)
    {
        if (turns == 0)
        {
            Act();
            return;
        }
        Simulator::ScheduleNow([this, turns]() { Wait(turns - 1); });
    }

    void Act()
    {
        const uint64_t choice = m_random() % 20;
        if (choice < 5)
        {
            m_eager.OnCnp();
            ForLazy([](Dcqcn& one, int64_t now) { one.OnCnp(now); });
            m_last = Simulator::Now().GetTimeStep();
        }
        else if (choice < 8)
        {
            ToggleIdle();
        }
        else if (choice < 18 && !m_idle)
        {
            const auto bytes = uint32_t(m_random() % (2 * ReactionSetup::BYTE_STAGE));
            m_eager.OnSend(bytes);
            ForLazy([bytes](Dcqcn& one, int64_t now) { one.OnSend(now, bytes); });
        }
        if (choice % 2 == 0) // else the steps stay for later
        {
            ForLazy([this](Dcqcn& one, int64_t now) { ExpectSame(one, now); });
        }
        m_left = testing::Test::HasFatalFailure() ? 0 : m_left;
        Drive();
        Next();
    }

    void ToggleIdle()
    {
        m_idle = !m_idle;
        m_idle ? m_eager.OnIdle() : m_eager.OnBusy();
        ForLazy([this](Dcqcn& one, int64_t now) { m_idle ? one.OnIdle(now) : one.OnBusy(now); });
        m_last = Simulator::Now().GetTimeStep();
    }

    /** @param function is called for each that is not eager, and the time */
    void ForLazy(const std::function<void(Dcqcn&, int64_t)>& function)
    {
        for (const Ptr<Dcqcn>& one : {m_lazy, m_observed, m_driven})
        {
            function(*one, Simulator::Now().GetTimeStep());
        }
    }

    /** An event at each step of the driven one, as a NIC with a sink has them. */
    void Drive()
    {
        m_step.Cancel();
        const int64_t next = m_driven->GetNextStep();
        if (next == CongestionControl::NEVER)
        {
            return;
        }
        const int64_t now = Simulator::Now().GetTimeStep();
        ASSERT_GT(next, now);
        m_step = Simulator::Schedule(TimeStep(uint64_t(next - now)), [this, next]() {
            m_driven->GetRate(next);
            Drive();
        });
    }

    void ExpectSame(Dcqcn& one, int64_t now) const
    {
        ASSERT_EQ(one.GetRate(now), m_eager.rate) << "at " << now;
        ASSERT_EQ(one.GetAlpha(now), m_eager.alpha) << "at " << now;
        ASSERT_EQ(one.GetTargetRate(), m_eager.target) << "at " << now;
    }

    void ExpectSameLogs()
    {
        ForLazy([](Dcqcn& one, int64_t now) { one.GetAlpha(now); });
        for (auto quantity :
             {CongestionQuantity::RATE, CongestionQuantity::TARGET_RATE, CongestionQuantity::ALPHA})
        {
            const auto expected = Changes(m_eager.log, quantity);
            EXPECT_GT(expected.size(), 100u);
            EXPECT_TRUE(expected == Changes(m_observedLog, quantity));
            EXPECT_TRUE(expected == Changes(m_drivenLog, quantity));
        }
    }

    /**
     * @param log of a reaction point
     * @param quantity what
     * @return its changes after the start
     */
    static ChangeLog::Changes Changes(const ChangeLog& log, CongestionQuantity quantity)
    {
        ChangeLog::Changes changes;
        for (const auto& change : log.Of(quantity))
        {
            if (change.first > 0)
            {
                changes.push_back(change);
            }
        }
        return changes;
    }

    std::mt19937_64 m_random;
    ReactionSetup m_setup;
    EagerReactionPoint m_eager;
    ChangeLog m_observedLog;
    ChangeLog m_drivenLog;
    Ptr<Dcqcn> m_lazy;
    Ptr<Dcqcn> m_observed;
    Ptr<Dcqcn> m_driven;
    EventId m_step;
    uint32_t m_left{0};
    int64_t m_last{0};
    bool m_idle{false};
};

class DcqcnEagerTest : public SimulationTest
{
  protected:
    /**
     * @param setup of the reaction points
     * @param operations of each of four runs
     */
    void ExpectSameFor(const ReactionSetup& setup, uint32_t operations = 1500)
    {
        for (uint32_t seed = 1; seed <= 4; ++seed)
        {
            RandomDriver(seed, setup).Run(operations);
            EndSimulation();
            ASSERT_FALSE(HasFailure()) << "seed " << seed;
        }
    }

    /** @return a reaction point as ConnectX has it, its periods drawn out for fewer events */
    static ReactionSetup Periodic()
    {
        ReactionSetup setup;
        setup.periodic = true;
        setup.clamp = false;
        setup.clampAfterTime = true;
        setup.alphaTimer = 10000000;
        setup.increaseTimer = 300000000;
        setup.minDecreaseFactor = 0.625;
        setup.fastStages = 1;
        return setup;
    }
};

TEST_F(DcqcnEagerTest, LazyStepsEqualTimerEventsBitForBit)
{
    ExpectSameFor({}, 3000);
}

TEST_F(DcqcnEagerTest, AlphaFirstToo)
{
    ReactionSetup setup;
    setup.alphaFirst = true;
    ExpectSameFor(setup);
}

TEST_F(DcqcnEagerTest, WithoutClampsToo)
{
    ReactionSetup setup;
    setup.clamp = false;
    setup.cutFarTarget = true;
    ExpectSameFor(setup);
    setup.clampAfterTime = true;
    ExpectSameFor(setup);
}

TEST_F(DcqcnEagerTest, WithAFirstRateAndACeilingToo)
{
    ReactionSetup setup;
    setup.firstRate = 20e9;
    setup.maxRate = 80e9;
    setup.idle = "line-rate";
    ExpectSameFor(setup);
}

TEST_F(DcqcnEagerTest, HeldTimersToo)
{
    ReactionSetup setup;
    setup.idle = "hold";
    ExpectSameFor(setup);
}

TEST_F(DcqcnEagerTest, ForgettingIdleTimeToo)
{
    ReactionSetup setup;
    setup.idle = "line-rate";
    ExpectSameFor(setup);
}

TEST_F(DcqcnEagerTest, PeriodicModeToo)
{
    ReactionSetup setup = Periodic();
    ExpectSameFor(setup);
    setup.idle = "hold";
    ExpectSameFor(setup);
    setup.idle = "line-rate";
    setup.firstRate = 30e9;
    ExpectSameFor(setup);
}

} // namespace
