/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/user-error.h"
#include "ns3/workload-transformer.h"

#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/**
 * @param name a preset
 * @return the model
 */
Transformer
Preset(const std::string& name)
{
    return Transformer(Transformer::GetPreset(name));
}

/**
 * @param change makes GPT-2 small a shape that is not possible
 * @return the message with which it is refused
 */
template <typename CHANGE>
std::string
ErrorAfter(CHANGE change)
{
    TransformerDimensions dimensions;
    change(dimensions);
    try
    {
        Transformer model(dimensions);
    }
    catch (const UserError& error)
    {
        return error.what();
    }
    return "no error";
}

/**
 * @param model a model
 * @return all its tensors in the order of registration
 */
std::vector<TensorShape>
AllTensors(const Transformer& model)
{
    std::vector<TensorShape> all = model.GetEmbeddingTensors();
    const auto add = [&all](const std::vector<TensorShape>& more) {
        all.insert(all.end(), more.begin(), more.end());
    };
    for (uint64_t layer = 0; layer < model.GetDimensions().layers; ++layer)
    {
        add(model.GetLayerTensors(layer));
    }
    add(model.GetOutputTensors());
    return all;
}

/**
 * @param random source of numbers
 * @return a small shape, of any kind
 */
TransformerDimensions
RandomShape(std::mt19937& random)
{
    TransformerDimensions d;
    const uint64_t groups = 1 + random() % 3;
    d.layers = 1 + random() % 7;
    d.heads = groups * (1 + random() % 3);
    d.keyValueHeads = groups;
    d.hidden = d.heads * (2 + random() % 8);
    d.feedForward = 1 + random() % 90;
    d.vocabulary = 2 + random() % 500;
    d.sequence = 1 + random() % 64;
    d.tiedEmbeddings = random() % 2;
    d.learnedPositions = random() % 2;
    d.biases = random() % 2;
    d.gatedFeedForward = random() % 2;
    d.experts.experts = random() % 3 == 0 ? 0 : 2 + random() % 5;
    d.experts.topK = d.experts.experts == 0 ? 1 : 1 + random() % d.experts.experts;
    d.experts.shared = d.experts.experts == 0 ? 0 : random() % 3;
    d.experts.feedForward = random() % 40;
    d.experts.firstDense = random() % (d.layers + 1);
    d.experts.frequency = 1 + random() % 3;
    d.experts.routerBias = random() % 2;
    return d;
}

TEST(Transformer, PresetsHaveThePublishedParameterCounts)
{
    const std::map<std::string, uint64_t> published{{"gpt2-small", 124439808},
                                                    {"gpt2-medium", 354823168},
                                                    {"gpt2-large", 774030080},
                                                    {"gpt2-xl", 1557611200},
                                                    {"gpt3-175b", 174604259328},
                                                    {"llama2-7b", 6738415616},
                                                    {"llama2-13b", 13015864320},
                                                    {"llama2-70b", 68976648192},
                                                    {"llama3-8b", 8030261248},
                                                    {"llama3-70b", 70553706496},
                                                    {"llama3-405b", 405853388800},
                                                    {"mixtral-8x7b", 46702792704},
                                                    {"deepseek-v3", 671026419200}};
    EXPECT_EQ(Transformer::GetPresetNames().size(), published.size());
    for (const auto& [name, parameters] : published)
    {
        EXPECT_EQ(Preset(name).GetParameterCount(), parameters) << name;
    }
}

TEST(Transformer, OnlyMixturesOfExpertsHaveFewerActiveParameters)
{
    const std::map<std::string, uint64_t> published{{"mixtral-8x7b", 12879925248},
                                                    {"deepseek-v3", 37552297472}};
    for (const std::string& name : Transformer::GetPresetNames())
    {
        const Transformer model = Preset(name);
        const auto found = published.find(name);
        const uint64_t active =
            found == published.end() ? model.GetParameterCount() : found->second;
        EXPECT_EQ(model.GetActiveParameterCount(), active) << name;
    }
}

TEST(Transformer, OnlyGptPresetsHaveDropout)
{
    for (const std::string& name : Transformer::GetPresetNames())
    {
        EXPECT_EQ(Transformer::GetPreset(name).dropout, name.substr(0, 3) == "gpt") << name;
    }
}

TEST(Transformer, DefaultsAreGpt2Small)
{
    EXPECT_EQ(Transformer().GetParameterCount(), 124439808u);
    EXPECT_EQ(Transformer().GetDimensions().feedForward, 3072u);
    EXPECT_EQ(Transformer().GetDimensions().keyValueHeads, 12u);
}

TEST(Transformer, BiasesAndPaddedVocabularyCountAsPublished)
{
    TransformerDimensions noBiases;
    noBiases.biases = false;
    EXPECT_EQ(Transformer(noBiases).GetParameterCount(), 124337664u);
    TransformerDimensions padded;
    padded.vocabulary = 50304;
    EXPECT_EQ(Transformer(padded).GetParameterCount(), 124475904u);
}

