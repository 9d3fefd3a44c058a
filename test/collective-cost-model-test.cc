/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-tasks.h"
#include "priced-algorithm.h"

#include "ns3/collective-cost-model.h"
#include "ns3/collective-registry.h"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

constexpr uint64_t MIB = 1 << 20;

/// A link without limits.
const LinkCost FREE{};

/**
 * @return one channel, no slots, no start-up costs
 */
CollectiveConfig
Plain()
{
    CollectiveConfig config;
    config.channels = 1;
    config.slots = 0;
    return config;
}

/**
 * @param model a cost model
 * @param op an op
 * @param task what of it
 * @param protocol how slices are moved
 * @return what a ring takes, microseconds
 */
double
GetRing(const CollectiveCostModel& model,
        const std::string& op,
        const CollectiveTask& task,
        CollectiveProtocol protocol = CollectiveProtocol::NONE)
{
    const auto time = model.GetTime(*CollectiveRegistry().Get(op, "ring"), task, protocol);
    EXPECT_TRUE(time.has_value());
    return time.value_or(Time(-1)).GetSeconds() * 1e6;
}

TEST(CollectiveCostModelTest, ARingTakesALatencyAndAPartOfThePayloadInEachStep)
{
    const LinkCost link{MicroSeconds(2), 10e9};
    const CollectiveCostModel model(FREE, link, Plain());
    for (uint32_t n : {2u, 3u, 8u, 64u, 1000u})
    {
        const CollectiveTask task = MakeTask(n, n * uint64_t{100000});
        const double step = 2 + 100000 / 10e3; // us
        EXPECT_NEAR(GetRing(model, "allreduce", task), 2 * (n - 1) * step, 1e-3) << n;
        EXPECT_NEAR(GetRing(model, "reducescatter", task), (n - 1) * step, 1e-3) << n;
        EXPECT_NEAR(GetRing(model, "allgather", task), (n - 1) * step, 1e-3) << n;
    }
}

TEST(CollectiveCostModelTest, SlicesOfAChunkHideTheLatency)
{
    const CollectiveCostModel model(FREE, {MicroSeconds(2), 10e9}, Plain());
    const CollectiveTask coarse = MakeTask(8, 8 * MIB);
    CollectiveTask fine = coarse;
    fine.cut.slice = MIB / 2;
    const double link = static_cast<double>(MIB) / 10e3;
    EXPECT_NEAR(GetRing(model, "allreduce", coarse), 14 * (2 + link), 1e-3);
    EXPECT_NEAR(GetRing(model, "allreduce", fine), 14 * link, 1e-3);
}

TEST(CollectiveCostModelTest, LoopsComeOneAfterTheOther)
{
    const CollectiveCostModel model(FREE, {MicroSeconds(2), 10e9}, Plain());
    const CollectiveTask once = MakeTask(8, 8 * MIB);
    CollectiveTask often = MakeTask(8, 40 * MIB);
    often.cut = {1, MIB, MIB};
    EXPECT_NEAR(GetRing(model, "allreduce", often), 5 * GetRing(model, "allreduce", once), 1e-2);
}

TEST(CollectiveCostModelTest, TheNicLimitsARingOfSeveralNodes)
{
    const CollectiveCostModel model({Time(0), 450e9}, {Time(0), 50e9}, Plain());
    const CollectiveTask task = MakeTask(MakeNodes(2, 8), 1600 * 1000);
    EXPECT_NEAR(GetRing(model, "allreduce", task), 30 * 100000 / 50e3, 1e-2);
}

TEST(CollectiveCostModelTest, OneOfEachNodesHopsIsFar)
{
    const CollectiveCostModel model({MicroSeconds(1), 0}, {MicroSeconds(5), 0}, Plain());
    // 14 steps, of whose 8 hops 2 leave a node
    EXPECT_NEAR(GetRing(model, "allreduce", MakeTask(MakeNodes(2, 4), 800)),
                14 * (0.25 * 5 + 0.75 * 1),
                1e-3);
    EXPECT_NEAR(GetRing(model, "allreduce", MakeTask(MakeNodes(1, 8), 800)), 14, 1e-3);
}

TEST(CollectiveCostModelTest, TheFirstGrantGoesBackOnce)
{
    CollectiveConfig config = Plain();
    const LinkCost near{MicroSeconds(1), 0};
    const LinkCost far{MicroSeconds(5), 0};
    const CollectiveCostModel without(near, far, config);
    config.slots = 1;
    const CollectiveCostModel with(near, far, config);
    const CollectiveTask inside = MakeTask(MakeNodes(1, 8), 800);
    const CollectiveTask across = MakeTask(MakeNodes(2, 4), 800);
    EXPECT_NEAR(GetRing(with, "allreduce", inside),
                1 + GetRing(without, "allreduce", inside),
                1e-3);
    EXPECT_NEAR(GetRing(with, "allreduce", across),
                5 + GetRing(without, "allreduce", across),
                1e-3);
}

