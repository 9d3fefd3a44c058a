/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRANSFORMER_DIMENSIONS_H
#define TRANSFORMER_DIMENSIONS_H

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Multi-head latent attention (DeepSeek-V2, section 2.1): queries, keys and values come from
 * compressed vectors. All zero: ordinary attention.
 */
struct LatentAttention
{
    uint64_t queryRank{0};    //!< values of the compressed query; 0: queries are not compressed
    uint64_t keyValueRank{0}; //!< values of the compressed key and value; 0: ordinary attention
    uint64_t headSize{0};     //!< values of a head's query and key without rotary part
    uint64_t rotarySize{0};   //!< values of the rotary part; the key's is shared by all heads
    uint64_t valueSize{0};    //!< values of a head's value
};

/**
 * @ingroup llm-fabric
 * Mixture of experts: in some layers the feed-forward block is one of many. Without experts (0)
 * the model is dense.
 */
struct ExpertDimensions
{
    uint64_t experts{0};     //!< E, routed experts of an MoE layer; 0: a dense model
    uint64_t topK{1};        //!< K, experts that a token is sent to
    uint64_t shared{0};      //!< experts that every token passes
    uint64_t feedForward{0}; //!< d_ff of one expert; 0: that of the dense layers
    uint64_t firstDense{0};  //!< how many layers at the begin are dense
    uint64_t frequency{1};   //!< MoE layers are firstDense, firstDense + frequency, and so on
    bool routerBias{false};  //!< the router has a bias per expert
};

/**
 * @ingroup llm-fabric
 * The numbers that shape a decoder; the defaults are GPT-2 small.
 */
struct TransformerDimensions
{
    uint64_t layers{12};          //!< L, Transformer layers
    uint64_t hidden{768};         //!< d, values per token
    uint64_t heads{12};           //!< H, query heads of each layer; a divisor of d unless latent
    uint64_t keyValueHeads{0};    //!< key and value heads, a divisor of heads; 0 means as heads
    uint64_t feedForward{0};      //!< d_ff, inner values of the feed-forward block; 0 means 4d
    uint64_t vocabulary{50257};   //!< V, tokens
    uint64_t sequence{1024};      //!< T, tokens of a sequence
    bool tiedEmbeddings{true};    //!< the output layer is the input embedding
    bool learnedPositions{true};  //!< a trained embedding of each of the T positions
    bool biases{true};            //!< linear layers and norms have biases
    bool gatedFeedForward{false}; //!< three matrices in the feed-forward block instead of two
    bool dropout{true};           //!< dropout, whose masks are kept for the backward pass
    LatentAttention latent;       //!< latent attention instead of ordinary
    ExpertDimensions experts;     //!< mixture of experts
};

} // namespace llmfabric
} // namespace ns3

#endif /* TRANSFORMER_DIMENSIONS_H */
