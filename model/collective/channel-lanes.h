/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHANNEL_LANES_H
#define CHANNEL_LANES_H

#include "collective-lane.h"
#include "collective-task.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @tparam LANE class of the lanes; its constructor takes the task, the channel and the rest
 * @tparam REST types of what else it takes
 * @param task what the rank knows of the op
 * @param rest what else it takes
 * @return a lane for each channel
 */
template <typename LANE, typename... REST>
std::vector<std::unique_ptr<CollectiveLane>>
CreateChannelLanes(const CollectiveTask& task, const REST&... rest)
{
    std::vector<std::unique_ptr<CollectiveLane>> lanes;
    for (uint32_t channel = 0; channel < task.cut.channels; ++channel)
    {
        lanes.push_back(std::make_unique<LANE>(task, channel, rest...));
    }
    return lanes;
}

} // namespace llmfabric
} // namespace ns3

#endif /* CHANNEL_LANES_H */
