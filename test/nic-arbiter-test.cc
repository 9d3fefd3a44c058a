/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Who of the queue pairs of a NIC sends next.

#include "nic-fixture.h"

#include "ns3/data-rate.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/** Queue pairs of host 0 that share its line. */
class NicArbiterTest : public StarFixture
{
  protected:
    /**
     * Make a queue pair to host 1 and give it much to send.
     *
     * @param index its number
     * @param sizes sizes of its messages
     * @param at when they are posted
     * @return its id
     */
    uint64_t Load(uint32_t index, const std::vector<uint64_t>& sizes, Time at = Time(0))
    {
        Connection& made = Connect(0, 1, index);
        for (uint64_t bytes : sizes)
        {
            Post(made, bytes, at);
        }
        return made.sender->GetId();
    }

    /**
     * @param seen frames of host 0
     * @param ids queue pairs
     * @param from since when to count, ticks
     * @param to until when, ticks
     * @return the largest difference between what two of them had sent at any time, wire bytes
     */
    static int64_t LargestGap(const std::deque<SeenFrame>& seen,
                              const std::vector<uint64_t>& ids,
                              int64_t from,
                              int64_t to)
    {
        std::map<uint64_t, int64_t> sent;
        for (uint64_t id : ids)
        {
            sent[id] = 0;
        }
        int64_t largest = 0;
        for (const SeenFrame& one : seen)
        {
            if (one.outcome.started < from || one.outcome.started >= to ||
                sent.count(one.frame.queuePair) == 0)
            {
                continue;
            }
            sent[one.frame.queuePair] += one.frame.wireBytes;
            const auto [least, most] =
                std::minmax_element(sent.begin(), sent.end(), [](const auto& a, const auto& b) {
                    return a.second < b.second;
                });
            largest = std::max(largest, most->second - least->second);
        }
        return largest;
    }

    /** @param rate attribute Rate of queue pairs made from now on; 0: the line's */
    static void SetRate(const std::string& rate)
    {
        Config::SetDefault("ns3::llmfabric::FixedRate::Rate", DataRateValue(DataRate(rate)));
    }

    /**
     * @param seen frames of host 0
     * @param id a queue pair
     * @param from since when, ticks
     * @param to until when, ticks
     * @return the rate of its wire bytes, Gb/s
     */
    static double RateOf(const std::deque<SeenFrame>& seen, uint64_t id, int64_t from, int64_t to)
    {
        double bytes = 0;
        for (const SeenFrame& one : seen)
        {
            const bool inside = one.outcome.started >= from && one.outcome.started < to;
            bytes += inside && one.frame.queuePair == id ? one.frame.wireBytes : 0;
        }
        return bytes * 8e3 / static_cast<double>(to - from);
    }
};

constexpr int64_t FULL = 4096 + 82 + 16; //!< wire bytes of the longest packet

TEST_F(NicArbiterTest, LargeAndSmallPacketsShareTheLineByBytes)
{
    Build(2);
    const auto& seen = Watch(Port(0));
    const uint64_t large = Load(0, std::vector<uint64_t>(300, 4096));
    const uint64_t small = Load(1, std::vector<uint64_t>(3000, 256));
    Simulator::Run();
    constexpr int64_t to = 100000000; // both have work for longer
    EXPECT_LE(LargestGap(seen, {large, small}, 0, to), FULL);
    EXPECT_GT(JainIndex({RateOf(seen, large, 0, to), RateOf(seen, small, 0, to)}), 0.9999);
    EXPECT_NEAR(RateOf(seen, small, 0, to), 50, 0.5);
}

TEST_F(NicArbiterTest, BackloggedQueuePairsStayWithinOnePacketOfEachOther)
{
    Build(2);
    const auto& seen = Watch(Port(0));
    std::vector<uint64_t> ids;
    for (uint32_t index = 0; index < 37; ++index)
    {
        // 40 kB each, in messages of a size of its own.
        const uint64_t bytes = 100 + 1111 * index;
        ids.push_back(Load(index, std::vector<uint64_t>(40000 / bytes + 1, bytes)));
    }
    Simulator::Run();
    EXPECT_LE(LargestGap(seen, ids, 0, 37 * 36000 * TICKS_PER_BYTE), FULL);
}

