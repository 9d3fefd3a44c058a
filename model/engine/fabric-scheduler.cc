/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-scheduler.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(FabricScheduler);

namespace
{
thread_local FabricScheduler* t_latest = nullptr; //!< see FabricScheduler::GetLatest
thread_local uint64_t t_changes = 0;              //!< see FabricScheduler::GetChanges
} // namespace

TypeId
FabricScheduler::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llmfabric::FabricScheduler")
                            .SetParent<Scheduler>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<FabricScheduler>();
    return tid;
}

FabricScheduler::FabricScheduler()
{
    t_latest = this;
    ++t_changes;
}

FabricScheduler::~FabricScheduler()
{
    ++t_changes;
    if (t_latest == this)
    {
        t_latest = nullptr;
    }
}

FabricScheduler*
FabricScheduler::GetLatest()
{
    return t_latest;
}

uint64_t
FabricScheduler::GetChanges()
{
    return t_changes;
}

void
FabricScheduler::Insert(const Event& ev)
{
    const Entry entry{ev, m_insertions++};
    m_heap.push_back(entry);
    Heap::SiftUp(m_heap, m_heap.size() - 1, entry, *this);
}

bool
FabricScheduler::IsEmpty() const
{
    return m_heap.empty();
}

Scheduler::Event
FabricScheduler::PeekNext() const
{
    return m_heap.front().event;
}

Scheduler::Event
FabricScheduler::RemoveNext()
{
    const Event next = m_heap.front().event;
    const Entry last = m_heap.back();
    m_heap.pop_back();
    if (!m_heap.empty())
    {
        Heap::SiftDown(m_heap, 0, last, *this);
    }
    return next;
}

void
FabricScheduler::Remove(const Event& ev)
{
    auto found = std::find_if(m_heap.begin(), m_heap.end(), [&ev](const Entry& entry) {
        return entry.event.key.m_uid == ev.key.m_uid && entry.event.key.m_ts == ev.key.m_ts &&
               entry.event.impl == ev.impl;
    });
    NS_ABORT_MSG_IF(found == m_heap.end(), "an event to remove is not in the schedule");
    const std::size_t place = found - m_heap.begin();
    const Entry last = m_heap.back();
    m_heap.pop_back();
    if (place < m_heap.size())
    {
        Heap::SiftUp(m_heap, Heap::SiftDown(m_heap, place, last, *this), last, *this);
    }
}

} // namespace llmfabric
} // namespace ns3
