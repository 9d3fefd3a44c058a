/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "engine-fixture.h"

#include "ns3/hash-mix.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <tuple>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// A queue without an engine.
class BareQueue : public FabricEventQueue
{
  public:
    /**
     * @param seed orders the events of one instant
     * @param mask the bits of the mix that are used; few make it collide
     */
    explicit BareQueue(uint64_t seed = 1, uint64_t mask = ~uint64_t{0})
        : m_seed(seed),
          m_mask(mask)
    {
    }

    uint64_t MixKey(const FabricEventKey& key) const override
    {
        const auto kind = static_cast<uint64_t>(key.kind);
        return HashValues({m_seed, key.node, key.port, kind, key.index}) & m_mask;
    }

    /** @return the number of changes from outside */
    int GetChanges() const
    {
        return m_changes;
    }

  private:
    void OnChange() override
    {
        ++m_changes;
    }

    uint64_t m_seed;  //!< orders the events of one instant
    uint64_t m_mask;  //!< the bits that are used
    int m_changes{0}; //!< changes from outside
};

/// Random use of a queue, and a sorted set that should hold the same.
class RandomUse
{
  public:
    /**
     * @param seed of the random use
     * @param mask see BareQueue
     */
    RandomUse(uint32_t seed, uint64_t mask)
        : m_random(seed),
          m_queue(seed, mask),
          m_actors(400)
    {
    }

    /**
     * Use the queue, then run until it is empty.
     *
     * @param steps how often to use it
     */
    void Run(int steps)
    {
        for (; steps > 0; --steps)
        {
            ASSERT_NO_FATAL_FAILURE(m_random() % 3 == 0 ? RunNext() : Change());
            ASSERT_NO_FATAL_FAILURE(Check());
        }
        m_isChanging = false;
        while (!m_expected.empty())
        {
            ASSERT_NO_FATAL_FAILURE(RunNext());
        }
        ASSERT_TRUE(m_queue.IsEmpty());
    }

  private:
    /// A pending event in the order of the queue.
    using Place = std::tuple<int64_t, uint64_t, FabricEventKey>;

    /**
     * @param i an index of m_actors
     * @return its key
     */
    static FabricEventKey GetKey(uint32_t i)
    {
        return {i % 5, i / 5 % 7, static_cast<FabricEventKind>(i % 3), i / 35};
    }

    /**
     * @param i an index of m_actors
     * @return its place now, if it is pending
     */
    std::set<Place>::iterator Find(uint32_t i)
    {
        const FabricEventKey key = GetKey(i);
        return m_expected.find({m_ticks[i], m_queue.MixKey(key), key});
    }

    /// Compare the queue with what is expected.
    void Check()
    {
        ASSERT_EQ(m_queue.GetSize(), m_expected.size());
        ASSERT_EQ(m_queue.IsEmpty(), m_expected.empty());
        // Not always: it closes the gap that the last Pop left, and an open gap is to be tested.
        if (m_random() % 4 == 0 && !m_expected.empty())
        {
            ASSERT_EQ(m_queue.GetNextTick(), std::get<0>(*m_expected.begin()));
        }
    }

    /// Schedule, move, cancel, destroy or make an event.
    void Change()
    {
        const uint32_t i = m_random() % m_actors.size();
        const auto place = Find(i);
        ASSERT_EQ(m_actors[i] && m_actors[i]->GetEvent().IsPending(), place != m_expected.end());
        if (!m_actors[i])
        {
            m_actors[i] = std::make_unique<Actor>(m_queue, GetKey(i), [this, i] { Act(i); });
            return;
        }
        if (place != m_expected.end())
        {
            m_expected.erase(place);
        }
        switch (m_random() % 8)
        {
        case 0:
            m_actors[i].reset();
            break;
        case 1:
            m_actors[i]->GetEvent().Cancel();
            break;
        default:
            m_ticks[i] = m_now + m_random() % 8;
            m_actors[i]->GetEvent().ScheduleAt(m_ticks[i]);
            m_expected.insert({m_ticks[i], m_queue.MixKey(GetKey(i)), GetKey(i)});
        }
    }

    /// Run the earliest event.
    void RunNext()
    {
        if (m_expected.empty())
        {
            return;
        }
        const Place first = *m_expected.begin();
        m_expected.erase(m_expected.begin());
        FabricEvent* event = m_queue.Pop();
        const Place popped{std::get<0>(first), m_queue.MixKey(event->GetKey()), event->GetKey()};
        ASSERT_FALSE(popped < first || first < popped);
        ASSERT_FALSE(event->IsPending());
        m_now = std::get<0>(first);
        m_hasActed = false;
        FabricEventQueue::Invoke(event);
        ASSERT_TRUE(m_hasActed);
    }

