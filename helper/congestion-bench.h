/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CONGESTION_BENCH_H
#define CONGESTION_BENCH_H

#include "congestion-bench-scenario.h"
#include "explain-table.h"
#include "run-results.h"
#include "scenario-spec.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/** How a congestion control did in a scenario. */
struct CongestionBenchRow
{
    std::string control;         //!< preset or class
    uint64_t count{0};           //!< flows, or AllReduces of a ring
    uint64_t unfinished{0};      //!< that never ended
    double goodput{0};           //!< payload by the time in which it was sent, 10^9 bit/s
    Time median;                 //!< of the completion times (p50)
    Time p99;                    //!< 99 % of them are no longer
    double slowdownMedian{0};    //!< of completion times by those without others
    double slowdownP99{0};       //!< 99 % of them are no larger
    uint64_t peakQueue{0};       //!< largest queue of a switch port, bytes
    uint64_t pauses{0};          //!< PFC pauses sent, renewals included
    Time pauseTime;              //!< how long ports were paused, summed
    uint64_t marks{0};           //!< packets marked
    uint64_t retransmissions{0}; //!< packets sent again
    double cpuSeconds{0};        //!< of the simulation
};

/**
 * @ingroup llm-fabric
 * Runs a congestion control in a scenario, and says how it did: goodput, completion times,
 * slowdowns, queues and pauses.
 *
 * Completion times of flows are those from the start to the last byte at the receiver, and their
 * slowdowns are by the time that each takes alone (IdealCompletion). Completion times of an
 * AllReduce are those from its first rank's start to its last rank's end, and its slowdown is by
 * the time that it takes if all links of the leaves are evenly shared. Goodput is payload by the
 * time from the first start to the last end; of AllReduces all that ranks send counts, by the time
 * of the bursts alone. A percentile p of n values is the one at rank ceil(p n / 100).
 */
class CongestionBench
{
  public:
    /**
     * @param overrides path=value each, see ScenarioOverride
     */
    explicit CongestionBench(const std::vector<std::string>& overrides = {});

    /** @return the controls that are compared by default: all presets */
    static std::vector<std::string> GetControls();

    /**
     * @param scenario one of CongestionBenchScenario
     * @param control a preset, or a subclass of CongestionControl
     * @return what is run
     * @throws UserError for a mistake in the overrides
     */
    Scenario MakeScenario(const CongestionBenchScenario& scenario,
                          const std::string& control) const;

    /**
     * Simulate; ends with Simulator::Destroy(). Set the time resolution before.
     *
     * @param scenario one of CongestionBenchScenario
     * @param control a preset, or a subclass of CongestionControl
     * @return how it did
     * @throws UserError for an unknown control or a mistake in the overrides
     */
    CongestionBenchRow Run(const CongestionBenchScenario& scenario,
                           const std::string& control) const;

    /**
     * @param name key in JSON
     * @param scenario one of CongestionBenchScenario
     * @return its table, without rows
     */
    static ExplainTable MakeTable(const std::string& name, const CongestionBenchScenario& scenario);

    /**
     * @param row how a control did
     * @param table gets it
     */
    static void Add(const CongestionBenchRow& row, ExplainTable& table);

  private:
    /**
     * @param results of a run
     * @param row gets the numbers of its flows
     */
    static void MeasureFlows(const RunResults& results, CongestionBenchRow& row);
    /**
     * @param results of a run
     * @param ideal least time of an AllReduce
     * @param row gets the numbers of its AllReduces
     */
    static void MeasureCollectives(const RunResults& results, Time ideal, CongestionBenchRow& row);
    /**
     * @param seconds completion times, s
     * @param slowdowns slowdowns
     * @param row gets percentiles
     */
    static void SetPercentiles(const std::vector<double>& seconds,
                               const std::vector<double>& slowdowns,
                               CongestionBenchRow& row);

    std::vector<std::string> m_overrides; //!< path=value each
};

} // namespace llmfabric
} // namespace ns3

#endif /* CONGESTION_BENCH_H */
