/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-engine.h"

#include "fabric-scheduler.h"
#include "hash-mix.h"

#include "ns3/abort.h"
#include "ns3/global-value.h"
#include "ns3/heap-scheduler.h"
#include "ns3/object-factory.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/type-id.h"

#include <utility>

namespace ns3
{
namespace llmfabric
{

namespace
{
/** An ns-3 event that calls a function. */
class FunctionEvent : public EventImpl
{
  public:
    explicit FunctionEvent(std::function<void()> function)
        : m_function(std::move(function))
    {
    }

  private:
    void Notify() override
    {
        m_function();
    }

    std::function<void()> m_function;
};
} // namespace

FabricEngine::FabricEngine()
    : m_pump(Create<Pump>(this))
{
    TypeIdValue type;
    GlobalValue::GetValueByName("SchedulerType", type);
    m_repairsHeap = type.Get() == HeapScheduler::GetTypeId();
}

FabricEngine::~FabricEngine() = default;

Ptr<FabricEngine>&
FabricEngine::Instance()
{
    thread_local Ptr<FabricEngine> instance;
    return instance;
}

Ptr<FabricEngine>
FabricEngine::Get()
{
    Ptr<FabricEngine>& instance = Instance();
    if (!instance)
    {
        instance = Ptr<FabricEngine>(new FabricEngine, false);
        Simulator::ScheduleDestroy(&FabricEngine::Destroy);
    }
    return instance;
}

void
FabricEngine::Destroy()
{
    // The simulator drops what is in its schedule itself; owners that outlive the simulation keep
    // the engine alive, but their events are unbound from here on.
    FabricEngine& engine = *Instance();
    engine.Clear();
    engine.m_armed = EventId();
    engine.m_pump = nullptr;
    Instance() = nullptr;
}

uint64_t
FabricEngine::MixKey(const FabricEventKey& key) const
{
    return HashValues({RngSeedManager::GetSeed(),
                       key.node,
                       key.port,
                       static_cast<uint64_t>(key.kind),
                       key.index});
}

void
FabricEngine::CallOut(uint32_t context, std::function<void()> function)
{
    const int64_t delay = Now() - Simulator::Now().GetTimeStep();
    Simulator::ScheduleWithContext(context,
                                   TimeStep(delay),
                                   new FunctionEvent(std::move(function)));
}

void
FabricEngine::SetBatch(uint64_t batch)
{
    NS_ABORT_MSG_IF(batch == 0, "a batch holds at least 1 event");
    m_batch = batch;
}

void
FabricEngine::Arm()
{
    if (IsEmpty())
    {
        Disarm();
        return;
    }
    const int64_t next = GetNextTick();
    if (next != m_armedTick)
    {
        Disarm();
        ArmAt(next);
    }
}

void
FabricEngine::ArmAt(int64_t tick)
{
    m_armedTick = tick;
    const int64_t delay = tick - Simulator::Now().GetTimeStep();
    NS_ABORT_MSG_IF(delay < 0, "a fabric event was scheduled in the past");
    m_armed = Simulator::Schedule(TimeStep(delay), m_pump);
}

void
FabricEngine::Disarm()
{
    if (m_armedTick < 0)
    {
        return;
    }
    m_armedTick = -1;
    // Remove, not Cancel: a cancelled event still moves the clock when its time comes. It also
    // marks the EventImpl for ever, so the next pump is a new one.
    Remove(m_armed);
    m_pump = Create<Pump>(this);
}

void
FabricEngine::Remove(const EventId& id)
{
    Simulator::Remove(id);
    if (m_repairsHeap && !GetScheduler())
    {
        ObjectFactory factory;
        factory.SetTypeId(HeapScheduler::GetTypeId());
        Simulator::SetScheduler(factory);
    }
}

FabricScheduler*
FabricEngine::GetScheduler()
{
    if (m_schedulerChange != FabricScheduler::GetChanges())
    {
        m_schedulerChange = FabricScheduler::GetChanges();
        m_scheduler = nullptr;
        m_scheduler = FindScheduler();
    }
    return m_scheduler;
}

bool
FabricEngine::MustYield(int64_t now)
{
    if (GetScheduler())
    {
        return m_scheduler->HasEventUntil(now);
    }
    // If the ns-3 event before this one was the pump too, there is no other left at this instant.
    const uint64_t fired = Simulator::GetEventCount();
    const bool yield = m_firedTick != now || m_fired + 1 != fired;
    m_firedTick = now;
    m_fired = fired;
    return yield;
}

FabricScheduler*
FabricEngine::FindScheduler()
{
    FabricScheduler* latest = FabricScheduler::GetLatest();
    if (!latest)
    {
        return nullptr;
    }
    // The youngest may belong to somebody else: only the simulator's own counts this insertion.
    const uint64_t before = latest->GetInsertions();
    Ptr<EventImpl> probe = Create<Pump>(this);
    EventId id = Simulator::Schedule(TimeStep(0), probe);
    if (latest->GetInsertions() != before)
    {
        Simulator::Remove(id);
        return latest;
    }
    Remove(id);
    return nullptr;
}

void
FabricEngine::OnPump()
{
    const int64_t now = Simulator::Now().GetTimeStep();
    m_armedTick = -1;
    if (IsEmpty())
    {
        return;
    }
    if (GetNextTick() <= now)
    {
        if (MustYield(now))
        {
            ArmAt(now);
            return;
        }
        RunBatch();
    }
    if (IsEmpty() && m_now > now)
    {
        ArmAt(m_now); // so that Now() after Run() is the time of the last fabric event
        return;
    }
    Arm();
}

void
FabricEngine::RunBatch()
{
    m_running = true;
    uint64_t left = m_clockReaders ? 1 : m_batch;
    do
    {
        const int64_t next = GetNextTick();
        NS_ABORT_MSG_IF(next < m_now, "a fabric event was scheduled in the past");
        m_now = next;
        ++m_eventCount;
        Invoke(Pop());
    } while (--left && !IsEmpty() && MayContinue());
    m_running = false;
}

bool
FabricEngine::MayContinue()
{
    return GetScheduler() && !m_scheduler->HasEventUntil(GetNextTick());
}

} // namespace llmfabric
} // namespace ns3
