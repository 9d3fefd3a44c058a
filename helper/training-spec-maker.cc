/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "training-spec-maker.h"

#include "ns3/abort.h"
#include "ns3/user-error.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @tparam T type of a value
 * @param [in,out] value gets what is given, else stays as it is
 * @param given what is given, or nothing
 */
template <typename T>
void
Replace(T& value, const std::optional<T>& given)
{
    value = given.value_or(value);
}

} // namespace

TrainingSpec
TrainingSpecMaker::Make(const Scenario& scenario, TextSize* text)
{
    NS_ABORT_MSG_IF(!scenario.HasTraining(), "the scenario describes no training job");
    const auto& precision = scenario.precision;
    const auto& batch = scenario.batch;
    TrainingSpec spec;
    spec.corpus = MakeCorpus(scenario.corpus, text);
    spec.model = MakeModel(scenario.model);
    spec.precision = {precision.activation,
                      precision.gradient,
                      precision.parameter,
                      precision.optimizer};
    spec.batch = {batch.globalTokens.value_or(0),
                  batch.localSequences,
                  batch.microSequences.value_or(0)};
    spec.parallel = MakePlan(scenario.parallel);
    spec.compute = MakeTimes(scenario.compute);
    spec.steps = static_cast<uint32_t>(scenario.run.steps);
    spec.gpuMemory = scenario.cluster.gpuMemory;
    spec.ignoreMemory = scenario.run.ignoreMemory;
    return spec;
}

Corpus
TrainingSpecMaker::MakeCorpus(const Scenario::Corpus& given, TextSize* text)
{
    auto words = given.words;
    auto bytes = given.bytes;
    if (given.file)
    {
        const TextSize size = CountFile(*given.file);
        const bool inWords = given.unit == Scenario::Corpus::Unit::WORDS;
        words = inWords ? std::optional<uint64_t>(size.words) : std::nullopt;
        bytes = size.bytes;
        if (text)
        {
            *text = size;
        }
    }
    Corpus corpus = given.tokens ? Corpus::FromTokens(*given.tokens)
                    : words      ? Corpus::FromWords(*words, given.tokensPerWord)
                                 : Corpus::FromBytes(*bytes, given.bytesPerToken);
    corpus.SetLastSequence(given.lastSequence);
    return corpus;
}

TextSize
TrainingSpecMaker::CountFile(const std::string& path)
{
    const std::string where = "corpus.file";
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
    {
        throw UserError("'" + path + "' is a folder", where, "name a text");
    }
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file)
    {
        throw UserError("the text '" + path + "' can't be read (" + std::strerror(errno) + ")",
                        where,
                        "name a file that exists and that you may read, from the working folder");
    }
    try
    {
        const TextSize size = Corpus::CountText(file);
        if (file.bad())
        {
            throw UserError("the text '" + path + "' can't be read to its end", where, "");
        }
        if (size.words == 0)
        {
            throw UserError("the text '" + path + "' has no words", where, "name another file");
        }
        return size;
    }
    catch (const UserError& mistake)
    {
        throw mistake.At(where);
    }
}

Transformer
TrainingSpecMaker::MakeModel(const Scenario::Model& given)
{
    TransformerDimensions dimensions;
    if (!given.preset.empty())
    {
        dimensions = Transformer::GetPreset(given.preset);
    }
    Replace(dimensions.layers, given.layers);
    Replace(dimensions.hidden, given.hidden);
    Replace(dimensions.heads, given.heads);
    if (given.heads && dimensions.latent.keyValueRank > 0)
    {
        dimensions.keyValueHeads = 0; // with latent attention they are as many
    }
    Replace(dimensions.keyValueHeads, given.kvHeads);
    Replace(dimensions.feedForward, given.ffn);
    Replace(dimensions.vocabulary, given.vocabulary);
    Replace(dimensions.sequence, given.sequence);
    Replace(dimensions.tiedEmbeddings, given.tiedEmbeddings);
    Replace(dimensions.learnedPositions, given.learnedPositions);
    Replace(dimensions.biases, given.biases);
    Replace(dimensions.gatedFeedForward, given.gatedFfn);
    Replace(dimensions.dropout, given.dropout);
    SetExperts(given, dimensions.experts);
    if (given.latent)
    {
        SetLatent(*given.latent, dimensions.latent);
    }
    Transformer model(dimensions);
    if (given.parameters)
    {
        model.OverrideParameters(*given.parameters);
    }
    return model;
}

void
TrainingSpecMaker::SetExperts(const Scenario::Model& given, ExpertDimensions& experts)
{
    Replace(experts.experts, given.experts);
    Replace(experts.topK, given.topK);
    Replace(experts.shared, given.sharedExperts);
    Replace(experts.feedForward, given.expertFfn);
    Replace(experts.firstDense, given.denseLayers);
    Replace(experts.frequency, given.moeFrequency);
    Replace(experts.routerBias, given.routerBias);
    const std::pair<const char*, bool> keys[] = {
        {"top_k", given.topK.has_value()},
        {"shared_experts", given.sharedExperts.has_value()},
        {"expert_ffn", given.expertFfn.has_value()},
        {"dense_layers", given.denseLayers.has_value()},
        {"moe_frequency", given.moeFrequency.has_value()},
        {"router_bias", given.routerBias.has_value()}};
    for (const auto& [key, isGiven] : keys)
    {
        if (isGiven && experts.experts == 0)
        {
            throw UserError("'" + std::string(key) + "' says nothing about a model without experts",
                            "model." + std::string(key),
                            "remove it, or give model.experts");
        }
    }
    if (experts.experts == 0)
    {
        experts = ExpertDimensions(); // so 0 makes a preset dense
    }
}

void
TrainingSpecMaker::SetLatent(const Scenario::Latent& given, LatentAttention& latent)
{
    Replace(latent.queryRank, given.queryRank);
    Replace(latent.keyValueRank, given.keyValueRank);
    Replace(latent.headSize, given.headSize);
    Replace(latent.rotarySize, given.rotarySize);
    Replace(latent.valueSize, given.valueSize);
}

ParallelPlan
TrainingSpecMaker::MakePlan(const Scenario::Parallel& given)
{
    ParallelPlan plan;
    plan.data = given.data;
    plan.tensor = given.tensor;
    plan.pipeline = given.pipeline;
    plan.expert = given.expert;
    plan.context = given.context;
    plan.zero = given.zero;
    plan.sequenceParallel = given.sequenceParallel;
    plan.contextMethod = given.contextMethod;
    plan.schedule = given.schedule;
    plan.chunks = given.chunks;
    plan.layerSplit = given.layerSplit;
    plan.layersPerPart = given.layersPerPart;
    plan.pipelineScatter = given.pipelineScatter;
    plan.gradients = {given.buckets, given.firstBucket, given.bucketSize};
    plan.prefetch = given.prefetch;
    plan.noSync = given.noSync;
    plan.load = {given.capacityFactor, given.zipfExponent, given.expertWeights};
    plan.recompute = given.recompute;
    plan.order = given.order;
    return plan;
}

ComputeTimes
TrainingSpecMaker::MakeTimes(const Scenario::Compute& given)
{
    ComputeTimes times;
    times.forward = given.forward;
    times.backward = given.backward;
    times.forwardPerLayer = given.forwardPerLayer;
    times.backwardPerLayer = given.backwardPerLayer;
    times.update = given.update;
    times.weightShare = given.weightShare;
    times.gpu = given.gpu;
    times.efficiency = given.efficiency.value_or(0);
    times.causalAttention = given.causalAttention;
    return times;
}

} // namespace llmfabric
} // namespace ns3
