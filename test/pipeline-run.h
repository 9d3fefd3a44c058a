/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PIPELINE_RUN_H
#define PIPELINE_RUN_H

#include "ns3/pipeline-schedule.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/// How long a micro-batch takes on a part.
struct PassTimes
{
    int64_t forward{1}; //!< forward pass
    int64_t input{1};   //!< first half of the backward pass
    int64_t weight{1};  //!< second half of it

    /**
     * @return a forward and a whole backward pass
     */
    int64_t GetSum() const
    {
        return forward + input + weight;
    }
};

/**
 * A mini-batch in a pipeline whose messages take no time: a task begins when the one before it on
 * its stage and those that it needs are done.
 */
class PipelineRun
{
  public:
    /// Tasks that begin together; their results are there when all are done.
    using Block = std::vector<PipelineTask>;

    /**
     * @param schedule the schedule
     * @param shape the pipeline
     * @param times durations
     */
    PipelineRun(const PipelineSchedule& schedule,
                const PipelineShape& shape,
                const PassTimes& times)
        : m_schedule(schedule),
          m_shape(shape),
          m_times(times),
          m_next(shape.stages, 0),
          m_ends(shape.stages, 0)
    {
        for (uint32_t stage = 0; stage < shape.stages; ++stage)
        {
            m_blocks.push_back(MakeBlocks(schedule.GetTasks(shape, stage)));
        }
        bool moved = true;
        while (moved)
        {
            moved = false;
            for (uint32_t stage = 0; stage < shape.stages; ++stage)
            {
                while (DoNext(stage))
                {
                    moved = true;
                }
            }
        }
    }

    /**
     * @return whether all stages came to the end of their tasks
     */
    bool IsComplete() const
    {
        for (uint32_t stage = 0; stage < m_shape.stages; ++stage)
        {
            if (m_next[stage] < m_blocks[stage].size())
            {
                return false;
            }
        }
        return true;
    }

    /**
     * @return when the last stage was done
     */
    int64_t GetTime() const
    {
        return *std::max_element(m_ends.begin(), m_ends.end());
    }

  private:
    /// A result: whether it is of a backward pass, chunk of a bidirectional pipeline or 0, part,
    /// micro-batch.
    using Result = std::tuple<bool, uint32_t, uint32_t, uint32_t>;

    /**
     * @param tasks tasks of a stage
     * @return the tasks in blocks
     */
    static std::vector<Block> MakeBlocks(const std::vector<PipelineTask>& tasks)
    {
        std::vector<Block> blocks;
        bool open = false;
        for (const PipelineTask& task : tasks)
        {
            if (!open)
            {
                blocks.emplace_back();
            }
            blocks.back().push_back(task);
            open = task.withNext;
        }
        return blocks;
    }

    /**
     * @param backward whether the result is of a backward pass
     * @param stage the stage that makes it
     * @param task the task that makes it
     * @param ahead parts between the task's and that of the result
     * @return the result
     */
    Result MakeResult(bool backward, uint32_t stage, const PipelineTask& task, int ahead = 0) const
    {
        return {backward,
                m_schedule.IsBidirectional() ? task.chunk : 0,
                m_schedule.GetPart(m_shape, {stage, task.chunk}) + ahead,
                task.microBatch};
    }

    /**
     * @param stage a stage
     * @param task one of its tasks
     * @return what it needs
     */
    std::vector<Result> GetNeeds(uint32_t stage, const PipelineTask& task) const
    {
        const uint32_t part = m_schedule.GetPart(m_shape, {stage, task.chunk});
        std::vector<Result> needs;
        if (task.action == PipelineAction::BACKWARD_WEIGHT)
        {
            needs.push_back(MakeResult(true, stage, task));
        }
        else if (task.action != PipelineAction::FORWARD)
        {
            needs.push_back(MakeResult(false, stage, task));
            if (part + 1 < m_schedule.GetParts(m_shape))
            {
                needs.push_back(MakeResult(true, stage, task, 1));
            }
        }
        else if (part > 0)
        {
            needs.push_back(MakeResult(false, stage, task, -1));
        }
        return needs;
    }

