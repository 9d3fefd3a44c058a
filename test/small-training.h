/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SMALL_TRAINING_H
#define SMALL_TRAINING_H

#include "ns3/training-spec.h"
#include "ns3/user-error.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * The numbers of a model that is small enough to count by hand. With 2-byte values a sequence's
 * activation has 32 * 8 * 2 = 512 B. Without biases and with embeddings of their own at either end
 * it has these values:
 *
 *     embedding  128 = 16 * 8
 *     layer      528 = 8 + 192 + 64 + 8 + 128 + 128 (norm, qkv, output, norm, up, down)
 *     output     136 = 8 + 128
 *
 * Half of the operations of attention are the scores: 2 * 8 * 32 / 2 = 4 * 8 * 8.
 *
 * @param layers L
 * @return the shape
 */
inline TransformerDimensions
SmallDimensions(uint64_t layers)
{
    TransformerDimensions dimensions;
    dimensions.layers = layers;
    dimensions.hidden = 8;
    dimensions.heads = 4;
    dimensions.feedForward = 16;
    dimensions.vocabulary = 16;
    dimensions.sequence = 32;
    dimensions.tiedEmbeddings = false;
    dimensions.learnedPositions = false;
    dimensions.biases = false;
    dimensions.dropout = false;
    return dimensions;
}

/**
 * @param layers L
 * @return a run of that model on one rank, one sequence a step; the passes of a layer take 8 and 16
 *         ticks, the update 1
 */
inline TrainingSpec
SmallTraining(uint64_t layers = 1)
{
    TrainingSpec spec;
    spec.corpus = Corpus::FromTokens(1000);
    spec.model = Transformer(SmallDimensions(layers));
    spec.compute.forwardPerLayer = TimeStep(8);
    spec.compute.backwardPerLayer = TimeStep(16);
    spec.compute.update = TimeStep(1);
    return spec;
}

/**
 * @tparam Make takes nothing
 * @param make makes something that is refused
 * @return the message of the refusal
 */
template <typename Make>
std::string
ErrorOf(Make make)
{
    try
    {
        make();
    }
    catch (const UserError& error)
    {
        return error.what();
    }
    return "no error";
}

} // namespace llmfabric
} // namespace ns3

#endif /* SMALL_TRAINING_H */