TEST(Transformer, ActivationsAreThoseOfExample41)
{
    EXPECT_EQ(Transformer().GetActivationBytes(1, 2), 1572864u);
    EXPECT_EQ(Transformer().GetActivationBytes(32, 2), 50331648u);
}

TEST(Transformer, OverriddenParametersChangeTheTotalOnly)
{
    Transformer model;
    EXPECT_FALSE(model.HasOverride());
    model.OverrideParameters(128000000);
    EXPECT_TRUE(model.HasOverride());
    EXPECT_EQ(model.GetParameterCount(), 128000000u);
    EXPECT_EQ(model.GetDerivedParameterCount(), 124439808u);
    EXPECT_EQ(model.GetActiveParameterCount(), 124439808u);
    EXPECT_EQ(model.GetActivationBytes(32, 2), 50331648u);
    EXPECT_THROW(model.OverrideParameters(0), UserError);
}

TEST(Transformer, UnknownPresetListsTheKnownOnes)
{
    try
    {
        Transformer::GetPreset("gpt5");
        FAIL();
    }
    catch (const UserError& error)
    {
        EXPECT_EQ(std::string(error.what()),
                  "model.preset: unknown preset 'gpt5'; known: deepseek-v3, gpt2-large, "
                  "gpt2-medium, gpt2-small, gpt2-xl, gpt3-175b, llama2-13b, llama2-70b, llama2-7b, "
                  "llama3-405b, llama3-70b, llama3-8b, mixtral-8x7b");
    }
}

TEST(Transformer, ImpossibleShapesAreRefusedWithTheirKey)
{
    using D = TransformerDimensions;
    const std::string zero = ": the value is 0; give a number of at least 1";
    EXPECT_EQ(ErrorAfter([](D& d) { d.layers = 0; }), "model.layers" + zero);
    EXPECT_EQ(ErrorAfter([](D& d) { d.hidden = 0; }), "model.hidden" + zero);
    EXPECT_EQ(ErrorAfter([](D& d) { d.heads = 0; }), "model.heads" + zero);
    EXPECT_EQ(ErrorAfter([](D& d) { d.vocabulary = 0; }), "model.vocabulary" + zero);
    EXPECT_EQ(ErrorAfter([](D& d) { d.sequence = 0; }), "model.sequence" + zero);
    EXPECT_EQ(ErrorAfter([](D& d) { d.experts.topK = 0; }), "model.top_k" + zero);
    EXPECT_EQ(ErrorAfter([](D& d) { d.experts.frequency = 0; }), "model.moe_frequency" + zero);
    EXPECT_EQ(ErrorAfter([](D& d) { d.heads = 7; }),
              "model.hidden: 768 is not a multiple of model.heads 7; change one of the two");
    EXPECT_EQ(ErrorAfter([](D& d) { d.keyValueHeads = 5; }),
              "model.heads: 12 is not a multiple of model.kv_heads 5; change one of the two");
    EXPECT_EQ(ErrorAfter([](D& d) { d.hidden = std::numeric_limits<uint64_t>::max(); }),
              "model.hidden: 4d do not fit 64 bits; make the model, batch or corpus smaller");
}

TEST(Transformer, ImpossibleMixturesAreRefusedWithTheirKey)
{
    using D = TransformerDimensions;
    const auto eightExperts = [](D& d) { d.experts.experts = 8; };
    EXPECT_EQ(ErrorAfter(eightExperts), "no error");
    EXPECT_EQ(ErrorAfter([=](D& d) { eightExperts(d), d.experts.topK = 8; }), "no error");
    EXPECT_EQ(ErrorAfter([=](D& d) { eightExperts(d), d.experts.topK = 9; }),
              "model.top_k: 9 of 8 experts; give at most model.experts, in a dense model 1");
    EXPECT_EQ(ErrorAfter([=](D& d) { eightExperts(d), d.experts.firstDense = 12; }), "no error");
    EXPECT_EQ(ErrorAfter([=](D& d) { eightExperts(d), d.experts.firstDense = 13; }),
              "model.dense_layers: 13 of 12 layers; give at most model.layers");
    EXPECT_EQ(ErrorAfter([](D& d) { d.experts.topK = 2; }).substr(0, 11), "model.top_k");
    EXPECT_EQ(ErrorAfter([](D& d) { d.experts.shared = 1; }).substr(0, 20), "model.shared_experts");
}