    /**
     * @param action what is done
     * @return how long it takes
     */
    int64_t GetDuration(PipelineAction action) const
    {
        switch (action)
        {
        case PipelineAction::FORWARD:
            return m_times.forward;
        case PipelineAction::BACKWARD:
            return m_times.input + m_times.weight;
        case PipelineAction::BACKWARD_INPUT:
            return m_times.input;
        case PipelineAction::BACKWARD_WEIGHT:
            return m_times.weight;
        }
        return 0;
    }

    /**
     * @param stage a stage
     * @return whether it did its next block; not if that has to wait
     */
    bool DoNext(uint32_t stage)
    {
        if (m_next[stage] == m_blocks[stage].size())
        {
            return false;
        }
        const Block& block = m_blocks[stage][m_next[stage]];
        int64_t end = m_ends[stage];
        for (const PipelineTask& task : block)
        {
            for (const Result& need : GetNeeds(stage, task))
            {
                const auto found = m_results.find(need);
                if (found == m_results.end())
                {
                    return false;
                }
                end = std::max(end, found->second);
            }
        }
        for (const PipelineTask& task : block)
        {
            end += GetDuration(task.action);
        }
        for (const PipelineTask& task : block)
        {
            if (task.action != PipelineAction::BACKWARD_WEIGHT)
            {
                const bool backward = task.action != PipelineAction::FORWARD;
                m_results[MakeResult(backward, stage, task)] = end;
            }
        }
        m_ends[stage] = end;
        ++m_next[stage];
        return true;
    }

    const PipelineSchedule& m_schedule;       //!< the schedule
    PipelineShape m_shape;                    //!< the pipeline
    PassTimes m_times;                        //!< durations
    std::vector<std::vector<Block>> m_blocks; //!< what each stage does
    std::vector<std::size_t> m_next;          //!< by stage: its next block
    std::vector<int64_t> m_ends;              //!< by stage: end of its last block
    std::map<Result, int64_t> m_results;      //!< when each result is there
};

/// Where messages keep their order: sending stage, receiving stage, whether they are gradients,
/// chunk of a bidirectional pipeline or 0.
using PipelineChannel = std::tuple<uint32_t, uint32_t, bool, uint32_t>;

/// Messages of each channel in order: the part that needs them, the micro-batch.
using PipelineMessages = std::map<PipelineChannel, std::vector<std::pair<uint32_t, uint32_t>>>;

/**
 * @param schedule a schedule
 * @param shape the pipeline
 * @param sent whether the order of sending is asked for, not that in which messages are needed
 * @return all messages between places
 */
inline PipelineMessages
ListMessages(const PipelineSchedule& schedule, const PipelineShape& shape, bool sent)
{
    PipelineMessages messages;
    for (uint32_t stage = 0; stage < shape.stages; ++stage)
    {
        for (const PipelineTask& task : schedule.GetTasks(shape, stage))
        {
            if (task.action == PipelineAction::BACKWARD_WEIGHT)
            {
                continue;
            }
            const bool gradient = task.action != PipelineAction::FORWARD;
            const PipelinePlace here{stage, task.chunk};
            const auto other = gradient == sent ? schedule.GetPrevious(shape, here)
                                                : schedule.GetNext(shape, here);
            if (!other)
            {
                continue;
            }
            const PipelinePlace& from = sent ? here : *other;
            const PipelinePlace& to = sent ? *other : here;
            const uint32_t direction = schedule.IsBidirectional() ? task.chunk : 0;
            messages[{from.stage, to.stage, gradient, direction}].emplace_back(
                schedule.GetPart(shape, to),
                task.microBatch);
        }
    }
    return messages;
}

} // namespace llmfabric
} // namespace ns3

#endif /* PIPELINE_RUN_H */
