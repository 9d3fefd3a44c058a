/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PAT_LANE_H
#define PAT_LANE_H

#include "chunk-grid.h"
#include "collective-cost.h"
#include "collective-lane.h"
#include "collective-task.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * One rank of a collective that goes along a binomial tree for each member's part, all trees at the
 * same time ("parallel aggregated trees", PAT, of NCCL; akin to Bruck's algorithm).
 *
 * Say rank r is x = r - o (mod p) away from the owner o of a part. In the step of distance d of an
 * AllGather the ranks for which x is a multiple of 2 d send the part to x + d, if that is below p.
 * The farthest distance comes first, so the largest messages go the short ways:
 *
 *     p = 6, x    d = 4    0 -> 4
 *                 d = 2    0 -> 2
 *                 d = 1    0 -> 1, 2 -> 3, 4 -> 5
 *
 * A ReduceScatter is the same backwards: the nearest distance comes first, and x + d sends its sum
 * to x. As each rank is at another x for each part, it sends to one rank and receives from one rank
 * in a step, and all parts of the step make one message, which is cut in slices. ceil(log2 p) steps
 * do it all; each is done for a chunk of each part, then the next chunks follow. To tell a step
 * takes O(p / d) time, as its parts differ by a byte.
 */
class PatLane : public CollectiveLane
{
  public:
    /// Which way data goes.
    enum class Direction
    {
        GATHER, //!< from the owners
        REDUCE  //!< to the owners
    };

    /**
     * @param task what the rank knows of the op
     * @param channel the channel
     * @param direction which way data goes
     */
    PatLane(const CollectiveTask& task, uint32_t channel, Direction direction);

    uint32_t GetChannel() const override;
    uint64_t GetStepCount() const override;
    LaneStep GetStep(uint64_t index) const override;
    std::vector<DataPiece> GetPieces(uint64_t index) const override;

    /**
     * @param task an op
     * @param direction which way data goes
     * @return what it costs
     */
    static CollectiveCost GetCost(const CollectiveTask& task, Direction direction);

  private:
    /// A step of a loop.
    struct Stage
    {
        uint64_t loop;     //!< number of the loop
        uint32_t place;    //!< number of the step in it
        uint32_t distance; //!< d
    };

    /// Parts of a step, by this rank's x: first, first + stride and so on, below end.
    struct Parts
    {
        uint32_t first;  //!< the first x
        uint32_t stride; //!< from one x to the next
        uint32_t end;    //!< all x are below
    };

    /**
     * @param place number of a step of a loop
     * @param levels steps of a loop
     * @param direction which way data goes
     * @return its distance
     */
    static uint32_t GetDistance(uint32_t place, uint32_t levels, Direction direction);

    /**
     * @param index number of a step
     * @return what step it is
     */
    Stage GetStage(uint64_t index) const;

    /**
     * @param distance d
     * @return parts that are closer to their owners on this rank than on the rank it talks to
     */
    Parts GetInner(uint32_t distance) const;

    /**
     * @param distance d
     * @return parts that are farther from their owners on this rank than on the rank it talks to
     */
    Parts GetOuter(uint32_t distance) const;

    /**
     * @param loop number of a loop
     * @param x where this rank is in the tree of a part
     * @return the chunk of the part
     */
    ByteRange GetChunk(uint64_t loop, uint32_t x) const;

    /**
     * @param loop number of a loop
     * @param parts some parts
     * @return where the first chunk begins, and the bytes of all of them
     */
    ByteRange GetRange(uint64_t loop, const Parts& parts) const;

    /**
     * A step sends what was received in the step before, and older parts in between. Parts of a
     * step are in the order of x.
     *
     * @param stage a step that is not the first of its loop
     * @return how much farther than a send the step before must be, bytes
     */
    int64_t GetShift(const Stage& stage) const;

    ChunkGrid m_grid;      //!< the payload
    uint32_t m_rank;       //!< index of this rank
    uint32_t m_channel;    //!< the channel
    uint32_t m_ranks;      //!< p
    Direction m_direction; //!< which way data goes
};

} // namespace llmfabric
} // namespace ns3

#endif /* PAT_LANE_H */
