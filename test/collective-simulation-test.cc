/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-job.h"

#include "ns3/collective-registry.h"
#include "ns3/queue-pair.h"
#include "ns3/rank-reducer.h"
#include "ns3/roce-nic.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

constexpr uint64_t M = 1680000; //!< a payload that 2 to 8 ranks and 2 channels share evenly

/**
 * @param kind an op
 * @param payload M, bytes
 * @return the op
 */
CollectiveOp
MakeOp(CollectiveKind kind, uint64_t payload)
{
    return {kind, 0, payload, AllToAllShares::EVEN};
}

/// Runs collectives on a network and looks at the counters of NICs and NVLink.
class CollectiveSimulation : public CollectiveJob
{
  protected:
    /**
     * Run an op with an algorithm.
     *
     * @param kind the op
     * @param algorithm the algorithm
     * @param nodes servers
     * @param gpusPerNode GPUs of a server
     * @return what each rank sent, bytes
     */
    std::vector<uint64_t> GetSent(CollectiveKind kind,
                                  const std::string& algorithm,
                                  uint32_t nodes,
                                  uint32_t gpusPerNode)
    {
        m_algorithm = algorithm;
        RunOp(MakeOp(kind, M), nodes, gpusPerNode);
        EXPECT_TRUE(m_observer.IsFinished()) << algorithm;
        std::vector<uint64_t> sent;
        for (const Ptr<RankApplication>& rank : m_ranks)
        {
            sent.push_back(rank->GetSentBytes());
        }
        Forget();
        return sent;
    }

    /**
     * @param sent what each rank sent
     * @return what all sent
     */
    static uint64_t Sum(const std::vector<uint64_t>& sent)
    {
        return std::accumulate(sent.begin(), sent.end(), uint64_t{0});
    }
};

TEST_F(CollectiveSimulation, RanksSendTheBytesOfTheFormulas)
{
    const uint64_t p = 8;
    // Of each op what all ranks send, whichever the algorithm, but for those that are named below.
    const std::map<CollectiveKind, uint64_t> totals{{CollectiveKind::ALL_REDUCE, 2 * (p - 1) * M},
                                                    {CollectiveKind::REDUCE_SCATTER, (p - 1) * M},
                                                    {CollectiveKind::ALL_GATHER, (p - 1) * M},
                                                    {CollectiveKind::ALL_TO_ALL, (p - 1) * M},
                                                    {CollectiveKind::BROADCAST, (p - 1) * M},
                                                    {CollectiveKind::REDUCE, (p - 1) * M},
                                                    {CollectiveKind::SEND_RECEIVE, p * M}};
    std::map<std::string, uint64_t> others{{"naive", p * (p - 1) * M},
                                           {"recursive-doubling", p * 3 * M},
                                           {"bruck", p * 3 * M / 2}};
    for (const auto& [kind, total] : totals)
    {
        for (const std::string& name : CollectiveRegistry().GetNames(GetName(kind)))
        {
            SCOPED_TRACE(GetName(kind) + " " + name);
            const bool other = others.count(name) > 0;
            EXPECT_EQ(Sum(GetSent(kind, name, 8, 1)), other ? others[name] : total);
            if (name != "hierarchical" || kind != CollectiveKind::ALL_TO_ALL)
            {
                EXPECT_EQ(Sum(GetSent(kind, name, 2, 4)), other ? others[name] : total);
            }
        }
    }
    // By way of the rail GPU: M in the node for each but the own part, then on the rails.
    const auto rails = GetSent(CollectiveKind::ALL_TO_ALL, "hierarchical", 2, 4);
    EXPECT_EQ(Sum(rails), 2 * (4 - 1) * M + 4 * (2 - 1) * M);
}

TEST_F(CollectiveSimulation, EachRankOfARingSendsTheSame)
{
    EXPECT_EQ(GetSent(CollectiveKind::ALL_REDUCE, "ring", 8, 1),
              std::vector<uint64_t>(8, 2 * 7 * M / 8));
    EXPECT_EQ(GetSent(CollectiveKind::ALL_GATHER, "ring", 8, 1),
              std::vector<uint64_t>(8, 7 * M / 8));
    EXPECT_EQ(GetSent(CollectiveKind::REDUCE_SCATTER, "direct", 8, 1),
              std::vector<uint64_t>(8, 7 * M / 8));
    EXPECT_EQ(GetSent(CollectiveKind::ALL_TO_ALL, "pairwise", 8, 1),
              std::vector<uint64_t>(8, 7 * M / 8));
}

