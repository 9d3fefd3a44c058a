/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BRUCK_LANE_H
#define BRUCK_LANE_H

#include "all-to-all-parts.h"
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
 * @ingroup llm-fabric
 * One rank of an All-to-All by Bruck's algorithm.
 *
 * In step k it sends to r + 2^k (mod p) each block that it holds whose distance, from its origin to
 * its receiver, has bit k set, and gets the like from r - 2^k. Before step k a block has come as
 * far as the low k bits of its distance say. So r sends, for each distance high + low with low <
 * 2^k and high an odd multiple of 2^k, the block of r - low for r + high.
 *
 * All blocks of a step are cut in slices as if they were one. A send waits until all steps before
 * were received. Offsets are told by GetPieces() only: there are many, from several origins. To
 * tell step k takes O(p / 2^k) time, or O(p) if parts are uneven.
 */
class BruckLane : public CollectiveLane
{
  public:
    /**
     * @param task what the rank knows of the op
     * @param channel the channel
     * @param parts who has what for whom
     */
    BruckLane(const CollectiveTask& task,
              uint32_t channel,
              std::shared_ptr<const AllToAllParts> parts);

    uint32_t GetChannel() const override;
    uint64_t GetStepCount() const override;
    LaneStep GetStep(uint64_t index) const override;
    std::vector<DataPiece> GetPieces(uint64_t index) const override;

  private:
    /**
     * @param high an odd multiple of 2^k
     * @param bit 2^k
     * @return distances high + low below p, with low < 2^k
     */
    uint32_t GetCount(uint32_t high, uint32_t bit) const;
    /**
     * @param rank a member
     * @param bit 2^k
     * @return what it sends in step k, bytes
     */
    uint64_t GetBytes(uint32_t rank, uint32_t bit) const;

    std::shared_ptr<const AllToAllParts> m_parts; //!< who has what for whom
    uint32_t m_rank;                              //!< index of this rank
    uint32_t m_ranks;                             //!< p
    uint32_t m_channel;                           //!< the channel
};

} // namespace llmfabric
} // namespace ns3

#endif /* BRUCK_LANE_H */