TEST(Transformer, ImpossibleLatentAttentionIsRefused)
{
    using D = TransformerDimensions;
    const auto latent = [](D& d) { d.latent = {0, 16, 32, 0, 32}; };
    EXPECT_EQ(ErrorAfter(latent), "no error");
    EXPECT_EQ(ErrorAfter([=](D& d) { latent(d), d.heads = 7; }), "no error"); // has its own sizes
    EXPECT_EQ(ErrorAfter([=](D& d) { latent(d), d.latent.headSize = 0; }).substr(0, 12),
              "model.latent");
    EXPECT_EQ(ErrorAfter([=](D& d) { latent(d), d.latent.valueSize = 0; }).substr(0, 12),
              "model.latent");
    EXPECT_EQ(ErrorAfter([=](D& d) { latent(d), d.latent.keyValueRank = 0; }).substr(0, 12),
              "model.latent");
    EXPECT_EQ(ErrorAfter([](D& d) { d.latent.queryRank = 16; }).substr(0, 12), "model.latent");
    EXPECT_EQ(ErrorAfter([=](D& d) { latent(d), d.keyValueHeads = 4; }).substr(0, 14),
              "model.kv_heads");
}

TEST(Transformer, HugeLayerCountsAreCountedWithoutALoop)
{
    TransformerDimensions huge;
    huge.layers = std::numeric_limits<uint64_t>::max();
    EXPECT_THROW(Transformer(huge).GetParameterCount(), UserError);
    huge.hidden = 1;
    huge.heads = 1;
    huge.feedForward = 1;
    huge.vocabulary = 1;
    huge.sequence = 1;
    huge.experts.experts = 1;
    huge.experts.frequency = 2;
    EXPECT_TRUE(Transformer(huge).IsExpertLayer(huge.layers - 1));
    EXPECT_FALSE(Transformer(huge).IsExpertLayer(huge.layers - 2));
    huge.layers = uint64_t{1} << 58;
    // attention 4 + 4, feed-forward 2 + 2, norms 4, router 1 in every second layer; 4 besides
    EXPECT_EQ(Transformer(huge).GetParameterCount(), huge.layers / 2 * 33 + 4);
}

TEST(Transformer, TheFirstLayersAfterTheDenseOnesAndEveryFrequencyThAreMixtures)
{
    TransformerDimensions d;
    d.experts.experts = 4;
    d.experts.firstDense = 3;
    d.experts.frequency = 4;
    const Transformer model(d);
    for (uint64_t layer = 0; layer < 12; ++layer)
    {
        EXPECT_EQ(model.IsExpertLayer(layer), layer == 3 || layer == 7 || layer == 11) << layer;
    }
    const Transformer deepSeek = Preset("deepseek-v3");
    EXPECT_FALSE(deepSeek.IsExpertLayer(2));
    EXPECT_TRUE(deepSeek.IsExpertLayer(3));
    EXPECT_TRUE(deepSeek.IsExpertLayer(60));
    EXPECT_FALSE(Preset("llama3-8b").IsExpertLayer(31));
}

TEST(Transformer, ALayerThatIsNotThereIsNoLayer)
{
    EXPECT_DEATH(Transformer().IsExpertLayer(12), "there is no layer 12");
    EXPECT_DEATH(Transformer().GetLayerTensors(12), "there is no layer 12");
    EXPECT_DEATH(Transformer().GetLayerFlops(12, 1024, true), "there is no layer 12");
}

TEST(Transformer, TensorsOfAllLayersAddUpToTheCounts)
{
    std::mt19937 random(1);
    for (int i = 0; i < 300; ++i)
    {
        const Transformer model(RandomShape(random));
        const ExpertDimensions& mixture = model.GetDimensions().experts;
        uint64_t sum = 0;
        uint64_t active = 0;
        for (const TensorShape& tensor : AllTensors(model))
        {
            EXPECT_EQ(tensor.GetParameters(), tensor.rows * tensor.columns * tensor.copies);
            EXPECT_EQ(tensor.copies, tensor.expert ? mixture.experts : 1);
            sum += tensor.GetParameters();
            active += tensor.GetParameters() / tensor.copies * (tensor.expert ? mixture.topK : 1);
        }
        EXPECT_EQ(model.GetParameterCount(), sum);
        EXPECT_EQ(model.GetActiveParameterCount(), active);
    }
}

TEST(Transformer, CountsAreTheFormulaOfDenseModels)
{
    std::mt19937 random(2);
    for (int i = 0; i < 300; ++i)
    {
        TransformerDimensions dims = RandomShape(random);
        dims.experts = {};
        const uint64_t d = dims.hidden;
        const uint64_t k = d / dims.heads * dims.keyValueHeads;
        const uint64_t bias = dims.biases;
        const uint64_t inward = dims.gatedFeedForward ? 2 : 1;
        const uint64_t attention = 2 * d * d + 2 * d * k + bias * (2 * d + 2 * k);
        const uint64_t feedForward =
            (inward + 1) * d * dims.feedForward + bias * (inward * dims.feedForward + d);
        const uint64_t norm = d + bias * d;
        const uint64_t tables = dims.tiedEmbeddings ? 1 : 2;
        EXPECT_EQ(Transformer(dims).GetParameterCount(),
                  tables * dims.vocabulary * d + dims.learnedPositions * dims.sequence * d +
                      dims.layers * (attention + feedForward + 2 * norm) + norm);
    }
}

} // namespace
