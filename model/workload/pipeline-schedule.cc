/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pipeline-schedule.h"

#include "checked-math.h"
#include "dual-pipe-schedule.h"
#include "gpipe-schedule.h"
#include "interleaved-schedule.h"
#include "naive-schedule.h"
#include "one-forward-one-backward.h"
#include "zero-bubble-schedule.h"

#include "ns3/abort.h"
#include "ns3/user-error.h"

#include <initializer_list>
#include <map>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @return one schedule of each kind, by name
 */
std::map<std::string, std::shared_ptr<const PipelineSchedule>>
MakeAll()
{
    std::map<std::string, std::shared_ptr<const PipelineSchedule>> schedules;
    for (const std::shared_ptr<const PipelineSchedule>& schedule :
         std::initializer_list<std::shared_ptr<const PipelineSchedule>>{
             std::make_shared<NaiveSchedule>(),
             std::make_shared<GpipeSchedule>(),
             std::make_shared<OneForwardOneBackward>(),
             std::make_shared<InterleavedSchedule>(),
             std::make_shared<ZeroBubbleSchedule>(),
             std::make_shared<DualPipeSchedule>()})
    {
        schedules[schedule->GetName()] = schedule;
    }
    return schedules;
}

} // namespace

std::shared_ptr<const PipelineSchedule>
PipelineSchedule::Create(const std::string& name)
{
    const auto schedules = MakeAll();
    const auto found = schedules.find(name);
    if (found != schedules.end())
    {
        return found->second;
    }
    std::string known;
    for (const auto& [other, schedule] : schedules)
    {
        known += (known.empty() ? "" : ", ") + other;
    }
    throw UserError("unknown schedule '" + name + "'", "parallel.schedule", "allowed: " + known);
}

std::vector<std::string>
PipelineSchedule::GetNames()
{
    std::vector<std::string> names;
    for (const auto& [name, schedule] : MakeAll())
    {
        names.push_back(name);
    }
    return names;
}

void
PipelineSchedule::Check(const PipelineShape& shape) const
{
    CheckPositive(shape.stages, "parallel.pipeline");
    CheckPositive(shape.microBatches, "batch.micro_sequences");
    CheckPositive(shape.chunks, "parallel.chunks");
    if (shape.chunks != 1)
    {
        throw UserError("schedule " + GetName() + " can't work with " +
                            std::to_string(shape.chunks) + " chunks on each stage",
                        "parallel.chunks",
                        "give 1, or take schedule interleaved");
    }
}

uint32_t
PipelineSchedule::GetChunks(const PipelineShape&) const
{
    return 1;
}

uint32_t
PipelineSchedule::GetParts(const PipelineShape& shape) const
{
    return shape.stages * GetChunks(shape);
}

uint32_t
PipelineSchedule::GetPart(const PipelineShape& shape, const PipelinePlace& place) const
{
    CheckPlace(shape, place);
    return place.chunk * shape.stages + place.stage;
}

std::optional<PipelinePlace>
PipelineSchedule::GetNext(const PipelineShape& shape, const PipelinePlace& place) const
{
    const uint32_t part = GetPart(shape, place) + 1;
    if (part == GetParts(shape))
    {
        return std::nullopt;
    }
    return PipelinePlace{part % shape.stages, part / shape.stages};
}

std::optional<PipelinePlace>
PipelineSchedule::GetPrevious(const PipelineShape& shape, const PipelinePlace& place) const
{
    const uint32_t part = GetPart(shape, place);
    if (part == 0)
    {
        return std::nullopt;
    }
    return PipelinePlace{(part - 1) % shape.stages, (part - 1) / shape.stages};
}

bool
PipelineSchedule::IsBidirectional() const
{
    return false;
}

std::vector<uint32_t>
PipelineSchedule::GetPeakInFlight(const PipelineShape& shape,
                                  uint32_t stage,
                                  const std::vector<uint64_t>& weights) const
{
    using Wide = unsigned __int128; // the sum may not fit 64 bits
    NS_ABORT_MSG_UNLESS(weights.empty() || weights.size() == GetChunks(shape),
                        "PipelineSchedule: " << weights.size() << " weights");
    std::vector<uint32_t> held(GetChunks(shape), 0);
    std::vector<uint32_t> peak = held;
    Wide sum = 0;
    Wide most = 0;
    for (const PipelineTask& task : GetTasks(shape, stage))
    {
        const Wide weight = weights.empty() ? 1 : weights[task.chunk];
        if (task.action == PipelineAction::FORWARD)
        {
            ++held[task.chunk];
            sum += weight;
        }
        else if (task.action != PipelineAction::BACKWARD_INPUT)
        {
            --held[task.chunk];
            sum -= weight;
        }
        if (sum > most)
        {
            most = sum;
            peak = held;
        }
    }
    return peak;
}

void
PipelineSchedule::CheckStage(const PipelineShape& shape, uint32_t stage) const
{
    Check(shape);
    NS_ABORT_MSG_IF(stage >= shape.stages,
                    "PipelineSchedule: stage " << stage << " of " << shape.stages);
}

void
PipelineSchedule::CheckPlace(const PipelineShape& shape, const PipelinePlace& place) const
{
    NS_ABORT_MSG_IF(place.stage >= shape.stages || place.chunk >= GetChunks(shape),
                    "PipelineSchedule: no chunk " << place.chunk << " on a stage " << place.stage);
}

} // namespace llmfabric
} // namespace ns3
