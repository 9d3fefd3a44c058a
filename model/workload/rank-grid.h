/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_GRID_H
#define RANK_GRID_H

#include "rank-group.h"
#include "training-spec.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @param axis an axis
 * @return its name in scenarios, e.g. "tensor"
 */
std::string GetName(GridAxis axis);

/**
 * @ingroup llm-fabric
 * The ranks of a job as a grid: one axis for each degree of parallelism.
 *
 * With the default order, rank = tensor + t (context + c (expert + e (data + d pipeline))), as
 * Megatron numbers them. A rank belongs to one group of each kind:
 *
 *     DATA, PARAMETER                along context, expert and data
 *     EXPERT_DATA, EXPERT_PARAMETER  along context and data
 *     TENSOR, CONTEXT, EXPERT        along the axis of that name
 *     EMBEDDING                      the first and the last pipeline stage
 *     MIRROR                         pipeline stages i and p - 1 - i
 *
 * The id of a group is kind * GetRanks() + its lowest rank. O(1) memory.
 */
class RankGrid
{
  public:
    /**
     * @param plan the degrees and the order
     * @throws UserError if a degree is 0, expert does not divide data, the order does not name
     *         each axis once, or there are more than 2^28 ranks
     */
    explicit RankGrid(const ParallelPlan& plan);

    /**
     * @return the ranks of the job
     */
    uint32_t GetRanks() const;

    /**
     * @param axis an axis
     * @return how many ranks lie along it
     */
    uint32_t GetDegree(GridAxis axis) const;

    /**
     * @param rank a rank
     * @param axis an axis
     * @return where the rank lies on the axis, from 0
     */
    uint32_t GetCoordinate(uint32_t rank, GridAxis axis) const;

    /**
     * @param rank a rank
     * @param axis an axis
     * @param coordinate a place on the axis, below its degree
     * @return the rank that lies there and otherwise as the given one
     */
    uint32_t Move(uint32_t rank, GridAxis axis, uint32_t coordinate) const;

    /**
     * @param kind a kind of group
     * @param rank a rank; for EMBEDDING one of the first or last stage
     * @return the group of that kind that it is in
     */
    RankGroup GetGroup(GroupKind kind, uint32_t rank) const;

    /**
     * @param kind a kind of group
     * @return how many members each group of it has; only the middle stage of a pipeline of odd
     *         length is a MIRROR group of its own, of one member
     */
    uint32_t GetGroupSize(GroupKind kind) const;

    /**
     * @param id the id of a group of this grid
     * @return the group
     */
    RankGroup GetGroup(uint32_t id) const;

    /**
     * @param id the id of a group of this grid
     * @return its kind
     */
    GroupKind GetKind(uint32_t id) const;

  private:
    /**
     * @param axis an axis
     * @return distance between neighbors on it, ranks
     */
    uint32_t GetStride(GridAxis axis) const;

    /**
     * @param kind EMBEDDING or MIRROR
     * @param rank a rank
     * @return the group of that kind that it is in
     */
    RankGroup GetStagePair(GroupKind kind, uint32_t rank) const;

    std::array<uint32_t, GRID_AXES> m_degrees{}; //!< by axis
    std::array<uint32_t, GRID_AXES> m_strides{}; //!< by axis
    uint32_t m_ranks{1};                         //!< product of the degrees
};

} // namespace llmfabric
} // namespace ns3

#endif /* RANK_GRID_H */
