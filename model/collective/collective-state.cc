/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-state.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

bool
CollectiveState::Expects(uint32_t peer) const
{
    const std::vector<CollectiveWait> waits = GetWaits();
    return std::any_of(waits.begin(), waits.end(), [peer](const CollectiveWait& wait) {
        return wait.peer == peer;
    });
}

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
