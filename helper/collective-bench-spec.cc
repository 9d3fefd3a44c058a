/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-bench-spec.h"

#include "scenario-reader.h"

#include "ns3/user-error.h"

namespace ns3
{
namespace llmfabric
{

namespace
{

/// What a scenario without a file is called.
const char* const NAME = "llm-fabric-collective";

/**
 * @param option an option of the command line
 * @return where a mistake in it stands
 */
std::string
In(const std::string& option)
{
    return "command line (" + option + ")";
}

} // namespace

std::string
CollectiveBenchSpec::MakeText() const
{
    const uint32_t gpus = gpusPerNode.value_or(1);
    const uint32_t all = ranks.value_or(DEFAULT_RANKS);
    if (all % gpus != 0)
    {
        throw UserError(std::to_string(all) + " ranks do not fill nodes of " +
                            std::to_string(gpus) + " GPUs",
                        In("--ranks, -g"),
                        "let the ranks be a multiple of the GPUs per node");
    }
    return "cluster: {nodes: " + std::to_string(all / gpus) +
           ", gpus_per_node: " + std::to_string(gpus) + "}\n";
}

Scenario
CollectiveBenchSpec::ReadScenario() const
{
    std::vector<std::string> all{"trace=null"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    for (const char* const section :
         {"corpus", "model", "precision", "batch", "parallel", "compute", "flows", "schedule"})
    {
        all.push_back(std::string(section) + "=null");
    }
    all.push_back(std::string("schedule.file=") + NAME); // the plan that stands for it is no file
    if (!scenario.empty() && gpusPerNode)
    {
        throw UserError("the scenario says how many GPUs a node has",
                        In("-g"),
                        "leave it out, or use --set=cluster.gpus_per_node=" +
                            std::to_string(*gpusPerNode));
    }
    Scenario read = scenario.empty() ? ScenarioReader::ReadText(MakeText(), NAME, all)
                                     : ScenarioReader::Read(scenario, all);
    CheckRanks(read);
    for (const auto& [rank, start] : late)
    {
        read.stragglers.start[rank] = start;
    }
    return read;
}

uint32_t
CollectiveBenchSpec::GetRanks(const Scenario& read) const
{
    const uint32_t gpus = read.cluster.nodes * read.cluster.gpusPerNode;
    return ranks.value_or(scenario.empty() ? DEFAULT_RANKS : gpus);
}

void
CollectiveBenchSpec::CheckRanks(const Scenario& read) const
{
    const uint64_t gpus = uint64_t{read.cluster.nodes} * read.cluster.gpusPerNode;
    const uint32_t all = GetRanks(read);
    if (all > gpus)
    {
        throw UserError(std::to_string(all) + " ranks do not fit the " + std::to_string(gpus) +
                            " GPUs of the cluster",
                        In("--ranks"),
                        "allowed: 1 to " + std::to_string(gpus));
    }
    const std::string allowed = "allowed: 0 to " + std::to_string(all - 1);
    if (op.HasRoot() && root >= all)
    {
        throw UserError("there is no rank " + std::to_string(root), In("-r"), allowed);
    }
    if (!late.empty() && late.rbegin()->first >= all)
    {
        throw UserError("there is no rank " + std::to_string(late.rbegin()->first),
                        In("--late"),
                        allowed);
    }
}

} // namespace llmfabric
} // namespace ns3
