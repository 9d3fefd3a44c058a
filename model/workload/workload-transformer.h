/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WORKLOAD_TRANSFORMER_H
#define WORKLOAD_TRANSFORMER_H

#include "transformer-dimensions.h"
#include "transformer-tensors.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Operations of one forward pass through one layer, for all its tokens and all ranks together.
 * The backward pass takes twice as many.
 */
struct LayerFlops
{
    double projections{0}; //!< products with the matrices of attention
    double scores{0};      //!< queries with keys, and scores with values
    double feedForward{0}; //!< feed-forward block, router and experts included
    double experts{0};     //!< the part of feedForward that is routed experts

    /**
     * @return the sum
     */
    double GetTotal() const
    {
        return projections + scores + feedForward;
    }
};

/**
 * @ingroup llm-fabric
 * Stage 2: a language model and the sizes of its tensors.
 *
 * Parameters of all presets are exact to the last digit; they are the sum over the tensors. With
 * H = heads, h = d / H, k = keyValueHeads * h:
 *
 *     P = V d (untied 2 V d) + T d (learned positions)
 *         + L (attention + feed-forward + 2 norms) + norm
 *     attention    = 2 d d + 2 d k               (+ 2 d + 2 k biases)
 *     feed-forward = 2 d d_ff, gated 3 d d_ff    (+ d_ff, gated 2 d_ff, + d biases)
 *     norm         = d                           (+ d biases)
 *
 * For GPT-2 this is V d + T d + L (12 d^2 + 13 d) + 2 d. In an MoE layer the feed-forward block is
 * a router of d E values (+ E biases), E experts, and one block as large as all shared experts.
 * Latent attention, with query rank q, key-value rank c, and head sizes n, r (rotary), v:
 *
 *     d q + q + q H (n + r) + d (c + r) + c + c H (n + v) + H v d
 *
 * and d H (n + r) instead of the terms with q if queries are not compressed.
 */
class Transformer
{
  public:
    /**
     * @param dimensions the shape of the model
     * @throws UserError if a dimension is zero, does not divide as it must or contradicts another
     */
    explicit Transformer(const TransformerDimensions& dimensions = TransformerDimensions());

    /**
     * @param name a name that GetPresetNames() knows
     * @return the dimensions of a published model
     * @throws UserError if there is no such preset; it lists those there are
     */
    static TransformerDimensions GetPreset(const std::string& name);

    /**
     * @return the names of all presets, sorted
     */
    static std::vector<std::string> GetPresetNames();

    /**
     * Makes the model's total another one than its dimensions give, as papers do that round.
     *
     * Tensors, FLOPs and sizes of activations stay as they are.
     *
     * @param parameters P, at least 1
     * @throws UserError if it is zero
     */
    void OverrideParameters(uint64_t parameters);

    /**
     * @return whether the total was overridden
     */
    bool HasOverride() const;

    /**
     * @return the shape, with every default filled in
     */
    const TransformerDimensions& GetDimensions() const;

    /**
     * @return P, trainable parameters: the overridden total or else what the dimensions give
     * @throws UserError if the parameters do not fit 64 bits
     */
    uint64_t GetParameterCount() const;

    /**
     * @return P as the dimensions give it, whatever was overridden
     * @throws UserError if the parameters do not fit 64 bits
     */
    uint64_t GetDerivedParameterCount() const;

    /**
     * @return parameters that one token passes, whatever was overridden: all but those of E - K
     *         experts in each MoE layer
     * @throws UserError if the parameters do not fit 64 bits
     */
    uint64_t GetActiveParameterCount() const;

    /**
     * @param layer a layer, from 0, below L
     * @return whether its feed-forward block is a mixture of experts
     */
    bool IsExpertLayer(uint64_t layer) const;

    /**
     * All layers of a kind are equal, so one stands for all.
     *
     * @param expert whether a layer with a mixture of experts is wanted
     * @return the first such layer, or nothing
     */
    std::optional<uint64_t> FindLayer(bool expert) const;

    /**
     * @return tensors before the first layer, in the order of registration: token embedding, then
     *         position embedding
     */
    std::vector<TensorShape> GetEmbeddingTensors() const;

    /**
     * @param layer a layer, from 0, below L
     * @return its tensors in the order of registration: norm, attention, norm, feed-forward
     */
    std::vector<TensorShape> GetLayerTensors(uint64_t layer) const;

    /**
     * @return tensors after the last layer, in the order of registration: final norm, and an untied
     *         output layer
     */
    std::vector<TensorShape> GetOutputTensors() const;

    /**
     * Operations of one forward pass through a layer; 2 per multiply and add.
     *
     * With n tokens of sequences of T: projections 2 n times the matrix values of attention; scores
     * 4 n T H h, of which each of the two products has half, and half of that if causal;
     * feed-forward 2 n times the matrix values that a token passes. With latent attention h is the
     * size of a head's query in the first product and of its value in the second.
     *
     * @param layer a layer, from 0, below L
     * @param tokens n, tokens of whole sequences
     * @param causal whether the scores above the diagonal are not computed
     * @return the operations, of all ranks together
     */
    LayerFlops GetLayerFlops(uint64_t layer, uint64_t tokens, bool causal) const;

    /**
     * @param tokens n, tokens
     * @return operations of the output layer's forward pass, 2 n d V
     */
    double GetOutputFlops(uint64_t tokens) const;

    /**
     * S_act = B T d s_act (Life of a Token, equation 2).
     *
     * @param sequences B, sequences
     * @param bytesPerValue s_act, bytes
     * @return the output of one layer for these sequences, bytes
     * @throws UserError if the size does not fit 64 bits
     */
    uint64_t GetActivationBytes(uint64_t sequences, uint64_t bytesPerValue) const;

    /**
     * @return values of a token's keys and values in one layer that ring attention sends round:
     *         2 k, of latent attention the compressed c + r
     * @throws UserError if they do not fit 64 bits
     */
    uint64_t GetKeyValueSize() const;

    /**
     * @return values of a token's queries in one layer, H h = d, of latent attention H (n + r)
     * @throws UserError if they do not fit 64 bits
     */
    uint64_t GetQuerySize() const;

    /**
     * @return values of a token's attention output in one layer, before the last projection:
     *         H h = d, of latent attention H v
     * @throws UserError if they do not fit 64 bits
     */
    uint64_t GetValueSize() const;

  private:
    /**
     * @param experts how many of the routed experts count
     * @return parameters of the model
     */
    uint64_t CountParameters(uint64_t experts) const;

    /**
     * @return MoE layers
     */
    uint64_t CountExpertLayers() const;

    TransformerDimensions m_dimensions; //!< the shape, with every default filled in
    uint64_t m_overriddenParameters{0}; //!< P as the user gave it; 0 if they did not
};

} // namespace llmfabric
} // namespace ns3

#endif /* WORKLOAD_TRANSFORMER_H */
