/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LINK_CLOCK_H
#define LINK_CLOCK_H

#include "ns3/tick-rate.h"

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Until when a link is busy with the bytes it was given.
 *
 * The end is that of all bytes since the link was last idle, rounded down once: pieces of any size
 * add up to the exact rate, and bytes that find the link idle take their time to the tick.
 */
class LinkClock
{
  public:
    /** @return tick from which on the link is free */
    int64_t GetFree() const
    {
        return m_free;
    }

    /**
     * Send bytes as soon as the link is free.
     *
     * @param now the time, ticks
     * @param bytes how many
     * @param rate of the link
     * @return tick when the last byte has left
     */
    int64_t Occupy(int64_t now, uint64_t bytes, const TickRate& rate);

    /**
     * @param tick a time, ticks
     * @param length ticks from then on, at least 0
     * @return the sum, which has to be in simulated time
     */
    static int64_t Add(int64_t tick, int64_t length);

    /** The rate changes after the bytes that the link was given. */
    void EndRate();

  private:
    int64_t m_start{0};  //!< since when the link sends without a pause, ticks
    uint64_t m_bytes{0}; //!< sent or to be sent since then
    int64_t m_free{0};   //!< when they have left, ticks
};

} // namespace llmfabric
} // namespace ns3

#endif /* LINK_CLOCK_H */