    /**
     * An event runs.
     *
     * @param i its index in m_actors
     */
    void Act(uint32_t i)
    {
        m_hasActed = true;
        ASSERT_EQ(m_ticks[i], m_now);
        for (uint32_t n = m_isChanging ? m_random() % 5 : 0; n > 0; --n)
        {
            ASSERT_NO_FATAL_FAILURE(Change());
            ASSERT_EQ(m_queue.GetSize(), m_expected.size());
        }
    }

    std::mt19937 m_random;                        //!< what to do
    BareQueue m_queue;                            //!< the queue
    std::vector<std::unique_ptr<Actor>> m_actors; //!< some of them null
    int64_t m_ticks[400]{};                       //!< when each was scheduled last
    std::set<Place> m_expected;                   //!< what should be pending
    int64_t m_now{0};                             //!< time of the running event
    bool m_hasActed{false};                       //!< the event called its owner
    bool m_isChanging{true};                      //!< running events change others
};

/**
 * Schedule one event of each of 20 ports for the same instant.
 *
 * @param seed of the queue
 * @param shuffle of the order of scheduling
 * @param mask see BareQueue
 * @return the ports in the order in which they run
 */
std::vector<uint32_t>
OrderAtOneInstant(uint64_t seed, uint32_t shuffle, uint64_t mask = ~uint64_t{0})
{
    BareQueue queue(seed, mask);
    std::vector<uint32_t> ports(20);
    std::generate(ports.begin(), ports.end(), [port = 0]() mutable { return port++; });
    std::shuffle(ports.begin(), ports.end(), std::mt19937(shuffle));
    std::vector<std::unique_ptr<Actor>> actors;
    for (uint32_t port : ports)
    {
        actors.push_back(std::make_unique<Actor>(queue, FabricEventKey{3, port}, [] {}));
        actors.back()->GetEvent().ScheduleAt(7);
    }
    for (uint32_t& port : ports)
    {
        port = queue.Pop()->GetKey().port;
    }
    EXPECT_TRUE(queue.IsEmpty());
    return ports;
}

/** @return bytes allocated, where the C library tells */
std::size_t
GetAllocatedBytes()
{
#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 33)
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#endif
#endif
    return 0;
}

TEST(FabricEventQueue, RandomUseAgreesWithASortedSet)
{
    uint32_t seed = 0;
    for (uint64_t mask : {~uint64_t{0}, ~uint64_t{0}, uint64_t{3}, uint64_t{0}})
    {
        RandomUse use(++seed, mask);
        ASSERT_NO_FATAL_FAILURE(use.Run(20000)) << "seed " << seed;
    }
}

TEST(FabricEventQueue, TheOrderAtOneInstantIsThatOfTheMixes)
{
    const BareQueue queue(1);
    std::vector<uint32_t> ports = OrderAtOneInstant(1, 0);
    EXPECT_EQ(ports.size(), 20u);
    EXPECT_TRUE(std::is_sorted(ports.begin(), ports.end(), [&queue](uint32_t a, uint32_t b) {
        return queue.MixKey({3, a}) < queue.MixKey({3, b});
    }));
    EXPECT_FALSE(std::is_sorted(ports.begin(), ports.end()));
}

TEST(FabricEventQueue, TheOrderAtOneInstantDoesNotDependOnTheOrderOfScheduling)
{
    for (uint32_t shuffle = 1; shuffle < 50; ++shuffle)
    {
        EXPECT_EQ(OrderAtOneInstant(1, shuffle), OrderAtOneInstant(1, 0));
    }
}

TEST(FabricEventQueue, AnotherSeedGivesAnotherOrderAtOneInstant)
{
    EXPECT_NE(OrderAtOneInstant(1, 0), OrderAtOneInstant(2, 0));
}

TEST(FabricEventQueue, KeysOfOneMixRunInTheOrderOfTheKeys)
{
    const std::vector<uint32_t> ports = OrderAtOneInstant(1, 9, 0);
    EXPECT_TRUE(std::is_sorted(ports.begin(), ports.end()));
}

