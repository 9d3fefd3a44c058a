/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "one-forward-one-backward.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

std::string
OneForwardOneBackward::GetName() const
{
    return "1f1b";
}

std::vector<PipelineTask>
OneForwardOneBackward::GetTasks(const PipelineShape& shape, uint32_t stage) const
{
    CheckStage(shape, stage);
    const uint32_t ahead = std::min(shape.stages - 1 - stage, shape.microBatches);
    std::vector<PipelineTask> tasks;
    for (uint32_t i = 0; i < ahead; ++i)
    {
        tasks.push_back({PipelineAction::FORWARD, 0, i});
    }
    for (uint32_t i = 0; i < shape.microBatches; ++i)
    {
        if (i < shape.microBatches - ahead)
        {
            tasks.push_back({PipelineAction::FORWARD, 0, ahead + i});
        }
        tasks.push_back({PipelineAction::BACKWARD, 0, i});
    }
    return tasks;
}

} // namespace llmfabric
} // namespace ns3
