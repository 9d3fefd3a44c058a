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
