/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-tasks.h"

#include "ns3/collective-registry.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3::llmfabric;

namespace
{

/// The busiest links.
struct Busiest
{
    double near{0}; //!< of the GPUs, bytes
    double far{0};  //!< of the NICs, bytes
};

/**
 * @param algorithm an algorithm
 * @param task an op
 * @return what the busiest links carry, by the lanes of all ranks
 */
Busiest
CountBytes(const CollectiveAlgorithm& algorithm, CollectiveTask task)
{
    const CollectiveLayout& layout = *task.layout;
    std::map<uint32_t, double> nearOut;
    std::map<uint32_t, double> nearIn;
    std::map<std::pair<uint32_t, uint32_t>, double> farOut;
    std::map<std::pair<uint32_t, uint32_t>, double> farIn;
    Busiest busiest;
    for (task.rank = 0; task.rank < task.GetRanks(); ++task.rank)
    {
        for (const auto& lane : algorithm.CreateLanes(task))
        {
            const auto getNic = [&](uint32_t member) {
                const uint32_t nic = lane->UsesChannelNic()
                                         ? layout.GetNic(member, lane->GetChannel())
                                         : layout.GetOwnNic(member);
                return std::make_pair(layout.GetNode(member), nic);
            };
            for (uint64_t i = 0; i < lane->GetStepCount(); ++i)
            {
                const LaneStep step = lane->GetStep(i);
                const auto bytes = static_cast<double>(step.sendBytes);
                for (uint32_t peer : step.sendTo)
                {
                    const bool near = layout.GetNode(peer) == layout.GetNode(task.rank);
                    (near ? nearOut[task.rank] : farOut[getNic(task.rank)]) += bytes;
                    (near ? nearIn[peer] : farIn[getNic(peer)]) += bytes;
                }
            }
        }
    }
    for (const auto* loads : {&nearOut, &nearIn})
    {
        for (const auto& [gpu, bytes] : *loads)
        {
            busiest.near = std::max(busiest.near, bytes);
        }
    }
    for (const auto* loads : {&farOut, &farIn})
    {
        for (const auto& [nic, bytes] : *loads)
        {
            busiest.far = std::max(busiest.far, bytes);
        }
    }
    return busiest;
}

/**
 * @param ranks members
 * @param perNode members of a node, of which each two have a NIC
 * @param payload M
 * @return an op of two channels, with the root in the middle
 */
CollectiveTask
MakeRootedTask(uint32_t ranks, uint32_t perNode, uint64_t payload)
{
    CollectiveTask task = MakeTask(FillNodes(ranks, perNode, 2), payload, 2);
    task.root = ranks / 2;
    return task;
}

/**
 * @param op an op
 * @param name an algorithm
 * @param task what is done
 * @return what it costs
 */
CollectiveCost
GetCost(const std::string& op, const std::string& name, const CollectiveTask& task)
{
    const auto cost = CollectiveRegistry().Get(op, name)->GetCost(task);
    EXPECT_TRUE(cost.has_value()) << op << " " << name;
    return cost.value_or(CollectiveCost());
}

TEST(DirectCosts, AreOneRoundOfTheBytesThatTheBusiestLinksCarry)
{
    const std::vector<std::pair<std::string, std::string>> choices{{"allreduce", "naive"},
                                                                   {"broadcast", "direct"},
                                                                   {"reduce", "direct"},
                                                                   {"sendrecv", "direct"}};
    for (const auto& [op, name] : choices)
    {
        for (uint32_t perNode : {1u, 3u, 4u, 8u})
        {
            const CollectiveTask task = MakeRootedTask(8, perNode, 4096);
            const Busiest expected = CountBytes(*CollectiveRegistry().Get(op, name), task);
            const CollectiveCost cost = GetCost(op, name, task);
            ASSERT_EQ(cost.size(), 1u);
            EXPECT_EQ(cost[0].rounds, 1);
            EXPECT_EQ(cost[0].far, perNode < 8);
            EXPECT_EQ(cost[0].nearBytes, expected.near) << op << " " << perNode;
            EXPECT_EQ(cost[0].farBytes, expected.far) << op << " " << perNode;
            EXPECT_EQ(cost[0].slice, perNode < 8 ? expected.far : expected.near);
        }
    }
}

TEST(TreeCosts, EndWithTheBytesThatTheBusiestLinksCarryButForTheFirstSlice)
{
    const std::vector<std::pair<std::string, std::string>> choices{
        {"allreduce", "binary-tree"},
        {"allreduce", "double-binary-tree"},
        {"broadcast", "ring"},
        {"broadcast", "binary-tree"},
        {"reduce", "ring"},
        {"reduce", "binary-tree"}};
    for (const auto& [op, name] : choices)
    {
        for (uint32_t ranks : {2u, 7u, 12u, 32u})
        {
            for (uint32_t perNode : {1u, 4u, 6u, 32u})
            {
                CollectiveTask task = MakeRootedTask(ranks, perNode, 40960);
                task.cut.slice = 1024;
                const double share = name == "double-binary-tree" ? 10240 : 20480;
                const Busiest all = CountBytes(*CollectiveRegistry().Get(op, name), task);
                const CollectiveCost cost = GetCost(op, name, task);
                ASSERT_GE(cost.size(), 2u);
                const double rest = 1 - 1024 / share;
                EXPECT_EQ(cost.back().rounds, 1);
                EXPECT_DOUBLE_EQ(cost.back().nearBytes, all.near * rest) << op << " " << name;
                EXPECT_DOUBLE_EQ(cost.back().farBytes, all.far * rest) << op << " " << name;
            }
        }
    }
}

TEST(TreeCosts, OfOneSliceAreTheRoundsOfTheWayUpAndDown)
{
    CollectiveTask task = MakeRootedTask(16, 1, 1000);
    task.cut.channels = 1;
    const CollectiveCost heap = GetCost("allreduce", "binary-tree", task);
    ASSERT_EQ(heap.size(), 2u);
    for (const CostPhase& phase : heap)
    {
        EXPECT_EQ(phase.rounds, 4); // log2 16
        EXPECT_TRUE(phase.far);
        EXPECT_EQ(phase.slice, 2000); // to two children, or from them
        EXPECT_EQ(phase.farBytes, 2000);
    }
    EXPECT_TRUE(heap[0].reduces);
    EXPECT_FALSE(heap[1].reduces);
    const CollectiveCost halves = GetCost("allreduce", "double-binary-tree", task);
    ASSERT_EQ(halves.size(), 2u);
    EXPECT_EQ(halves[0].rounds, 4);
    EXPECT_EQ(halves[0].slice, 1000); // half to each of two children
    const CollectiveCost chain = GetCost("broadcast", "ring", task);
    ASSERT_EQ(chain.size(), 1u);
    EXPECT_EQ(chain[0].rounds, 15);
    EXPECT_EQ(chain[0].slice, 1000);
    EXPECT_FALSE(chain[0].reduces);
}

TEST(TreeCosts, TellHopsInANodeFromThoseBetweenNodes)
{
    // NCCL's tree: 2 ((members of a node - 1) near + log2 N far).
    const CollectiveCost cost =
        GetCost("allreduce", "double-binary-tree", MakeRootedTask(32, 8, 1 << 20));
    ASSERT_EQ(cost.size(), 4u);
    for (std::size_t direction : {0u, 2u})
    {
        EXPECT_TRUE(cost[direction].far);
        EXPECT_EQ(cost[direction].rounds, 2);
        EXPECT_EQ(cost[direction].nearBytes, 0);
        EXPECT_FALSE(cost[direction + 1].far);
        EXPECT_EQ(cost[direction + 1].rounds, 7);
        EXPECT_EQ(cost[direction + 1].nearBytes, 1 << 20); // both trees have the same chains
    }
}

TEST(TreeCosts, ADoubleTreeMovesALargePayloadInTwoThirdsOfTheTimeOfOneTree)
{
    CollectiveTask task = MakeRootedTask(32, 1, 1 << 30);
    task.cut.slice = 1 << 16;
    const double heap = GetCost("allreduce", "binary-tree", task).back().farBytes;
    const double halves = GetCost("allreduce", "double-binary-tree", task).back().farBytes;
    EXPECT_NEAR(heap / (1 << 30), 3, 0.01);
    EXPECT_NEAR(halves / (1 << 30), 2, 0.01);
}

TEST(AllCosts, AreNothingWithoutBytesOrPeers)
{
    const CollectiveRegistry registry;
    for (const std::string op : {"allreduce", "broadcast", "reduce", "sendrecv"})
    {
        for (const std::string& name : registry.GetNames(op))
        {
            for (const CollectiveTask& task : {MakeRootedTask(1, 1, 1000), MakeRootedTask(4, 2, 0)})
            {
                if (!registry.Get(op, name)->GetCost(task))
                {
                    continue;
                }
                double rounds = 0;
                for (const CostPhase& phase : GetCost(op, name, task))
                {
                    rounds += phase.rounds;
                }
                EXPECT_EQ(rounds, 0) << op << " " << name;
            }
        }
    }
}

} // namespace
