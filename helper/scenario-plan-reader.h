/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_PLAN_READER_H
#define SCENARIO_PLAN_READER_H

#include "scenario-section.h"
#include "scenario-spec.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Reads how a training job is done: the sections parallel and compute.
 */
class ScenarioPlanReader
{
  public:
    /**
     * @param root the whole scenario
     * @param [in,out] scenario gets the values; must outlive this
     */
    ScenarioPlanReader(const ScenarioSection& root, Scenario& scenario);

    /**
     * Read the sections.
     *
     * @throws UserError for an unknown or absent key or a bad value
     */
    void Read();

  private:
    /// Reads the section parallel.
    void ReadParallel();

    /// @param section the section parallel: reads the degrees of parallelism
    void ReadDegrees(const ScenarioSection& section);

    /// @param section the section parallel: reads what is between pipeline stages
    void ReadPipeline(const ScenarioSection& section);

    /// @param section the section parallel: reads how gradients and parameters travel
    void ReadGradients(const ScenarioSection& section);

    /// @param section the section parallel: reads in which order ranks are numbered
    void ReadOrder(const ScenarioSection& section);

    /// @param section the section parallel: reads how the experts are loaded
    void ReadExpertLoad(const ScenarioSection& section);

    /// Reads the section compute.
    void ReadCompute();

    /// @param section the section compute: refuses times that are missing, half given or given
    /// twice
    void CheckTimes(const ScenarioSection& section) const;

    const ScenarioSection& m_root; //!< the whole scenario
    Scenario& m_scenario;          //!< gets the values
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCENARIO_PLAN_READER_H */
