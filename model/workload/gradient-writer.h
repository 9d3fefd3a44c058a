/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GRADIENT_WRITER_H
#define GRADIENT_WRITER_H

#include "gradient-buckets.h"
#include "model-parts.h"
#include "program-writer.h"
#include "training-spec.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Writes how the ranks of a stage share gradients, and the update of the weights.
 *
 * As parallel.zero and parallel.buckets say:
 *
 *     0   AllReduce of all at the end, or by buckets during the last backward pass of each part
 *     1   the same with ReduceScatter, and an AllGather of the parameters after the update
 *     2   ReduceScatter after each micro-batch, AllGather after the update
 *     3   ReduceScatter of each unit after its backward pass (no_sync: the last one only)
 *
 * Routed experts go over EXPERT_DATA, all else over DATA. The stages that hold a tied embedding,
 * and those of a bidirectional pipeline that hold the same layers, add up theirs after that.
 */
class GradientWriter
{
  public:
    /**
     * @param spec the training run; must outlive this, as all others
     * @param parts the model in parts
     * @param grid the ranks
     * @param stage whose program it is
     * @param writer where ops go
     */
    GradientWriter(const TrainingSpec& spec,
                   const ModelParts& parts,
                   const RankGrid& grid,
                   uint32_t stage,
                   ProgramWriter& writer);

    /// A new mini-batch begins.
    void BeginMiniBatch();

    /**
     * A pass begins that makes gradients of weights.
     *
     * @param part its part
     * @param lastOfPart whether it is the last one of this part in the step
     */
    void BeginPass(const ModelPart& part, bool lastOfPart);

    /**
     * Gradients of some layers are there; buckets that are full now travel.
     *
     * @param ready layers that the pass has behind it; one more if the embeddings are, too
     */
    void EndLayers(uint64_t ready);

    /**
     * The gradients of a layer, the embeddings or the output are there.
     *
     * @param share of how many values
     * @param lastOfPart as of BeginPass()
     */
    void EndUnit(const ParameterShare& share, bool lastOfPart);

    /**
     * The pass is over.
     *
     * @param part its part
     * @param lastOfPart as of BeginPass()
     */
    void EndPass(const ModelPart& part, bool lastOfPart);

    /**
     * Gather parameters that ZeRO shares, beside the chain.
     *
     * @param share of how many values
     * @param after what it waits for
     * @return the ops of all but experts and of experts, each if there is one
     */
    std::array<std::optional<uint32_t>, 2> GatherParameters(const ParameterShare& share,
                                                            const std::vector<uint32_t>& after);

    /// At the end of the step: gradients that were not shared yet, update, parameters.
    void EndStep();

  private:
    /**
     * @param lastOfPart as of BeginPass()
     * @return whether gradients travel in buckets
     */
    bool UsesBuckets(bool lastOfPart) const;
    /**
     * @param tensors some tensors, in the order of registration
     * @param ready when their gradients are there
     */
    void AddTensors(const std::vector<TensorShape>& tensors, uint64_t ready);
    /// @return what is done with gradients
    CollectiveKind GetGradientCollective() const;
    /**
     * @param values gradients
     * @return their size, bytes
     */
    uint64_t GetGradientBytes(uint64_t values) const;
    /// @param share of how many values gradients are there that travel now
    void ShareGradients(const ParameterShare& share);
    /**
     * A collective that the update waits for.
     *
     * @param group the group
     * @param kind what it does
     * @param bytes M
     * @param after what it waits for
     */
    void ShareValues(GroupKind group,
                     CollectiveKind kind,
                     uint64_t bytes,
                     const std::vector<uint32_t>& after);
    /**
     * Add up the gradients of values that two stages hold.
     *
     * @param held what a rank of this stage holds
     */
    void ShareBetweenStages(const ParameterShare& held);

    const TrainingSpec& m_spec;                  //!< the training run
    const ModelParts& m_parts;                   //!< the model in parts
    const RankGrid& m_grid;                      //!< the ranks
    uint32_t m_stage;                            //!< whose program it is
    ProgramWriter& m_writer;                     //!< where ops go
    std::map<GroupKind, uint32_t> m_shared;      //!< last gradients of each group
    std::vector<GradientTensor> m_denseTensors;  //!< of a part, in the order of registration
    std::vector<GradientTensor> m_expertTensors; //!< the same of its experts
    std::deque<GradientBucket> m_denseBuckets;   //!< that have not left
    std::deque<GradientBucket> m_expertBuckets;  //!< that have not left
};

} // namespace llmfabric
} // namespace ns3

#endif /* GRADIENT_WRITER_H */
