/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_LANE_H
#define COLLECTIVE_LANE_H

#include "lane-step.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Bytes that a step sends.
 */
struct DataPiece
{
    uint32_t origin; //!< of an All-to-All, the member whose part it is; 0 of other ops
    uint64_t offset; //!< where it begins in the payload (of an All-to-All, in origin's), bytes
    uint64_t bytes;  //!< size
};

/**
 * @ingroup llm-fabric
 * One of the strands of a rank's part in a collective op, as a block of threads runs it on a GPU:
 * a list of steps, each of which is a function of its number. It has no state and O(1) memory of
 * its own, whatever the number of steps. A step takes O(1) time where classes say no more.
 *
 * A lane receives its steps in their order and sends its steps in their order; LaneStep says what
 * a send waits for. Lanes of a rank run in parallel. A lane of a rank talks to the lane of the same
 * index of other ranks, on a connection of its own.
 */
class CollectiveLane
{
  public:
    virtual ~CollectiveLane() = default;

    /**
     * @return the channel that it belongs to, which adds at one rate
     */
    virtual uint32_t GetChannel() const
    {
        return 0;
    }

    /**
     * @return whether its messages between nodes use the channel's NIC, else that of the GPU
     */
    virtual bool UsesChannelNic() const
    {
        return false;
    }

    /**
     * @return number of steps; 0 if the rank has no part in it
     */
    virtual uint64_t GetStepCount() const = 0;

    /**
     * @param index number of a step, below GetStepCount()
     * @return the step
     */
    virtual LaneStep GetStep(uint64_t index) const = 0;

    /**
     * @param index number of a step, below GetStepCount()
     * @return the sendBytes that it sends, in their order; it may take
     *         longer than the step, as the simulation moves no data: only who checks data asks
     */
    virtual std::vector<DataPiece> GetPieces(uint64_t index) const
    {
        const LaneStep step = GetStep(index);
        return {{0, step.sendOffset, step.sendBytes}};
    }
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_LANE_H */
