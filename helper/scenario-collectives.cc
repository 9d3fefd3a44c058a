/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-collectives.h"

#include "algorithm-reader.h"
#include "cluster-costs.h"

#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace llmfabric
{

void
ScenarioCollectives::Apply(const Scenario& scenario, TrainingJobHelper& helper)
{
    const Scenario::Collective& collective = scenario.collective;
    for (const std::string& file : collective.algorithms)
    {
        helper.AddAlgorithm(AlgorithmReader::Read(file));
    }
    for (uint32_t i = 0; i < COLLECTIVE_KINDS; ++i)
    {
        const auto kind = static_cast<CollectiveKind>(i);
        const auto rules = collective.rules.find(GetName(kind));
        if (rules != collective.rules.end())
        {
            helper.SetRules(kind, rules->second);
        }
    }
    ApplySettings(collective, helper);
    helper.SetStragglers(scenario.stragglers.factors, scenario.stragglers.jitter);
    helper.SetStarts(scenario.stragglers.start, scenario.stragglers.absent);
}

void
ScenarioCollectives::ApplySettings(const Scenario::Collective& collective,
                                   TrainingJobHelper& helper)
{
    const auto set = [&helper](const std::string& name, const auto& value) {
        if (value)
        {
            helper.SetCollectiveAttribute(name, UintegerValue(*value));
        }
    };
    set("Channels", collective.channels);
    set("ChunkSize", collective.chunk);
    set("SliceSize", collective.slice);
    set("Slots", collective.slots);
    set("QueuePairs", collective.queuePairs);
    if (collective.protocol)
    {
        helper.SetCollectiveAttribute("Protocol", StringValue(*collective.protocol));
    }
    if (collective.stepLatency)
    {
        helper.SetCollectiveAttribute("StepLatency", TimeValue(*collective.stepLatency));
    }
    if (collective.reductionRate)
    {
        helper.SetCollectiveAttribute("ReductionRate", DataRateValue(*collective.reductionRate));
    }
    if (collective.memoryBandwidth)
    {
        helper.SetCollectiveAttribute("MemoryBandwidth",
                                      DataRateValue(*collective.memoryBandwidth));
    }
}

CollectiveConfig
ScenarioCollectives::MakeConfig(const Scenario& scenario)
{
    TrainingJobHelper helper(scenario.cluster.gpusPerNode);
    ApplySettings(scenario.collective, helper);
    return helper.GetCollectiveConfig();
}

std::shared_ptr<const CollectiveSetup>
ScenarioCollectives::MakeSetup(const Scenario& scenario)
{
    TrainingJobHelper helper(scenario.cluster.gpusPerNode);
    Apply(scenario, helper);
    return helper.MakeSetup(ClusterCosts::Of(scenario));
}

} // namespace llmfabric
} // namespace ns3
