/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dual-pipe-schedule.h"

#include "ns3/user-error.h"

#include <algorithm>
#include <array>
#include <queue>
#include <utility>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * Writes the tasks of one stage.
 *
 * A stage of the second half does what its mirror in the first half does, with the directions
 * swapped. So directions are named as the stage sees them: those that come FROM_NEAR its end of the
 * pipeline, and those FROM_FAR.
 */
class TaskWriter
{
  public:
    /// Where micro-batches come from.
    enum Origin : uint32_t
    {
        FROM_NEAR, //!< the end of the pipeline that is nearer to the stage
        FROM_FAR   //!< the other end
    };

    /**
     * @param shape the pipeline
     * @param stage the stage
     */
    TaskWriter(const PipelineShape& shape, uint32_t stage)
        : m_half(shape.microBatches / 2),
          m_swapped(stage >= shape.stages / 2)
    {
    }

    /**
     * @param origin whose next forward pass is done
     */
    void Forward(Origin origin)
    {
        Add(PipelineAction::FORWARD, origin, m_forwards[origin]++);
    }

    /**
     * @param origin whose next backward pass is done
     */
    void Backward(Origin origin)
    {
        Add(PipelineAction::BACKWARD, origin, m_backwards[origin]++);
    }

    /**
     * @param origin the first half of whose next backward pass is done
     */
    void BackwardInput(Origin origin)
    {
        m_halves.push({origin, m_backwards[origin]});
        Add(PipelineAction::BACKWARD_INPUT, origin, m_backwards[origin]++);
    }

    /**
     * A forward and a backward pass overlap.
     *
     * @param forward whose next forward pass is done
     * @param backward whose next backward pass is done
     */
    void Overlap(Origin forward, Origin backward)
    {
        Forward(forward);
        m_tasks.back().withNext = true;
        Backward(backward);
    }

    /// The oldest half backward pass is completed.
    void BackwardWeight()
    {
        Add(PipelineAction::BACKWARD_WEIGHT, m_halves.front().first, m_halves.front().second);
        m_halves.pop();
    }

    /**
     * @return the tasks
     */
    const std::vector<PipelineTask>& GetTasks() const
    {
        return m_tasks;
    }

  private:
    /**
     * @param action what is done
     * @param origin where the micro-batch comes from
     * @param turn which micro-batch of those
     */
    void Add(PipelineAction action, Origin origin, uint32_t turn)
    {
        const uint32_t chunk = m_swapped ? 1 - origin : origin;
        m_tasks.push_back({action, chunk, chunk * m_half + turn, false});
    }

    uint32_t m_half;                                  //!< micro-batches of a direction
    bool m_swapped;                                   //!< whether the far end is where 0 begins
    std::array<uint32_t, 2> m_forwards{};             //!< forward passes done, by origin
    std::array<uint32_t, 2> m_backwards{};            //!< backward passes begun, by origin
    std::queue<std::pair<Origin, uint32_t>> m_halves; //!< half backward passes: origin and turn
    std::vector<PipelineTask> m_tasks;                //!< what was written
};

/**
 * The forward passes before the first backward pass, and half backward passes whose second half
 * fills the time in which the stage would wait.
 *
 * @param [in,out] writer the tasks
 * @param depth stages between this one and the nearer end
 * @param inner stages between this one and the middle
 */
void
FillPipeline(TaskWriter& writer, uint32_t depth, uint32_t inner)
{
    for (uint32_t i = 0; i < 2 * inner; ++i)
    {
        writer.Forward(TaskWriter::FROM_NEAR);
    }
    for (uint32_t i = 0; i <= depth; ++i)
    {
        writer.Forward(TaskWriter::FROM_NEAR);
        writer.Forward(TaskWriter::FROM_FAR);
    }
    for (uint32_t i = 0; i < inner; ++i)
    {
        writer.BackwardInput(TaskWriter::FROM_FAR);
        writer.BackwardWeight();
        writer.Forward(TaskWriter::FROM_FAR);
    }
}

/**
 * The steady state: a forward pass of each direction with a backward pass of the other one. In its
 * last rounds the near end has nothing left to go forward.
 *
 * @param [in,out] writer the tasks
 * @param rounds rounds with all four passes
 * @param inner stages between this one and the middle, as many as there are last rounds
 */
