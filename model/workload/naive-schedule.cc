/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "naive-schedule.h"

namespace ns3
{
namespace llmfabric
{

std::string
NaiveSchedule::GetName() const
{
    return "naive";
}

std::vector<PipelineTask>
NaiveSchedule::GetTasks(const PipelineShape& shape, uint32_t stage) const
{
    CheckStage(shape, stage);
    std::vector<PipelineTask> tasks;
    for (uint32_t i = 0; i < shape.microBatches; ++i)
    {
        tasks.push_back({PipelineAction::FORWARD, 0, i});
        tasks.push_back({PipelineAction::BACKWARD, 0, i});
    }
    return tasks;
}

} // namespace llmfabric
} // namespace ns3
