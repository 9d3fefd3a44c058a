/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_COLLECTIVES_H
#define SCENARIO_COLLECTIVES_H

#include "scenario-spec.h"
#include "training-job-helper.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Tells a TrainingJobHelper what the sections `collective` and `stragglers` of a scenario say.
 */
class ScenarioCollectives
{
  public:
    /**
     * @param scenario the scenario
     * @param helper who is told
     * @throws UserError for an unknown algorithm, or one whose file is wrong
     */
    static void Apply(const Scenario& scenario, TrainingJobHelper& helper);

    /**
     * @param scenario the scenario
     * @return the settings of its collectives
     * @throws UserError for an unknown protocol
     */
    static CollectiveConfig MakeConfig(const Scenario& scenario);

    /**
     * @param scenario the scenario
     * @return how collectives are done on its cluster
     * @throws UserError as Apply() does, and for an unknown protocol
     */
    static std::shared_ptr<const CollectiveSetup> MakeSetup(const Scenario& scenario);

  private:
    /**
     * @param collective the section `collective`
     * @param helper gets its settings, without algorithms and rules
     */
    static void ApplySettings(const Scenario::Collective& collective, TrainingJobHelper& helper);
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCENARIO_COLLECTIVES_H */
