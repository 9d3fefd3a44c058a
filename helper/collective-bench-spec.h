/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_BENCH_SPEC_H
#define COLLECTIVE_BENCH_SPEC_H

#include "collective-bench-op.h"
#include "scenario-spec.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * What a bench of collectives has to run.
 */
struct CollectiveBenchSpec
{
    CollectiveBenchOp op{"allreduce"}; //!< the op
    std::string datatype{"float"};     //!< of the elements, as nccl-tests calls it
    uint32_t root{0};                  //!< of a Broadcast or Reduce: the rank that has or gets it
    double zipf{1};                    //!< of "alltoallv": rank j gets a share of 1 / (j + 1)^zipf
    uint64_t iterations{1};            //!< ops that are timed together, at least 1
    uint64_t warmups{0};               //!< ops before those
    std::optional<uint32_t> ranks;     //!< absent: 8, or all GPUs of the scenario
    std::optional<uint32_t> gpusPerNode; //!< absent: 1, or those of the scenario
    std::string scenario; //!< preset or path of a scenario; empty: nodes on a single switch
    std::vector<std::string> overrides; //!< path=value each, see ScenarioOverride
    std::map<uint32_t, Time> late;      //!< by rank: when it begins, if not at once
    /// The algorithms that are compared, each a name or "auto"; empty: what the scenario says.
    std::vector<std::string> algorithms;

    /**
     * Read the cluster and how collectives are done there. Of a scenario that is a training job, a
     * schedule or flows, what it does is left out, and so is its trace, unless an override asks for
     * one.
     *
     * @return a scenario of the kind that has a schedule
     * @throws UserError for any mistake of the user in it or in the ranks
     */
    Scenario ReadScenario() const;

    /**
     * @param scenario what ReadScenario() gives
     * @return how many ranks there are
     */
    uint32_t GetRanks(const Scenario& scenario) const;

  private:
    /// Ranks without a scenario.
    static constexpr uint32_t DEFAULT_RANKS = 8;

    /**
     * @return the scenario if none is named
     * @throws UserError if the ranks do not fill nodes
     */
    std::string MakeText() const;
    /**
     * @param scenario the scenario
     * @throws UserError if the ranks do not fit it, or there is no such root or late rank
     */
    void CheckRanks(const Scenario& scenario) const;
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_BENCH_SPEC_H */
