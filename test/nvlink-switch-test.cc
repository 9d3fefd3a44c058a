/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvlink-fixture.h"

#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

using NvlinkSwitchTest = NvlinkFixture;

TEST_F(NvlinkSwitchTest, AMessageAloneTakesItsTimeAtTheRateAndTheDelay)
{
    Set("3600Gbps", NanoSeconds(500)); // 20/9 ps a byte
    const std::vector<uint64_t> sizes{1, 4, SEGMENT - 1, SEGMENT, SEGMENT + 1, 1000003, 50331648};
    for (std::size_t i = 0; i < sizes.size(); ++i)
    {
        SendIn(PicoSeconds(1000000007 * i), {0, 3}, sizes[i]);
    }
    Simulator::Run();
    ASSERT_EQ(m_arrivals.size(), sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i)
    {
        EXPECT_EQ(m_arrivals[i].bytes, sizes[i]);
        EXPECT_EQ(m_arrivals[i].when,
                  PicoSeconds(1000000007 * i + sizes[i] * 20 / 9) + NanoSeconds(500));
    }
}

TEST_F(NvlinkSwitchTest, FlowsFromOneGpuShareItsLinkEvenly)
{
    Send({0, 1}, 10 * MEGABYTE);
    Send({0, 2}, 10 * MEGABYTE);
    Send({0, 3}, MEGABYTE);
    Simulator::Run();
    EXPECT_GE(LastOf({0, 3}), TimeOf(3 * MEGABYTE - 2 * SEGMENT));
    EXPECT_LE(LastOf({0, 3}), TimeOf(3 * MEGABYTE + 2 * SEGMENT));
    EXPECT_GE(LastOf({0, 1}), TimeOf(21 * MEGABYTE - SEGMENT));
    EXPECT_EQ(LastOf({0, 2}), TimeOf(21 * MEGABYTE));
}

TEST_F(NvlinkSwitchTest, FlowsIntoOneGpuShareItsLinkEvenly)
{
    Send({0, 7}, 10 * MEGABYTE);
    Send({1, 7}, 10 * MEGABYTE);
    Send({2, 7}, MEGABYTE);
    Simulator::Run();
    EXPECT_GE(LastOf({2, 7}), TimeOf(3 * MEGABYTE - 2 * SEGMENT));
    EXPECT_LE(LastOf({2, 7}), TimeOf(3 * MEGABYTE + 2 * SEGMENT));
    EXPECT_GE(LastOf({0, 7}), TimeOf(21 * MEGABYTE - SEGMENT));
    EXPECT_EQ(LastOf({1, 7}), TimeOf(21 * MEGABYTE));
}

TEST_F(NvlinkSwitchTest, ABusyReceiverHoldsUpNoOneElse)
{
    for (uint32_t from : {0, 1, 2, 3})
    {
        Send({from, 7}, 10 * MEGABYTE);
    }
    SendIn(TimeOf(10 * MEGABYTE), {0, 6}, MEGABYTE);
    Simulator::Run();
    EXPECT_EQ(LastOf({0, 6}), TimeOf(11 * MEGABYTE)) << "the switch holds what waits for GPU 7";
    EXPECT_EQ(LastOf({3, 7}), TimeOf(40 * MEGABYTE));
}

TEST_F(NvlinkSwitchTest, AShortMessageWaitsForASegmentOnly)
{
    for (const uint64_t segment : {SEGMENT, uint64_t{1000}})
    {
        Make();
        m_switch->SetAttribute("SegmentSize", UintegerValue(segment));
        Send({0, 1}, 10 * MEGABYTE);
        SendIn(TimeOf(20 * segment + 1), {0, 2}, 16);
        Simulator::Run();
        EXPECT_EQ(LastOf({0, 2}), TimeOf(21 * segment + 16));
        EXPECT_EQ(LastOf({0, 1}), TimeOf(10 * MEGABYTE + 16));
        m_switch->Dispose();
        EndSimulation();
    }
}

TEST_F(NvlinkSwitchTest, AnAllToAllOfEightGpusIsNearTheIdeal)
{
    const uint64_t bytes = 4 * MEGABYTE;
    for (const bool turned : {true, false})
    {
        Make();
        SendAllToAll(bytes, turned);
        Simulator::Run();
        EXPECT_EQ(m_arrivals.size(), GPUS * (GPUS - 1));
        const Time end = m_arrivals.back().when;
        EXPECT_GE(end, TimeOf(7 * bytes));
        EXPECT_LE(end.ToDouble(Time::PS), 1.1 * TimeOf(7 * bytes).ToDouble(Time::PS)) << turned;
        m_switch->Dispose();
        EndSimulation();
    }
}

