/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LAYER_WRITER_H
#define LAYER_WRITER_H

#include "compute-model.h"
#include "expert-shares.h"
#include "program-writer.h"
#include "training-spec.h"

#include <cstdint>
#include <memory>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Writes what a rank does for a layer: computations, and the communication within tensor, context
 * and expert groups. With S the micro-batch's activation of a rank, b T / c d s_act bytes:
 *
 *     tensor   AllReduce of S after attention and after feed-forward, in either pass; with sequence
 *              parallelism AllGather of S before and ReduceScatter of S after each (Megatron-LM;
 *              Korthikanti et al., section 4.2)
 *     expert   All-to-All of K S (/ t with tensor ranks) before and after the experts, in either
 *              pass; with tensor ranks AllGather and ReduceScatter of K S within
 *     context  ring: c - 1 blocks of keys and values go round, in the backward pass also c of
 *              their gradients (Ring Attention, Liu et al.); Ulysses: All-to-All of queries, keys
 *              and values, then of the outputs (DeepSpeed-Ulysses, Jacobs et al.)
 */
class LayerWriter
{
  public:
    /**
     * @param spec the training run; must outlive this
     * @param compute the times; must outlive this
     * @param shares which part of the tokens each expert rank gets; null without experts
     * @param expertRank the rank's place in its expert group
     * @param writer where ops go; must outlive this
     */
    LayerWriter(const TrainingSpec& spec,
                const ComputeModel& compute,
                const std::shared_ptr<const ExpertShares>& shares,
                uint32_t expertRank,
                ProgramWriter& writer);

    /**
     * @param layer a layer
     * @param microBatch the micro-batch
     */
    void Forward(uint64_t layer, uint32_t microBatch);

    /**
     * A backward pass, with the recomputation that the plan asks for.
     *
     * @param layer a layer
     * @param microBatch the micro-batch
     * @param inputOnly without the gradients of the weights
     */
    void Backward(uint64_t layer, uint32_t microBatch, bool inputOnly);

    /**
     * The part of a backward pass that makes the gradients of the weights.
     *
     * @param layer a layer
     * @param microBatch the micro-batch
     */
    void BackwardWeight(uint64_t layer, uint32_t microBatch);

    /// Tensor ranks get the whole activation, where they hold parts of its tokens.
    void EnterTensorBlock();

    /// Tensor ranks add up what each has made.
    void LeaveTensorBlock();

    /**
     * @return S, the micro-batch's activation of a rank that holds all its tokens, bytes
     */
    uint64_t GetActivationBytes() const;

  private:
    /**
     * @param layer a layer
     * @param block which of its blocks
     * @param time how long it computes
     * @param backward whether gradients go back
     */
    void Pass(uint64_t layer, LayerBlock block, Time time, bool backward);
    /**
     * @param layer a layer
     * @param time how long attention computes
     * @param backward whether gradients go back
     */
    void Attend(uint64_t layer, Time time, bool backward);
    /**
     * @param time how long the blocks of scores take together
     * @param backward whether gradients go back
     */
    void RunRing(Time time, bool backward);
    /**
     * @param time how long the experts compute
     */
    void DispatchAndCombine(Time time);
    /**
     * @param layer a layer
     * @param block which of its blocks
     * @param microBatch the micro-batch
     * @return the part of its backward pass that makes the gradients of the weights
     */
    Time GetWeightTime(uint64_t layer, LayerBlock block, uint32_t microBatch) const;
    /**
     * @param layer a layer
     * @param block which of its blocks
     * @param time a time for the even share of tokens
     * @return the time for the tokens that this rank gets
     */
    Time Load(uint64_t layer, LayerBlock block, Time time) const;

    const TrainingSpec& m_spec;                   //!< the training run
    const ComputeModel& m_compute;                //!< the times
    std::shared_ptr<const ExpertShares> m_shares; //!< of the expert ranks, or null
    uint32_t m_expertRank;                        //!< place in the expert group
    ProgramWriter& m_writer;                      //!< where ops go
    uint64_t m_tokens;                            //!< of a micro-batch on a context rank
};

} // namespace llmfabric
} // namespace ns3

#endif /* LAYER_WRITER_H */
