/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_VALIDATOR_H
#define SCENARIO_VALIDATOR_H

#include "scenario-spec.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Checks how the values of a scenario fit together; each alone is right already.
 */
class ScenarioValidator
{
  public:
    /**
     * @param scenario the scenario
     * @throws UserError for the first two values that disagree
     */
    static void Check(const Scenario& scenario);

  private:
    /// @param scenario whose NICs must be shared evenly by the GPUs of a node
    static void CheckNode(const Scenario& scenario);

    /// @param scenario whose ranks must have a GPU each
    static void CheckRanks(const Scenario& scenario);

    /**
     * @param scenario whose stragglers must be ranks that exist
     * @param ranks the ranks there can be
     */
    static void CheckStragglers(const Scenario& scenario, uint64_t ranks);

    /// @param scenario whose network must have room for exactly the hosts there are
    static void CheckTopology(const Scenario& scenario);

    /// @param scenario whose topology keys must belong to its topology, and be complete
    static void CheckTopologyKeys(const Scenario& scenario);

    /**
     * @param scenario whose number of hosts must be right
     * @param places number of hosts the topology holds
     * @param formula how the places are counted, for the message
     */
    static void CheckHosts(const Scenario& scenario, uint64_t places, const std::string& formula);

    /// @param scenario whose links must have a delay, the MTU its size, and ECN thresholds their
    /// order
    static void CheckNetwork(const Scenario& scenario);

    /// @param scenario whose flows must run between two hosts that exist
    static void CheckFlows(const Scenario& scenario);

    /// @param scenario whose load, if there is one, must fit its hosts
    static void CheckLoad(const Scenario& scenario);
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCENARIO_VALIDATOR_H */