TEST_F(NicArbiterTest, ANewcomerGetsNoCreditForItsIdleTime)
{
    Build(2);
    const auto& seen = Watch(Port(0));
    const std::vector<uint64_t> much(500, 4096);
    const uint64_t first = Load(0, much);
    const uint64_t second = Load(1, much, MicroSeconds(50));
    Simulator::Run();
    constexpr int64_t to = 160000000;
    EXPECT_LE(LargestGap(seen, {first, second}, 50000000, to), 2 * FULL);
    EXPECT_NEAR(RateOf(seen, first, 50000000, to), 50, 0.5);
    EXPECT_NEAR(RateOf(seen, second, 50000000, to), 50, 0.5);
}

TEST_F(NicArbiterTest, WhoComesBackAfterARestIsTreatedAsANewcomer)
{
    Build(2);
    const auto& seen = Watch(Port(0));
    const uint64_t steady = Load(0, std::vector<uint64_t>(600, 4096));
    Connection& other = Connect(0, 1, 1);
    for (int burst = 0; burst < 4; ++burst)
    {
        Post(other, 100000, MicroSeconds(10 + 40 * burst)); // 16 us at half the line
    }
    Simulator::Run();
    for (int64_t burst = 0; burst < 4; ++burst)
    {
        const int64_t from = (10 + 40 * burst) * 1000000;
        EXPECT_LE(LargestGap(seen, {steady, other.sender->GetId()}, from, from + 15000000),
                  2 * FULL)
            << burst;
    }
}

TEST_F(NicArbiterTest, WhoWasAloneOwesNothing)
{
    Build(2);
    const auto& seen = Watch(Port(0));
    const std::vector<uint64_t> few(50, 4096); // 16.8 us
    Load(0, few);
    const uint64_t second = Load(1, few, MicroSeconds(100));
    const uint64_t again = Load(2, few, MicroSeconds(100));
    Post(m_connections[0], 50 * 4096, MicroSeconds(100));
    Simulator::Run();
    const uint64_t first = m_connections[0].sender->GetId();
    EXPECT_LE(LargestGap(seen, {first, second, again}, 100000000, 145000000), 2 * FULL);
}

TEST_F(NicArbiterTest, EqualWorkIsDoneAlikeHoweverOftenItComes)
{
    Build(2);
    const auto& seen = Watch(Port(0));
    const std::vector<uint64_t> sizes{3000, 13000, 8000};
    for (int64_t round = 0; round < 5; ++round)
    {
        for (uint32_t index = 0; index < 3; ++index)
        {
            Connection& flow = round == 0 ? Connect(0, 1, index) : m_connections[index];
            Post(flow, sizes[index], MicroSeconds(20 * round));
        }
    }
    Simulator::Run();
    const std::size_t packets = seen.size() / 5;
    for (std::size_t i = packets; i < seen.size(); ++i)
    {
        EXPECT_EQ(seen[i].frame.queuePair, seen[i % packets].frame.queuePair) << i;
    }
}

TEST_F(NicArbiterTest, APacedQueuePairGetsItsRateAndTheOtherTheRest)
{
    Build(2);
    const auto& seen = Watch(Port(0));
    const std::vector<uint64_t> much(200, 40960);
    SetRate("30Gbps");
    const uint64_t paced = Load(0, much);
    SetRate("0bps");
    const uint64_t greedy = Load(1, much);
    Simulator::Stop(MicroSeconds(400));
    Simulator::Run();
    // The pace counts from when a packet left, and a packet of the other may be on the wire then.
    EXPECT_GT(RateOf(seen, paced, 0, 400000000), 30.0 / (1 + 30.0 / 100));
    EXPECT_LE(RateOf(seen, paced, 0, 400000000), 30.1);
    EXPECT_NEAR(RateOf(seen, paced, 0, 400000000) + RateOf(seen, greedy, 0, 400000000), 100, 0.5);
}

TEST_F(NicArbiterTest, PacesThatLeaveRoomAreKeptAndOthersShareByBytes)
{
    Build(2);
    const auto& seen = Watch(Port(0));
    const std::vector<uint64_t> much(200, 40960);
    SetRate("60Gbps");
    std::vector<uint64_t> ids{Load(0, much), Load(1, much)};
    Simulator::Stop(MicroSeconds(400));
    Simulator::Run();
    EXPECT_NEAR(RateOf(seen, ids[0], 0, 400000000), 50, 0.5);
    EXPECT_NEAR(RateOf(seen, ids[1], 0, 400000000), 50, 0.5);
}

} // namespace
