/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RUN_REPORT_H
#define RUN_REPORT_H

#include "run-results.h"
#include "scenario-spec.h"

#include <ostream>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Prints a run for people: what is done before it, the results after it.
 */
class RunReport
{
  public:
    /** @param out where to print */
    explicit RunReport(std::ostream& out);

    /**
     * Print what is done, of a scenario without a model; PlanExplainer does it for one with.
     *
     * @param scenario the scenario
     * @param plan what ranks do; null of plain flows
     */
    void PrintPlan(const Scenario& scenario, const RankPlan* plan);

    /**
     * Print what a load has become.
     *
     * @param load the load
     */
    void PrintLoad(const LoadSummary& load);

    /**
     * Print the cluster.
     *
     * @param scenario the scenario, whose defaults have been applied
     */
    void PrintInfrastructure(const Scenario& scenario);

    /**
     * Print what a run gave.
     *
     * @param results the results
     */
    void PrintResults(const RunResults& results);

  private:
    /** @param scenario what says how fast hosts drain their NICs */
    void PrintReceiveSide(const Scenario& scenario);
    /** @param title a line above rows */
    void Title(const std::string& title);
    /**
     * @param name what it is
     * @param value its value
     * @param note formula or source
     */
    void Row(const std::string& name, const std::string& value, const std::string& note = "");
    /** @param results the results */
    void PrintTraining(const RunResults& results);
    /** @param results the results */
    void PrintCollectives(const RunResults& results);
    /** @param sort collectives of one op, algorithm, kind of group and payload */
    void PrintSort(const std::vector<const CollectiveResult*>& sort);
    /**
     * @param result a collective
     * @return bus bandwidth per algorithm bandwidth
     */
    static double GetBusFactor(const CollectiveResult& result);
    /** @param results the results */
    void PrintFlows(const RunResults& results);
    /** @param results the results */
    void PrintNetwork(const RunResults& results);

    std::ostream& m_out; //!< where to print
};

} // namespace llmfabric
} // namespace ns3

#endif /* RUN_REPORT_H */
