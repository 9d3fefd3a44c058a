/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "link-clock.h"

#include "ns3/abort.h"

#include <limits>

namespace ns3
{
namespace llmfabric
{

int64_t
LinkClock::Occupy(int64_t now, uint64_t bytes, const TickRate& rate)
{
    if (now > m_free)
    {
        m_start = now;
        m_bytes = 0;
    }
    NS_ABORT_MSG_IF(bytes > std::numeric_limits<uint64_t>::max() - m_bytes,
                    "an NVLink link sends more than 2^64 bytes without a pause");
    m_bytes += bytes;
    m_free = Add(m_start, rate.TimeOf(m_bytes));
    return m_free;
}

int64_t
LinkClock::Add(int64_t tick, int64_t length)
{
    // TickRate gives the largest tick for all that takes longer.
    NS_ABORT_MSG_IF(length >= std::numeric_limits<int64_t>::max() - tick,
                    "an NVLink transfer ends after the end of simulated time");
    return tick + length;
}

void
LinkClock::EndRate()
{
    m_start = m_free;
    m_bytes = 0;
}

} // namespace llmfabric
} // namespace ns3
