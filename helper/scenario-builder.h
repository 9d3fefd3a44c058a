/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_BUILDER_H
#define SCENARIO_BUILDER_H

#include "scenario-spec.h"

namespace ns3
{
namespace llmfabric
{

struct ScenarioNode;
class ScenarioSection;

/**
 * @ingroup llm-fabric
 * Makes a Scenario of the values that a file and the command line give.
 *
 * It checks each value alone; ScenarioValidator then checks how they fit together.
 */
class ScenarioBuilder
{
  public:
    /**
     * @param root all values
     * @return the scenario, without its name
     * @throws UserError for an unknown or absent key or a bad value
     */
    static Scenario Build(const ScenarioNode& root);

  private:
    /// @param root the whole scenario
    explicit ScenarioBuilder(const ScenarioNode& root);

    /**
     * Refuse the sections of a training job beside flows.
     *
     * @param root the whole scenario
     */
    void CheckExclusive(const ScenarioSection& root) const;

    /// @param root the whole scenario: reads corpus, model, precision and batch
    void ReadModel(const ScenarioSection& root);

    /// @param root the whole scenario: reads parallel, compute and collective
    void ReadPlan(const ScenarioSection& root);

    /// @param parallel the section `parallel`: refuses degrees that are not built yet
    void CheckDegrees(const ScenarioSection& parallel) const;

    /// @param root the whole scenario: reads cluster
    void ReadCluster(const ScenarioSection& root);

    /// @param root the whole scenario: reads nic and switch
    void ReadDevices(const ScenarioSection& root);

    /// @param root the whole scenario: reads run and trace
    void ReadRun(const ScenarioSection& root);

    /// @param root the whole scenario: reads flows
    void ReadFlows(const ScenarioSection& root);

    /// @param attributes the section `attributes`, or nullptr
    void ReadAttributes(const ScenarioNode* attributes);

    Scenario m_scenario; //!< what has been read so far
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCENARIO_BUILDER_H */
