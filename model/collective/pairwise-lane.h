/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PAIRWISE_LANE_H
#define PAIRWISE_LANE_H

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
 * One rank of an All-to-All that exchanges parts with one pair of members after the other.
 *
 * In the step of distance d, of 1 to p - 1, rank r sends its part for r + d to that rank and
 * receives from r - d (mod p). A send waits until all of the step before was received. Members with
 * nothing for each other skip the message. Offsets are told by GetPieces() only: with uneven parts
 * they take O(p).
 */
class PairwiseLane : public CollectiveLane
{
  public:
    /// Exchanges with members at distances that follow one another.
    struct Distances
    {
        uint32_t first; //!< the first distance, at least 1
        uint32_t count; //!< how many
    };

    /**
     * @param task what the rank knows of the op
     * @param channel the channel
     * @param parts who has what for whom
     * @param distances which exchanges
     */
    PairwiseLane(const CollectiveTask& task,
                 uint32_t channel,
                 std::shared_ptr<const AllToAllParts> parts,
                 const Distances& distances);

    uint32_t GetChannel() const override;
    uint64_t GetStepCount() const override;
    LaneStep GetStep(uint64_t index) const override;
    std::vector<DataPiece> GetPieces(uint64_t index) const override;

  private:
    std::shared_ptr<const AllToAllParts> m_parts; //!< who has what for whom
    uint32_t m_rank;                              //!< index of this rank
    uint32_t m_ranks;                             //!< p
    uint32_t m_channel;                           //!< the channel
    Distances m_distances;                        //!< which exchanges
};

} // namespace llmfabric
} // namespace ns3

#endif /* PAIRWISE_LANE_H */
