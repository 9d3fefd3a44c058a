/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_REDUCER_H
#define RANK_REDUCER_H

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * How long a GPU takes to add what it receives: each channel adds at its own rate, and the memory
 * serves the additions of all channels one after the other. Lanes of a channel share its rate.
 */
class RankReducer
{
  public:
    /**
     * @param channelRate of one channel, bytes per second; 0: no limit
     * @param memoryBandwidth of all channels together, bytes per second; 0: no limit
     */
    RankReducer(double channelRate, double memoryBandwidth);

    /**
     * Begin an addition as soon as the channel is free.
     *
     * @param bytes what is added
     * @param [in,out] free when the channel has done what was begun on it
     * @return how long it takes from now on
     */
    Time Begin(uint64_t bytes, Time& free);

  private:
    double m_channelRate;     //!< of one channel, bytes per second, or 0
    double m_memoryBandwidth; //!< of all channels, bytes per second, or 0
    Time m_memoryFree;        //!< when the memory has served what was begun
};

} // namespace llmfabric
} // namespace ns3

#endif /* RANK_REDUCER_H */
