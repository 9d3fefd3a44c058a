/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COMPUTE_MODEL_H
#define COMPUTE_MODEL_H

#include "training-spec.h"

#include "ns3/nstime.h"

#include <array>
#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/// The two blocks of a Transformer layer.
enum class LayerBlock : uint8_t
{
    ATTENTION,   //!< attention
    FEED_FORWARD //!< feed-forward network or experts
};

/**
 * @ingroup llm-fabric
 * How long a rank computes for one micro-batch.
 *
 * Given times are those of a mini-batch: they are shared evenly by its m micro-batches and by the
 * layers' two blocks, to the tick, so that the parts add up to what was given; the embeddings and
 * the output layer are part of them. By FLOPs, a block takes
 *
 *     FLOPs / (t c peak efficiency)
 *
 * with t tensor and c context ranks, the output layer likewise, and the backward pass twice the
 * forward pass. Recomputation adds the forward pass of what is computed again; of a given backward
 * pass of fully recomputed layers it is a third.
 */
class ComputeModel
{
  public:
    /**
     * @param spec the training run
     * @throws UserError if the times are given in no way or two ways, one is negative or too long,
     *         a part is not 0 to 1, or the GPU is not known
     */
    explicit ComputeModel(const TrainingSpec& spec);

    /**
     * @param layer a layer
     * @param block which of its blocks
     * @param microBatch a micro-batch of the mini-batch
     * @return its forward pass
     */
    Time GetForward(uint64_t layer, LayerBlock block, uint32_t microBatch) const;

    /**
     * @param layer a layer
     * @param block which of its blocks
     * @param microBatch a micro-batch of the mini-batch
     * @return its backward pass, without a full recomputation
     */
    Time GetBackward(uint64_t layer, LayerBlock block, uint32_t microBatch) const;

    /**
     * @param layer a layer
     * @param block which of its blocks
     * @param microBatch a micro-batch of the mini-batch
     * @return its full recomputation before the backward pass; 0 if the plan has none
     */
    Time GetRecompute(uint64_t layer, LayerBlock block, uint32_t microBatch) const;

    /**
     * @return forward pass of the output layer for one micro-batch
     */
    Time GetOutputForward() const;

    /**
     * @return backward pass of the output layer for one micro-batch
     */
    Time GetOutputBackward() const;

    /**
     * @param layer a layer
     * @return part of its attention block that is the product of queries, keys and values, which a
     *         context group divides in blocks; 0 to 1
     */
    double GetScoresShare(uint64_t layer) const;

    /**
     * @param layer a layer
     * @return part of its feed-forward block that is routed experts, 0 to 1
     */
    double GetExpertsShare(uint64_t layer) const;

    /**
     * @return FLOP/s that a rank reaches; 0 if times are given
     */
    double GetRate() const;

    /**
     * @return peak FLOP/s of the plan's GPU; 0 if none is named
     */
    double GetPeak() const;

    /**
     * @param kept part of the tokens that experts do not drop, 0 to 1
     * @return operations of one step that the model needs, recomputation not counted; of all ranks
     *         together, per sequence
     */
    double GetFlopsPerSequence(double kept) const;

    /**
     * @return the forward pass of one mini-batch through all layers and the output, as one rank
     *         would do it alone
     */
    Time GetWholeForward() const;

    /**
     * @return the backward pass of one mini-batch, as GetWholeForward(), recomputation included
     */
    Time GetWholeBackward() const;

  private:
    /// Count the operations of a layer of each kind.
    void FindFlops();
    /// Refuse contradictions, and find the given passes.
    void FindGiven();
    /**
     * @param layer a layer
     * @return operations of one sequence's forward pass
     */
    const LayerFlops& GetLayerFlops(uint64_t layer) const;
    /**
     * @tparam Pass takes a layer and a block, and gives a time
     * @param pass what a micro-batch takes in each of them
     * @param output what it takes in the output layer
     * @return what a mini-batch takes in all of them
     * @throws UserError if time can't say it
     */
    template <typename Pass>
    Time GetWhole(Pass pass, const Time& output) const;
    /**
     * @param total a given pass of a mini-batch, ticks
     * @param layer a layer
     * @param block which of its blocks
     * @param microBatch a micro-batch
     * @return the part of the pass
     */
    Time GetPart(uint64_t total, uint64_t layer, LayerBlock block, uint32_t microBatch) const;
    /**
     * @param flops operations of a micro-batch, over all ranks that share them
     * @return how long a rank takes
     */
    Time GetTime(double flops) const;
    /**
     * @param layer a layer
     * @param block which of its blocks
     * @return operations of a micro-batch's forward pass
     */
    double GetFlops(uint64_t layer, LayerBlock block) const;

    TrainingSpec m_spec;       //!< the training run
    uint64_t m_microSequences; //!< b_mu
    uint64_t m_microBatches;   //!< m
    bool m_given{false};       //!< whether times are given
    uint64_t m_forward{0};     //!< given forward pass of all layers, ticks
    uint64_t m_backward{0};    //!< given backward pass of all layers, ticks
    uint64_t m_recompute{0};   //!< part of it that is a full recomputation, ticks
    double m_rate{0};          //!< FLOP/s that a rank reaches, if times are not given
    double m_peak{0};          //!< peak FLOP/s of the GPU, if one is named

    /// Operations of one sequence's forward pass, of a layer without and of one with experts.
    std::array<LayerFlops, 2> m_flops{};
};

} // namespace llmfabric
} // namespace ns3

#endif /* COMPUTE_MODEL_H */
