/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_EVENT_QUEUE_H
#define FABRIC_EVENT_QUEUE_H

#include "fabric-event.h"
#include "quad-heap.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The queue of fabric events: a 4-ary heap ordered by (tick, mix, node, port, kind, index).
 *
 * An event's place in the heap is kept in a dense table apart from the events, so that moving
 * entries touches no event, and removal is true removal in O(log n).
 */
class FabricEventQueue
{
  public:
    FabricEventQueue() = default;
    virtual ~FabricEventQueue();
    FabricEventQueue(const FabricEventQueue&) = delete;
    FabricEventQueue& operator=(const FabricEventQueue&) = delete;

    /** @return true if no event is pending */
    bool IsEmpty() const
    {
        return m_heap.size() == (m_hole ? 1 : 0);
    }

    /** @return the number of pending events */
    std::size_t GetSize() const
    {
        return m_heap.size() - (m_hole ? 1 : 0);
    }

    /** @return the time of the earliest event, ticks; the queue must not be empty */
    int64_t GetNextTick();

    /**
     * Take the earliest event out; the queue must not be empty.
     *
     * @return the event, no longer pending
     */
    FabricEvent* Pop();

    /**
     * Run an event that was popped.
     *
     * @param event the event
     */
    static void Invoke(FabricEvent* event)
    {
        event->m_invoke(event->m_owner);
    }

  protected:
    /** Called after an event was scheduled, moved or removed from outside. */
    virtual void OnChange() = 0;

    /**
     * @param key a key
     * @return the seeded mix that orders keys at one instant
     */
    virtual uint64_t MixKey(const FabricEventKey& key) const = 0;

    /** Forget all events: they become unbound, and none fires any more. */
    void Clear();

  private:
    friend class FabricEvent;

    /** One pending event. */
    struct Entry
    {
        int64_t tick;  //!< when
        uint64_t mix;  //!< seeded mix of the key
        uint32_t slot; //!< whose
    };

    static constexpr uint32_t NOWHERE = 0xffffffff; //!< place of an event that is not pending

    /**
     * @param a an entry
     * @param b another
     * @return true if a runs before b
     */
    bool Before(const Entry& a, const Entry& b) const
    {
        if (a.tick != b.tick)
        {
            return a.tick < b.tick;
        }
        if (a.mix != b.mix)
        {
            return a.mix < b.mix;
        }
        return m_events[a.slot]->m_key < m_events[b.slot]->m_key;
    }

    /**
     * @param event an event that enters the tables
     * @param key its key
     */
    void Register(FabricEvent* event, const FabricEventKey& key);
    /** @param event an event that leaves the tables */
    void Unregister(FabricEvent* event);
    /**
     * @param event an event
     * @param tick its new time
     */
    void Schedule(FabricEvent* event, int64_t tick);
    /** @param event an event to take out, if pending */
    void Remove(FabricEvent* event);
    /** Put the last entry into the place that Pop left open. */
    void FillHole();

    /**
     * @param place an open place
     * @param entry the entry to write there
     */
    void Put(std::size_t place, const Entry& entry)
    {
        m_heap[place] = entry;
        m_place[entry.slot] = static_cast<uint32_t>(place);
    }

    using Heap = QuadHeap<Entry, FabricEventQueue>;
    friend Heap;

    std::vector<Entry> m_heap;          //!< the 4-ary heap
    std::vector<uint32_t> m_place;      //!< by slot: index in m_heap, or NOWHERE
    std::vector<FabricEvent*> m_events; //!< by slot: the event, or null
    std::vector<uint32_t> m_freeSlots;  //!< slots to use again
    std::set<FabricEventKey> m_keys;    //!< all keys, to see that they are unique
    bool m_hole{false};                 //!< the root was popped and not yet filled
};

inline bool
FabricEvent::IsPending() const
{
    return m_queue && m_queue->m_place[m_slot] != FabricEventQueue::NOWHERE;
}

inline void
FabricEvent::ScheduleAt(int64_t tick)
{
    m_queue->Schedule(this, tick);
}

} // namespace llmfabric
} // namespace ns3

#endif /* FABRIC_EVENT_QUEUE_H */