TEST(FabricEventQueue, KeysCompareNodeThenPortThenKindThenIndex)
{
    const FabricEventKey key{1, 1, FabricEventKind::PIPELINE, 1};
    EXPECT_TRUE(key < (FabricEventKey{2, 0, FabricEventKind::ARRIVAL, 0}));
    EXPECT_TRUE(key < (FabricEventKey{1, 2, FabricEventKind::ARRIVAL, 0}));
    EXPECT_TRUE(key < (FabricEventKey{1, 1, FabricEventKind::RETRANSMIT, 0}));
    EXPECT_TRUE(key < (FabricEventKey{1, 1, FabricEventKind::PIPELINE, 2}));
    EXPECT_FALSE(key < key);
}

TEST(FabricEventQueue, AnEventIsPendingFromSchedulingUntilItRunsOrIsCancelled)
{
    BareQueue queue;
    bool wasPending = true;
    FabricEvent* self = nullptr;
    Actor actor(queue, {}, [&] { wasPending = self->IsPending(); });
    self = &actor.GetEvent();
    EXPECT_FALSE(self->IsPending());
    self->ScheduleAt(5);
    EXPECT_TRUE(self->IsPending());
    FabricEventQueue::Invoke(queue.Pop());
    EXPECT_FALSE(wasPending);
    EXPECT_FALSE(self->IsPending());
    self->ScheduleAt(6);
    self->Cancel();
    EXPECT_FALSE(self->IsPending());
    EXPECT_TRUE(queue.IsEmpty());
}

TEST(FabricEventQueue, MovingAPendingEventLeavesNoneBehind)
{
    BareQueue queue;
    Actor actor(queue, {}, [] {});
    for (int64_t tick : {50, 10, 90, 10, 70})
    {
        actor.GetEvent().ScheduleAt(tick);
        EXPECT_EQ(queue.GetNextTick(), tick);
        EXPECT_EQ(queue.GetSize(), 1u);
    }
    EXPECT_EQ(queue.Pop(), &actor.GetEvent());
    EXPECT_TRUE(queue.IsEmpty());
}

TEST(FabricEventQueue, OnlyRealChangesAreToldToTheEngine)
{
    BareQueue queue;
    Actor actor(queue, {}, [] {});
    actor.GetEvent().Cancel();
    EXPECT_EQ(queue.GetChanges(), 0);
    actor.GetEvent().ScheduleAt(5);
    actor.GetEvent().ScheduleAt(6);
    actor.GetEvent().Cancel();
    EXPECT_EQ(queue.GetChanges(), 3);
}

TEST(FabricEventQueue, AnEventDestroyedWhilePendingIsGone)
{
    BareQueue queue;
    Actor stays(queue, {0, 1}, [] {});
    auto goes = std::make_unique<Actor>(queue, FabricEventKey{0, 2}, [] { FAIL(); });
    stays.GetEvent().ScheduleAt(9);
    goes->GetEvent().ScheduleAt(5);
    goes.reset();
    EXPECT_EQ(queue.Pop(), &stays.GetEvent());
    EXPECT_TRUE(queue.IsEmpty());
    Actor again(queue, {0, 2}, [] {});
    EXPECT_FALSE(again.GetEvent().IsPending());
}

TEST(FabricEventQueue, EventsOfAnEndedQueueAreUnboundAndHarmless)
{
    auto queue = std::make_unique<BareQueue>();
    Actor actor(*queue, {}, [] { FAIL(); });
    actor.GetEvent().ScheduleAt(5);
    EXPECT_TRUE(actor.GetEvent().IsBound());
    queue.reset();
    EXPECT_FALSE(actor.GetEvent().IsBound());
    EXPECT_FALSE(actor.GetEvent().IsPending());
    actor.GetEvent().Cancel();
}

TEST(FabricEventQueue, PlacesInTheTablesAreUsedAgain)
{
    BareQueue queue;
    const auto come = [&queue](uint32_t port) {
        Actor actor(queue, {0, port}, [] {});
        actor.GetEvent().ScheduleAt(port);
    };
    come(0);
    const std::size_t before = GetAllocatedBytes();
    for (uint32_t port = 0; port < 200000; ++port)
    {
        come(port);
    }
    EXPECT_LT(GetAllocatedBytes(), before + 100000);
    EXPECT_TRUE(queue.IsEmpty());
}

TEST(FabricEventQueueDeathTest, TwoEventsOfOneKeyAbort)
{
    BareQueue queue;
    Actor first(queue, {1, 2, FabricEventKind::PIPELINE, 3}, [] {});
    Actor other(queue, {1, 2, FabricEventKind::PIPELINE, 4}, [] {});
    EXPECT_DEATH(Actor(queue, {1, 2, FabricEventKind::PIPELINE, 3}, [] {}),
                 "two fabric events share a key: node 1, port 2, kind 4, index 3");
}

} // namespace
