/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_RUNNER_H
#define SCENARIO_RUNNER_H

#include "flow-set.h"
#include "planned-load.h"
#include "progress-meter.h"
#include "run-results.h"
#include "scenario-network.h"
#include "trace-recorder.h"
#include "training-observer.h"

#include "ns3/event-id.h"
#include "ns3/training-job.h"

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Runs one scenario from the file to the results.
 *
 * @code
 *   Time::SetResolution(Time::PS);
 *   const Scenario scenario = ScenarioReader::Read("gpt2-dp8", {});
 *   ScenarioRunner runner(scenario);
 *   runner.Setup();
 *   runner.Run();
 *   RunSummary::Write(runner.GetResults(), runner.GetSummaryPath());
 *   Simulator::Destroy();
 * @endcode
 */
class ScenarioRunner
{
  public:
    /// Called now and then during Run().
    using ProgressCallback = std::function<void(const ProgressReport&)>;

    /** @param scenario the scenario */
    explicit ScenarioRunner(const Scenario& scenario);
    ~ScenarioRunner();

    /**
     * Let ranks do something else than the scenario says; before Setup().
     *
     * @param plan what they do; it fits the cluster
     */
    void SetPlan(std::shared_ptr<const RankPlan> plan);

    /**
     * Build everything and open the trace; no time passes.
     *
     * @throws UserError for a mistake in the scenario that the reader could not see
     */
    void Setup();

    /**
     * Simulate to the end, or until nothing happens any more.
     *
     * @param progress told how far the run is; may be null
     */
    void Run(ProgressCallback progress = nullptr);

    /** @return the results: the stages after Setup(), the rest after Run() */
    const RunResults& GetResults() const
    {
        return m_results;
    }

    /** @return the results, to add an error */
    RunResults& GetResults()
    {
        return m_results;
    }

    /** @return where the summary goes by default: the trace's name, or the scenario's, with .json
     */
    std::string GetSummaryPath() const;

    /** @return true if all that was asked for has ended well */
    bool IsSuccess() const
    {
        return m_results.unfinished.empty() && m_results.error.empty();
    }

    /**
     * Print what is to be done; after Setup().
     *
     * @param out where to print
     */
    void PrintPlan(std::ostream& out) const;

    /** @return the network */
    const Fabric& GetFabric() const
    {
        return m_fabric;
    }

  private:
    /** Read what ranks do from a file. */
    void ReadPlan();
    /** Derive what ranks do. */
    void MakePlan();
    /** Refuse a plan that is longer than simulated time. */
    void CheckPlan();
    /** Install the ranks. */
    void SetupRanks();
    /** Install the flows. */
    void SetupFlows();
    /** Open the trace and connect it. */
    void SetupTrace();
    /** @return how far the run is */
    ProgressReport GetProgress() const;
    /** All that was asked for has ended: no more slices. */
    void OnFinished();
    /** @return true if all that was asked for has ended */
    bool IsFinished() const;
    /** Simulate slice by slice. */
    void RunSlices(const ProgressCallback& progress);
    /** Take the results from the network and the observers. */
    void CollectResults();
    /** Write the rest of the trace. */
    void FinishTrace();
    /** A message is over for its sender. */
    void OnMessageSent(int64_t tick, const MessageEvent& message);

    Scenario m_scenario;                       //!< the scenario
    ScenarioNetwork m_network;                 //!< makes the network
    Fabric m_fabric;                           //!< the network
    std::shared_ptr<const RankPlan> m_plan;    //!< what ranks do, or null
    std::shared_ptr<const TrainingJob> m_job;  //!< the same, if it was derived from a model
    TextSize m_text;                           //!< of the corpus, if it is a file
    PlannedLoad m_load;                        //!< what rank 0 does in a step
    std::vector<Ptr<RankApplication>> m_ranks; //!< its ranks
    TrainingObserver m_observer;               //!< watches them
    FlowSet m_flows;                           //!< plain flows
    std::shared_ptr<TraceSink> m_sink;         //!< the trace, or null
    std::unique_ptr<TraceRecorder> m_recorder; //!< fills it
    RunResults m_results;                      //!< the results
    EventId m_sliceEnd;                        //!< stops the simulator to look at it
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCENARIO_RUNNER_H */
