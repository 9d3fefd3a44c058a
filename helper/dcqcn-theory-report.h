/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DCQCN_THEORY_REPORT_H
#define DCQCN_THEORY_REPORT_H

#include "dcqcn-theory-study.h"
#include "explain-table.h"

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The studies of DCQCN against theory: which cases are run, and the tables they give.
 */
class DcqcnTheoryReport
{
  public:
    /** What is asked for. */
    struct Spec
    {
        std::vector<DcqcnTheoryCase> cases; //!< links and flows; delay, times and run are given too
        uint64_t seeds{1};                  //!< runs of each case
        std::vector<std::string> overrides; //!< path=value each, see ScenarioOverride
    };

    /** @param spec what is asked for */
    explicit DcqcnTheoryReport(const Spec& spec);

    /** @return (40G, N = 2, 4, 8) and (100G, N = 2, 8) */
    static std::vector<DcqcnTheoryCase> GetKnownCases();

    /** @return when flow 1 joins: by then flow 0 has had the line rate for long */
    static Time GetJoinTime()
    {
        return MilliSeconds(200);
    }

    /**
     * Run each case in the steady state.
     *
     * @return mean queue, mark probability, alpha, utilization and fairness beside the fluid fixed
     *         point and, for known cases, the values of another packet simulation
     */
    ExplainTable RunSteady();

    /**
     * Let flow 1 join flow 0, in each case.
     *
     * @return how long it takes until both have half of the link
     */
    ExplainTable RunJoin();

    /**
     * Write the series of the first run: seconds, queue_kb, rate_gbps_I and alpha_I of each flow I.
     *
     * @param out gets it as CSV
     */
    void WriteSeries(std::ostream& out) const;

  private:
    /**
     * @param one a case
     * @param seed number of its run
     * @return what was measured
     */
    DcqcnTheoryResult Run(DcqcnTheoryCase one, uint64_t seed);
    /**
     * Add a row for a case of the steady state.
     *
     * @param one a case
     * @param results of all its runs
     * @param table gets the row
     */
    static void AddSteady(const DcqcnTheoryCase& one,
                          const std::vector<DcqcnTheoryResult>& results,
                          ExplainTable& table);

    /**
     * Run a join and add its row.
     *
     * @param one a case
     * @param seed number of its run
     * @param table gets the row
     */
    void AddJoin(const DcqcnTheoryCase& one, uint64_t seed, ExplainTable& table);

    Spec m_spec;                                     //!< what is asked for
    std::vector<DcqcnTheoryResult::Sample> m_series; //!< of the first run
};

} // namespace llmfabric
} // namespace ns3

#endif /* DCQCN_THEORY_REPORT_H */
