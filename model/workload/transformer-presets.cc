/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "transformer-presets.h"

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param layers L
 * @param hidden d
 * @param heads query heads
 * @param sequence T
 * @return a model of the GPT-2 and GPT-3 kind
 */
TransformerDimensions
Gpt(uint64_t layers, uint64_t hidden, uint64_t heads, uint64_t sequence)
{
    TransformerDimensions gpt;
    gpt.layers = layers;
    gpt.hidden = hidden;
    gpt.heads = heads;
    gpt.sequence = sequence;
    return gpt;
}

/**
 * @param layers L
 * @param hidden d
 * @param heads query heads
 * @param keyValueHeads key and value heads
 * @param feedForward d_ff
 * @return a model of the Llama-2 kind
 */
TransformerDimensions
Llama2(uint64_t layers,
       uint64_t hidden,
       uint64_t heads,
       uint64_t keyValueHeads,
       uint64_t feedForward)
{
    TransformerDimensions llama = Gpt(layers, hidden, heads, 4096);
    llama.keyValueHeads = keyValueHeads;
    llama.feedForward = feedForward;
    llama.vocabulary = 32000;
    llama.tiedEmbeddings = false;
    llama.learnedPositions = false;
    llama.biases = false;
    llama.gatedFeedForward = true;
    llama.dropout = false;
    return llama;
}

/**
 * @param layers L
 * @param hidden d
 * @param heads query heads
 * @param feedForward d_ff
 * @return a model of the Llama-3 kind: 8 key and value heads, a larger vocabulary
 */
TransformerDimensions
Llama3(uint64_t layers, uint64_t hidden, uint64_t heads, uint64_t feedForward)
{
    TransformerDimensions llama = Llama2(layers, hidden, heads, 8, feedForward);
    llama.vocabulary = 128256;
    llama.sequence = 8192;
    return llama;
}

/**
 * @return Mixtral 8x7B: Mistral's layers with 8 feed-forward blocks instead of one
 */
TransformerDimensions
Mixtral()
{
    TransformerDimensions mixtral = Llama2(32, 4096, 32, 8, 14336);
    mixtral.sequence = 8192;
    mixtral.experts.experts = 8;
    mixtral.experts.topK = 2;
    return mixtral;
}

/**
 * @return DeepSeek-V3 without its module that predicts a second token
 */
TransformerDimensions
DeepSeekV3()
{
    TransformerDimensions deepSeek = Llama2(61, 7168, 128, 128, 18432);
    deepSeek.vocabulary = 129280;
    deepSeek.latent.queryRank = 1536;
    deepSeek.latent.keyValueRank = 512;
    deepSeek.latent.headSize = 128;
    deepSeek.latent.rotarySize = 64;
    deepSeek.latent.valueSize = 128;
    deepSeek.experts.experts = 256;
    deepSeek.experts.topK = 8;
    deepSeek.experts.shared = 1;
    deepSeek.experts.feedForward = 2048;
    deepSeek.experts.firstDense = 3;
    deepSeek.experts.routerBias = true;
    return deepSeek;
}

/**
 * @return all presets by name
 */
std::map<std::string, TransformerDimensions>
MakePresets()
{
    return {{"gpt2-small", Gpt(12, 768, 12, 1024)},
            {"gpt2-medium", Gpt(24, 1024, 16, 1024)},
            {"gpt2-large", Gpt(36, 1280, 20, 1024)},
            {"gpt2-xl", Gpt(48, 1600, 25, 1024)},
            {"gpt3-175b", Gpt(96, 12288, 96, 2048)},
            {"llama2-7b", Llama2(32, 4096, 32, 32, 11008)},
            {"llama2-13b", Llama2(40, 5120, 40, 40, 13824)},
            {"llama2-70b", Llama2(80, 8192, 64, 8, 28672)},
            {"llama3-8b", Llama3(32, 4096, 32, 14336)},
            {"llama3-70b", Llama3(80, 8192, 64, 28672)},
            {"llama3-405b", Llama3(126, 16384, 128, 53248)},
            {"mixtral-8x7b", Mixtral()},
            {"deepseek-v3", DeepSeekV3()}};
}

} // namespace

const std::map<std::string, TransformerDimensions>&
GetTransformerPresets()
{
    static const std::map<std::string, TransformerDimensions> presets = MakePresets();
    return presets;
}

} // namespace llmfabric
} // namespace ns3
