/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "engine-fixture.h"

#include "ns3/hash-mix.h"
#include "ns3/scheduler.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

using FabricEngineInEachSetting = EngineTestInEachSetting;

TEST_P(FabricEngineInEachSetting, AtOneInstantNs3EventsRunFirstThenFabricEventsByKey)
{
    std::vector<uint32_t> ports;
    for (uint32_t port = 0; port < 10; ++port)
    {
        Ns3At(50, "ns-3 " + std::to_string(port));
        FabricAt(50, "port " + std::to_string(port));
        ports.push_back(port);
    }
    Simulator::Run();
    const uint64_t seed = RngSeedManager::GetSeed();
    std::sort(ports.begin(), ports.end(), [seed](uint32_t a, uint32_t b) {
        return HashValues({seed, 0, a, 0, 0}) < HashValues({seed, 0, b, 0, 0});
    });
    Log expected;
    for (uint32_t i = 0; i < 10; ++i)
    {
        expected.push_back("50 ns-3 " + std::to_string(i));
    }
    for (uint32_t port : ports)
    {
        expected.push_back("50 port " + std::to_string(port));
    }
    EXPECT_EQ(m_log, expected);
}

TEST_P(FabricEngineInEachSetting, ARandomSimulationIsTheSameAsWithMapSchedulerAtBatch1)
{
    RandomFabric fabric;
    Simulator::Run();
    const int64_t end = Simulator::Now().GetTimeStep();
    const uint64_t events = FabricEngine::Get()->GetEventCount();
    Start({STOCK_SCHEDULERS[0], 1});
    RandomFabric reference;
    Simulator::Run();
    EXPECT_GE(reference.GetLog().size(), 30000u);
    EXPECT_TRUE(fabric.GetLog() == reference.GetLog());
    EXPECT_EQ(end, Simulator::Now().GetTimeStep());
    EXPECT_EQ(events, FabricEngine::Get()->GetEventCount());
}

TEST_P(FabricEngineInEachSetting, MovingAFabricEventKeepsTheOrderOfNs3Events)
{
    std::mt19937 random(3);
    FabricEvent& event = Fabric("fabric");
    Time last;
    const auto check = [&last] {
        EXPECT_LE(last, Simulator::Now());
        last = Simulator::Now();
    };
    for (int i = 0; i < 1000; ++i)
    {
        Ns3At(1 + random() % 1000, "ns-3", check);
        if (i % 10 == 0)
        {
            event.ScheduleAt(1 + random() % 1000);
        }
    }
    Simulator::Run();
    EXPECT_EQ(m_log.size(), 1001u);
}

TEST_P(FabricEngineInEachSetting, StopLookAndRunAgainContinuesExactly)
{
    RandomFabric whole;
    Simulator::Run();
    Start(GetParam());
    RandomFabric parts;
    for (int64_t stop = 1; stop < 100; stop += 1 + stop % 7)
    {
        Simulator::Stop(TimeStep(stop) - Simulator::Now());
        Simulator::Run();
        EXPECT_EQ(Simulator::Now(), TimeStep(stop));
        EXPECT_EQ(FabricEngine::Get()->Now(), stop);
        EXPECT_LE(parts.GetLog().back().first, stop);
        const std::size_t size = parts.GetLog().size();
        EXPECT_GE(whole.GetLog().at(size).first, stop);
    }
    Simulator::Run();
    EXPECT_TRUE(parts.GetLog() == whole.GetLog());
}

TEST_P(FabricEngineInEachSetting, ACallOutIsAnNs3EventBeforeTheNextFabricEvent)
{
    const auto check = [] {
        EXPECT_EQ(Simulator::Now(), TimeStep(70));
        EXPECT_EQ(FabricEngine::Get()->Now(), 70);
        EXPECT_EQ(Simulator::GetContext(), 42u);
    };
    FabricAt(40, "early");
    for (int i = 0; i < 2; ++i)
    {
        FabricAt(70, "fabric", [&] {
            FabricEngine::Get()->CallOut(42, check);
            CallOut("called");
        });
    }
    Simulator::Run();
    EXPECT_EQ(m_log, (Log{"40 early", "70 fabric", "70 called", "70 fabric", "70 called"}));
}

