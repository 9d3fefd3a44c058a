/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/gradient-buckets.h"
#include "ns3/layer-split.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// Layers of each part.
using Counts = std::vector<uint64_t>;

/// Costs of a model.
struct Costs
{
    std::vector<double> layers; //!< of each layer
    double embedding;           //!< of the first part besides
    double output;              //!< of the last part besides
};

/**
 * @param split a split
 * @return layers of each part
 */
Counts
CountsOf(const LayerSplit& split)
{
    Counts counts;
    for (uint32_t part = 0; part < split.GetParts(); ++part)
    {
        counts.push_back(split.GetLayers(part));
    }
    return counts;
}

/**
 * @param costs costs of a model
 * @param counts layers of each part
 * @return cost of the most expensive part
 */
double
MaximumOf(const Costs& costs, const Counts& counts)
{
    double maximum = 0;
    std::size_t first = 0;
    for (std::size_t part = 0; part < counts.size(); ++part)
    {
        double cost = part == 0 ? costs.embedding : 0;
        cost += part + 1 == counts.size() ? costs.output : 0;
        for (std::size_t layer = first; layer < first + counts[part]; ++layer)
        {
            cost += costs.layers[layer];
        }
        first += counts[part];
        maximum = std::max(maximum, cost);
    }
    return maximum;
}

/**
 * Try all cuts.
 *
 * @param costs costs of a model
 * @param parts parts that are still to be cut
 * @param counts layers of the parts that are cut
 * @return the least cost that the most expensive part can have
 */
double
BestMaximum(const Costs& costs, uint32_t parts, Counts counts = {})
{
    const uint64_t cut = std::accumulate(counts.begin(), counts.end(), uint64_t{0});
    const uint64_t left = costs.layers.size() - cut;
    counts.push_back(left);
    if (parts == 1)
    {
        return MaximumOf(costs, counts);
    }
    double best = std::numeric_limits<double>::infinity();
    for (uint64_t count = 1; count + parts - 1 <= left; ++count)
    {
        counts.back() = count;
        best = std::min(best, BestMaximum(costs, parts - 1, counts));
    }
    return best;
}

/**
 * @param make makes a split
 * @return the message with which it is refused
 */
template <typename MAKE>
std::string
ErrorOf(MAKE make)
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

/**
 * @return the gradients of GPT-2 small with 2 bytes a value, last registered tensor first
 */
std::vector<GradientTensor>
Gpt2Gradients()
{
    const uint64_t d = 768;
    const std::vector<uint64_t>
        layer{d, d, 3 * d * d, 3 * d, d * d, d, d, d, 4 * d * d, 4 * d, 4 * d * d, d};
    std::vector<uint64_t> values{50257 * d, 1024 * d};
    for (int i = 0; i < 12; ++i)
    {
        values.insert(values.end(), layer.begin(), layer.end());
    }
    values.insert(values.end(), {d, d});
    std::vector<GradientTensor> tensors;
    for (auto value = values.rbegin(); value != values.rend(); ++value)
    {
        tensors.push_back({2 * *value, tensors.size()});
    }
    return tensors;
}

TEST(LayerSplit, EvenSharesDifferByOneAtMost)
{
    EXPECT_EQ(CountsOf(LayerSplit::Even(12, 8)), (Counts{1, 2, 1, 2, 1, 2, 1, 2}));
    EXPECT_EQ(CountsOf(LayerSplit::Even(61, 1)), (Counts{61}));
    for (uint64_t layers = 1; layers < 40; ++layers)
    {
        for (uint32_t parts = 1; parts <= layers; ++parts)
        {
            const LayerSplit split = LayerSplit::Even(layers, parts);
            ASSERT_EQ(split.GetFirst(parts), layers);
            for (uint32_t part = 0; part < parts; ++part)
            {
                ASSERT_EQ(split.GetFirst(part), part * layers / parts);
                ASSERT_EQ(split.GetLayers(part),
                          (part + 1) * layers / parts - part * layers / parts);
            }
        }
    }
}

