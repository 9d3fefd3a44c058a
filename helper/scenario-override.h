/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_OVERRIDE_H
#define SCENARIO_OVERRIDE_H

#include "scenario-node.h"

#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * One `--set=path=value` of the command line.
 *
 * The path is the keys with dots between them, e.g. `switch.ecn.kmin`; after `attributes.` all of
 * it is one key, a path of ns-3. The value is YAML, so it may be a list or a map too; an empty one
 * takes the key out. Items of a list can't be named one by one.
 */
class ScenarioOverride
{
  public:
    /**
     * @param text path=value
     * @throws UserError for a text that is not that
     */
    explicit ScenarioOverride(const std::string& text);

    /**
     * Put the value in its place, whether the key is there already or not.
     *
     * @param [in,out] root the whole scenario
     */
    void Apply(ScenarioNode& root) const;

  private:
    std::vector<std::string> m_keys; //!< the keys from the root to the value
    ScenarioNode m_value;            //!< the value
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCENARIO_OVERRIDE_H */
