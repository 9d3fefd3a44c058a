/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ACTIVATION_MEMORY_H
#define ACTIVATION_MEMORY_H

#include "training-spec.h"
#include "workload-transformer.h"

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * What one rank keeps of a micro-batch until its backward pass.
 *
 * The formulas are those of Korthikanti et al., "Reducing Activation Recomputation in Large
 * Transformer Models" (MLSys 2023), section 4, taken apart by tensor so that they hold for
 * grouped-query and latent attention, gated feed-forward blocks, no dropout and mixtures of
 * experts, too. For a GPT layer of hidden size h with 2-byte values, s tokens of b sequences, a
 * heads, t tensor ranks:
 *
 *     s b h (10 + 24 / t + 5 a s / (h t))     tensor parallel
 *     s b h / t (34 + 5 a s / h)              with sequence parallelism
 *     without 5 a s / h                       selective recomputation
 *     2 s b h                                 full recomputation (/ t with sequence parallelism)
 *
 * In general a layer keeps for each token, in values of s_act bytes unless said otherwise:
 *
 *     whole  norms          2 d, their inputs
 *            attention      d, input of the projections; d bytes, mask of the dropout after it
 *            feed-forward   d, input; d bytes, mask of the dropout after it
 *     split  attention      queries, keys, values, and input of the last projection
 *            scores         a s, output of the softmax; a s, output of its dropout, and a s bytes,
 *                           the mask
 *            feed-forward   2 d_ff, input and output of the activation; gated 3 d_ff, both factors
 *                           and their product
 *
 * without masks and the output of dropout if there is none. Selective recomputation keeps no
 * scores, nor does attention in one kernel (FlashAttention), which computes them again, too. Latent
 * attention keeps besides, whole, inputs and outputs of the norms of its compressed vectors, 2 q +
 * 2 c + r. An MoE layer keeps, whole, the input of each of the K experts of a token and E scores of
 * the router in 4 bytes each; split, the inner values of K experts and of the shared ones. Experts
 * are taken as evenly loaded. Tensor ranks have 1 / t of what is split, and of the rest if
 * activations are split by sequence, too. A context group of c ranks divides the tokens by c; of
 * the scores each rank has s / c rows of s columns (ring attention) or the heads of 1 / c
 * (Ulysses), which is as much.
 */
class ActivationMemory
{
  public:
    /**
     * @param model the model; must outlive this
     * @param plan the division of the work; of it tensor, context, sequenceParallel and recompute
     *        matter
     * @param sequences b, sequences of a micro-batch
     * @param bytesPerValue s_act, bytes
     */
    ActivationMemory(const Transformer& model,
                     const ParallelPlan& plan,
                     uint64_t sequences,
                     uint64_t bytesPerValue);

    /**
     * @param layer a layer, from 0, below L
     * @return bytes that one rank keeps of it, with the plan's recomputation, rounded up
     * @throws UserError if they do not fit 64 bits
     */
    uint64_t GetLayerBytes(uint64_t layer) const;

    /**
     * @return bytes of the first stage's dropout mask after the embeddings, rounded up; 0 without
     *         dropout
     * @throws UserError if they do not fit 64 bits
     */
    uint64_t GetEmbeddingBytes() const;

    /**
     * @return bytes that the last stage keeps, rounded up: input of the final norm and of the
     * output layer, and the logits in 4 bytes each, which are split
     * @throws UserError if they do not fit 64 bits
     */
    uint64_t GetOutputBytes() const;

  private:
    /// What is kept for one token by all ranks of a tensor group together, each tensor once.
    struct TokenBytes
    {
        double whole{0}; //!< on each rank, or split by sequence
        double split{0}; //!< split with the matrices
    };

    /**
     * @return what the attention block keeps without its norm
     */
    TokenBytes GetAttention() const;

    /**
     * @param layer a layer
     * @return what its feed-forward block keeps without its norm
     */
    TokenBytes GetFeedForward(uint64_t layer) const;

    /**
     * @return the dropout mask of a vector of the hidden size
     */
    double GetMask() const;

    /**
     * @param token what is kept for a token
     * @return what one rank keeps of the micro-batch, bytes
     * @throws UserError if the bytes do not fit 64 bits
     */
    uint64_t GetRankBytes(const TokenBytes& token) const;

    const Transformer* m_model; //!< the model
    ParallelPlan m_plan;        //!< the division of the work
    double m_tokens;            //!< tokens of a micro-batch of a whole context group
    double m_bytes;             //!< s_act, bytes
};

} // namespace llmfabric
} // namespace ns3

#endif /* ACTIVATION_MEMORY_H */
