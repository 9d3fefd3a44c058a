/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CONGESTION_BENCH_SCENARIO_H
#define CONGESTION_BENCH_SCENARIO_H

#include "ns3/nstime.h"
#include "ns3/rank-plan.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * One of the scenarios in which congestion controls are compared; all links have 100 Gb/s and 1 us.
 *
 * - `incast`: 16 hosts send 10 MB each to one, over one switch.
 * - `join-leave`: a flow of 500 MB over one switch; after 10 ms one of 125 MB joins it to the same
 *   host and leaves again.
 * - `bursts`: 8 rings of 4 hosts, each host below another of 4 leaves with 8 hosts and 4 spines
 *   (2:1), do an AllReduce of 16 MB at once, and so 3 times, with 5 ms of computation before each.
 * - `web-search`: flows of a web-search cluster at 60 % load, all to all over a fat-tree of 16
 *   hosts, for 10 ms.
 */
class CongestionBenchScenario
{
  public:
    virtual ~CongestionBenchScenario() = default;

    /** @return the names of all, in the order of the table */
    static std::vector<std::string> GetNames();

    /**
     * @param name one of GetNames()
     * @return the scenario
     * @throws UserError if there is none of that name
     */
    static std::unique_ptr<CongestionBenchScenario> Create(const std::string& name);

    /** @return what happens, in one line for people */
    virtual std::string GetTitle() const = 0;

    /** @return cluster and traffic as YAML, without congestion control */
    virtual std::string GetText() const = 0;

    /** @return what ranks do; null if there are flows */
    virtual std::shared_ptr<const RankPlan> MakePlan() const;

    /** @return least time that an AllReduce can take, if there are some: all links evenly shared */
    virtual Time GetIdealCollective() const;
};

} // namespace llmfabric
} // namespace ns3

#endif /* CONGESTION_BENCH_SCENARIO_H */
