/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_LOAD_READER_H
#define SCENARIO_LOAD_READER_H

#include "scenario-section.h"
#include "scenario-spec.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Reads the section `load` of a scenario.
 */
class ScenarioLoadReader
{
  public:
    /**
     * @param root all sections
     * @param scenario the scenario to fill
     */
    ScenarioLoadReader(const ScenarioSection& root, Scenario& scenario);

    /**
     * Read the section, if there is one.
     *
     * @throws UserError for an unknown or absent key or a bad value, with its place
     */
    void Read();

  private:
    /**
     * @param section the section
     * @param load where its pairs go
     */
    void ReadPairs(const ScenarioSection& section, LoadSpec& load) const;

    const ScenarioSection& m_root; //!< all sections
    Scenario& m_scenario;          //!< the scenario to fill
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCENARIO_LOAD_READER_H */
