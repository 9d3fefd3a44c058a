/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-state.h"

namespace ns3
{
namespace llmfabric
{

std::string
CollectiveState::DescribeWait() const
{
    std::string text;
    for (const CollectiveWait& wait : GetWaits())
    {
        text += (text.empty() ? "waits for step " : ", step ") + std::to_string(wait.step) +
                " of " + std::to_string(GetStepCount()) + " from index " +
                std::to_string(wait.peer);
    }
    return text.empty() ? "waits for nothing" : text;
}

} // namespace llmfabric
} // namespace ns3