TEST(CollectiveCostModelTest, ARingInANodeHasTheLatencyThatNcclPrints)
{
    const CollectiveCostModel model(FREE, FREE, Plain());
    const CollectiveTask task = MakeTask(MakeNodes(1, 8), 8);
    EXPECT_NEAR(GetRing(model, "allreduce", task, CollectiveProtocol::LL), 15.0, 1e-3);
    EXPECT_NEAR(GetRing(model, "allreduce", task, CollectiveProtocol::LL128), 40.6, 1e-3);
    EXPECT_NEAR(GetRing(model, "allreduce", task, CollectiveProtocol::SIMPLE), 56.0, 1e-3);
}

TEST(CollectiveCostModelTest, ATreeHasTheLatencyThatNcclPrints)
{
    struct Row
    {
        uint32_t nodes;
        double ll;
        double ll128;
        double simple;
    };

    const CollectiveCostModel model(FREE, FREE, Plain());
    PricedAlgorithm tree("allreduce", "tree", GetTreeCost);
    tree.row = LatencyRow::TREE;
    for (const Row& row : std::vector<Row>{{1, 15.2, 31.5, 64.4},
                                           {2, 25.2, 48.5, 92.4},
                                           {8, 45.2, 82.5, 148.4},
                                           {32, 65.2, 116.5, 204.4}})
    {
        const CollectiveTask task = MakeTask(MakeNodes(row.nodes, 8), 8);
        const auto get = [&](CollectiveProtocol protocol) {
            return model.GetTime(tree, task, protocol)->GetSeconds() * 1e6;
        };
        EXPECT_NEAR(get(CollectiveProtocol::LL), row.ll, 1e-3);
        EXPECT_NEAR(get(CollectiveProtocol::LL128), row.ll128, 1e-3);
        EXPECT_NEAR(get(CollectiveProtocol::SIMPLE), row.simple, 1e-3);
    }
}

TEST(CollectiveCostModelTest, LinesTakeTheirShareOfTheBandwidth)
{
    CollectiveConfig config = Plain();
    config.stepLatency = Time(0);
    const CollectiveCostModel model(FREE, {Time(0), 1e9}, config);
    const CollectiveTask task = MakeTask(4, 4 * 1200000);
    const double plain = GetRing(model, "allreduce", task);
    EXPECT_NEAR(GetRing(model, "allreduce", task, CollectiveProtocol::SIMPLE), 8.4 + plain, 1e-3);
    EXPECT_NEAR(GetRing(model, "allreduce", task, CollectiveProtocol::LL), 6.6 + 2 * plain, 1e-3);
    EXPECT_NEAR(GetRing(model, "allreduce", task, CollectiveProtocol::LL128),
                14 + plain * 128 / 120,
                1e-3);
}

TEST(CollectiveCostModelTest, AStepLatencyThatIsSaidTakesThePlaceOfTheProtocols)
{
    CollectiveConfig config = Plain();
    config.stepLatency = MicroSeconds(3);
    const CollectiveCostModel model(FREE, FREE, config);
    const CollectiveTask task = MakeTask(MakeNodes(1, 8), 8);
    EXPECT_NEAR(GetRing(model, "allreduce", task), 14 * 3, 1e-3);
    EXPECT_NEAR(GetRing(model, "allreduce", task, CollectiveProtocol::LL), 6.6 + 14 * 3, 1e-3);
}

TEST(CollectiveCostModelTest, ReductionsTakeTheirTimeBeforeTheSliceGoesOn)
{
    CollectiveConfig config = Plain();
    config.reductionRate = 20e9;
    const CollectiveCostModel model(FREE, {MicroSeconds(1), 10e9}, config);
    const CollectiveTask task = MakeTask(4, 400000);
    EXPECT_NEAR(GetRing(model, "reducescatter", task), 3 * (1 + 10 + 5), 1e-3);
    EXPECT_NEAR(GetRing(model, "allgather", task), 3 * (1 + 10), 1e-3) << "nothing is added";
    EXPECT_NEAR(GetRing(model, "allreduce", task), 3 * (1 + 10 + 5) + 3 * (1 + 10), 1e-3);
}

