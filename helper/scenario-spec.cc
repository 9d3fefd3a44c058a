/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-spec.h"

namespace ns3
{
namespace llmfabric
{

bool
Scenario::HasFlows() const
{
    return !flows.empty() || load;
}

bool
Scenario::HasSchedule() const
{
    return !schedule.file.empty();
}

bool
Scenario::HasTraining() const
{
    return !HasFlows() && !HasSchedule();
}

uint64_t
Scenario::GetHostCount() const
{
    return uint64_t{cluster.nodes} * cluster.nicsPerNode;
}

bool
Scenario::IsSection(const std::string& name)
{
    static const std::set<std::string> SECTIONS{"corpus",
                                                "model",
                                                "precision",
                                                "batch",
                                                "parallel",
                                                "compute",
                                                "collective",
                                                "cluster",
                                                "nic",
                                                "switch",
                                                "run",
                                                "trace",
                                                "attributes",
                                                "stragglers",
                                                "schedule",
                                                "flows",
                                                "load"};
    return SECTIONS.count(name) > 0;
}

std::string
Scenario::Where(const std::string& keyPath) const
{
    const auto found = positions.find(keyPath);
    if (found == positions.end())
    {
        return keyPath + " (default)";
    }
    return found->second + " (" + keyPath + ")";
}

} // namespace llmfabric
} // namespace ns3
