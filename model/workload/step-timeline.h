/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STEP_TIMELINE_H
#define STEP_TIMELINE_H

#include "rank-plan.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * What communication costs, as a formula. Whoever knows the cluster gives it.
 */
struct TimelineCosts
{
    /// Duration of a collective once all members are there; null: none takes time.
    std::function<Time(const CollectiveOp& op, const RankGroup& group)> collective;
    /// Duration of a message from one rank to another; null: none takes time.
    std::function<Time(uint32_t from, uint32_t to, uint64_t bytes)> message;
};

/**
 * @ingroup llm-fabric
 * An op with its times.
 */
struct TimelineSpan
{
    uint32_t rank;  //!< whose op
    uint64_t index; //!< place in the rank's program
    ProgramOp op;   //!< the op
    Time start;     //!< begin; of a collective, when this rank reached it
    Time end;       //!< end
};

/**
 * @ingroup llm-fabric
 * When each op of a step begins and ends, by formula: no packet, no contention.
 *
 * A collective begins when the last of its members among the given ranks has reached it. So one
 * rank of each pipeline stage is enough to see a whole step, if their peers are among them and all
 * other ranks do the same at the same time.
 */
class StepTimeline
{
  public:
    /**
     * Computes the step.
     *
     * @param plan the job
     * @param ranks the ranks that are looked at, each once
     * @param costs what communication costs
     */
    StepTimeline(const RankPlan& plan,
                 const std::vector<uint32_t>& ranks,
                 const TimelineCosts& costs);

    /**
     * @return the ops in the order in which they ended
     */
    const std::vector<TimelineSpan>& GetSpans() const;

    /**
     * @return when the last op ended
     */
    Time GetEnd() const;

    /**
     * @param rank one of the ranks
     * @return time in which it computed
     */
    Time GetComputeTime(uint32_t rank) const;

    /**
     * @return what keeps the step from being done, one sentence each: ops that can never end,
     *         members of a group that call different ops, ranks that are no members, messages of
     *         another size than the receiver expects; empty if all is well
     */
    const std::vector<std::string>& GetProblems() const;

  private:
    std::vector<TimelineSpan> m_spans;   //!< ops that ended
    std::map<uint32_t, Time> m_compute;  //!< by rank: time in which it computed
    std::vector<std::string> m_problems; //!< what keeps the step from being done
    Time m_end;                          //!< end of the last op
};

} // namespace llmfabric
} // namespace ns3

#endif /* STEP_TIMELINE_H */