TEST_F(CollectiveSimulation, AnOpOfNoBytesEndsInTheSameInstant)
{
    for (const std::string protocol : {"none", "simple", "ll128"})
    {
        m_settings = {{"Protocol", protocol}};
        for (const auto kind : {CollectiveKind::ALL_REDUCE, CollectiveKind::BROADCAST})
        {
            EXPECT_EQ(RunOp(MakeOp(kind, 0), 4), Time(0));
            EXPECT_EQ(m_collectives.size(), 4u);
            EXPECT_EQ(m_ranks[0]->GetSentBytes(), 0u);
            Forget();
        }
    }
}

TEST_F(CollectiveSimulation, TreesWinBelowASizeAndRingsAboveItWhichGrowsWithTheRanks)
{
    uint64_t before = 0;
    for (const uint32_t ranks : {4, 8, 16, 32})
    {
        SCOPED_TRACE(ranks);
        const auto getTime = [&](const std::string& algorithm, uint64_t payload) {
            m_algorithm = algorithm;
            const Time time = RunOp(MakeOp(CollectiveKind::ALL_REDUCE, payload), ranks);
            const RankConfig config = m_ranks[0]->GetConfig();
            Forget();
            return std::make_pair(time, config);
        };
        const RankConfig config = getTime("ring", 1000).second;
        const auto crossing =
            config.collectives->tuner->FindCrossing("allreduce",
                                                    "double-binary-tree",
                                                    "ring",
                                                    config.groups.begin()->second.layout);
        ASSERT_TRUE(crossing);
        EXPECT_GT(*crossing, before + before / 2) << "it grows";
        before = *crossing;
        EXPECT_LT(getTime("double-binary-tree", *crossing / 2).first,
                  getTime("ring", *crossing / 2).first);
        EXPECT_GT(getTime("double-binary-tree", *crossing * 2).first,
                  getTime("ring", *crossing * 2).first);
    }
}

TEST_F(CollectiveSimulation, TheChoiceAutoIsWithinTenPercentOfTheFastest)
{
    for (const auto kind : {CollectiveKind::ALL_REDUCE, CollectiveKind::ALL_TO_ALL})
    {
        for (const uint64_t payload : {4096ULL, 65536ULL, 1ULL << 20, 16ULL << 20})
        {
            m_algorithm = "auto";
            const Time chosen = RunOp(MakeOp(kind, payload), 8);
            const std::string name = m_collectives.front().algorithm;
            Forget();
            for (const std::string& other : CollectiveRegistry().GetNames(GetName(kind)))
            {
                m_algorithm = other;
                const Time time = RunOp(MakeOp(kind, payload), 8);
                EXPECT_LE(chosen.GetSeconds(), 1.1 * time.GetSeconds())
                    << name << " against " << other << ", " << payload << " bytes";
                Forget();
            }
        }
    }
}

TEST_F(CollectiveSimulation, AConnectionHasItsQueuePairsForTheWholeJob)
{
    m_settings = {{"Channels", "3"}, {"QueuePairs", "4"}};
    RunOp(MakeOp(CollectiveKind::ALL_REDUCE, 16 * M), 4);
    EXPECT_TRUE(m_observer.IsFinished());
    const Ptr<RoceNic> nic = m_fabric.nics[0];
    ASSERT_EQ(nic->GetQueuePairs().size(), 3u * 4 * 2) << "to the next and from the one before";
    std::multiset<uint64_t> sent;
    for (const Ptr<QueuePair>& pair : nic->GetQueuePairs())
    {
        sent.insert(pair->GetRequester().GetCounters().sentBytes);
    }
    // Messages go to the queue pairs in turn, so those of a channel differ by a slice at most per
    // loop; the clear-to-sends all go on the first one of their connection.
    const uint64_t data = 2 * 3 * 16 * M / 4;
    const auto least = std::next(sent.begin(), 12);
    EXPECT_GT(*least + (4ULL << 20), data / 12) << "at most 4 slices less than on average";
    EXPECT_EQ(std::count(sent.begin(), sent.end(), 0), 9);
}

