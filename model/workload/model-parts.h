/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_PARTS_H
#define MODEL_PARTS_H

#include "layer-split.h"
#include "pipeline-schedule.h"
#include "training-spec.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Consecutive layers of the model that one pipeline stage holds, with what lies before the first
 * or after the last.
 */
struct ModelPart
{
    uint32_t index{0};      //!< which part, from 0
    uint64_t firstLayer{0}; //!< its first layer
    uint64_t layers{0};     //!< how many
    bool embedding{false};  //!< the embeddings are in it
    bool output{false};     //!< the final norm and the output layer are in it

    /// A tied output layer needs a copy of the token embedding, which is in another stage.
    bool embeddingCopy{false};
};

/**
 * @ingroup llm-fabric
 * Values that one rank holds of something; with expert parallelism experts are shared out and
 * their gradients go another way than all others.
 */
struct ParameterShare
{
    uint64_t dense{0};  //!< all but routed experts
    uint64_t expert{0}; //!< routed experts

    /**
     * @param other another share that is added
     * @return this
     */
    ParameterShare& operator+=(const ParameterShare& other)
    {
        dense += other.dense;
        expert += other.expert;
        return *this;
    }
};

/**
 * @ingroup llm-fabric
 * The model cut for a pipeline, and what one rank holds of each part.
 */
class ModelParts
{
  public:
    /**
     * @param spec the training run
     * @throws UserError if the model can't be divided as the plan says
     */
    explicit ModelParts(const TrainingSpec& spec);

    /**
     * @return the order in which stages work
     */
    const PipelineSchedule& GetSchedule() const;

    /**
     * @return the size of the pipeline
     */
    const PipelineShape& GetShape() const;

    /**
     * @return the parts in model order
     */
    const std::vector<ModelPart>& GetParts() const;

    /**
     * @param stage a pipeline stage
     * @param chunk which of its parts
     * @return that part
     */
    const ModelPart& GetPart(uint32_t stage, uint32_t chunk) const;

    /**
     * @return parts of the model that each stage holds
     */
    uint32_t GetChunks() const;

    /**
     * @param part a part
     * @return what one rank holds of it, an overridden total accounted for
     */
    ParameterShare GetShare(const ModelPart& part) const;

    /**
     * @param stage a pipeline stage
     * @return what one rank holds of all its parts
     */
    ParameterShare GetStageShare(uint32_t stage) const;

    /**
     * @param layer a layer
     * @return what one rank holds of it by its tensors
     */
    ParameterShare GetLayerShare(uint64_t layer) const;

    /**
     * @param part a part
     * @return what one rank holds of the embeddings in it by their tensors
     */
    ParameterShare GetEmbeddingShare(const ModelPart& part) const;

    /**
     * @param part a part
     * @return what one rank holds of the final norm and the output layer in it by their tensors, a
     *         copy of a tied embedding included
     */
    ParameterShare GetOutputShare(const ModelPart& part) const;

    /**
     * @return values that one rank holds of the token embedding
     */
    uint64_t GetTokenEmbeddingShare() const;

    /**
     * @return whether first and last stage have to add up the gradients of a tied embedding
     */
    bool IsEmbeddingShared() const;

  private:
    /// Cut the model; needs schedule and shape.
    void Cut();
    /**
     * @return how many layers each part gets
     */
    LayerSplit MakeSplit() const;
    /**
     * @param tensors some tensors
     * @return what one rank holds of them
     */
    ParameterShare Sum(const std::vector<TensorShape>& tensors) const;
    /**
     * @param part a part
     * @return values of it over all ranks, without a copy of the embedding
     */
    uint64_t CountWhole(const ModelPart& part) const;

    TrainingSpec m_spec;                                //!< the training run
    std::shared_ptr<const PipelineSchedule> m_schedule; //!< the order of work
    PipelineShape m_shape;                              //!< size of the pipeline
    std::vector<ModelPart> m_parts;                     //!< in model order
    ParameterShare m_denseLayer;                        //!< of one layer without experts
    ParameterShare m_expertLayer;                       //!< of one layer with experts

    /// With a given total: values of the parts before each part, and of all.
    std::vector<uint64_t> m_wholes{0};
};

} // namespace llmfabric
} // namespace ns3

#endif /* MODEL_PARTS_H */
