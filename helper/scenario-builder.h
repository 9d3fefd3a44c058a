/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_BUILDER_H
#define SCENARIO_BUILDER_H

#include "scenario-spec.h"

#include <map>
#include <string>
#include <vector>

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

    /// @param root the whole scenario: reads what decides of which kind it is
    void ReadKind(const ScenarioSection& root);

    /**
     * Refuse the sections of another kind of scenario.
     *
     * @param root the whole scenario
     * @param kind the section that stands for the kind
     * @param others the sections that don't belong to it
     */
    void CheckAlone(const ScenarioSection& root,
                    const std::string& kind,
                    const std::vector<std::string>& others) const;

    /// @param root the whole scenario: reads cluster
    void ReadCluster(const ScenarioSection& root);

    /// @param root the whole scenario: reads nic and switch
    void ReadDevices(const ScenarioSection& root);

    /// @param root the whole scenario: reads run and trace
    void ReadRun(const ScenarioSection& root);

    /// @param root the whole scenario: reads stragglers
    void ReadStragglers(const ScenarioSection& root);

    /**
     * Read a map from ranks to values.
     *
     * @tparam T type of the values
     * @tparam READ takes the map and a key of it, and returns the value
     * @param section the section `stragglers`
     * @param name the map's key there
     * @param values where they go
     * @param read reads a value
     */
    template <typename T, typename READ>
    void ReadByRank(const ScenarioSection& section,
                    const std::string& name,
                    std::map<uint32_t, T>& values,
                    READ read) const;

    /**
     * @param keyPath the path of a factor of `stragglers.factors`
     * @param key its key
     * @return the rank that the key names
     */
    uint32_t ReadRank(const std::string& keyPath, const std::string& key) const;

    /// @param root the whole scenario: reads flows
    void ReadFlows(const ScenarioSection& root);

    /// @param root the whole scenario: reads attributes
    void ReadAttributes(const ScenarioSection& root);

    Scenario m_scenario; //!< what has been read so far
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCENARIO_BUILDER_H */
