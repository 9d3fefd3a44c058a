/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-transformer.h"

#include "checked-math.h"

#include "ns3/user-error.h"

#include <map>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// For the messages of sums and products.
const char* const PARAMETERS = "model.parameters: the parameters";

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
 * @return all presets by name; the dimensions are those of the published configurations
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
            {"llama3-405b", Llama3(126, 16384, 128, 53248)}};
}

/**
 * @param value a dimension
 * @param key its key in the scenario
 * @param divisor what must divide it
 * @param divisorKey the divisor's key
 * @throws UserError if it does not
 */
void
CheckDivides(uint64_t value,
             const std::string& key,
             uint64_t divisor,
             const std::string& divisorKey)
{
    if (value % divisor != 0)
    {
        throw UserError(std::to_string(value) + " is not a multiple of " + divisorKey + " " +
                            std::to_string(divisor),
                        key,
                        "change one of the two");
    }
}

} // namespace

Transformer::Transformer(const TransformerDimensions& dimensions)
    : m_dimensions(dimensions)
{
    TransformerDimensions& d = m_dimensions;
    CheckPositive(d.layers, "model.layers");
    CheckPositive(d.hidden, "model.hidden");
    CheckPositive(d.heads, "model.heads");
    CheckPositive(d.vocabulary, "model.vocabulary");
    CheckPositive(d.sequence, "model.sequence");
    d.keyValueHeads = d.keyValueHeads == 0 ? d.heads : d.keyValueHeads;
    d.feedForward =
        d.feedForward == 0 ? CheckedProduct({4, d.hidden}, "model.hidden: 4d") : d.feedForward;
    CheckDivides(d.hidden, "model.hidden", d.heads, "model.heads");
    CheckDivides(d.heads, "model.heads", d.keyValueHeads, "model.kv_heads");
}

TransformerDimensions
Transformer::GetPreset(const std::string& name)
{
    const auto presets = MakePresets();
    const auto found = presets.find(name);
    if (found == presets.end())
    {
        std::string known;
        for (const auto& preset : presets)
        {
            known += (known.empty() ? "" : ", ") + preset.first;
        }
        throw UserError("unknown preset '" + name + "'", "model.preset", "known: " + known);
    }
    return found->second;
}

std::vector<std::string>
Transformer::GetPresetNames()
{
    std::vector<std::string> names;
    for (const auto& preset : MakePresets())
    {
        names.push_back(preset.first);
    }
    return names;
}

void
Transformer::OverrideParameters(uint64_t parameters)
{
    CheckPositive(parameters, "model.parameters");
    m_overriddenParameters = parameters;
}

const TransformerDimensions&
Transformer::GetDimensions() const
{
    return m_dimensions;
}

uint64_t
Transformer::GetParameterCount() const
{
    if (m_overriddenParameters != 0)
    {
        return m_overriddenParameters;
    }
    const uint64_t layer =
        CheckedSum({CountAttention(), CountFeedForward(), CountNorm(), CountNorm()}, PARAMETERS);
    const uint64_t layers = CheckedProduct({m_dimensions.layers, layer}, PARAMETERS);
    return CheckedSum({CountEmbeddings(), layers, CountNorm()}, PARAMETERS);
}

uint64_t
Transformer::GetActivationBytes(uint64_t sequences, uint64_t bytesPerValue) const
{
    return CheckedProduct({sequences, m_dimensions.sequence, m_dimensions.hidden, bytesPerValue},
                          "the activation bytes");
}

uint64_t
Transformer::CountAttention() const
{
    const uint64_t d = m_dimensions.hidden;
    const uint64_t k = d / m_dimensions.heads * m_dimensions.keyValueHeads;
    const uint64_t outputs = CheckedSum({d, d, k, k}, PARAMETERS); // query, output, key, value
    const uint64_t weights = CheckedProduct({d, outputs}, PARAMETERS);
    return CheckedSum({weights, m_dimensions.biases ? outputs : 0}, PARAMETERS);
}

uint64_t
Transformer::CountFeedForward() const
{
    const uint64_t d = m_dimensions.hidden;
    const uint64_t inward = m_dimensions.gatedFeedForward ? 2 : 1;
    const uint64_t inner = CheckedProduct({inward, m_dimensions.feedForward}, PARAMETERS);
    const uint64_t columns = CheckedSum({inner, m_dimensions.feedForward}, PARAMETERS);
    const uint64_t weights = CheckedProduct({d, columns}, PARAMETERS);
    const uint64_t biases = CheckedSum({inner, d}, PARAMETERS);
    return CheckedSum({weights, m_dimensions.biases ? biases : 0}, PARAMETERS);
}

uint64_t
Transformer::CountNorm() const
{
    return CheckedProduct({m_dimensions.biases ? 2u : 1u, m_dimensions.hidden}, PARAMETERS);
}

uint64_t
Transformer::CountEmbeddings() const
{
    const uint64_t d = m_dimensions.hidden;
    const uint64_t tables = m_dimensions.tiedEmbeddings ? 1 : 2;
    const uint64_t tokens = CheckedProduct({tables, m_dimensions.vocabulary, d}, PARAMETERS);
    const uint64_t positions = CheckedProduct({m_dimensions.sequence, d}, PARAMETERS);
    return CheckedSum({tokens, m_dimensions.learnedPositions ? positions : 0}, PARAMETERS);
}

} // namespace llmfabric
} // namespace ns3
