/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LISTED_PLAN_H
#define LISTED_PLAN_H

#include "rank-plan.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A plan that is given op by op: read from a schedule file, or written in C++.
 *
 *     ListedPlan plan(2, 1);
 *     plan.AddGroup(RankGroup(0, {0, 1}), "data");
 *     plan.SetProgram(0, ops); // a shared_ptr<const OpList>; ranks may share one
 *
 * The groups and peers of the ops are those of the job. A rank that is given no program does
 * nothing. Memory grows with the ops and the members of the groups, not with the ranks.
 */
class ListedPlan : public RankPlan
{
  public:
    /**
     * @param ranks ranks of the job, at least 1
     * @param steps how often each program is run, at least 1
     */
    ListedPlan(uint32_t ranks, uint64_t steps);

    uint32_t GetRanks() const override;
    uint64_t GetSteps() const override;
    RankProgram GetProgram(uint32_t rank) const override;
    RankGroup GetGroup(uint32_t id) const override;
    std::string GetGroupName(uint32_t id) const override;
    std::string GetStreamName(uint32_t stream) const override;
    bool HasShares(uint32_t id) const override;
    double GetShare(uint32_t id, uint32_t index) const override;

    /**
     * @param steps how often each program is run, at least 1
     */
    void SetSteps(uint64_t steps);

    /**
     * @param rank a rank, below GetRanks()
     * @param ops what it does in each step, instead of what it did so far
     */
    void SetProgram(uint32_t rank, const std::shared_ptr<const OpList>& ops);

    /**
     * @param group ranks of the job; its id is new
     * @param name its name in reports and traces
     * @param shares of each member, the part of an All-to-All with unequal shares, 0 to 1; empty if
     *        the group has no such op
     */
    void AddGroup(const RankGroup& group,
                  const std::string& name,
                  const std::vector<double>& shares = {});

    /**
     * @param id a number
     * @return whether a group has it
     */
    bool HasGroup(uint32_t id) const;

    /**
     * Find a stream by its name. Names that no plan of a training job uses get numbers above those
     * of all streams that have a name, in the order in which they are asked for.
     *
     * @param name a name, as GetStreamName() gives it, or any other
     * @return the number of the stream
     */
    uint32_t FindStream(const std::string& name);

  private:
    /// A group and what is known of it.
    struct Group
    {
        RankGroup group;            //!< the ranks
        std::string name;           //!< its name
        std::vector<double> shares; //!< of the members; empty if all are equal
    };

    /**
     * @param id the id of a group
     * @return the group
     */
    const Group& Find(uint32_t id) const;

    uint32_t m_ranks;                                             //!< ranks of the job
    uint64_t m_steps;                                             //!< how often programs are run
    std::map<uint32_t, std::shared_ptr<const OpList>> m_programs; //!< by rank, if it has ops
    std::shared_ptr<const OpList> m_none;                         //!< the ops of other ranks
    std::map<uint32_t, Group> m_groups;                           //!< by id
    std::map<std::string, uint32_t> m_streams;                    //!< numbers of streams, by name
    std::vector<std::string> m_ownNames; //!< names of own streams, which follow the known ones
};

} // namespace llmfabric
} // namespace ns3

#endif /* LISTED_PLAN_H */