TEST_P(FabricEngineInEachSetting, ACallOutFromAnNs3EventRunsBeforeTheNextFabricEvent)
{
    FabricAt(10, "fabric");
    Ns3At(10, "ns-3", [&] { CallOut("called", [&] { CallOut("called again"); }); });
    Simulator::Run();
    EXPECT_EQ(m_log, (Log{"10 ns-3", "10 called", "10 called again", "10 fabric"}));
}

TEST_P(FabricEngineInEachSetting, ACallOutMaySendAtTheSameInstant)
{
    FabricEvent& answer = Fabric("answer");
    FabricAt(10, "fabric", [&] { CallOut("called", [&] { answer.ScheduleAt(10); }); });
    FabricAt(11, "later");
    Simulator::Run();
    EXPECT_EQ(m_log, (Log{"10 fabric", "10 called", "10 answer", "11 later"}));
    EXPECT_EQ(Simulator::Now(), TimeStep(11));
}

TEST_P(FabricEngineInEachSetting, AfterRunTheTimeIsThatOfTheLastFabricEvent)
{
    for (int64_t tick : {10, 20, 30})
    {
        FabricAt(tick, "fabric");
    }
    Simulator::Run();
    EXPECT_EQ(m_log.size(), 3u);
    EXPECT_EQ(Simulator::Now(), TimeStep(30));
}

TEST_P(FabricEngineInEachSetting, ACancelledFabricEventDoesNotMoveTheClock)
{
    FabricEvent& never = FabricAt(90, "never");
    FabricEvent& neither = FabricAt(80, "neither");
    Ns3At(5, "ns-3", [&] { never.Cancel(); });
    FabricAt(10, "first");
    FabricAt(20, "last", [&] { neither.Cancel(); });
    Simulator::Run();
    EXPECT_EQ(m_log, (Log{"5 ns-3", "10 first", "20 last"}));
    EXPECT_EQ(Simulator::Now(), TimeStep(20));
}

TEST_P(FabricEngineInEachSetting, TheOnlyEventCancelledFromAnNs3EventLeavesTheClockThere)
{
    FabricEvent& never = FabricAt(90, "never");
    Ns3At(5, "ns-3", [&] { never.Cancel(); });
    Simulator::Run();
    EXPECT_EQ(Simulator::Now(), TimeStep(5));
}

TEST_P(FabricEngineInEachSetting, AnEventThatWasCancelledAndMovedRunsOnce)
{
    FabricEvent& event = Fabric("fabric");
    for (int64_t tick : {10, 10, 20, 3, 5})
    {
        event.ScheduleAt(tick);
        event.Cancel();
        event.ScheduleAt(tick);
    }
    Ns3At(4, "ns-3", [&] {
        event.Cancel();
        event.ScheduleAt(15);
        event.ScheduleAt(7);
    });
    Simulator::Run();
    EXPECT_EQ(m_log, (Log{"4 ns-3", "7 fabric"}));
    EXPECT_EQ(Simulator::Now(), TimeStep(7));
    event.ScheduleAt(9);
    Simulator::Run();
    EXPECT_EQ(m_log.back(), "9 fabric");
}

TEST_P(FabricEngineInEachSetting, AnEarlierEventFromAnNs3EventIsNotMissed)
{
    FabricEvent& sooner = Fabric("sooner");
    FabricAt(100, "later");
    Ns3At(10, "ns-3", [&] { sooner.ScheduleAt(20); });
    Ns3At(30, "ns-3 too", [&] { sooner.ScheduleAt(30); });
    Simulator::Run();
    EXPECT_EQ(m_log, (Log{"10 ns-3", "20 sooner", "30 ns-3 too", "30 sooner", "100 later"}));
}

