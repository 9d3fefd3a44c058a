/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_PLAN_H
#define RANK_PLAN_H

#include "rank-group.h"
#include "rank-program.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * What all ranks of a job do: their programs and groups, whether derived from a model or read from
 * a file.
 */
class RankPlan
{
  public:
    virtual ~RankPlan() = default;

    /**
     * @return ranks of the job
     */
    virtual uint32_t GetRanks() const = 0;

    /**
     * @return how often each program is run
     */
    virtual uint64_t GetSteps() const = 0;

    /**
     * @param rank a rank, below GetRanks()
     * @return the ops of this rank in each step
     */
    virtual RankProgram GetProgram(uint32_t rank) const = 0;

    /**
     * @param id the group of a CollectiveOp
     * @return the ranks that take part
     */
    virtual RankGroup GetGroup(uint32_t id) const = 0;

    /**
     * @param id the group of a CollectiveOp
     * @return its name in reports and traces, e.g. "data"
     */
    virtual std::string GetGroupName(uint32_t id) const = 0;

    /**
     * @param stream the stream of an op
     * @return its name in files
     */
    virtual std::string GetStreamName(uint32_t stream) const;

    /**
     * @param id the group of a CollectiveOp
     * @return whether it may have All-to-Alls with unequal shares; without an override no group has
     */
    virtual bool HasShares(uint32_t id) const;

    /**
     * @param id a group that HasShares()
     * @param index index of a member
     * @return the part that All-to-Alls with unequal shares give it, 0 to 1
     */
    virtual double GetShare(uint32_t id, uint32_t index) const;

    /**
     * @param op an All-to-All
     * @param group its group
     * @param from index of the member that sends
     * @param to index of the member that receives
     * @return bytes from one to the other: equal parts are cut as PayloadSplit does, unequal ones
     *         are the payload times a share, rounded down
     */
    uint64_t GetAllToAllBytes(const CollectiveOp& op,
                              const RankGroup& group,
                              uint32_t from,
                              uint32_t to) const;
};

} // namespace llmfabric
} // namespace ns3

#endif /* RANK_PLAN_H */
