/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-load-reader.h"

#include "poisson-load.h"

namespace ns3
{
namespace llmfabric
{

ScenarioLoadReader::ScenarioLoadReader(const ScenarioSection& root, Scenario& scenario)
    : m_root(root),
      m_scenario(scenario)
{
}

void
ScenarioLoadReader::Read()
{
    if (!m_root.Has("load"))
    {
        return;
    }
    const auto section =
        m_root.GetSection("load",
                          {"distribution", "percent", "duration", "flows", "pairs", "start"});
    LoadSpec load;
    section.Require("distribution");
    section.Require("percent");
    section.ReadText("distribution", load.distribution);
    section.ReadNumber("percent", load.percent, {0, true, 100});
    section.ReadTime("duration", load.duration);
    section.ReadCount("flows", load.flows, 1, PoissonLoad::MAX_FLOWS);
    section.ReadTime("start", load.start);
    ReadPairs(section, load);
    m_scenario.load = load;
}

void
ScenarioLoadReader::ReadPairs(const ScenarioSection& section, LoadSpec& load) const
{
    if (section.GetKind("pairs") != ScenarioNode::LIST)
    {
        std::string word = "all-to-all";
        section.ReadChoice("pairs", word, {"all-to-all"}, "a list of {from, to}");
        return;
    }
    const auto items = section.GetItems("pairs");
    for (std::size_t i = 0; i < items.size(); ++i)
    {
        const ScenarioSection pair(&items[i],
                                   "load.pairs[" + std::to_string(i) + "]",
                                   {"from", "to"},
                                   m_scenario);
        auto& [from, to] = load.pairs.emplace_back();
        pair.Require("from");
        pair.Require("to");
        pair.ReadCount("from", from, 0);
        pair.ReadCount("to", to, 0);
    }
}

} // namespace llmfabric
} // namespace ns3
