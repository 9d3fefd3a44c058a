/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "small-training.h"

#include "ns3/expert-shares.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/**
 * @param exponent z
 * @param capacityFactor the capacity factor, 0 for none
 * @return experts loaded by Zipf's law
 */
ExpertLoad
Zipf(double exponent, double capacityFactor = 0)
{
    ExpertLoad load;
    load.zipfExponent = exponent;
    load.capacityFactor = capacityFactor;
    return load;
}

/**
 * @param weights by expert
 * @param capacityFactor the capacity factor, 0 for none
 * @return experts loaded so
 */
ExpertLoad
Given(const std::vector<double>& weights, double capacityFactor = 0)
{
    ExpertLoad load;
    load.weights = weights;
    load.capacityFactor = capacityFactor;
    return load;
}

/**
 * @param load a load
 * @return the message with which it is refused for 4 experts on 2 ranks
 */
std::string
ErrorOfLoad(const ExpertLoad& load)
{
    return ErrorOf([&] { ExpertShares shares(load, 4, 2); });
}

TEST(ExpertShares, EqualExpertsLoadRanksExactlyEvenly)
{
    for (uint32_t ranks = 1; ranks <= 64; ++ranks)
    {
        for (const uint64_t each : {1, 3, 7})
        {
            const ExpertShares shares(Zipf(0), each * ranks, ranks);
            EXPECT_TRUE(shares.IsEven());
            EXPECT_EQ(shares.GetTotal(), 1);
            EXPECT_EQ(shares.GetLoad(ranks - 1), 1);
            EXPECT_EQ(shares.GetShare(ranks - 1), 1.0 / ranks);
        }
    }
    EXPECT_TRUE(ExpertShares(Given({0.1, 0.1, 0.1}), 3, 3).IsEven());
}

TEST(ExpertShares, ZipfGivesTheFirstExpertsMost)
{
    const ExpertShares shares(Zipf(1), 4, 2); // 1, 1/2, 1/3, 1/4 of 25/12
    EXPECT_FALSE(shares.IsEven());
    EXPECT_DOUBLE_EQ(shares.GetShare(0), 18.0 / 25);
    EXPECT_DOUBLE_EQ(shares.GetShare(1), 7.0 / 25);
    EXPECT_DOUBLE_EQ(shares.GetLoad(0), 36.0 / 25);
    EXPECT_DOUBLE_EQ(shares.GetLoad(1), 14.0 / 25);
    EXPECT_DOUBLE_EQ(shares.GetTotal(), 1);
    const ExpertShares steep(Zipf(5000), 4, 4);
    EXPECT_EQ(steep.GetShare(0), 1);
    EXPECT_EQ(steep.GetShare(3), 0);
}

TEST(ExpertShares, GivenWeightsCountInAnyScale)
{
    for (const double scale : {1e-200, 1.0, 1e200})
    {
        const ExpertShares shares(Given({scale, 0, 2 * scale, scale}), 4, 2);
        EXPECT_FALSE(shares.IsEven());
        EXPECT_DOUBLE_EQ(shares.GetShare(0), 0.25);
        EXPECT_DOUBLE_EQ(shares.GetShare(1), 0.75);
        EXPECT_DOUBLE_EQ(shares.GetLoad(1), 1.5);
    }
}

TEST(ExpertShares, UnequalExpertsAreNotEvenThoughTheirRanksAre)
{
    const ExpertShares shares(Given({1, 3, 3, 1}), 4, 2);
    EXPECT_FALSE(shares.IsEven());
    EXPECT_DOUBLE_EQ(shares.GetLoad(0), 1);
    EXPECT_DOUBLE_EQ(shares.GetLoad(1), 1);
}

TEST(ExpertShares, WhatIsAboveTheCapacityIsDropped)
{
    const ExpertShares tight(Given({3, 1, 0, 0}, 1), 4, 2); // at most 1/4 each
    EXPECT_DOUBLE_EQ(tight.GetShare(0), 0.5);
    EXPECT_EQ(tight.GetShare(1), 0);
    EXPECT_DOUBLE_EQ(tight.GetTotal(), 0.5);
    EXPECT_DOUBLE_EQ(tight.GetLoad(0), 1);
    const ExpertShares wide(Given({3, 1, 0, 0}, 2), 4, 2);
    EXPECT_DOUBLE_EQ(wide.GetShare(0), 0.75);
    const ExpertShares wider(Given({3, 1, 0, 0}, 3), 4, 2);
    EXPECT_DOUBLE_EQ(wider.GetTotal(), 1);
}

