/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_READER_H
#define SCENARIO_READER_H

#include "scenario-spec.h"

#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Reads a scenario: finds the file, applies the overrides, types and checks every value.
 *
 * The file is YAML, so JSON too. A null value counts as absent. Numbers, and texts that are
 * numbers, mean the same. Every mistake ends in a UserError of one sentence, which says where it
 * stands, what is wrong and what is allowed. Set the time resolution before.
 */
class ScenarioReader
{
  public:
    /**
     * @param nameOrPath a path if it holds '/' or ends in .yaml or .json, else the name of a
     *        preset (see ScenarioFinder)
     * @param overrides the texts `path=value` of the `--set` options; of two for one key the
     *        later wins (see ScenarioOverride)
     * @return the scenario
     * @throws UserError for any mistake of the user
     */
    static Scenario Read(const std::string& nameOrPath, const std::vector<std::string>& overrides);

    /**
     * @param text a scenario as YAML or JSON
     * @param source what to call it in messages, e.g. the name of its file
     * @param overrides as for Read()
     * @return the scenario
     * @throws UserError for any mistake of the user
     */
    static Scenario ReadText(const std::string& text,
                             const std::string& source,
                             const std::vector<std::string>& overrides);
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCENARIO_READER_H */