TEST_F(CollectiveSimulation, AdditionsTakeTheirTimeAndShareTheMemory)
{
    const uint64_t payload = 4 << 20; // chunks of 1 MiB
    const auto run = [&](const std::vector<std::pair<std::string, std::string>>& more) {
        m_settings = {{"Slots", "0"}, {"ChunkSize", "1048576"}, {"SliceSize", "1048576"}};
        m_settings.insert(m_settings.end(), more.begin(), more.end());
        const Time time = RunOp(MakeOp(CollectiveKind::ALL_REDUCE, payload), 4);
        Forget();
        return time.ToDouble(Time::US);
    };
    const double one = run({{"Channels", "1"}});
    // 1 MiB at 80 Gb/s takes 104.858 us, in each of 3 steps.
    EXPECT_NEAR(run({{"Channels", "1"}, {"ReductionRate", "80Gbps"}}), one + 3 * 104.858, 1);
    // Two channels add half as much each, at the same time.
    const double two = run({{"Channels", "2"}});
    EXPECT_NEAR(run({{"Channels", "2"}, {"ReductionRate", "80Gbps"}}), two + 3 * 52.429, 8);
    const std::pair<std::string, std::string> rate{"ReductionRate", "80Gbps"};
    const double enough = run({{"Channels", "2"}, rate, {"MemoryBandwidth", "160Gbps"}});
    EXPECT_NEAR(enough, run({{"Channels", "2"}, rate}), 1);
}

TEST_F(CollectiveSimulation, LanesOfAChannelShareItsRateOfAdditions)
{
    // 7 members send 1 MiB each to the root, on a lane each: 8 Gb/s add 7 MiB in 7.340 ms.
    m_algorithm = "direct";
    m_settings = {{"Channels", "1"}, {"ReductionRate", "8Gbps"}};
    const Time time = RunOp(MakeOp(CollectiveKind::REDUCE, 1 << 20), 8);
    EXPECT_GE(time.ToDouble(Time::MS), 7 * 1.048576);
    EXPECT_LE(time.ToDouble(Time::MS), 7 * 1.048576 + 0.7) << "what comes before the first one";
}

TEST(RankReducer, ServesChannelsAtTheirRateAndAllAtThatOfTheMemory)
{
    RankReducer reducer(10e9, 15e9);
    std::vector<Time> free(4);
    // At one instant: a channel takes 100 us for 1 MB, the memory 66.667 us for each.
    EXPECT_EQ(reducer.Begin(1000000, free[0]), MicroSeconds(100));
    EXPECT_NEAR(reducer.Begin(1000000, free[1]).ToDouble(Time::US), 133.333, 0.001);
    EXPECT_NEAR(reducer.Begin(1000000, free[2]).ToDouble(Time::US), 200, 0.001);
    EXPECT_EQ(RankReducer(0, 0).Begin(1000000, free[3]), Time(0));
    EXPECT_EQ(RankReducer(10e9, 0).Begin(1000000, free[3]), MicroSeconds(100));
    EXPECT_EQ(RankReducer(10e9, 0).Begin(1000000, free[3]), MicroSeconds(200)) << "same channel";
}

TEST_F(CollectiveSimulation, ProtocolsHaveStartUpCostsAndSendFlags)
{
    const auto run = [&](const std::string& protocol) {
        m_settings = {{"Protocol", protocol}, {"Channels", "1"}, {"Slots", "0"}};
        const Time time = RunOp(MakeOp(CollectiveKind::ALL_REDUCE, 8 * 960), 8);
        const uint64_t sent = m_ranks[0]->GetSentBytes();
        Forget();
        return std::make_pair(time.ToDouble(Time::US), sent);
    };
    const auto [none, bytes] = run("none");
    EXPECT_EQ(bytes, 14u * 960);
    const auto [simple, simpleBytes] = run("simple");
    EXPECT_EQ(simpleBytes, bytes);
    EXPECT_NEAR(simple, none + 8.4 + 14 * 14, 0.2);
    const auto [ll, llBytes] = run("ll");
    EXPECT_EQ(llBytes, 2 * bytes);
    // One GPU per node: NCCL counts the network steps of a ring as a tree's. 960 more bytes on 2
    // links in each step.
    EXPECT_NEAR(ll, none + 6.6 + 14 * (5.0 + 2 * 960 * 8e-5), 0.2);
    const auto [ll128, ll128Bytes] = run("ll128");
    EXPECT_EQ(ll128Bytes, bytes * 128 / 120);
    EXPECT_NEAR(ll128, none + 14 + 14 * (8.5 + 2 * 64 * 8e-5), 0.2);
}