TEST(ExpertShares, EqualExpertsDropTokensOnlyBelowACapacityOfOne)
{
    const ExpertShares half(Zipf(0, 0.5), 6, 3);
    EXPECT_TRUE(half.IsEven());
    EXPECT_EQ(half.GetTotal(), 0.5);
    EXPECT_EQ(half.GetLoad(2), 0.5);
    EXPECT_DOUBLE_EQ(half.GetShare(2), 0.5 / 3);
    EXPECT_EQ(ExpertShares(Zipf(0, 1), 6, 3).GetLoad(0), 1);
    EXPECT_EQ(ExpertShares(Zipf(0, 1.25), 6, 3).GetTotal(), 1);
}

TEST(ExpertShares, NothingIsSentTwiceAndNoExpertTakesMoreThanItsCapacity)
{
    std::mt19937 random(1);
    for (int i = 0; i < 300; ++i)
    {
        const uint32_t ranks = 1 + random() % 8;
        const uint64_t each = 1 + random() % 4;
        std::vector<double> weights{1};
        while (weights.size() < ranks * each)
        {
            weights.push_back(random() % 100);
        }
        const double factor = random() % 2 == 0 ? 0 : 0.1 * (1 + random() % 40);
        const ExpertShares shares(Given(weights, factor), ranks * each, ranks);
        const ExpertShares unbound(Given(weights), ranks * each, ranks);
        double sum = 0;
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            sum += shares.GetShare(rank);
            EXPECT_LE(shares.GetShare(rank), unbound.GetShare(rank) + 1e-12);
            EXPECT_NEAR(shares.GetLoad(rank), shares.GetShare(rank) * ranks, 1e-12);
            EXPECT_TRUE(factor == 0 || shares.GetLoad(rank) <= factor + 1e-12);
        }
        EXPECT_NEAR(sum, shares.GetTotal(), 1e-12);
        EXPECT_LE(shares.GetTotal(), 1);
        EXPECT_NEAR(unbound.GetTotal(), 1, 1e-12);
    }
}

TEST(ExpertShares, ImpossibleLoadsAreRefusedWithTheirKey)
{
    EXPECT_EQ(ErrorOfLoad(Given({1, 1})),
              "parallel.imbalance: 2 weights are given for 4 experts; give one weight for each "
              "expert");
    EXPECT_EQ(
        ErrorOfLoad(Given({1, 1, -1, 1})),
        "parallel.imbalance: the value -1.000000 is negative or no number; give a number of 0 "
        "or more");
    EXPECT_EQ(ErrorOfLoad(Given({0, 0, 0, 0})),
              "parallel.imbalance: no expert gets any token; give a weight above 0");
    EXPECT_EQ(ErrorOfLoad(Given({1e308, 1e308, 1, 1})),
              "parallel.imbalance: the sum of the weights is too large; give smaller ones");
    EXPECT_EQ(ErrorOfLoad(Given({1, 1, std::numeric_limits<double>::infinity(), 1})),
              "parallel.imbalance: the value inf is negative or no number; give a number of 0 or "
              "more");
    EXPECT_EQ(
        ErrorOfLoad(Zipf(-1)),
        "parallel.imbalance.zipf: the value -1.000000 is negative or no number; give a number "
        "of 0 or more");
    EXPECT_EQ(ErrorOfLoad(Zipf(0, -1)),
              "parallel.capacity_factor: the value -1.000000 is negative or no number; give a "
              "number of 0 or more");
    EXPECT_NE(ErrorOfLoad(Zipf(std::nan(""))), "no error");
}

TEST(ExpertShares, WrongUseAborts)
{
    EXPECT_DEATH(ExpertShares(Zipf(0), 4, 3), "4 experts for 3 ranks");
    EXPECT_DEATH(ExpertShares(Zipf(0), 0, 1), "0 experts for 1 ranks");
}

} // namespace
