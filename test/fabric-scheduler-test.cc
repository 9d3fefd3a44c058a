/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "engine-fixture.h"

#include "ns3/fabric-scheduler.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/**
 * @param ts a time
 * @param uid the number of an insertion
 * @return an event that does nothing
 */
Scheduler::Event
MakeEntry(uint64_t ts, uint32_t uid)
{
    Scheduler::Event event;
    event.impl = nullptr;
    event.key.m_ts = ts;
    event.key.m_uid = uid;
    event.key.m_context = uid % 7;
    return event;
}

/**
 * @param scheduler the scheduler to empty
 * @return the numbers of the events, in the order in which they come out
 */
std::vector<uint32_t>
Drain(Scheduler& scheduler)
{
    std::vector<uint32_t> uids;
    while (!scheduler.IsEmpty())
    {
        EXPECT_EQ(scheduler.PeekNext().key.m_uid, scheduler.PeekNext().key.m_uid);
        uids.push_back(scheduler.PeekNext().key.m_uid);
        EXPECT_EQ(scheduler.RemoveNext().key.m_uid, uids.back());
    }
    return uids;
}

/// A random simulation of ns-3 events that make, cancel, remove and ask for others.
class RandomSimulation
{
  public:
    /**
     * @param seed of the random use
     * @param exchange the scheduler that replaces the first one in the middle, or empty
     * @param mayRemove use Simulator::Remove, too
     */
    RandomSimulation(uint32_t seed, const std::string& exchange, bool mayRemove)
        : m_random(seed),
          m_exchange(exchange),
          m_mayRemove(mayRemove)
    {
    }

    /** @return the numbers of the events in the order in which they ran, and what they saw */
    std::vector<uint64_t> Run()
    {
        for (int i = 0; i < 100; ++i)
        {
            Make();
        }
        Simulator::Run();
        m_log.push_back(Simulator::Now().GetTimeStep());
        return m_log;
    }

  private:
    /// Make an event, often at the time of another.
    void Make()
    {
        const uint64_t number = m_ids.size();
        const Time delay = TimeStep(m_random() % 6);
        const auto act = [this, number] { Act(number); };
        m_ids.push_back(m_random() % 8 == 0 ? Simulator::ScheduleNow(act)
                                            : Simulator::Schedule(delay, act));
    }

    /**
     * @param number the number of the event that runs
     */
    void Act(uint64_t number)
    {
        m_log.push_back(number);
        m_log.push_back(Simulator::Now().GetTimeStep());
        if (number == 1000 && !m_exchange.empty())
        {
            ReplaceScheduler(m_exchange);
        }
        for (uint32_t n = m_random() % 4; n > 0 && m_ids.size() < 4000; --n)
        {
            Make();
        }
        EventId other = m_ids[m_ids.size() - 1 - m_random() % std::min<size_t>(m_ids.size(), 60)];
        m_log.push_back(other.IsExpired());
        m_log.push_back(Simulator::GetDelayLeft(other).GetTimeStep());
        switch (m_random() % 4)
        {
        case 0:
            Simulator::Cancel(other);
            break;
        case 1:
            m_mayRemove ? Simulator::Remove(other) : Simulator::Cancel(other);
            break;
        }
        m_log.push_back(other.IsExpired());
    }

    std::mt19937 m_random;       //!< what to do
    std::string m_exchange;      //!< the second scheduler
    bool m_mayRemove;            //!< use Simulator::Remove, too
    std::vector<EventId> m_ids;  //!< by number
    std::vector<uint64_t> m_log; //!< what happened
};

/// Simulations with FabricScheduler.
class FabricSchedulerInSimulation : public SimulationTest
{
};

/// Compares FabricScheduler with a stock scheduler.
class FabricSchedulerAgainst : public SimulationTest,
                               public testing::WithParamInterface<std::string>
{
  protected:
    /** @return false for HeapScheduler, which loses its order when an event is removed */
    static bool MayRemove()
    {
        return GetParam() != "ns3::HeapScheduler";
    }

    /**
     * @param seed of the random use
     * @param scheduler the scheduler
     * @param exchange see RandomSimulation
     * @return what happened
     */
    static std::vector<uint64_t> Simulate(uint32_t seed,
                                          const std::string& scheduler,
                                          const std::string& exchange = "")
    {
        Simulator::Destroy();
        UseScheduler(scheduler);
        return RandomSimulation(seed, exchange, MayRemove()).Run();
    }
};

TEST_P(FabricSchedulerAgainst, RandomInsertionsAndRemovalsGiveTheSameOrder)
{
    ObjectFactory factory(GetParam());
    Ptr<Scheduler> stock = factory.Create<Scheduler>();
    Ptr<Scheduler> fabric = CreateObject<FabricScheduler>();
    std::mt19937 random(1);
    std::vector<Scheduler::Event> pending;
    uint64_t now = 0;
    for (uint32_t uid = 0; uid < 20000;)
    {
        const uint32_t choice = random() % 8;
        if (choice < 4 || pending.empty())
        {
            pending.push_back(MakeEntry(now + random() % 20, uid++));
            stock->Insert(pending.back());
            fabric->Insert(pending.back());
            continue;
        }
        std::size_t place = random() % pending.size();
        if (choice == 4 && MayRemove())
        {
            stock->Remove(pending[place]);
            fabric->Remove(pending[place]);
        }
        else
        {
            ASSERT_TRUE(stock->PeekNext().key == fabric->PeekNext().key);
            const Scheduler::Event next = fabric->RemoveNext();
            ASSERT_TRUE(stock->RemoveNext().key == next.key);
            now = next.key.m_ts;
            const auto same = [&next](const auto& event) { return event.key == next.key; };
            place = std::find_if(pending.begin(), pending.end(), same) - pending.begin();
        }
        pending.erase(pending.begin() + place);
        ASSERT_EQ(stock->IsEmpty(), fabric->IsEmpty());
    }
    EXPECT_EQ(Drain(*stock), Drain(*fabric));
}

