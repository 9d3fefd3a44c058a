/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TICK_RATE_H
#define TICK_RATE_H

#include "ns3/nstime.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

namespace ns3
{
namespace llmfabric
{

/** @return the ticks in one second at the simulation's time resolution */
inline uint64_t
TicksPerSecond()
{
    return static_cast<uint64_t>(Seconds(1).GetTimeStep());
}

/**
 * @ingroup llm-fabric
 * The serialization time of bytes at a rate, in ticks, with the remainder carried over.
 *
 * ticks per byte = 8 * ticksPerSecond / rate as a reduced fraction; what a division leaves is
 * added to the next one, so that the long-run rate is exact at any time resolution.
 */
class TickRate
{
  public:
    /**
     * Set the rate; the carried remainder starts at zero.
     *
     * @param bitsPerSecond the rate, bit/s, above 0
     */
    void Set(uint64_t bitsPerSecond)
    {
        const uint64_t bits = 8 * TicksPerSecond();
        const uint64_t divisor = std::gcd(bits, bitsPerSecond);
        m_numerator = bits / divisor;
        m_denominator = bitsPerSecond / divisor;
        m_remainder = 0;
    }

    /**
     * Serialize bytes.
     *
     * @param bytes the number of bytes; bytes * 8 * ticksPerSecond must stay below 2^63
     * @return the ticks they take, rounded down with the remainder carried to the next call
     */
    int64_t Take(uint64_t bytes)
    {
        const uint64_t total = bytes * m_numerator + m_remainder;
        if (m_denominator == 1)
        {
            return static_cast<int64_t>(total);
        }
        m_remainder = total % m_denominator;
        return static_cast<int64_t>(total / m_denominator);
    }

    /**
     * The time of many bytes at once, nothing carried.
     *
     * @param bytes any number of bytes
     * @return the ticks they take, rounded down; at most the largest int64
     */
    int64_t TimeOf(uint64_t bytes) const
    {
        __extension__ using Wide = unsigned __int128;
        const Wide ticks = static_cast<Wide>(bytes) * m_numerator / m_denominator;
        const Wide most = std::numeric_limits<int64_t>::max();
        return static_cast<int64_t>(std::min(ticks, most));
    }

  private:
    uint64_t m_numerator{0};   //!< ticks of m_denominator bytes
    uint64_t m_denominator{1}; //!< bytes of m_numerator ticks
    uint64_t m_remainder{0};   //!< carried, in ticks / m_denominator
};

} // namespace llmfabric
} // namespace ns3

#endif /* TICK_RATE_H */
