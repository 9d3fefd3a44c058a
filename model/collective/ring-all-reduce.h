/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RING_ALL_REDUCE_H
#define RING_ALL_REDUCE_H

#include "collective-algorithm.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * AllReduce by a ring (Life of a Token, section 6): all of RingLane's schedule.
 *
 * Each channel has a ring of its own, on which rank r sends to r + 1 and receives from r - 1 (mod
 * p) if members are numbered along it. The payload is a ChunkGrid: each member owns a part, of
 * which each channel has a share, of which a loop takes a chunk. In step s of a loop, from 0 to 2
 * (p - 1) - 1, rank r sends the chunk of owner (r - s) mod p, as a message for each of its slices:
 *
 *     p = 4       step 0   1   2   | 3   4   5
 *     rank 0 sends   c0  c3  c2  | c1  c0  c3
 *     rank 1 sends   c1  c0  c3  | c2  c1  c0
 *     rank 2 sends   c2  c1  c0  | c3  c2  c1
 *     rank 3 sends   c3  c2  c1  | c0  c3  c2
 *                  ReduceScatter | AllGather
 *
 * In the first p - 1 steps the receiver adds the chunk to its own, after that it keeps it. What is
 * received in step s is what is sent in step s + 1, so a slice leaves when it has come and was
 * added. All ranks together send 2 (p - 1) M bytes. With p = 1 or M = 0 the op is over when it
 * starts.
 */
class RingAllReduce : public CollectiveAlgorithm
{
  public:
    std::string GetOp() const override;
    std::string GetName() const override;
    std::vector<std::unique_ptr<CollectiveLane>> CreateLanes(
        const CollectiveTask& task) const override;
    std::optional<CollectiveCost> GetCost(const CollectiveTask& task) const override;
};

} // namespace llmfabric
} // namespace ns3

#endif /* RING_ALL_REDUCE_H */