TEST_P(FabricSchedulerAgainst, SimulationsThatCancelAndRemoveAreTheSame)
{
    for (uint32_t seed = 1; seed <= 5; ++seed)
    {
        const std::vector<uint64_t> log = Simulate(seed, FABRIC_SCHEDULER);
        EXPECT_GT(log.size(), 8000u);
        EXPECT_TRUE(log == Simulate(seed, GetParam())) << "seed " << seed;
    }
}

TEST_P(FabricSchedulerAgainst, EventsMoveOverWhenOneReplacesTheOtherInTheMiddle)
{
    const std::vector<uint64_t> log = Simulate(7, FABRIC_SCHEDULER);
    EXPECT_TRUE(log == Simulate(7, GetParam(), FABRIC_SCHEDULER));
    EXPECT_TRUE(log == Simulate(7, FABRIC_SCHEDULER, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Stock,
                         FabricSchedulerAgainst,
                         testing::ValuesIn(STOCK_SCHEDULERS),
                         [](const auto& info) { return WithoutNamespace(info.param); });

TEST(FabricScheduler, KeepsTheOrderOfInsertionWhenTheUidWraps)
{
    Ptr<FabricScheduler> scheduler = CreateObject<FabricScheduler>();
    std::vector<uint32_t> uids;
    for (uint32_t uid = 0xfffffff0; uid != 6; ++uid)
    {
        uids.push_back(uid);
        scheduler->Insert(MakeEntry(100, uid));
    }
    EXPECT_EQ(uids.size(), 22u);
    EXPECT_EQ(Drain(*scheduler), uids);
}

TEST(FabricScheduler, RemovesAnyEventWithoutAChangeToTheOrderOfTheRest)
{
    for (uint32_t removed = 0; removed < 30; ++removed)
    {
        Ptr<FabricScheduler> scheduler = CreateObject<FabricScheduler>();
        std::vector<uint32_t> uids;
        for (uint32_t uid = 0; uid < 30; ++uid)
        {
            scheduler->Insert(MakeEntry(10 + uid / 10, uid));
            uids.push_back(uid);
        }
        scheduler->Remove(MakeEntry(10 + removed / 10, removed));
        uids.erase(uids.begin() + removed);
        EXPECT_EQ(Drain(*scheduler), uids);
    }
}

TEST(FabricScheduler, RemovesTheRightOneOfTwoEventsWithOneUid)
{
    Ptr<FabricScheduler> scheduler = CreateObject<FabricScheduler>();
    scheduler->Insert(MakeEntry(10, 5));
    scheduler->Insert(MakeEntry(20, 5));
    scheduler->Remove(MakeEntry(20, 5));
    EXPECT_EQ(scheduler->PeekNext().key.m_ts, 10u);
    EXPECT_EQ(Drain(*scheduler), std::vector<uint32_t>{5});
}

TEST(FabricScheduler, TellsWhetherAnEventIsPendingUntilATime)
{
    Ptr<FabricScheduler> scheduler = CreateObject<FabricScheduler>();
    EXPECT_FALSE(scheduler->HasEventUntil(100));
    scheduler->Insert(MakeEntry(50, 1));
    scheduler->Insert(MakeEntry(40, 2));
    EXPECT_FALSE(scheduler->HasEventUntil(39));
    EXPECT_TRUE(scheduler->HasEventUntil(40));
    scheduler->RemoveNext();
    EXPECT_FALSE(scheduler->HasEventUntil(49));
    EXPECT_EQ(scheduler->GetInsertions(), 2u);
}

TEST(FabricScheduler, TheYoungestMakesItselfKnownAsLongAsItLives)
{
    Ptr<FabricScheduler> first = CreateObject<FabricScheduler>();
    EXPECT_EQ(FabricScheduler::GetLatest(), PeekPointer(first));
    Ptr<FabricScheduler> second = CreateObject<FabricScheduler>();
    EXPECT_EQ(FabricScheduler::GetLatest(), PeekPointer(second));
    first = nullptr;
    EXPECT_EQ(FabricScheduler::GetLatest(), PeekPointer(second));
    second = nullptr;
    EXPECT_EQ(FabricScheduler::GetLatest(), nullptr);
}

TEST_F(FabricSchedulerInSimulation, SchedulerTypeChoosesFabricScheduler)
{
    UseScheduler(FABRIC_SCHEDULER);
    EXPECT_EQ(FabricScheduler::GetLatest(), nullptr);
    bool hasRun = false;
    Simulator::Schedule(TimeStep(3), [&hasRun] { hasRun = true; });
    ASSERT_NE(FabricScheduler::GetLatest(), nullptr);
    EXPECT_TRUE(FabricScheduler::GetLatest()->HasEventUntil(3));
    Simulator::Run();
    EXPECT_TRUE(hasRun);
}

TEST_F(FabricSchedulerInSimulation, ACancelledEventStillMovesTheClockAndARemovedOneDoesNot)
{
    UseScheduler(FABRIC_SCHEDULER);
    const auto fail = [] { FAIL(); };
    EventId cancelled = Simulator::Schedule(TimeStep(10), fail);
    EventId removed = Simulator::Schedule(TimeStep(20), fail);
    Simulator::Cancel(cancelled);
    Simulator::Remove(removed);
    EXPECT_TRUE(cancelled.IsExpired());
    EXPECT_TRUE(removed.IsExpired());
    Simulator::Run();
    EXPECT_EQ(Simulator::Now(), TimeStep(10));
}

} // namespace
