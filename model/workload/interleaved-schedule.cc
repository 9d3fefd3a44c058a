/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "interleaved-schedule.h"

#include "checked-math.h"

#include "ns3/user-error.h"

#include <algorithm>
#include <limits>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param shape the pipeline
 * @param turn which forward pass of a stage, from 0
 * @return the pass
 */
PipelineTask
GetForward(const PipelineShape& shape, uint64_t turn)
{
    const uint64_t round = uint64_t{shape.stages} * shape.chunks; // p micro-batches, all chunks
    const uint64_t chunk = turn % round / shape.stages;
    const uint64_t microBatch = turn / round * shape.stages + turn % shape.stages;
    return {PipelineAction::FORWARD,
            static_cast<uint32_t>(chunk),
            static_cast<uint32_t>(microBatch)};
}

/**
 * @param shape the pipeline
 * @param turn which backward pass of a stage, from 0
 * @return the pass; chunks come in reverse order, micro-batches as in the forward passes
 */
PipelineTask
GetBackward(const PipelineShape& shape, uint64_t turn)
{
    const PipelineTask forward = GetForward(shape, turn);
    return {PipelineAction::BACKWARD, shape.chunks - 1 - forward.chunk, forward.microBatch};
}

} // namespace

std::string
InterleavedSchedule::GetName() const
{
    return "interleaved";
}

void
InterleavedSchedule::Check(const PipelineShape& shape) const
{
    CheckPositive(shape.microBatches, "batch.micro_sequences");
    if (shape.stages < 2)
    {
        throw UserError("an interleaved pipeline has at least 2 stages",
                        "parallel.pipeline",
                        "take more stages, or schedule 1f1b");
    }
    if (shape.chunks < 2)
    {
        throw UserError("an interleaved pipeline has at least 2 chunks on each stage",
                        "parallel.chunks",
                        "take more chunks, or schedule 1f1b");
    }
    if (shape.microBatches % shape.stages != 0)
    {
        throw UserError(std::to_string(shape.microBatches) +
                            " micro-batches of a mini-batch are not a multiple of the " +
                            std::to_string(shape.stages) +
                            " stages, as an interleaved pipeline needs",
                        "batch.micro_sequences",
                        "choose another size of micro-batches, or schedule 1f1b");
    }
    if (uint64_t{shape.stages} * shape.chunks > std::numeric_limits<uint32_t>::max())
    {
        throw UserError("too many parts of the model", "parallel.chunks", "take fewer chunks");
    }
}

std::vector<PipelineTask>
InterleavedSchedule::GetTasks(const PipelineShape& shape, uint32_t stage) const
{
    CheckStage(shape, stage);
    const uint64_t passes = uint64_t{shape.microBatches} * shape.chunks;
    const uint64_t ahead =
        std::min(uint64_t{shape.stages - 1 - stage} * 2 + uint64_t{shape.chunks - 1} * shape.stages,
                 passes);
    std::vector<PipelineTask> tasks;
    for (uint64_t turn = 0; turn < ahead; ++turn)
    {
        tasks.push_back(GetForward(shape, turn));
    }
    for (uint64_t turn = 0; turn < passes; ++turn)
    {
        if (turn < passes - ahead)
        {
            tasks.push_back(GetForward(shape, ahead + turn));
        }
        tasks.push_back(GetBackward(shape, turn));
    }
    return tasks;
}

uint32_t
InterleavedSchedule::GetChunks(const PipelineShape& shape) const
{
    return shape.chunks;
}

} // namespace llmfabric
} // namespace ns3
