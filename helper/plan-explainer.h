/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PLAN_EXPLAINER_H
#define PLAN_EXPLAINER_H

#include "explain-table.h"
#include "plan-costs.h"
#include "scenario-spec.h"

#include "ns3/training-job.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @param recompute what is computed again
 * @return its name in scenarios
 */
std::string GetName(Recompute recompute);

/**
 * @ingroup llm-fabric
 * Explains a training job in tables, without a simulation: the five stages with inputs, formulas
 * and values; what is sent, how often and which way; the timeline of one step.
 *
 * Memory and time grow with the pipeline stages and the ops of a rank, not with the ranks, except
 * for a look at each rank's place in the cluster.
 */
class PlanExplainer
{
  public:
    /**
     * @param scenario a scenario that HasTraining(); must outlive this
     * @param job its job; must outlive this
     * @param text size of the corpus, if it is a file
     */
    PlanExplainer(const Scenario& scenario, const TrainingJob& job, const TextSize& text);

    /**
     * @param out gets the tables as text
     */
    void WriteText(std::ostream& out) const;

    /**
     * @param out gets stages 1 to 4 without details, as text
     */
    void WriteStages(std::ostream& out) const;

    /**
     * @return the tables: an object with a list of rows for each
     */
    nlohmann::ordered_json ToJson() const;

  private:
    /// @return all tables, in order
    std::vector<ExplainTable> MakeTables() const;
    /// @return stage 1
    ExplainTable MakeCorpus() const;
    /// @return stage 2: sizes
    ExplainTable MakeModel() const;
    /// @param table stage 2: gets operations, and what is kept for the backward pass
    void AddWork(ValueTable& table) const;
    /// @return stage 2: tensors
    ExplainTable MakeTensors() const;
    /// @return stage 3: degrees and batch
    ExplainTable MakePlan() const;
    /// @param table stage 3: gets how the work is divided, where there is a choice
    void AddChoices(ValueTable& table) const;
    /// @param table stage 3: gets how long ranks compute, and on what
    void AddTimes(ValueTable& table) const;
    /// @return stage 3: what each pipeline stage holds
    ExplainTable MakeStages() const;
    /// @return stage 4: what is sent
    ExplainTable MakeTraffic() const;
    /// @return stage 4: what each AllReduce would cost with each algorithm
    ExplainTable MakeAlgorithms() const;
    /// @return stage 4: what each way to do the collectives would take, and which is taken
    ExplainTable MakeChoices() const;
    /**
     * @param row ops of one kind
     * @param table gets the ways to do one of them
     */
    void AddChoices(const TrafficRow& row, ExplainTable& table) const;
    /// @return stage 5
    ExplainTable MakeCluster() const;

    const Scenario& m_scenario;        //!< the scenario
    const TrainingJob& m_job;          //!< its job
    TextSize m_text;                   //!< size of the corpus, if it is a file
    PlanCosts m_costs;                 //!< what communication costs
    std::vector<TrafficRow> m_traffic; //!< what is sent in one step
};

} // namespace llmfabric
} // namespace ns3

#endif /* PLAN_EXPLAINER_H */
