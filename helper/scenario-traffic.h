/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_TRAFFIC_H
#define SCENARIO_TRAFFIC_H

#include "fabric-helper.h"
#include "run-results.h"
#include "scenario-spec.h"

#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The plain traffic of a scenario: the flows it lists, and then those of its load; and how much
 * slower they were than alone.
 */
class ScenarioTraffic
{
  public:
    /**
     * @param scenario the scenario; it must outlive this
     * @param fabric its network; it must outlive this
     */
    ScenarioTraffic(const Scenario& scenario, const Fabric& fabric);

    /**
     * @param results is told what the load has become, if there is one
     * @return the flows
     * @throws UserError for a load that can't be, and any mistake in the file of a distribution
     */
    std::vector<FlowSpec> MakeFlows(RunResults& results) const;

    /**
     * Reckon the time of each flow alone, and the slowdowns of the load.
     *
     * @param results has the flows, and gets the rest
     */
    void Judge(RunResults& results) const;

  private:
    /** @return the distribution of the load; what is unknown has its place in the scenario */
    FlowSizeDistribution MakeDistribution() const;
    /** @param results has the flows, and gets the time of each alone */
    void FindIdealTimes(RunResults& results) const;

    const Scenario& m_scenario; //!< the scenario
    const Fabric& m_fabric;     //!< its network
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCENARIO_TRAFFIC_H */
