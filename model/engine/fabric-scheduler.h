/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_SCHEDULER_H
#define FABRIC_SCHEDULER_H

#include "quad-heap.h"

#include "ns3/scheduler.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A fast ns3::Scheduler: a 4-ary heap that keeps ns-3's order, (time, insertion), exactly.
 *
 * ns-3's uid counts insertions in 32 bits and wraps; this scheduler counts them in 64, so the order
 * stays right beyond 2^32 events. The engine can peek at it (FabricEngine), which stock schedulers
 * do not allow from outside. Remove() searches the heap: O(n).
 *
 * Choose it before the first event:
 * @code
 *   GlobalValue::Bind("SchedulerType", StringValue("ns3::llmfabric::FabricScheduler"));
 * @endcode
 */
class FabricScheduler : public Scheduler
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    FabricScheduler();
    ~FabricScheduler() override;

    void Insert(const Event& ev) override;
    bool IsEmpty() const override;
    Event PeekNext() const override;
    Event RemoveNext() override;
    void Remove(const Event& ev) override;

    /** @return the number of insertions so far */
    uint64_t GetInsertions() const
    {
        return m_insertions;
    }

    /**
     * @param tick a time
     * @return true if an event at or before that time is pending
     */
    bool HasEventUntil(uint64_t tick) const
    {
        return !m_heap.empty() && m_heap.front().event.key.m_ts <= tick;
    }

    /**
     * The scheduler of this thread's simulator is created inside the simulator, so that nobody else
     * sees it; it makes itself known here.
     *
     * @return the youngest scheduler of this type in this thread, or null
     */
    static FabricScheduler* GetLatest();

    /** @return how many schedulers of this type have come and gone in this thread */
    static uint64_t GetChanges();

  private:
    /** A pending event and its place in the order of insertions. */
    struct Entry
    {
        Event event;    //!< ns-3's event
        uint64_t order; //!< insertion number
    };

    /**
     * @param a an entry
     * @param b another
     * @return true if a runs before b
     */
    static bool Before(const Entry& a, const Entry& b)
    {
        return a.event.key.m_ts < b.event.key.m_ts ||
               (a.event.key.m_ts == b.event.key.m_ts && a.order < b.order);
    }

    /**
     * @param place a place of the heap
     * @param entry the entry to write there
     */
    void Put(std::size_t place, const Entry& entry)
    {
        m_heap[place] = entry;
    }

    using Heap = QuadHeap<Entry, FabricScheduler>;
    friend Heap;

    std::vector<Entry> m_heap; //!< the 4-ary heap
    uint64_t m_insertions{0};  //!< number of insertions
};

} // namespace llmfabric
} // namespace ns3

#endif /* FABRIC_SCHEDULER_H */
