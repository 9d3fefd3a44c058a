/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-collective-reader.h"

#include "ns3/program-op.h"
#include "ns3/user-error.h"

namespace ns3
{
namespace llmfabric
{

ScenarioCollectiveReader::ScenarioCollectiveReader(const ScenarioSection& root, Scenario& scenario)
    : m_root(root),
      m_scenario(scenario)
{
}

void
ScenarioCollectiveReader::Read()
{
    static constexpr uint32_t LARGEST_CHANNELS = 64;
    static constexpr uint32_t LARGEST_QUEUE_PAIRS = 128;
    static constexpr uint64_t LARGEST_SIZE = 1ULL << 40;
    std::vector<std::string> keys{"algorithms",
                                  "channels",
                                  "chunk",
                                  "slice",
                                  "slots",
                                  "queue_pairs",
                                  "protocol",
                                  "step_latency",
                                  "reduction_rate",
                                  "memory_bandwidth"};
    std::vector<std::string> ops;
    for (uint32_t kind = 0; kind < COLLECTIVE_KINDS; ++kind)
    {
        ops.push_back(GetName(static_cast<CollectiveKind>(kind)));
    }
    keys.insert(keys.end(), ops.begin(), ops.end());
    const auto section = m_root.GetSection("collective", keys);
    for (const std::string& op : ops)
    {
        ReadRules(section, op);
    }
    auto& collective = m_scenario.collective;
    section.ReadEach("algorithms", "a path", [&collective](const std::string& text) {
        collective.algorithms.push_back(text);
    });
    section.ReadCount("channels", collective.channels, 1, LARGEST_CHANNELS);
    for (auto [key, size] :
         {std::make_pair("chunk", &collective.chunk), std::make_pair("slice", &collective.slice)})
    {
        section.ReadSize(key, *size);
        if (*size > LARGEST_SIZE)
        {
            throw UserError(std::to_string(**size) + " bytes are too many",
                            m_scenario.Where("collective." + std::string(key)),
                            "allowed: 1 to 1 TiB");
        }
    }
    section.ReadCount("slots", collective.slots, 0, std::numeric_limits<uint32_t>::max());
    section.ReadCount("queue_pairs", collective.queuePairs, 1, LARGEST_QUEUE_PAIRS);
    section.ReadText("protocol", collective.protocol);
    section.ReadTime("step_latency", collective.stepLatency);
    section.ReadRate("reduction_rate", collective.reductionRate);
    section.ReadRate("memory_bandwidth", collective.memoryBandwidth);
}

void
ScenarioCollectiveReader::ReadRules(const ScenarioSection& section, const std::string& op)
{
    std::vector<CollectiveRule> rules;
    if (section.GetKind(op) != ScenarioNode::LIST)
    {
        std::optional<std::string> name;
        section.ReadText(op, name);
        if (name)
        {
            m_scenario.collective.rules[op] = {{std::nullopt, *name}};
        }
        return;
    }
    const auto items = section.GetItems(op);
    for (std::size_t i = 0; i < items.size(); ++i)
    {
        const ScenarioSection item(&items[i],
                                   "collective." + op + "[" + std::to_string(i) + "]",
                                   {"up_to", "algorithm"},
                                   m_scenario);
        CollectiveRule rule;
        item.Require("algorithm");
        item.ReadSize("up_to", rule.upTo);
        item.ReadText("algorithm", rule.algorithm);
        rules.push_back(rule);
    }
    m_scenario.collective.rules[op] = rules;
}

} // namespace llmfabric
} // namespace ns3
