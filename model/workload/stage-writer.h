/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STAGE_WRITER_H
#define STAGE_WRITER_H

#include "gradient-writer.h"
#include "layer-writer.h"
#include "model-parts.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Writes the program of the ranks of one pipeline stage.
 *
 *     N_acc times: the schedule's passes, each layer by layer, with the messages between stages
 *     once:        gradients are shared, the weights are updated, ZeRO gathers parameters
 *
 * With ZeRO-3 each unit (the embeddings, a layer, the output) is gathered before either of its
 * passes; parallel.prefetch units may be on the way while one computes.
 */
class StageWriter
{
  public:
    /**
     * @param spec the training run; must outlive this, as all others
     * @param parts the model in parts
     * @param compute the times
     * @param shares which part of the tokens each expert rank gets; null without experts
     * @param grid the ranks
     * @param accumulationSteps N_acc
     */
    StageWriter(const TrainingSpec& spec,
                const ModelParts& parts,
                const ComputeModel& compute,
                const std::shared_ptr<const ExpertShares>& shares,
                const RankGrid& grid,
                uint64_t accumulationSteps);

    /**
     * @param stage a pipeline stage
     * @param expertRank a place in the expert group
     * @return the ops of the ranks there; groups are kinds, peers are coordinates
     */
    std::shared_ptr<const OpList> Write(uint32_t stage, uint32_t expertRank);

  private:
    /// A pass of one micro-batch through one part.
    struct Pass
    {
        PipelineTask task;     //!< what the schedule wants
        const ModelPart* part; //!< the part
        bool lastOfPart;       //!< the last backward pass of this part in the step
    };

    /// @param last whether it is the last mini-batch of the step; all its passes are written
    void WriteMiniBatch(bool last);
    /// @param block passes that begin and end together
    void WriteBlock(const std::vector<Pass>& block);
    /// @param pass a forward pass
    void Forward(const Pass& pass);
    /// @param pass a backward pass, or one of its halves
    void Backward(const Pass& pass);
    /**
     * @param pass a backward pass, or one of its halves
     * @param inputs whether it makes gradients of inputs
     */
    void BackwardOutput(const Pass& pass, bool inputs);
    /**
     * @param pass a backward pass, or one of its halves
     * @param layer a layer of its part
     */
    void BackwardLayer(const Pass& pass, uint64_t layer);

    /// @param pass a pass that gets something from another stage
    void Receive(const Pass& pass);
    /// @param pass a pass that has something for another stage
    void Send(const Pass& pass);
    /**
     * @param pass a pass
     * @return the channel of what it sends and receives
     */
    MessageChannel GetChannel(const Pass& pass) const;
    /// @return bytes that a rank sends to the next stage for one micro-batch
    uint64_t GetBoundaryBytes() const;

    /// @param share what ZeRO-3 gathers before it is used
    void Gather(const ParameterShare& share);
    /// What was gathered has been used.
    void EndUnit();
    /**
     * @param pass a backward pass
     * @param share whose gradients are there
     */
    void EndUnitGradients(const Pass& pass, const ParameterShare& share);

    const TrainingSpec& m_spec;                     //!< the training run
    const ModelParts& m_parts;                      //!< the model in parts
    const ComputeModel& m_compute;                  //!< the times
    std::shared_ptr<const ExpertShares> m_shares;   //!< of the expert ranks, or null
    const RankGrid& m_grid;                         //!< the ranks
    uint64_t m_accumulationSteps;                   //!< N_acc
    uint32_t m_stage{0};                            //!< whose program is written
    std::unique_ptr<ProgramWriter> m_writer;        //!< the program
    std::unique_ptr<LayerWriter> m_layers;          //!< its layers
    std::unique_ptr<GradientWriter> m_gradients;    //!< its gradients
    std::deque<std::optional<uint32_t>> m_unitEnds; //!< last computation of the newest units
};

} // namespace llmfabric
} // namespace ns3

#endif /* STAGE_WRITER_H */
