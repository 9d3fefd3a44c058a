/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nic-arbiter.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

void
NicArbiter::Add(QueuePair& pair)
{
    if (pair.is_linked())
    {
        return;
    }
    const int64_t time = pair.GetNextTime();
    if (pair.m_waiting && pair.m_waitingUntil <= time)
    {
        return;
    }
    if (m_waiting.empty() && m_ready.empty())
    {
        m_level = m_highest; // a new busy period, as Goyal, Vin and Cheng have it
    }
    // If it waits for a later time, its old entry stays in the heap and counts no more.
    pair.m_waiting = true;
    pair.m_waitingUntil = time;
    m_waiting.push_back({time, &pair});
    std::push_heap(m_waiting.begin(), m_waiting.end(), Later);
}

QueuePair*
NicArbiter::Take(int64_t now)
{
    while (!m_waiting.empty() && m_waiting.front().time <= now)
    {
        const Waiting first = m_waiting.front();
        QueuePair* pair = first.pair;
        std::pop_heap(m_waiting.begin(), m_waiting.end(), Later);
        m_waiting.pop_back();
        if (!pair->m_waiting || pair->m_waitingUntil != first.time)
        {
            continue; // it was ready earlier than it had thought
        }
        pair->m_waiting = false;
        pair->m_served = std::max(pair->m_served, m_level);
        m_ready.insert(*pair);
    }
    if (m_ready.empty())
    {
        return nullptr;
    }
    QueuePair* pair = &*m_ready.begin();
    m_ready.erase(m_ready.begin());
    m_level = pair->m_served;
    return pair;
}

} // namespace llmfabric
} // namespace ns3
