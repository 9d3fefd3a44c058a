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
NicArbiter::Add(Requester& requester)
{
    if (requester.m_waiting || requester.is_linked())
    {
        return;
    }
    requester.m_waiting = true;
    m_waiting.push_back({requester.GetNextTime(), &requester});
    std::push_heap(m_waiting.begin(), m_waiting.end(), Later);
}

Requester*
NicArbiter::Take(int64_t now)
{
    while (!m_waiting.empty() && m_waiting.front().time <= now)
    {
        Requester* requester = m_waiting.front().requester;
        std::pop_heap(m_waiting.begin(), m_waiting.end(), Later);
        m_waiting.pop_back();
        requester->m_waiting = false;
        m_ready.insert(*requester);
    }
    if (m_ready.empty())
    {
        return nullptr;
    }
    auto next = m_last ? m_ready.upper_bound(*m_last) : m_ready.begin();
    if (next == m_ready.end())
    {
        next = m_ready.begin();
    }
    Requester* requester = &*next;
    m_ready.erase(next);
    m_last = requester;
    return requester;
}

} // namespace llmfabric
} // namespace ns3
