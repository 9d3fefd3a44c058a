/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "gpipe-schedule.h"

namespace ns3
{
namespace llmfabric
{

std::string
GpipeSchedule::GetName() const
{
    return "gpipe";
}

std::vector<PipelineTask>
GpipeSchedule::GetTasks(const PipelineShape& shape, uint32_t stage) const
{
    CheckStage(shape, stage);
    std::vector<PipelineTask> tasks;
    for (uint32_t i = 0; i < shape.microBatches; ++i)
    {
        tasks.push_back({PipelineAction::FORWARD, 0, i});
    }
    for (uint32_t i = shape.microBatches; i-- > 0;)
    {
        tasks.push_back({PipelineAction::BACKWARD, 0, i});
    }
    return tasks;
}

} // namespace llmfabric
} // namespace ns3
