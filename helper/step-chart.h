/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STEP_CHART_H
#define STEP_CHART_H

#include "explain-table.h"
#include "plan-costs.h"

#include "ns3/step-timeline.h"
#include "ns3/training-job.h"

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The timeline of one step, for one rank of each pipeline stage, by formula.
 */
class StepChart
{
  public:
    /// Ops above which no timeline is made, over all pipeline stages.
    static constexpr uint64_t MAX_OPS = 1000000;

    /**
     * @param job the job; must outlive this
     * @param costs what communication costs
     */
    StepChart(const TrainingJob& job, const PlanCosts& costs);

    /**
     * @return the step's times in all
     */
    ExplainTable MakeSummary() const;

    /**
     * @return for each stage when it does what
     */
    ExplainTable MakeStages() const;

    /**
     * @param out gets a picture of the step, two lines for each stage
     */
    void Draw(std::ostream& out) const;

  private:
    /// When ops of one sort began and ended.
    struct Range
    {
        Time first;      //!< begin of the first
        Time last;       //!< end of the last
        Time sum;        //!< of all durations
        bool any{false}; //!< whether there was one
    };

    /// @return place of the rank in the expert group that gets the most tokens
    uint32_t FindBusiest() const;
    /**
     * @param rank one of the ranks
     * @param letters sorts of ops, as GetLetter() gives them
     * @return when they were
     */
    Range GetRange(uint32_t rank, const std::string& letters) const;
    /**
     * @param op an op
     * @return F forward, B backward, I and W its halves, U update; t tensor, c context, e expert, g
     *         gradients, p parameters; a blank for messages between stages
     */
    static char GetLetter(const ProgramOp& op);
    /**
     * @param rank one of the ranks
     * @param compute whether computations are drawn, else collectives
     * @return a line of letters
     */
    std::string DrawLine(uint32_t rank, bool compute) const;

    const TrainingJob& m_job;      //!< the job
    std::vector<uint32_t> m_ranks; //!< one of each stage
    uint64_t m_ops{0};             //!< of them all
    Time m_end;                    //!< end of the step

    std::map<uint32_t, std::vector<TimelineSpan>> m_spans; //!< by rank: what it does when
};

} // namespace llmfabric
} // namespace ns3

#endif /* STEP_CHART_H */