void
KeepPipelineFull(TaskWriter& writer, uint32_t rounds, uint32_t inner)
{
    for (uint32_t i = 0; i < rounds; ++i)
    {
        if (i == 0 && inner == 0)
        {
            // The gradients come from the stage beside, which waits for this forward pass.
            writer.Forward(TaskWriter::FROM_NEAR);
            writer.Backward(TaskWriter::FROM_FAR);
        }
        else
        {
            writer.Overlap(TaskWriter::FROM_NEAR, TaskWriter::FROM_FAR);
        }
        writer.Overlap(TaskWriter::FROM_FAR, TaskWriter::FROM_NEAR);
    }
    for (uint32_t i = 0; i < inner; ++i)
    {
        writer.Backward(TaskWriter::FROM_FAR);
        writer.Overlap(TaskWriter::FROM_FAR, TaskWriter::FROM_NEAR);
    }
}

/**
 * The backward passes that are left: first of both directions in turn, the later ones in halves,
 * whose second halves fill the time in which the stage would wait; then those from the near end.
 *
 * @param [in,out] writer the tasks
 * @param depth stages between this one and the nearer end
 * @param inner stages between this one and the middle
 */
void
DrainPipeline(TaskWriter& writer, uint32_t depth, uint32_t inner)
{
    const uint32_t passes = 2 * (depth + 1);
    for (uint32_t i = 0; i < passes; ++i)
    {
        const auto origin = i % 2 == 0 ? TaskWriter::FROM_FAR : TaskWriter::FROM_NEAR;
        if (i <= depth)
        {
            writer.Backward(origin);
        }
        else
        {
            writer.BackwardInput(origin);
        }
    }
    for (uint32_t i = 0; i < inner; ++i)
    {
        writer.BackwardWeight();
        writer.BackwardInput(TaskWriter::FROM_NEAR);
    }
    for (uint32_t i = 0; i <= depth; ++i)
    {
        writer.BackwardWeight();
    }
}

} // namespace

std::string
DualPipeSchedule::GetName() const
{
    return "dualpipe";
}

void
DualPipeSchedule::Check(const PipelineShape& shape) const
{
    PipelineSchedule::Check(shape);
    if (shape.stages % 2 != 0)
    {
        throw UserError("dualpipe runs from both ends and needs an even number of stages, not " +
                            std::to_string(shape.stages),
                        "parallel.pipeline",
                        "take one stage more or less");
    }
    if (shape.microBatches % 2 != 0 || shape.microBatches / 2 < shape.stages)
    {
        throw UserError("dualpipe needs an even number of micro-batches, at least twice the " +
                            std::to_string(shape.stages) + " stages, not " +
                            std::to_string(shape.microBatches),
                        "batch.micro_sequences",
                        "choose smaller micro-batches or a larger mini-batch");
    }
}

std::vector<PipelineTask>
DualPipeSchedule::GetTasks(const PipelineShape& shape, uint32_t stage) const
{
    CheckStage(shape, stage);
    const uint32_t depth = std::min(stage, shape.stages - 1 - stage);
    const uint32_t inner = shape.stages / 2 - 1 - depth;
    TaskWriter writer(shape, stage);
    FillPipeline(writer, depth, inner);
    KeepPipelineFull(writer, shape.microBatches / 2 - shape.stages + depth + 1, inner);
    DrainPipeline(writer, depth, inner);
    return writer.GetTasks();
}

uint32_t
DualPipeSchedule::GetChunks(const PipelineShape&) const
{
    return 2;
}

uint32_t
DualPipeSchedule::GetParts(const PipelineShape& shape) const
{
    return shape.stages;
}

uint32_t
DualPipeSchedule::GetPart(const PipelineShape& shape, const PipelinePlace& place) const
{
    CheckPlace(shape, place);
    return place.chunk == 0 ? place.stage : shape.stages - 1 - place.stage;
}

std::optional<PipelinePlace>
DualPipeSchedule::GetNext(const PipelineShape& shape, const PipelinePlace& place) const
{
    if (GetPart(shape, place) == shape.stages - 1)
    {
        return std::nullopt;
    }
    return PipelinePlace{place.chunk == 0 ? place.stage + 1 : place.stage - 1, place.chunk};
}

std::optional<PipelinePlace>
DualPipeSchedule::GetPrevious(const PipelineShape& shape, const PipelinePlace& place) const
{
    if (GetPart(shape, place) == 0)
    {
        return std::nullopt;
    }
    return PipelinePlace{place.chunk == 0 ? place.stage - 1 : place.stage + 1, place.chunk};
}

bool
DualPipeSchedule::IsBidirectional() const
{
    return true;
}

} // namespace llmfabric
} // namespace ns3
