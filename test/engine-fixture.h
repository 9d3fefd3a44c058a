/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ENGINE_FIXTURE_H
#define ENGINE_FIXTURE_H

#include "simulation-fixture.h"

#include "ns3/fabric-engine.h"
#include "ns3/fabric-event-queue.h"
#include "ns3/global-value.h"
#include "ns3/object-factory.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/// The schedulers that come with ns-3.
inline const std::vector<std::string> STOCK_SCHEDULERS{"ns3::MapScheduler",
                                                       "ns3::ListScheduler",
                                                       "ns3::HeapScheduler",
                                                       "ns3::CalendarScheduler",
                                                       "ns3::PriorityQueueScheduler"};

/// The module's own scheduler.
inline const std::string FABRIC_SCHEDULER{"ns3::llmfabric::FabricScheduler"};

/**
 * @param typeId the scheduler of the next simulation
 */
inline void
UseScheduler(const std::string& typeId)
{
    GlobalValue::Bind("SchedulerType", StringValue(typeId));
}

/**
 * @param typeId the scheduler of the running simulation from here on
 */
inline void
ReplaceScheduler(const std::string& typeId)
{
    ObjectFactory factory;
    factory.SetTypeId(typeId);
    Simulator::SetScheduler(factory);
}

/**
 * @param typeId a TypeId name
 * @return what follows the namespaces
 */
inline std::string
WithoutNamespace(const std::string& typeId)
{
    return typeId.substr(typeId.rfind(':') + 1);
}

/// An object that owns one fabric event.
class Actor
{
  public:
    /**
     * @param queue the queue of its event
     * @param key the key of its event
     * @param action what the event does; it may destroy the actor
     */
    Actor(FabricEventQueue& queue, const FabricEventKey& key, std::function<void()> action)
        : m_action(std::move(action))
    {
        m_event.Bind<&Actor::Act>(queue, this, key);
    }

    /** @return the event */
    FabricEvent& GetEvent()
    {
        return m_event;
    }

  private:
    /// The event runs.
    void Act()
    {
        const std::function<void()> action = m_action;
        action();
    }

    std::function<void()> m_action; //!< what the event does
    FabricEvent m_event;            //!< the event
};

/// A test that writes down what happens when, as "tick name".
class EngineTest : public SimulationTest
{
  protected:
    using Log = std::vector<std::string>; //!< what happened

    /**
     * @param name what happens now
     */
    void Write(const std::string& name)
    {
        m_log.push_back(std::to_string(FabricEngine::Get()->Now()) + " " + name);
    }

    /**
     * Make an actor that writes its name and then acts.
     *
     * @param name the name
     * @param action what it does
     * @return its event, whose port counts the actors
     */
    FabricEvent& Fabric(
        const std::string& name,
        std::function<void()> action = [] {})
    {
        const auto port = static_cast<uint32_t>(m_actors.size());
        const auto act = [this, name, action] {
            Write(name);
            action();
        };
        m_actors.push_back(
            std::make_unique<Actor>(*FabricEngine::Get(), FabricEventKey{0, port}, act));
        return m_actors.back()->GetEvent();
    }

    /**
     * Make such an actor and schedule its event.
     *
     * @param tick when
     * @param name the name
     * @param action what it does
     * @return its event
     */
    FabricEvent& FabricAt(
        int64_t tick,
        const std::string& name,
        std::function<void()> action = [] {})
    {
        FabricEvent& event = Fabric(name, std::move(action));
        event.ScheduleAt(tick);
        return event;
    }

    /**
     * Schedule an ns-3 event that writes its name and then acts.
     *
     * @param tick when
     * @param name the name
     * @param action what it does
     * @return the event
     */
    EventId Ns3At(
        int64_t tick,
        const std::string& name,
        std::function<void()> action = [] {})
    {
        return Simulator::Schedule(TimeStep(tick) - Simulator::Now(), [this, name, action] {
            Write(name);
            action();
        });
    }

    /**
     * Call out to code that writes its name and then acts.
     *
     * @param name the name
     * @param action what it does
     */
    void CallOut(
        const std::string& name,
        std::function<void()> action = [] {})
    {
        const auto call = [this, name, action] {
            Write(name);
            action();
        };
        FabricEngine::Get()->CallOut(0, call);
    }

    std::vector<std::unique_ptr<Actor>> m_actors; //!< they outlive the simulation
    Log m_log;                                    //!< what happened so far
};

/// How to run a simulation: a scheduler and a batch.
struct EngineSetting
{
    std::string scheduler; //!< TypeId name
    uint64_t batch;        //!< see FabricEngine::SetBatch
};