TEST(CollectiveCostModelTest, ChannelsReduceTogetherUpToTheMemoryBandwidth)
{
    CollectiveConfig config = Plain();
    config.reductionRate = 20e9;
    const CollectiveTask far = MakeTask(MakeNodes(4, 1), 400000, 4);
    const CollectiveTask near = MakeTask(MakeNodes(1, 4), 400000, 4);
    for (const double memory : {0.0, 80e9, 40e9})
    {
        config.memoryBandwidth = memory;
        const CollectiveCostModel model(FREE, FREE, config);
        const double slice = memory == 40e9 ? 2.5 : 1.25; // 25,000 bytes of each channel, us
        EXPECT_NEAR(GetRing(model, "reducescatter", far), 3 * slice, 1e-3) << memory;
        EXPECT_NEAR(GetRing(model, "reducescatter", near), 3 * slice, 1e-3) << memory;
    }
}

TEST(CollectiveCostModelTest, TheMemoryBandwidthCountsWithoutARateOfChannels)
{
    CollectiveConfig config = Plain();
    config.memoryBandwidth = 40e9;
    const CollectiveCostModel model(FREE, FREE, config);
    const CollectiveTask task = MakeTask(MakeNodes(4, 1), 400000, 4);
    EXPECT_NEAR(GetRing(model, "reducescatter", task), 3 * 2.5, 1e-3);
}

TEST(CollectiveCostModelTest, ASliceIsReducedAtTheRateOfItsChannelWhateverNicItComesBy)
{
    CollectiveConfig config = Plain();
    config.reductionRate = 20e9;
    const CollectiveCostModel model(FREE, FREE, config);
    const CollectiveTask task = MakeTask(MakeNodes(2, 2), 400000, 4);
    EXPECT_NEAR(GetRing(model, "reducescatter", task), 3 * 1.25, 1e-3);
}

TEST(CollectiveCostModelTest, WhatHasNoBytesOrNoPeersTakesNoTime)
{
    const LinkCost link{MicroSeconds(1), 1e9};
    const CollectiveCostModel model(link, link, CollectiveConfig());
    const auto protocol = CollectiveProtocol::SIMPLE;
    EXPECT_EQ(GetRing(model, "allreduce", MakeTask(4, 0), protocol), 0);
    EXPECT_EQ(GetRing(model, "allreduce", MakeTask(1, 1000), protocol), 0);
    const auto price = [](const CollectiveTask& /* task */) {
        return CollectiveCost{{2, true, 0, 0, 0, false}};
    };
    const PricedAlgorithm broadcast("broadcast", "two", price);
    EXPECT_EQ(model.GetTime(broadcast, MakeTask(4, 0), protocol), Time(0));
    EXPECT_EQ(model.GetTime(broadcast, MakeTask(1, 1), protocol), Time(0));
}

TEST(CollectiveCostModelTest, ABarrierWithoutBytesTakesItsSteps)
{
    const CollectiveCostModel model(FREE, {MicroSeconds(3), 1e9}, Plain());
    const PricedAlgorithm barrier("barrier", "two", [](const CollectiveTask& /* task */) {
        return CollectiveCost{{2, true, 0, 0, 0, false}};
    });
    EXPECT_EQ(model.GetTime(barrier, MakeTask(4, 0), CollectiveProtocol::NONE), MicroSeconds(6));
}

TEST(CollectiveCostModelTest, ThereIsNoTimeWithoutACostOrWithAnObstacle)
{
    const CollectiveCostModel model(FREE, FREE, Plain());
    const CollectiveTask task = MakeTask(4, 1000);
    const PricedAlgorithm secret("allreduce", "secret", [](const CollectiveTask& /* task */) {
        return std::optional<CollectiveCost>{};
    });
    EXPECT_FALSE(model.GetTime(secret, task, CollectiveProtocol::NONE));
    PricedAlgorithm picky("allreduce", "picky", GetTreeCost);
    EXPECT_TRUE(model.GetTime(picky, task, CollectiveProtocol::NONE));
    picky.obstacle = "it needs an odd number of ranks";
    EXPECT_FALSE(model.GetTime(picky, task, CollectiveProtocol::NONE));
}

TEST(CollectiveCostModelTest, PatIsDoneWithWholeSlicesOnly)
{
    PricedAlgorithm pat("allgather", "pat", GetTreeCost);
    const auto find = [&](CollectiveProtocol protocol) {
        return CollectiveCostModel::FindObstacle(pat, CollectiveLayout::Spread(4), protocol);
    };
    EXPECT_EQ(find(CollectiveProtocol::LL), "");
    pat.row = LatencyRow::PAT;
    EXPECT_EQ(find(CollectiveProtocol::NONE), "");
    EXPECT_EQ(find(CollectiveProtocol::SIMPLE), "");
    EXPECT_EQ(find(CollectiveProtocol::LL), "it is not done with protocol ll");
    EXPECT_EQ(find(CollectiveProtocol::LL128), "it is not done with protocol ll128");
}

} // namespace
