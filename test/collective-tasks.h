/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_TASKS_H
#define COLLECTIVE_TASKS_H

#include "made-layouts.h"

#include "ns3/collective-algorithm.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @param layout where the members are
 * @param payload M, bytes
 * @param channels channels
 * @return an op whose steps are of one slice
 */
inline CollectiveTask
MakeTask(const SharedLayout& layout, uint64_t payload, uint32_t channels = 1)
{
    CollectiveTask task;
    task.layout = layout;
    task.payload = payload;
    task.cut = {channels, 1ULL << 40, 1ULL << 40};
    return task;
}

/**
 * @param ranks members, each in a node of its own
 * @param payload M, bytes
 * @param rank index of the rank
 * @return an op of one channel, whose steps are of one slice
 */
inline CollectiveTask
MakeTask(uint32_t ranks, uint64_t payload, uint32_t rank = 0)
{
    CollectiveTask task = MakeTask(MakeNodes(ranks, 1), payload);
    task.rank = rank;
    return task;
}

/**
 * @param layout where the members are
 * @param part what each has for each, bytes
 * @return an All-to-All of one channel, whose steps are of one slice
 */
inline CollectiveTask
MakeParts(const SharedLayout& layout, uint64_t part)
{
    return MakeTask(layout, part * layout->GetSize());
}

/**
 * @param x a number, at least 1
 * @return floor(log2 x)
 */
inline uint32_t
FloorLog2(uint32_t x)
{
    return x == 1 ? 0 : 1 + FloorLog2(x / 2);
}

/**
 * @param x a number, at least 1
 * @return ceil(log2 x)
 */
inline uint32_t
CeilLog2(uint32_t x)
{
    return x == 1 ? 0 : 1 + FloorLog2(x - 1);
}

/**
 * @param algorithm an algorithm
 * @param task an op of a rank
 * @return to whom the rank sends on its first lane, in the order of steps
 */
inline std::vector<uint32_t>
GetReceivers(const CollectiveAlgorithm& algorithm, const CollectiveTask& task)
{
    std::vector<uint32_t> peers;
    const auto lanes = algorithm.CreateLanes(task);
    for (uint64_t i = 0; i < lanes.at(0)->GetStepCount(); ++i)
    {
        const LaneStep step = lanes[0]->GetStep(i);
        if (step.sendBytes > 0)
        {
            peers.insert(peers.end(), step.sendTo.begin(), step.sendTo.end());
        }
    }
    return peers;
}

/**
 * @param algorithm an algorithm
 * @param task an op of a rank
 * @return what the steps of its first lane send, bytes
 */
inline std::vector<uint64_t>
GetSizes(const CollectiveAlgorithm& algorithm, const CollectiveTask& task)
{
    std::vector<uint64_t> sizes;
    const auto lanes = algorithm.CreateLanes(task);
    for (uint64_t i = 0; i < lanes.at(0)->GetStepCount(); ++i)
    {
        sizes.push_back(lanes[0]->GetStep(i).sendBytes);
    }
    return sizes;
}

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_TASKS_H */