TEST_P(FabricEngineInEachSetting, AnEventCancelledFromAnNs3EventOfTheSameInstantNeverRuns)
{
    FabricEvent& before = FabricAt(10, "never");
    Ns3At(10, "ns-3", [&] {
        before.Cancel();
        m_actors.pop_back();
    });
    FabricAt(10, "never");
    Simulator::Run();
    EXPECT_EQ(m_log, (Log{"10 ns-3"}));
    EXPECT_EQ(FabricEngine::Get()->GetEventCount(), 0u);
}

TEST_P(FabricEngineInEachSetting, TwoSimulationsInOneProcessDoNotTouch)
{
    const Ptr<FabricEngine> old = FabricEngine::Get();
    FabricEvent& pending = FabricAt(20, "old");
    FabricAt(10, "first", [&] { CallOut("stop", [] { Simulator::Stop(); }); });
    Simulator::Run();
    Simulator::Destroy();
    EXPECT_NE(FabricEngine::Get(), old);
    EXPECT_EQ(FabricEngine::Get()->GetEventCount(), 0u);
    EXPECT_FALSE(pending.IsBound());
    EXPECT_FALSE(pending.IsPending());
    Actor same(*FabricEngine::Get(), pending.GetKey(), [&] { Write("new"); });
    same.GetEvent().ScheduleAt(5);
    Simulator::Run();
    EXPECT_EQ(m_log, (Log{"10 first", "10 stop", "5 new"}));
}

TEST_P(FabricEngineInEachSetting, OwnersMayDieBeforeInOrAfterDestroy)
{
    const auto make = [](uint32_t node) {
        auto* actor = new Actor(*FabricEngine::Get(), {node}, [] { FAIL(); });
        actor->GetEvent().ScheduleAt(10 + node);
        return actor;
    };
    Actor* before = make(1);
    Actor* in = make(2);
    Actor* after = make(3);
    Simulator::ScheduleDestroy(
        +[](Actor* actor) { delete actor; },
        in);
    Simulator::Stop(TimeStep(10));
    Simulator::Run();
    delete before;
    Simulator::Destroy();
    after->GetEvent().Cancel();
    delete after;
}

TEST_P(FabricEngineInEachSetting, TheSchedulerMayBeReplacedInTheMiddle)
{
    for (int64_t tick = 1; tick <= 9; ++tick)
    {
        FabricAt(10 * tick, "fabric");
        Ns3At(10 * tick, "ns-3", [tick] {
            const auto& other = STOCK_SCHEDULERS.at(tick % STOCK_SCHEDULERS.size());
            ReplaceScheduler(tick % 3 == 0 ? FABRIC_SCHEDULER : other);
        });
    }
    Simulator::Run();
    ASSERT_EQ(m_log.size(), 18u);
    EXPECT_EQ(m_log[0], "10 ns-3");
    EXPECT_EQ(m_log[1], "10 fabric");
    EXPECT_EQ(m_log[17], "90 fabric");
}

INSTANTIATE_TEST_SUITE_P(All,
                         FabricEngineInEachSetting,
                         testing::ValuesIn(EngineTestInEachSetting::GetSettings()),
                         EngineTestInEachSetting::GetName);

/// Tests of FabricEngine that choose the scheduler themselves.
class FabricEngineTest : public EngineTest
{
  protected:
    /**
     * Run 100 fabric events of 100 instants.
     *
     * @param batch see FabricEngine::SetBatch
     * @return the number of ns-3 events that they took
     */
    uint64_t CountNs3Events(uint64_t batch)
    {
        UseScheduler(FABRIC_SCHEDULER);
        FabricEngine::Get()->SetBatch(batch);
        for (int64_t tick = 1; tick <= 100; ++tick)
        {
            FabricAt(tick, "fabric");
        }
        Simulator::Run();
        EXPECT_EQ(FabricEngine::Get()->GetEventCount(), 100u);
        return Simulator::GetEventCount();
    }