TEST_F(NvlinkSwitchTest, StepsOfARingTakeTheIdealTimeEach)
{
    Set("800Gbps", NanoSeconds(500));
    for (uint32_t gpu = 0; gpu < GPUS; ++gpu)
    {
        // A rank passes on what came, 7 times.
        Of({gpu, (gpu + 1) % GPUS})
            ->SetReceiveCallback(Callback<void, uint64_t>([this, gpu](uint64_t bytes) {
                m_arrivals.push_back({{gpu, (gpu + 1) % GPUS}, bytes, Simulator::Now()});
                if (m_arrivals.size() <= 6 * GPUS)
                {
                    Send({(gpu + 1) % GPUS, (gpu + 2) % GPUS}, bytes);
                }
            }));
        Send({gpu, (gpu + 1) % GPUS}, 10 * MEGABYTE);
    }
    Simulator::Run();
    ASSERT_EQ(m_arrivals.size(), 7 * GPUS);
    for (std::size_t i = 0; i < m_arrivals.size(); ++i)
    {
        const auto steps = static_cast<int64_t>(i / GPUS + 1);
        EXPECT_EQ(m_arrivals[i].when, steps * (TimeOf(10 * MEGABYTE) + NanoSeconds(500)));
    }
}

TEST_F(NvlinkSwitchTest, MessagesOfAConnectionStayInOrder)
{
    std::mt19937_64 random(7);
    std::map<Way, std::vector<uint64_t>> sent;
    const std::vector<Way> ways{{0, 1}, {0, 2}, {3, 1}, {3, 2}};
    for (int i = 0; i < 400; ++i)
    {
        const Way way = ways[random() % ways.size()];
        const uint64_t bytes = 1 + random() % (random() % 2 == 0 ? 100 : MEGABYTE);
        sent[way].push_back(bytes);
        SendIn(MicroSeconds(2 * i), way, bytes);
    }
    Simulator::Run();
    std::map<Way, std::vector<uint64_t>> came;
    for (const Arrival& one : m_arrivals)
    {
        came[one.way].push_back(one.bytes);
    }
    EXPECT_EQ(came, sent);
}

TEST_F(NvlinkSwitchTest, WithoutDelayAnAnswerStartsInTheInstantItsQuestionComes)
{
    int left = 100;
    for (const Way& way : {Way(4, 5), Way(5, 4)})
    {
        Of(way)->SetReceiveCallback(Callback<void, uint64_t>([&, way](uint64_t bytes) {
            if (--left > 0)
            {
                Send({way.second, way.first}, bytes);
            }
        }));
    }
    Send({4, 5}, 1000);
    Simulator::Run();
    EXPECT_EQ(left, 0);
    EXPECT_EQ(Simulator::Now(), TimeOf(100 * 1000));
}

TEST_F(NvlinkSwitchTest, TinyMessagesAddUpToTheExactRate)
{
    Set("3600Gbps", NanoSeconds(500)); // 20/9 ps a byte
    for (int i = 0; i < 1000; ++i)
    {
        Send({0, 1}, 1);
    }
    Simulator::Run();
    ASSERT_EQ(m_arrivals.size(), 1000u);
    for (std::size_t i = 0; i < m_arrivals.size(); ++i)
    {
        EXPECT_EQ(m_arrivals[i].when, PicoSeconds((i + 1) * 20 / 9) + NanoSeconds(500));
    }
}

TEST_F(NvlinkSwitchTest, ManyShortMessagesGetTheShareOfALongOne)
{
    for (int i = 0; i < 1000; ++i)
    {
        Send({0, 1}, 1000);
    }
    Send({0, 2}, MEGABYTE);
    Simulator::Run();
    EXPECT_GE(LastOf({0, 1}), TimeOf(2 * MEGABYTE - SEGMENT));
    EXPECT_EQ(LastOf({0, 2}), TimeOf(2 * MEGABYTE));
}

TEST_F(NvlinkSwitchTest, HugeMessagesTakeFewEvents)
{
    for (const uint64_t bytes : {uint64_t{5} << 30, uint64_t{1} << 48})
    {
        const Time start = Simulator::Now();
        const uint64_t before = Simulator::GetEventCount();
        Send({0, 1}, bytes);
        Simulator::Run();
        EXPECT_EQ(LastOf({0, 1}), start + TimeOf(bytes));
        EXPECT_LE(Simulator::GetEventCount() - before, 65537u);
    }
}