TEST(LayerSplit, EvenSharesOfHugeModelsDoNotWrap)
{
    const uint64_t layers = std::numeric_limits<uint64_t>::max();
    const LayerSplit split = LayerSplit::Even(layers, 3);
    EXPECT_EQ(split.GetLayers(1), layers / 3);
    EXPECT_EQ(split.GetFirst(3), layers);
}

TEST(LayerSplit, GivenSharesAreTakenAsTheyAre)
{
    const LayerSplit paper = LayerSplit::Given({1, 1, 2, 2, 2, 2, 1, 1}, 12, 8);
    EXPECT_EQ(paper.GetParts(), 8u);
    EXPECT_EQ(paper.GetFirst(4), 6u);
    EXPECT_EQ(CountsOf(LayerSplit::Given({0, 3, 0}, 3, 3)), (Counts{0, 3, 0}));
}

TEST(LayerSplit, BalancedSharesMakeRoomForEmbeddingAndOutput)
{
    const std::vector<double> layers(12, 1.0);
    EXPECT_EQ(CountsOf(LayerSplit::Balanced(layers, 1, 1, 8)), (Counts{1, 1, 1, 2, 2, 2, 2, 1}));
    EXPECT_EQ(CountsOf(LayerSplit::Balanced(layers, 0, 0, 4)), (Counts{3, 3, 3, 3}));
    EXPECT_EQ(CountsOf(LayerSplit::Balanced(layers, 2, 4, 3)), (Counts{4, 6, 2}));
    EXPECT_EQ(CountsOf(LayerSplit::Balanced(layers, 9, 9, 1)), (Counts{12}));
}

TEST(LayerSplit, BalancedSharesAreEvenWhereTheMaximumLeavesAChoice)
{
    const std::vector<double> layers(10, 0.1);
    EXPECT_EQ(CountsOf(LayerSplit::Balanced(layers, 0, 0, 4)), (Counts{2, 2, 3, 3}));
    EXPECT_EQ(CountsOf(LayerSplit::Balanced(layers, 5, 0, 4)), (Counts{1, 3, 3, 3}));
    EXPECT_EQ(CountsOf(LayerSplit::Balanced(std::vector<double>(10, 0.0), 0, 0, 4)),
              CountsOf(LayerSplit::Even(10, 4)));
}

TEST(LayerSplit, NoCutBeatsTheBalancedOne)
{
    std::mt19937 random(4);
    for (int i = 0; i < 300; ++i)
    {
        Costs costs;
        costs.layers.resize(std::uniform_int_distribution<>(1, 10)(random));
        // whole numbers: sums are exact
        for (double& cost : costs.layers)
        {
            cost = random() % 20;
        }
        costs.embedding = random() % 40;
        costs.output = random() % 40;
        const uint32_t parts = 1 + random() % costs.layers.size();
        const Counts counts =
            CountsOf(LayerSplit::Balanced(costs.layers, costs.embedding, costs.output, parts));
        ASSERT_EQ(std::accumulate(counts.begin(), counts.end(), uint64_t{0}), costs.layers.size());
        ASSERT_EQ(std::count(counts.begin(), counts.end(), 0u), 0);
        ASSERT_EQ(MaximumOf(costs, counts), BestMaximum(costs, parts));
    }
}

TEST(LayerSplit, BalancesModelsOfHundredsOfLayers)
{
    std::vector<double> layers(640, 1e15);
    const Counts counts = CountsOf(LayerSplit::Balanced(layers, 9e15, 0, 64));
    EXPECT_EQ(counts.front(), 1u); // and 9 of the embedding
    EXPECT_EQ(*std::max_element(counts.begin(), counts.end()), 11u);
    EXPECT_EQ(std::count(counts.begin(), counts.end(), 10u), 54);
}

