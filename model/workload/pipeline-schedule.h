/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PIPELINE_SCHEDULE_H
#define PIPELINE_SCHEDULE_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/// What a pipeline stage does with one micro-batch.
enum class PipelineAction : uint8_t
{
    FORWARD,         //!< forward pass
    BACKWARD,        //!< backward pass, both halves
    BACKWARD_INPUT,  //!< first half: the gradients of the inputs, which the stage before waits for
    BACKWARD_WEIGHT, //!< second half: the gradients of the weights
};

/**
 * @ingroup llm-fabric
 * A thing to do in a pipeline.
 */
struct PipelineTask
{
    PipelineAction action; //!< what
    uint32_t chunk;        //!< on which of the stage's parts of the model, from 0
    uint32_t microBatch;   //!< with which micro-batch of the mini-batch, from 0

    /// Overlaps with the next task: the two begin when the needs of both are there, and their
    /// results are there when both are done.
    bool withNext{false};
};

/**
 * @ingroup llm-fabric
 * The size of a pipeline.
 */
struct PipelineShape
{
    uint32_t stages{1};       //!< p
    uint32_t microBatches{1}; //!< m, of one mini-batch
    uint32_t chunks{1};       //!< v, parts of the model on each stage, as the user asked
};

/**
 * @ingroup llm-fabric
 * A part of the model on a stage.
 */
struct PipelinePlace
{
    uint32_t stage; //!< the stage
    uint32_t chunk; //!< which of its parts
};

/**
 * @ingroup llm-fabric
 * The order in which the stages of a pipeline work on the micro-batches of a mini-batch.
 *
 * A stage does its tasks one after the other. What a task needs from another stage is clear: a
 * forward pass the activations of the part before it, a backward pass the gradients of the part
 * after it.
 */
class PipelineSchedule
{
  public:
    virtual ~PipelineSchedule() = default;

    /**
     * @param name a name that GetNames() knows
     * @return the schedule
     * @throws UserError if there is none of that name; it lists those there are
     */
    static std::shared_ptr<const PipelineSchedule> Create(const std::string& name);

    /**
     * @return the names of all schedules, sorted
     */
    static std::vector<std::string> GetNames();

    /**
     * @return its name in scenarios
     */
    virtual std::string GetName() const = 0;

    /**
     * @param shape the pipeline
     * @throws UserError if the schedule can't work with it: stages or micro-batches are 0, or there
     *         is more than one chunk on a stage
     */
    virtual void Check(const PipelineShape& shape) const;

    /**
     * @param shape the pipeline
     * @param stage a stage
     * @return all that it does for one mini-batch, in order
     * @throws UserError as Check() does
     */
    virtual std::vector<PipelineTask> GetTasks(const PipelineShape& shape,
                                               uint32_t stage) const = 0;

    /**
     * @param shape the pipeline
     * @return parts of the model that each stage holds
     */
    virtual uint32_t GetChunks(const PipelineShape& shape) const;

    /**
     * @param shape the pipeline
     * @return parts into which the model is cut
     */
    virtual uint32_t GetParts(const PipelineShape& shape) const;

    /**
     * @param shape the pipeline
     * @param place a part on a stage
     * @return which part of the model it is, from 0
     */
    virtual uint32_t GetPart(const PipelineShape& shape, const PipelinePlace& place) const;

    /**
     * @param shape the pipeline
     * @param place a part on a stage
     * @return where its activations go; nothing from the last part
     */
    virtual std::optional<PipelinePlace> GetNext(const PipelineShape& shape,
                                                 const PipelinePlace& place) const;

    /**
     * @param shape the pipeline
     * @param place a part on a stage
     * @return where its activations come from; nothing to the first part
     */
    virtual std::optional<PipelinePlace> GetPrevious(const PipelineShape& shape,
                                                     const PipelinePlace& place) const;

    /**
     * @return whether micro-batches run from both ends: each part is on two stages
     */
    virtual bool IsBidirectional() const;

    /**
     * Counts over the tasks. Activations live from their forward pass to the end of their
     * backward pass, with two halves to the end of the second.
     *
     * @param shape the pipeline
     * @param stage a stage
     * @param weights what a micro-batch weighs in each chunk, e.g. its bytes; empty: all the same
     * @return for each chunk, micro-batches whose activations the stage holds at the moment in
     *         which it holds the most in all, as they weigh
     */
    std::vector<uint32_t> GetPeakInFlight(const PipelineShape& shape,
                                          uint32_t stage,
                                          const std::vector<uint64_t>& weights = {}) const;

  protected:
    /**
     * @param shape the pipeline
     * @param stage which must be one of its stages
     * @throws UserError as Check() does
     */
    void CheckStage(const PipelineShape& shape, uint32_t stage) const;

    /**
     * @param shape the pipeline
     * @param place which must be one of its places
     */
    void CheckPlace(const PipelineShape& shape, const PipelinePlace& place) const;
};

} // namespace llmfabric
} // namespace ns3

#endif /* PIPELINE_SCHEDULE_H */