/**
 * Write a setting where a test fails.
 *
 * @param setting the setting
 * @param os where to
 */
inline void
PrintTo(const EngineSetting& setting, std::ostream* os)
{
    *os << setting.scheduler << " at batch " << setting.batch;
}

/// An EngineTest that runs with each scheduler and batch.
class EngineTestInEachSetting : public EngineTest, public testing::WithParamInterface<EngineSetting>
{
  public:
    /** @return the settings */
    static std::vector<EngineSetting> GetSettings()
    {
        std::vector<EngineSetting> settings;
        for (uint64_t batch : {1, 2, 1000})
        {
            settings.push_back({FABRIC_SCHEDULER, batch});
            for (const auto& scheduler : STOCK_SCHEDULERS)
            {
                settings.push_back({scheduler, batch});
            }
        }
        return settings;
    }

    /**
     * @param info a setting
     * @return its name
     */
    static std::string GetName(const testing::TestParamInfo<EngineSetting>& info)
    {
        return WithoutNamespace(info.param.scheduler) + "Batch" + std::to_string(info.param.batch);
    }

  protected:
    void SetUp() override
    {
        EngineTest::SetUp();
        Start(GetParam());
    }

    /**
     * End the simulation, if there is one, and start another.
     *
     * @param setting how
     */
    void Start(const EngineSetting& setting)
    {
        Simulator::Destroy();
        m_actors.clear();
        m_log.clear();
        UseScheduler(setting.scheduler);
        FabricEngine::Get()->SetBatch(setting.batch);
    }
};

/// Fabric events, ns-3 events and call-outs that schedule, move, cancel and destroy at random.
class RandomFabric
{
  public:
    RandomFabric()
        : m_actors(60)
    {
        for (uint32_t i = 0; i < m_actors.size(); ++i)
        {
            Make(i);
            m_actors[i]->GetEvent().ScheduleAt(m_random() % 10);
        }
        for (int i = 0; i < 300; ++i)
        {
            MakeNs3Event();
        }
    }

    /** @return tick and number of each event so far */
    const std::vector<std::pair<int64_t, uint32_t>>& GetLog() const
    {
        return m_log;
    }

  private:
    /**
     * @param i the index of an actor, new or to replace; it may be the one that runs
     */
    void Make(uint32_t i)
    {
        const auto act = [this, i] { Act(i, true); };
        m_actors[i].reset(); // its key is free only now
        m_actors[i] = std::make_unique<Actor>(*FabricEngine::Get(), FabricEventKey{i % 4, i}, act);
    }

    /// Make an ns-3 event, not at this instant: see FabricEngine on schedulers without a view.
    void MakeNs3Event()
    {
        const uint32_t number = ++m_numbers;
        Simulator::Schedule(TimeStep(1 + m_random() % 60), [this, number] { Act(number, false); });
    }

    /**
     * An event runs.
     *
     * @param number its number
     * @param isFabric it is a fabric event
     */
    void Act(uint32_t number, bool isFabric)
    {
        const int64_t now = FabricEngine::Get()->Now();
        m_log.emplace_back(now, number);
        if (isFabric && m_random() % 6 == 0)
        {
            const uint32_t called = ++m_numbers;
            const auto call = [this, called] { Act(called, false); };
            FabricEngine::Get()->CallOut(number, call);
        }
        else if (!isFabric && m_log.size() < 30000)
        {
            MakeNs3Event();
        }
        for (uint32_t n = m_random() % 4; n > 0 && m_log.size() < 30000; --n)
        {
            Change(now);
        }
    }

    /**
     * @param now the time, ticks
     */
    void Change(int64_t now)
    {
        const uint32_t i = m_random() % m_actors.size();
        switch (m_random() % 16)
        {
        case 0:
            Make(i);
            break;
        case 1:
        case 2:
            m_actors[i]->GetEvent().Cancel();
            break;
        default:
            m_actors[i]->GetEvent().ScheduleAt(now +
                                               (m_random() % 2 ? m_random() % 2 : m_random() % 40));
        }
    }

    std::mt19937 m_random{1};                        //!< what to do
    std::vector<std::unique_ptr<Actor>> m_actors;    //!< the fabric
    std::vector<std::pair<int64_t, uint32_t>> m_log; //!< what happened
    uint32_t m_numbers{1000};                        //!< the last number of an ns-3 event
};

} // namespace llmfabric
} // namespace ns3

#endif /* ENGINE_FIXTURE_H */
