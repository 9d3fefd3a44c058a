/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_COLLECTIVE_READER_H
#define SCENARIO_COLLECTIVE_READER_H

#include "scenario-section.h"
#include "scenario-spec.h"

#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Reads the section `collective` of a scenario.
 */
class ScenarioCollectiveReader
{
  public:
    /**
     * @param root all sections
     * @param scenario the scenario to fill
     */
    ScenarioCollectiveReader(const ScenarioSection& root, Scenario& scenario);

    /**
     * @throws UserError for an unknown key or a bad value, with its place
     */
    void Read();

  private:
    /**
     * @param section the section
     * @param op an op, which is a key
     */
    void ReadRules(const ScenarioSection& section, const std::string& op);

    const ScenarioSection& m_root; //!< all sections
    Scenario& m_scenario;          //!< the scenario to fill
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCENARIO_COLLECTIVE_READER_H */
