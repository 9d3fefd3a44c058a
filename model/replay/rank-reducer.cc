/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-reducer.h"

#include "ns3/simulator.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param bytes some bytes
 * @param rate bytes per second; 0: no limit
 * @return how long they take
 */
Time
GetDuration(uint64_t bytes, double rate)
{
    if (rate == 0)
    {
        return Time(0);
    }
    const double ticks =
        static_cast<double>(bytes) / rate * static_cast<double>(Seconds(1).GetTimeStep());
    const Time left = Simulator::GetMaximumSimulationTime() - Simulator::Now();
    if (!(ticks < static_cast<double>(left.GetTimeStep()) / 2))
    {
        throw UserError("an addition would end after the end of simulated time",
                        "collective.reduction_rate, collective.memory_bandwidth",
                        "give higher rates");
    }
    return TimeStep(static_cast<uint64_t>(std::llround(ticks)));
}

} // namespace

RankReducer::RankReducer(double channelRate, double memoryBandwidth)
    : m_channelRate(channelRate),
      m_memoryBandwidth(memoryBandwidth)
{
}

Time
RankReducer::Begin(uint64_t bytes, Time& free)
{
    const Time now = Simulator::Now();
    m_memoryFree = std::max(m_memoryFree, now) + GetDuration(bytes, m_memoryBandwidth);
    free = std::max(std::max(free, now) + GetDuration(bytes, m_channelRate), m_memoryFree);
    return free - now;
}

} // namespace llmfabric
} // namespace ns3
