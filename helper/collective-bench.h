/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_BENCH_H
#define COLLECTIVE_BENCH_H

#include "collective-bench-spec.h"
#include "run-results.h"

#include "ns3/collective-tuner.h"
#include "ns3/listed-plan.h"
#include "ns3/rank-communicator.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * One size of a bench, done by one algorithm.
 */
struct CollectiveBenchRow
{
    std::string series;                                    //!< algorithm that was asked for
    uint64_t size{0};                                      //!< payload, bytes, as nccl-tests does
    uint64_t count{0};                                     //!< elements, as nccl-tests counts
    std::string algorithm;                                 //!< algorithm that did it
    CollectiveProtocol protocol{CollectiveProtocol::NONE}; //!< how slices were moved
    uint32_t channels{1};                                  //!< channels that shared the payload
    std::optional<Time> model;                             //!< its time by the cost model
    Time time;                                             //!< its time in the simulation, per op
    double algorithmBandwidth{0};                          //!< size / time, GB/s
    double busBandwidth{0};                                //!< bus factor x that, GB/s
    std::string trace;                                     //!< trace that was written, or empty
    std::vector<std::string> unfinished; //!< ops that never ended, and on whom they wait
};

/**
 * @ingroup llm-fabric
 * Runs one collective op at one size on a simulated cluster, and says how long it took: what
 * nccl-tests is on machines.
 *
 *     CollectiveBenchSpec spec;
 *     const CollectiveBench bench(spec, spec.ReadScenario());
 *     const CollectiveBenchRow row = bench.Run(1 << 20, bench.GetSeries().front());
 *
 * Each run is a simulation of its own, so its result does not depend on those before, but for
 * random variables without a fixed stream (of error models). The op is done once for each warm-up
 * and iteration, without a gap; its time is that from when the first rank begins the first timed op
 * to when the last rank ends the last, over the iterations.
 */
class CollectiveBench
{
  public:
    /**
     * @param spec what is run
     * @param scenario where it is run, as the spec reads it
     * @throws UserError for an algorithm or protocol that is unknown
     */
    CollectiveBench(const CollectiveBenchSpec& spec, const Scenario& scenario);

    /// @return what is run
    const CollectiveBenchSpec& GetSpec() const
    {
        return m_spec;
    }

    /// @return where it is run
    const Scenario& GetScenario() const
    {
        return m_scenario;
    }

    /// @return how many ranks take part
    uint32_t GetRanks() const
    {
        return m_ranks;
    }

    /// @return the algorithms that are compared, as Run() takes them
    std::vector<std::string> GetSeries() const;

    /**
     * Find the mistakes of the user before anything is simulated.
     *
     * @param sizes sizes that will be run
     * @throws UserError for one
     */
    void Check(const std::vector<uint64_t>& sizes) const;

    /**
     * @param size payload, bytes
     * @param series one of GetSeries()
     * @return how it will be done, without a time
     * @throws UserError if the algorithm can't be used by so many ranks
     */
    CollectiveBenchRow Predict(uint64_t size, const std::string& series) const;

    /**
     * Simulate an op. Set the time resolution before.
     *
     * @param size payload, bytes
     * @param series one of GetSeries()
     * @return how it went
     * @throws UserError for a mistake in the scenario, also one that Check() finds
     */
    CollectiveBenchRow Run(uint64_t size, const std::string& series) const;

    /**
     * @param size payload, bytes
     * @return all ways to do it, the fastest by the cost model first
     */
    std::vector<CollectiveCandidate> GetCandidates(uint64_t size) const;

    /**
     * @param size payload, bytes
     * @return what rank 0 knows of the op, but for the cut
     */
    CollectiveTask MakeTask(uint64_t size) const;

    /// @return how collectives are done, but for the algorithm
    const CollectiveConfig& GetConfig() const;

  private:
    /// How collectives are done, by series.
    using Setups = std::map<std::string, std::shared_ptr<const CollectiveSetup>>;

    /**
     * @param series one of GetSeries()
     * @return the scenario with that algorithm
     */
    Scenario MakeScenario(const std::string& series) const;
    /**
     * @param size payload, bytes
     * @return the op
     */
    CollectiveOp MakeOp(uint64_t size) const;
    /**
     * @param size payload, bytes
     * @return what the ranks do
     */
    std::shared_ptr<const ListedPlan> MakePlan(uint64_t size) const;
    /**
     * @param results results of a run
     * @param [in,out] row gets times and bandwidths
     */
    void Measure(const RunResults& results, CollectiveBenchRow& row) const;
    /**
     * @param size payload, bytes
     * @return what there is of it in whole elements or parts, bytes
     */
    uint64_t GetWholeSize(uint64_t size) const;

    CollectiveBenchSpec m_spec;        //!< what is run
    Scenario m_scenario;               //!< where it is run
    uint32_t m_ranks;                  //!< how many take part
    std::vector<std::string> m_series; //!< algorithms that are compared
    RankCommunicator::Group m_group;   //!< the ranks, and where they are
    Setups m_setups;                   //!< how collectives are done
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_BENCH_H */
