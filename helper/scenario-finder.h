/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_FINDER_H
#define SCENARIO_FINDER_H

#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Finds the file of a scenario that is named by path or by preset.
 *
 * A name is a path if it holds '/' or ends in .yaml or .json. Any other is a preset NAME.yaml,
 * looked for in the folder $LLM_FABRIC_SCENARIOS, in examples/scenarios of the source folder, and
 * in share/llm-fabric/scenarios beside the program and beside the program's folder.
 */
class ScenarioFinder
{
  public:
    /**
     * @param nameOrPath what the user asked for
     * @return the path of the file; of a path, whether it exists is not looked at
     * @throws UserError for a preset that is not there, with the presets that are
     */
    static std::string Find(const std::string& nameOrPath);

    /// @return the folders that may hold presets, first come first served; some may not exist
    static std::vector<std::string> GetFolders();

    /// @return the names of all presets, sorted
    static std::vector<std::string> GetPresets();
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCENARIO_FINDER_H */