    /**
     * @param seed the seed of the simulation
     * @return the order of ten fabric events of one instant
     */
    Log OrderOf(uint32_t seed)
    {
        Simulator::Destroy();
        m_log.clear();
        m_actors.clear();
        RngSeedManager::SetSeed(seed);
        for (int i = 0; i < 10; ++i)
        {
            FabricAt(1, std::to_string(i));
        }
        Simulator::Run();
        return m_log;
    }
};

TEST_F(FabricEngineTest, AtBatch1EachFabricEventIsOneNs3Event)
{
    EXPECT_EQ(CountNs3Events(1), 100u);
}

TEST_F(FabricEngineTest, ALargeBatchTakesOneNs3EventAndOneForTheClock)
{
    EXPECT_EQ(CountNs3Events(1000), 2u);
}

TEST_F(FabricEngineTest, ABatchEndsWhenItIsFull)
{
    EXPECT_EQ(CountNs3Events(10), 11u);
}

TEST_F(FabricEngineTest, AtBatch1TheSimulatorAndTheEngineAgreeOnTheTime)
{
    UseScheduler(FABRIC_SCHEDULER);
    const auto check = [] {
        EXPECT_EQ(Simulator::Now().GetTimeStep(), FabricEngine::Get()->Now());
    };
    for (int64_t tick : {1, 5, 5, 9})
    {
        FabricAt(tick, "fabric", check);
    }
    Simulator::Run();
    EXPECT_EQ(m_log, (Log{"1 fabric", "5 fabric", "5 fabric", "9 fabric"}));
}

TEST_F(FabricEngineTest, Ns3EventsMadeInAnInstantRunBeforeItsFabricEvents)
{
    UseScheduler(FABRIC_SCHEDULER);
    FabricAt(10, "fabric");
    Ns3At(10, "ns-3", [&] { Ns3At(10, "made", [&] { Ns3At(10, "made later"); }); });
    Simulator::Run();
    EXPECT_EQ(m_log, (Log{"10 ns-3", "10 made", "10 made later", "10 fabric"}));
}

TEST_F(FabricEngineTest, AStrangersSchedulerIsNotTakenForTheSimulators)
{
    UseScheduler(STOCK_SCHEDULERS[0]);
    FabricEngine::Get()->SetBatch(1000);
    ObjectFactory factory(FABRIC_SCHEDULER);
    const Ptr<Scheduler> stranger = factory.Create<Scheduler>();
    FabricAt(10, "fabric");
    FabricAt(30, "fabric");
    Ns3At(20, "ns-3");
    Simulator::Run();
    EXPECT_EQ(m_log, (Log{"10 fabric", "20 ns-3", "30 fabric"}));
    EXPECT_TRUE(stranger->IsEmpty());
}

TEST_F(FabricEngineTest, TheSeedDecidesTies)
{
    EXPECT_EQ(OrderOf(1), OrderOf(1));
    EXPECT_NE(OrderOf(1), OrderOf(2));
}

/// Misuse that must stop the program.
using FabricEngineDeathTest = EngineTestInEachSetting;

TEST_P(FabricEngineDeathTest, AnEventInThePastAborts)
{
    FabricEvent& past = Fabric("past");
    FabricAt(10, "first");
    FabricAt(20, "second", [&] { past.ScheduleAt(15); });
    EXPECT_DEATH(Simulator::Run(), "a fabric event was scheduled in the past");
}

INSTANTIATE_TEST_SUITE_P(All,
                         FabricEngineDeathTest,
                         testing::Values(EngineSetting{FABRIC_SCHEDULER, 1},
                                         EngineSetting{FABRIC_SCHEDULER, 1000}),
                         EngineTestInEachSetting::GetName);

} // namespace