TEST(LayerSplit, ImpossibleSplitsAreRefused)
{
    const std::string few =
        "parallel.pipeline: a model of 3 layers can't be cut into 4 parts; take "
        "fewer stages or chunks, or give the layers of each part";
    EXPECT_EQ(ErrorOf([] { LayerSplit::Even(3, 4); }), few);
    EXPECT_EQ(ErrorOf([] { LayerSplit::Balanced({1, 1, 1}, 0, 0, 4); }), few);
    EXPECT_EQ(ErrorOf([] {
                  LayerSplit::Given({1, 2}, 3, 3);
              }),
              "parallel.layer_split: 2 numbers are given for 3 parts of the model; give the layers "
              "of each part, stages times chunks numbers");
    EXPECT_EQ(ErrorOf([] {
                  LayerSplit::Given({1, 3}, 3, 2);
              }),
              "parallel.layer_split: the parts have 4 layers, the model has 3; give numbers that "
              "add up to model.layers");
    const uint64_t most = std::numeric_limits<uint64_t>::max();
    EXPECT_NE(ErrorOf([most] { LayerSplit::Given({most, 2}, 1, 2); }), "no error");
    EXPECT_DEATH(LayerSplit::Even(3, 0), "no parts");
    EXPECT_DEATH(LayerSplit::Balanced({1, -1}, 0, 0, 1), "negative");
    EXPECT_DEATH(LayerSplit::Even(3, 2).GetLayers(2), "part 2 of 2");
}

TEST(GradientBuckets, Gpt2FillsThemAsDistributedDataParallelDoes)
{
    const std::vector<GradientBucket> buckets = FillBuckets(Gpt2Gradients(), GradientPlan());
    ASSERT_EQ(buckets.size(), 7u);
    EXPECT_EQ(buckets[0].bytes, 4723200u);
    EXPECT_EQ(buckets[0].ready, 3u); // the final norm and the last matrix with its bias
    for (int i = 1; i < 6; ++i)
    {
        EXPECT_EQ(buckets[i].bytes, 28351488u);
    }
    EXPECT_EQ(buckets[6].bytes, 102398976u);
    EXPECT_EQ(buckets[6].ready, 147u);
}

TEST(GradientBuckets, TensorThatReachesTheCapClosesTheBucket)
{
    GradientPlan plan;
    plan.firstBucketBytes = 10;
    plan.bucketBytes = 20;
    const std::vector<GradientBucket> buckets =
        FillBuckets({{4, 1}, {6, 2}, {0, 3}, {19, 9}, {30, 5}, {1, 6}}, plan);
    ASSERT_EQ(buckets.size(), 3u);
    EXPECT_EQ(buckets[0].bytes, 10u);
    EXPECT_EQ(buckets[0].ready, 2u);
    EXPECT_EQ(buckets[1].bytes, 49u);
    EXPECT_EQ(buckets[1].ready, 9u);
    EXPECT_EQ(buckets[2].bytes, 1u);
    EXPECT_TRUE(FillBuckets({}, plan).empty());
    EXPECT_TRUE(FillBuckets({{0, 1}}, plan).empty());
}

TEST(GradientBuckets, NoByteIsLostWhateverTheCaps)
{
    std::mt19937 random(5);
    for (int i = 0; i < 200; ++i)
    {
        GradientPlan plan;
        plan.firstBucketBytes = 1 + random() % 100;
        plan.bucketBytes = 1 + random() % 1000;
        std::vector<GradientTensor> tensors(random() % 60);
        uint64_t sum = 0;
        for (std::size_t j = 0; j < tensors.size(); ++j)
        {
            tensors[j] = {random() % 300, j};
            sum += tensors[j].bytes;
        }
        for (const GradientBucket& bucket : FillBuckets(tensors, plan))
        {
            ASSERT_GT(bucket.bytes, 0u);
            ASSERT_LT(bucket.bytes, 1000u + 300u);
            sum -= bucket.bytes;
        }
        ASSERT_EQ(sum, 0u);
    }
}

} // namespace
