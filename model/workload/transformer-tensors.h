/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRANSFORMER_TENSORS_H
#define TRANSFORMER_TENSORS_H

#include "transformer-dimensions.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A trained tensor, or several of one shape.
 */
struct TensorShape
{
    std::string name; //!< e.g. "attention.qkv.weight"
    uint64_t rows;    //!< of a matrix, whose inputs they are, or tokens; of a vector its values
    uint64_t columns; //!< of a matrix, whose outputs they are; of a vector 1
    uint64_t copies;  //!< how many there are: E for the tensors of experts, else 1
    bool tensorSplit; //!< tensor-parallel ranks hold a part each; else all hold the whole
    bool expert;      //!< belongs to routed experts: expert-parallel ranks hold some each

    /**
     * @return values of all copies
     * @throws UserError if they do not fit 64 bits
     */
    uint64_t GetParameters() const;

    /**
     * @param tensorRanks t
     * @return values that one rank holds of one copy, rounded up
     * @throws UserError if they do not fit 64 bits
     */
    uint64_t GetCopyPerRank(uint32_t tensorRanks) const;

    /**
     * @param expertRanks ranks that share the experts; a divisor of copies if expert
     * @return copies that one rank holds
     */
    uint64_t GetCopiesPerRank(uint32_t expertRanks) const;

    /**
     * @param tensorRanks t, at least 1
     * @param expertRanks ranks that share the experts, at least 1; a divisor of copies if expert
     * @return values that one rank holds; each copy's part is rounded up
     * @throws UserError if they do not fit 64 bits
     */
    uint64_t GetParametersPerRank(uint32_t tensorRanks, uint32_t expertRanks) const;
};

/**
 * @ingroup llm-fabric
 * The tensors of a decoder, block by block, in the order in which GPT-2's modules register them;
 * the query, key and value matrices are one, as there.
 *
 * Of what the ranks of a tensor group share, they split a layer's first matrices by columns, with
 * their biases, and its last ones by rows, with the bias on all ranks. The dimensions have their
 * defaults filled in; see Transformer::GetDimensions().
 */
class TransformerTensors
{
  public:
    /**
     * @param dimensions the shape of the model; must outlive this
     */
    explicit TransformerTensors(const TransformerDimensions& dimensions);

    /**
     * @return token embedding, then position embedding if it is trained
     */
    std::vector<TensorShape> GetEmbedding() const;

    /**
     * @return attention without the norm before it
     */
    std::vector<TensorShape> GetAttention() const;

    /**
     * @param experts whether it is a mixture of experts
     * @return the feed-forward block without the norm before it; of a mixture router, routed
     *         experts, shared experts
     */
    std::vector<TensorShape> GetFeedForward(bool experts) const;

    /**
     * @param experts whether its feed-forward block is a mixture of experts
     * @return norm, attention, norm, feed-forward block
     */
    std::vector<TensorShape> GetLayer(bool experts) const;

    /**
     * @return final norm, then the output layer if it is not the token embedding
     */
    std::vector<TensorShape> GetOutput() const;

  private:
    const TransformerDimensions& m_dimensions; //!< the shape of the model
};

} // namespace llmfabric
} // namespace ns3

#endif /* TRANSFORMER_TENSORS_H */
