/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WORKLOAD_TRANSFORMER_H
#define WORKLOAD_TRANSFORMER_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The numbers that shape a dense decoder; the defaults are GPT-2 small.
 */
struct TransformerDimensions
{
    uint64_t layers{12};          //!< L, Transformer layers
    uint64_t hidden{768};         //!< d, values per token
    uint64_t heads{12};           //!< query heads of each layer; a divisor of d
    uint64_t keyValueHeads{0};    //!< key and value heads, a divisor of heads; 0 means as heads
    uint64_t feedForward{0};      //!< d_ff, inner values of the feed-forward block; 0 means 4d
    uint64_t vocabulary{50257};   //!< V, tokens
    uint64_t sequence{1024};      //!< T, tokens of a sequence
    bool tiedEmbeddings{true};    //!< the output layer is the input embedding
    bool learnedPositions{true};  //!< a trained embedding of each of the T positions
    bool biases{true};            //!< linear layers and norms have biases
    bool gatedFeedForward{false}; //!< three matrices in the feed-forward block instead of two
};

/**
 * @ingroup llm-fabric
 * Stage 2: a language model and the sizes of its tensors.
 *
 * Parameters of all presets are exact to the last digit. With h = d / heads, k = keyValueHeads * h:
 *
 *     P = V d (untied 2 V d) + T d (learned positions)
 *         + L (attention + feed-forward + 2 norms) + norm
 *     attention    = 2 d d + 2 d k               (+ 2 d + 2 k biases)
 *     feed-forward = 2 d d_ff, gated 3 d d_ff    (+ d_ff, gated 2 d_ff, + d biases)
 *     norm         = d                           (+ d biases)
 *
 * For GPT-2 this is V d + T d + L (12 d^2 + 13 d) + 2 d.
 */
class Transformer
{
  public:
    /**
     * @param dimensions the shape of the model
     * @throws UserError if a dimension is zero or does not divide as it must
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
     * Sizes of activations stay as they are.
     *
     * @param parameters P, at least 1
     * @throws UserError if it is zero
     */
    void OverrideParameters(uint64_t parameters);

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
     * S_act = B T d s_act (Life of a Token, equation 2).
     *
     * @param sequences B, sequences
     * @param bytesPerValue s_act, bytes
     * @return the output of one layer for these sequences, bytes
     * @throws UserError if the size does not fit 64 bits
     */
    uint64_t GetActivationBytes(uint64_t sequences, uint64_t bytesPerValue) const;

  private:
    /**
     * @return the parameters of one attention block
     */
    uint64_t CountAttention() const;

    /**
     * @return the parameters of one feed-forward block
     */
    uint64_t CountFeedForward() const;

    /**
     * @return the parameters of one norm
     */
    uint64_t CountNorm() const;

    /**
     * @return the parameters of the embeddings and of an untied output layer
     */
    uint64_t CountEmbeddings() const;

    TransformerDimensions m_dimensions; //!< the shape, with every default filled in
    uint64_t m_overriddenParameters{0}; //!< P as the user gave it; 0 if they did not
};

} // namespace llmfabric
} // namespace ns3

#endif /* WORKLOAD_TRANSFORMER_H */
