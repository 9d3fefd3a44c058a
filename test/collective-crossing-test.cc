/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tuner-fixture.h"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <string>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

using CollectiveCrossingTest = TunerFixture;

TEST_F(CollectiveCrossingTest, ATreeLosesToARingAtAPayloadThatGrowsWithTheRanks)
{
    Add("allreduce", "tree", GetTreeCost);
    const CollectiveTuner tuner = Make();
    uint64_t before = 0;
    for (uint32_t n : {4u, 8u, 16u, 32u, 64u, 128u})
    {
        const auto layout = MakeNodes(n, 1);
        const auto crossing = tuner.FindCrossing("allreduce", "tree", "ring", layout);
        ASSERT_TRUE(crossing) << n;
        // 2 (n - 1) (latency + M / n / B) = 2 log2(n) latency + 3 M / B; of the tree one latency
        // is hidden behind its bytes
        const double latencies = 2 * (n - 1) - (2 * std::log2(n) - 1);
        const double bytes = LATENCY * BANDWIDTH * latencies / (3 - 2 * (n - 1.0) / n);
        EXPECT_NEAR(static_cast<double>(*crossing), bytes, 2 * n) << "parts are whole bytes";
        EXPECT_GT(*crossing, before);
        before = *crossing;
    }
}

TEST_F(CollectiveCrossingTest, AtACrossingTheFastestChanges)
{
    Add("allreduce", "tree", GetTreeCost);
    const CollectiveTuner tuner = Make();
    CollectiveTask task = MakeTask(0, 16);
    const auto crossing = tuner.FindCrossing("allreduce", "tree", "ring", task.layout);
    ASSERT_TRUE(crossing);
    const auto getTime = [&](const std::string& name, uint64_t payload) {
        task.payload = payload;
        for (const CollectiveCandidate& one : tuner.GetCandidates("allreduce", task))
        {
            if (one.algorithm == name)
            {
                return *one.time;
            }
        }
        return Time(-1);
    };
    EXPECT_LT(getTime("ring", *crossing), getTime("tree", *crossing));
    EXPECT_GE(getTime("ring", *crossing - 1), getTime("tree", *crossing - 1));
}

TEST_F(CollectiveCrossingTest, ThereIsNoCrossingWhereOneAlwaysWins)
{
    Add("allreduce", "tree", GetTreeCost);
    Add("allreduce", "fast", Rounds(1));
    Add("allreduce", "secret", Unknown());
    const CollectiveTuner tuner = Make();
    const auto layout = MakeNodes(16, 1);
    EXPECT_FALSE(tuner.FindCrossing("allreduce", "ring", "tree", layout)) << "wins from 1 byte on";
    EXPECT_FALSE(tuner.FindCrossing("allreduce", "fast", "ring", layout)) << "never wins";
    EXPECT_FALSE(tuner.FindCrossing("allreduce", "ring", "ring", layout)) << "is not faster";
    EXPECT_FALSE(tuner.FindCrossing("allreduce", "secret", "ring", layout)) << "has no cost";
}

} // namespace
