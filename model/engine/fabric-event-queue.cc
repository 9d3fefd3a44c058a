/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-event-queue.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

FabricEvent::~FabricEvent()
{
    if (m_queue)
    {
        m_queue->Unregister(this);
    }
}

void
FabricEvent::Register(FabricEventQueue& queue, const FabricEventKey& key)
{
    NS_ABORT_MSG_IF(m_queue, "a fabric event is bound once");
    m_queue = &queue;
    queue.Register(this, key);
}

void
FabricEvent::Cancel()
{
    if (m_queue)
    {
        m_queue->Remove(this);
    }
}

FabricEventQueue::~FabricEventQueue()
{
    Clear();
}

void
FabricEventQueue::Clear()
{
    for (FabricEvent* event : m_events)
    {
        if (event)
        {
            event->m_queue = nullptr;
        }
    }
    m_heap.clear();
    m_place.clear();
    m_events.clear();
    m_freeSlots.clear();
    m_keys.clear();
    m_hole = false;
}

void
FabricEventQueue::Register(FabricEvent* event, const FabricEventKey& key)
{
    const bool isNew = m_keys.insert(key).second;
    NS_ABORT_MSG_UNLESS(isNew,
                        "two fabric events share a key: node "
                            << key.node << ", port " << key.port << ", kind "
                            << static_cast<int>(key.kind) << ", index " << key.index
                            << "; FabricId and Index of ports must be unique");
    event->m_key = key;
    event->m_mix = MixKey(key);
    if (m_freeSlots.empty())
    {
        event->m_slot = static_cast<uint32_t>(m_events.size());
        m_events.push_back(event);
        m_place.push_back(NOWHERE);
        return;
    }
    event->m_slot = m_freeSlots.back();
    m_freeSlots.pop_back();
    m_events[event->m_slot] = event;
}

void
FabricEventQueue::Unregister(FabricEvent* event)
{
    Remove(event);
    m_keys.erase(event->m_key);
    m_events[event->m_slot] = nullptr;
    m_freeSlots.push_back(event->m_slot);
    event->m_queue = nullptr;
}

int64_t
FabricEventQueue::GetNextTick()
{
    if (m_hole)
    {
        FillHole();
    }
    return m_heap.front().tick;
}

FabricEvent*
FabricEventQueue::Pop()
{
    if (m_hole)
    {
        FillHole();
    }
    const uint32_t slot = m_heap.front().slot;
    m_place[slot] = NOWHERE;
    m_hole = true;
    return m_events[slot];
}

void
FabricEventQueue::FillHole()
{
    m_hole = false;
    const Entry last = m_heap.back();
    m_heap.pop_back();
    if (!m_heap.empty())
    {
        Heap::SiftDown(m_heap, 0, last, *this);
    }
}

void
FabricEventQueue::Schedule(FabricEvent* event, int64_t tick)
{
    const Entry entry{tick, event->m_mix, event->m_slot};
    const uint32_t place = m_place[event->m_slot];
    if (place != NOWHERE)
    {
        // An entry under the open root may not rise past it: close it first.
        if (m_hole)
        {
            FillHole();
        }
        const std::size_t at = m_place[event->m_slot];
        Heap::SiftDown(m_heap, at, entry, *this);
        Heap::SiftUp(m_heap, m_place[event->m_slot], entry, *this);
    }
    else if (m_hole)
    {
        m_hole = false;
        Heap::SiftDown(m_heap, 0, entry, *this);
    }
    else
    {
        m_heap.push_back(entry);
        Heap::SiftUp(m_heap, m_heap.size() - 1, entry, *this);
    }
    OnChange();
}

void
FabricEventQueue::Remove(FabricEvent* event)
{
    if (m_place[event->m_slot] == NOWHERE)
    {
        return;
    }
    if (m_hole)
    {
        FillHole();
    }
    const std::size_t at = m_place[event->m_slot];
    m_place[event->m_slot] = NOWHERE;
    const Entry last = m_heap.back();
    m_heap.pop_back();
    if (at < m_heap.size())
    {
        Heap::SiftDown(m_heap, at, last, *this);
        Heap::SiftUp(m_heap, m_place[last.slot], last, *this);
    }
    OnChange();
}

} // namespace llmfabric
} // namespace ns3