TEST_F(CollectiveSimulation, GroupsWithoutCommonLinksDoNotSlowEachOther)
{
    const Time alone = RunOp(MakeOp(CollectiveKind::ALL_REDUCE, 16 * M), 4);
    Forget();
    auto plan = std::make_shared<HandPlan>(8);
    const uint32_t even = plan->AddGroup({0, 2, 4, 6});
    const uint32_t odd = plan->AddGroup({1, 3, 5, 7});
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        CollectiveOp op = MakeOp(CollectiveKind::ALL_REDUCE, 16 * M);
        op.group = rank % 2 == 0 ? even : odd;
        plan->Add(rank, 0, op);
    }
    Install(plan, 1, 8);
    Simulator::Run();
    ASSERT_EQ(m_collectives.size(), 8u);
    for (const CollectiveSpan& span : m_collectives)
    {
        EXPECT_NEAR(Length(span), alone.ToDouble(Time::US), 1);
    }
}

TEST_F(CollectiveSimulation, EachChannelOfARingUsesItsRail)
{
    TopologySpec spec;
    spec.nodes = 3;
    spec.nicsPerNode = 4;
    m_fabric = m_helper.Create(TopologyBuilder::Create("single-switch")->Build(spec));
    auto plan = std::make_shared<HandPlan>(24);
    std::vector<uint32_t> members(24);
    std::iota(members.begin(), members.end(), 0);
    CollectiveOp op = MakeOp(CollectiveKind::ALL_REDUCE, 24 * 8 * 10000);
    op.group = plan->AddGroup(members);
    for (uint32_t rank = 0; rank < 24; ++rank)
    {
        plan->Add(rank, 0, op);
    }
    TrainingJobHelper helper(8);
    helper.SetCollectiveAttribute("Slots", UintegerValue(0));
    helper.InstallGpus(m_fabric);
    m_ranks = helper.Install(m_fabric, plan);
    m_observer.Watch(m_ranks, 0);
    Simulator::Run();
    EXPECT_TRUE(m_observer.IsFinished());
    // 8 channels, two for each NIC; each step of a channel sends 10,000 bytes from node to node.
    for (const Ptr<RoceNic>& nic : m_fabric.nics)
    {
        uint64_t sent = 0;
        for (const Ptr<QueuePair>& pair : nic->GetQueuePairs())
        {
            sent += pair->GetRequester().GetCounters().sentBytes;
            const uint32_t far = (pair->GetConfig().peerAddress - pair->GetConfig().localAddress);
            EXPECT_EQ(far % 4, 0u) << "the NIC of the same number on another node";
        }
        EXPECT_EQ(sent, 2u * 2 * 23 * 10000);
    }
}

TEST_F(CollectiveSimulation, AChannelUsesItsRailWhateverOpTheGroupDidBefore)
{
    const auto getTime = [&](const std::vector<CollectiveOp>& ops) {
        TopologySpec spec;
        spec.nodes = 2;
        spec.nicsPerNode = 2;
        m_fabric = m_helper.Create(TopologyBuilder::Create("single-switch")->Build(spec));
        auto plan = std::make_shared<HandPlan>(8);
        const uint32_t group = plan->AddGroup({0, 1, 2, 3, 4, 5, 6, 7});
        for (uint32_t rank = 0; rank < 8; ++rank)
        {
            for (CollectiveOp op : ops)
            {
                op.group = group;
                plan->Add(rank, 0, op);
            }
        }
        TrainingJobHelper helper(4);
        helper.SetCollectiveAttribute("Channels", UintegerValue(2));
        helper.InstallGpus(m_fabric);
        m_ranks = helper.Install(m_fabric, plan);
        m_observer.Watch(m_ranks, 0);
        Simulator::Run();
        EXPECT_TRUE(m_observer.IsFinished());
        const CollectiveResult last = m_observer.GetCollectives().back();
        Forget();
        return (last.end - last.start).ToDouble(Time::US);
    };
    // A message from GPU 3 to GPU 4 is on lane 0 of both, but by the NICs of the GPUs in one and by
    // those of channel 0 in the other.
    const CollectiveOp exchange = MakeOp(CollectiveKind::ALL_TO_ALL, 65536);
    const CollectiveOp ring = MakeOp(CollectiveKind::ALL_REDUCE, 8 * M);
    EXPECT_NEAR(getTime({exchange, ring}) / getTime({ring}), 1, 0.01);
}

} // namespace
