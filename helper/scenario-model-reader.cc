/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-model-reader.h"

#include "ns3/user-error.h"

#include <vector>

namespace ns3
{
namespace llmfabric
{

ScenarioModelReader::ScenarioModelReader(const ScenarioSection& root, Scenario& scenario)
    : m_root(root),
      m_scenario(scenario)
{
}

void
ScenarioModelReader::Read()
{
    ReadCorpus();
    ReadModel();
    ReadPrecision();
    ReadBatch();
}

void
ScenarioModelReader::ReadCorpus()
{
    using Unit = Scenario::Corpus::Unit;
    const auto section = m_root.GetSection("corpus",
                                           {"words",
                                            "tokens",
                                            "bytes",
                                            "file",
                                            "unit",
                                            "tokens_per_word",
                                            "bytes_per_token",
                                            "last_sequence"});
    int sizes = 0;
    for (const auto* key : {"words", "tokens", "bytes", "file"})
    {
        sizes += section.Has(key) ? 1 : 0;
    }
    if (sizes != 1)
    {
        throw UserError(
            "the corpus has no size or more than one",
            section.GetPlace(""),
            "give exactly one of corpus.words, corpus.tokens, corpus.bytes, corpus.file");
    }
    auto& corpus = m_scenario.corpus;
    section.ReadCount("words", corpus.words);
    section.ReadCount("tokens", corpus.tokens);
    section.ReadSize("bytes", corpus.bytes);
    section.ReadText("file", corpus.file);
    section.ReadName("unit", corpus.unit, {{"words", Unit::WORDS}, {"bytes", Unit::BYTES}});
    section.ReadNumber("tokens_per_word", corpus.tokensPerWord, {0, true});
    section.ReadNumber("bytes_per_token", corpus.bytesPerToken, {0, true});
    section.ReadName(
        "last_sequence",
        corpus.lastSequence,
        {{"drop", LastSequence::DROP}, {"pad", LastSequence::PAD}, {"pack", LastSequence::PACK}});

    const bool inWords = corpus.words || (corpus.file && corpus.unit == Unit::WORDS);
    const bool inBytes = corpus.bytes || (corpus.file && corpus.unit == Unit::BYTES);
    CheckApplies(section, "unit", corpus.file.has_value(), "from a file", "file");
    CheckApplies(section, "tokens_per_word", inWords, "in words", "words");
    CheckApplies(section, "bytes_per_token", inBytes, "in bytes", "bytes");
}

void
ScenarioModelReader::CheckApplies(const ScenarioSection& section,
                                  const std::string& key,
                                  bool applies,
                                  const std::string& kind,
                                  const std::string& size) const
{
    if (section.Has(key) && !applies)
    {
        throw UserError("'" + key + "' belongs to a corpus " + kind + ", which this is not",
                        m_scenario.Where("corpus." + key),
                        "remove it, or give corpus." + size);
    }
}

void
ScenarioModelReader::ReadModel()
{
    const auto section = m_root.GetSection("model", {"preset",          "layers",
                                                     "hidden",          "heads",
                                                     "kv_heads",        "ffn",
                                                     "vocabulary",      "sequence",
                                                     "tied_embeddings", "learned_positions",
                                                     "biases",          "gated_ffn",
                                                     "dropout",         "experts",
                                                     "top_k",           "shared_experts",
                                                     "expert_ffn",      "dense_layers",
                                                     "moe_frequency",   "router_bias",
                                                     "latent",          "parameters"});
    section.ReadText("preset", m_scenario.model.preset);
    for (const auto* key : {"layers", "hidden", "heads", "vocabulary", "sequence"})
    {
        if (m_scenario.model.preset.empty() && !section.Has(key))
        {
            throw UserError("the model has neither a preset nor the key '" + std::string(key) + "'",
                            section.GetPlace(key),
                            "give model.preset, or all of model.layers, model.hidden, "
                            "model.heads, model.vocabulary and model.sequence");
        }
    }
    ReadShape(section);
    ReadExperts(section);
    ReadLatent(section);
    section.ReadCount("parameters", m_scenario.model.parameters);
}

void
ScenarioModelReader::ReadShape(const ScenarioSection& section)
{
    auto& model = m_scenario.model;
    section.ReadCount("layers", model.layers);
    section.ReadCount("hidden", model.hidden);
    section.ReadCount("heads", model.heads);
    section.ReadCount("kv_heads", model.kvHeads);
    section.ReadCount("ffn", model.ffn);
    section.ReadCount("vocabulary", model.vocabulary);
    section.ReadCount("sequence", model.sequence);
    section.ReadBool("tied_embeddings", model.tiedEmbeddings);
    section.ReadBool("learned_positions", model.learnedPositions);
    section.ReadBool("biases", model.biases);
    section.ReadBool("gated_ffn", model.gatedFfn);
    section.ReadBool("dropout", model.dropout);
}

void
ScenarioModelReader::ReadExperts(const ScenarioSection& section)
{
    auto& model = m_scenario.model;
    section.ReadCount("experts", model.experts, 0);
    section.ReadCount("top_k", model.topK);
    section.ReadCount("shared_experts", model.sharedExperts, 0);
    section.ReadCount("expert_ffn", model.expertFfn);
    section.ReadCount("dense_layers", model.denseLayers, 0);
    section.ReadCount("moe_frequency", model.moeFrequency);
    section.ReadBool("router_bias", model.routerBias);
}

void
ScenarioModelReader::ReadLatent(const ScenarioSection& section)
{
    if (!section.Has("latent"))
    {
        return;
    }
    const auto latent =
        section.GetSection("latent",
                           {"query_rank", "kv_rank", "head_size", "rotary_size", "value_size"});
    if (m_scenario.model.preset.empty())
    {
        latent.Require("kv_rank");
        latent.Require("head_size");
        latent.Require("value_size");
    }
    auto& values = m_scenario.model.latent.emplace();
    latent.ReadCount("query_rank", values.queryRank, 0);
    latent.ReadCount("kv_rank", values.keyValueRank);
    latent.ReadCount("head_size", values.headSize);
    latent.ReadCount("rotary_size", values.rotarySize, 0);
    latent.ReadCount("value_size", values.valueSize);
}

void
ScenarioModelReader::ReadPrecision()
{
    static constexpr uint64_t LARGEST_OPTIMIZER = 64;
    const auto section =
        m_root.GetSection("precision", {"activation", "gradient", "parameter", "optimizer"});
    auto& precision = m_scenario.precision;
    section.ReadValueBytes("activation", precision.activation);
    section.ReadValueBytes("gradient", precision.gradient);
    section.ReadValueBytes("parameter", precision.parameter);
    section.ReadCount("optimizer", precision.optimizer, 0, LARGEST_OPTIMIZER);
}

void
ScenarioModelReader::ReadBatch()
{
    const auto section =
        m_root.GetSection("batch", {"global_tokens", "local_sequences", "micro_sequences"});
    section.Require("local_sequences");
    section.ReadCount("global_tokens", m_scenario.batch.globalTokens);
    section.ReadCount("local_sequences", m_scenario.batch.localSequences, 1);
    section.ReadCount("micro_sequences", m_scenario.batch.microSequences);
}

} // namespace llmfabric
} // namespace ns3
