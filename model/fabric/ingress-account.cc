/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ingress-account.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

void
IngressAccount::Start(FabricEngine& engine,
                      FabricPort* port,
                      uint8_t priority,
                      uint64_t headroom,
                      uint16_t pauseQuanta,
                      uint64_t resumeGap)
{
    m_engine = &engine;
    m_port = port;
    m_priority = priority;
    m_headroom = headroom;
    m_pauseQuanta = pauseQuanta;
    m_resumeGap = resumeGap;
    TickRate rate;
    rate.Set(port->GetDataRate().GetBitRate());
    const int64_t pause = rate.TimeOf(uint64_t{pauseQuanta} * PAUSE_QUANTUM_BITS / 8);
    m_refreshTicks = std::max<int64_t>(1, pause / 2);
    m_refresh.Bind<&IngressAccount::SendPause>(
        engine,
        this,
        {port->GetFabricId(), port->GetPortIndex(), FabricEventKind::PAUSE_REFRESH, priority});
}

bool
IngressAccount::AddOverLimit(uint64_t bytes)
{
    const bool fits = m_inHeadroom + bytes <= m_headroom;
    m_inHeadroom += fits ? bytes : 0;
    // Only what is held can leave, and end the pause.
    if (!m_paused && m_shared + m_inHeadroom > 0)
    {
        m_paused = true;
        SendPause();
    }
    return fits;
}

uint64_t
IngressAccount::Remove(uint64_t bytes)
{
    const uint64_t fromHeadroom = std::min(bytes, m_inHeadroom);
    m_inHeadroom -= fromHeadroom;
    m_shared -= bytes - fromHeadroom;
    return bytes - fromHeadroom;
}

void
IngressAccount::SendPause()
{
    ++m_pauses;
    m_port->SendPause(m_priority, m_pauseQuanta);
    m_refresh.ScheduleAt(m_engine->Now() + m_refreshTicks);
}

void
IngressAccount::Relieve(uint64_t limit)
{
    if (m_inHeadroom > 0 || m_shared + m_resumeGap > std::max(limit, m_resumeGap))
    {
        return;
    }
    m_paused = false;
    m_refresh.Cancel();
    ++m_resumes;
    m_port->SendPause(m_priority, 0);
}

} // namespace llmfabric
} // namespace ns3