TEST_F(NvlinkSwitchTest, TheOrderInWhichGpusPostInAnInstantDoesNotMatter)
{
    std::mt19937 random(5);
    std::vector<uint32_t> gpus(GPUS);
    std::iota(gpus.begin(), gpus.end(), 0);
    std::vector<std::vector<std::pair<Way, Time>>> runs;
    for (int run = 0; run < 5; ++run)
    {
        Make();
        for (const uint32_t from : gpus)
        {
            for (const uint32_t to : {0, 5, 2, 7})
            {
                if (from != to)
                {
                    SendIn(MicroSeconds(1), {from, to}, 300000 + 10000 * from + 1000 * to);
                }
            }
        }
        Simulator::Run();
        runs.emplace_back();
        for (const Arrival& one : m_arrivals)
        {
            runs.back().emplace_back(one.way, one.when);
        }
        EXPECT_EQ(runs.back(), runs.front());
        m_switch->Dispose();
        EndSimulation();
        std::shuffle(gpus.begin(), gpus.end(), random);
    }
}

TEST_F(NvlinkSwitchTest, LinksAreBusyWhileTheyMayBe)
{
    std::mt19937_64 random(11);
    for (int run = 0; run < 20; ++run)
    {
        Make();
        std::vector<uint64_t> from(GPUS);
        std::vector<uint64_t> to(GPUS);
        for (int i = 0; i < 60; ++i)
        {
            const uint32_t a = random() % GPUS;
            const uint32_t b = (a + 1 + random() % (GPUS - 1)) % GPUS;
            const uint64_t bytes = 1 + random() % MEGABYTE;
            Send({a, b}, bytes);
            from[a] += bytes;
            to[b] += bytes;
        }
        Simulator::Run();
        ASSERT_EQ(m_arrivals.size(), 60u);
        const uint64_t sent = *std::max_element(from.begin(), from.end());
        const uint64_t received = *std::max_element(to.begin(), to.end());
        EXPECT_GE(m_arrivals.back().when, TimeOf(std::max(sent, received)));
        EXPECT_LE(m_arrivals.back().when, TimeOf(sent + received));
        m_switch->Dispose();
        EndSimulation();
    }
}

TEST_F(NvlinkSwitchTest, ANewRateHoldsFromTheNextSegmentOn)
{
    Send({0, 1}, 10 * SEGMENT);
    Simulator::Schedule(TimeOf(2 * SEGMENT + 1), [this]() { Set("400Gbps", Time(0)); });
    Simulator::Run();
    EXPECT_EQ(LastOf({0, 1}), TimeOf(3 * SEGMENT + 7 * SEGMENT * 2));
}

TEST_F(NvlinkSwitchTest, AClearToSendTakesTheDelayAndNoLink)
{
    Set("800Gbps", NanoSeconds(500));
    Send({1, 0}, 10 * MEGABYTE);
    Time granted;
    Of({0, 1})->SetGrantCallback(Callback<void>([&]() { granted = Simulator::Now(); }));
    Simulator::Schedule(MicroSeconds(3), [this]() { Of({0, 1})->Grant(); });
    Simulator::Run();
    EXPECT_EQ(granted, NanoSeconds(3500));
    EXPECT_EQ(LastOf({1, 0}), TimeOf(10 * MEGABYTE) + NanoSeconds(500));
}

TEST_F(NvlinkSwitchTest, ADisposedSwitchLetsGoOfItsConnections)
{
    Ptr<GpuConnection> one = Of({0, 1});
    m_connections.clear();
    one->Send(10 * MEGABYTE);
    Simulator::Stop(MicroSeconds(50));
    Simulator::Run();
    EXPECT_GT(one->GetReferenceCount(), 1u) << "it has bytes to send";
    m_switch->Dispose();
    Simulator::Destroy();
    EXPECT_EQ(one->GetReferenceCount(), 1u);
    EXPECT_TRUE(m_arrivals.empty());
    EXPECT_EQ(one->GetSentBytes(), 10 * MEGABYTE);
}

using NvlinkSwitchDeathTest = NvlinkSwitchTest;

TEST_F(NvlinkSwitchDeathTest, WhatCannotBeIsRefused)
{
    EXPECT_DEATH(m_switch->Connect(2, 2), "two different GPUs");
    EXPECT_DEATH(m_switch->Connect(0, GPUS), "two different GPUs");
    const uint64_t longest = std::numeric_limits<int64_t>::max() / 10;
    EXPECT_DEATH(Send({0, 1}, longest + 1), "ends after the end of simulated time");
    EXPECT_DEATH(
        {
            Send({0, 1}, longest / 2 + 1);
            Send({0, 1}, longest / 2 + 1);
            Simulator::Run();
        },
        "ends after the end of simulated time");
    Set("0bps", Time(0));
    EXPECT_DEATH(Send({0, 1}, 1), "has to be above 0");
}

} // namespace
