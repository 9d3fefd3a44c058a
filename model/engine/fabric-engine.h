/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_ENGINE_H
#define FABRIC_ENGINE_H

#include "fabric-event-queue.h"

#include "ns3/event-id.h"
#include "ns3/event-impl.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <functional>

namespace ns3
{
namespace llmfabric
{

class FabricScheduler;

/**
 * @ingroup llm-fabric
 * The clock and the queue of the fabric.
 *
 * Fabric events (FabricEvent) live in the engine's own queue. One ns-3 event, the pump, stands for
 * the earliest of them:
 *
 * @verbatim
     ns-3's schedule:  [app] [pump at t1] [app] ...
                               |
     fabric events:    t1:arrival  t1:transmit complete  t2:arrival ...
   @endverbatim
 *
 * With batch 1 (the default) each fabric event runs in its own ns-3 event. With a larger batch the
 * pump goes on until the time of the next ns-3 event; this needs FabricScheduler, the only
 * scheduler that can be asked for that time. Results are the same for any batch and scheduler.
 *
 * At one instant ns-3's own events run first, then fabric events in the order of their keys. With a
 * scheduler that can't be peeked the pump steps back until no other ns-3 event ran before it.
 */
class FabricEngine : public SimpleRefCount<FabricEngine>, public FabricEventQueue
{
  public:
    /** @return the engine of the running simulation; it ends with Simulator::Destroy */
    static Ptr<FabricEngine> Get();

    ~FabricEngine() override;

    /** @return the time, ticks: of the running fabric event, else Simulator::Now() */
    int64_t Now() const
    {
        return m_running ? m_now : Simulator::Now().GetTimeStep();
    }

    /**
     * Call application or user code in a true ns-3 event of this instant, which runs before the
     * next fabric event.
     *
     * @param context the ns-3 context, a node id
     * @param function what to call
     */
    void CallOut(uint32_t context, std::function<void()> function);

    /** @param batch how many fabric events may run in one ns-3 event, at least 1 */
    void SetBatch(uint64_t batch);

    /** A connected sink reads Simulator::Now(): run at batch 1 as long as there is one. */
    void AddClockReader()
    {
        ++m_clockReaders;
    }

    /** One such sink is gone. */
    void RemoveClockReader()
    {
        --m_clockReaders;
    }

    /**
     * @return the simulator's scheduler if it is a FabricScheduler, which can be peeked, else null;
     *         asked for first when the simulation is set up
     */
    FabricScheduler* GetScheduler();

    /** @return the time of the last fabric event, ticks */
    int64_t GetLastTick() const
    {
        return m_now;
    }

    /** @return the number of fabric events that have run */
    uint64_t GetEventCount() const
    {
        return m_eventCount;
    }

  protected:
    void OnChange() override
    {
        if (!m_running)
        {
            Arm();
        }
    }

    uint64_t MixKey(const FabricEventKey& key) const override;

  private:
    /** The one ns-3 event of the fabric. */
    class Pump : public EventImpl
    {
      public:
        /** @param engine whom it wakes */
        explicit Pump(FabricEngine* engine)
            : m_engine(engine)
        {
        }

      private:
        void Notify() override
        {
            m_engine->OnPump();
        }

        FabricEngine* m_engine; //!< whom it wakes; outlives the pump's last firing
    };

    FabricEngine();

    /** @return the engine of this thread's simulation, or null */
    static Ptr<FabricEngine>& Instance();
    /** End of the simulation: events are forgotten, the pump is dropped. */
    static void Destroy();

    /** Make the pump stand for the earliest event. */
    void Arm();
    /** @param tick when the pump fires, ticks */
    void ArmAt(int64_t tick);
    /** Take the pump out of ns-3's schedule. */
    void Disarm();
    /**
     * Take an ns-3 event out of the schedule. HeapScheduler::Remove moves its last event into the
     * gap but never up, so it loses its order and is built anew.
     *
     * @param id the event
     */
    void Remove(const EventId& id);
    /** The pump fires. */
    void OnPump();
    /**
     * @param now this instant
     * @return true if ns-3 events of this instant go first
     */
    bool MustYield(int64_t now);
    /** Run events until the batch is full or ns-3 has an event. */
    void RunBatch();
    /** @return true if the event after this one may run in the same ns-3 event */
    bool MayContinue();
    /** @return see GetScheduler() */
    FabricScheduler* FindScheduler();

    Ptr<EventImpl> m_pump;                  //!< used again and again until it is removed once
    EventId m_armed;                        //!< the pump in ns-3's schedule
    int64_t m_armedTick{-1};                //!< its time, or -1
    int64_t m_now{0};                       //!< time of the running fabric event
    int64_t m_firedTick{-1};                //!< the instant in which the pump fired last
    uint64_t m_fired{0};                    //!< the number of ns-3 events that had run then
    uint64_t m_batch{1};                    //!< events in one ns-3 event
    uint64_t m_eventCount{0};               //!< events that have run
    uint32_t m_clockReaders{0};             //!< sinks that read Simulator::Now()
    FabricScheduler* m_scheduler{nullptr};  //!< the simulator's, if it can be peeked
    uint64_t m_schedulerChange{UINT64_MAX}; //!< FabricScheduler::GetChanges of m_scheduler
    bool m_repairsHeap{false};              //!< the simulator's scheduler is HeapScheduler
    bool m_running{false};                  //!< a fabric event is running
};

} // namespace llmfabric
} // namespace ns3

#endif /* FABRIC_ENGINE_H */
