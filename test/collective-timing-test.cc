/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-job.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

constexpr double RATE = 100e9 / 8;  //!< of a link, bytes per second
constexpr double DELAY = 1e-6;      //!< of a link, seconds
constexpr double MTU = 4096;        //!< payload bytes of a full packet
constexpr double ACK = 86;          //!< an acknowledgment on the wire, bytes
constexpr double ACK_INTERVAL = 16; //!< packets for which one is asked
constexpr double GRANT = 16 + 98;   //!< a clear-to-send on the wire, bytes

/**
 * @param bytes a message
 * @return what it takes on the wire, bytes
 */
double
GetWire(double bytes)
{
    return bytes + std::ceil(bytes / MTU) * 82 + 16;
}

/**
 * @param bytes a message
 * @return the acknowledgments of it on the wire, bytes
 */
double
GetAcks(double bytes)
{
    return std::ceil(std::ceil(bytes / MTU) / ACK_INTERVAL) * ACK;
}

/**
 * @param ranks n
 * @param payload S, bytes
 * @return 2 (n - 1) (wire(S / n) / R + 2 delay + wire(min(S / n, MTU)) / R), in seconds; a host
 *         sends the acknowledgments of what it receives on the link on which it sends
 */
double
GetRingTime(double ranks, double payload)
{
    const double chunk = payload / ranks;
    return 2 * (ranks - 1) *
           ((GetWire(chunk) + GetAcks(chunk) + GetWire(std::min(chunk, MTU))) / RATE + 2 * DELAY);
}

/// The parameters are ranks and payload.
class RingTime : public CollectiveJob,
                 public testing::WithParamInterface<std::tuple<uint32_t, uint64_t>>
{
  protected:
    /**
     * Run an AllReduce by a ring.
     *
     * @param slots slots of a connection
     * @param slice bytes of a slice
     * @return how long it takes, seconds
     */
    double RunRing(const std::string& slots, uint64_t slice)
    {
        const auto [ranks, payload] = GetParam();
        m_settings = {{"Channels", "1"},
                      {"Slots", slots},
                      {"SliceSize", std::to_string(slice)},
                      {"ChunkSize", std::to_string(payload / ranks)}};
        m_settings.insert(m_settings.end(), m_more.begin(), m_more.end());
        const double time =
            RunOp({CollectiveKind::ALL_REDUCE, 0, payload, AllToAllShares::EVEN}, ranks)
                .GetSeconds();
        EXPECT_TRUE(m_observer.IsFinished());
        Forget();
        return time;
    }

    static constexpr uint64_t LARGEST_TWICE = 16ULL << 20; //!< larger payloads run once only

    std::vector<std::pair<std::string, std::string>> m_more; //!< further settings
};

TEST_P(RingTime, OfOneSliceAStepIsTheClosedFormAndAGrantMoreWithSlots)
{
    const auto [ranks, payload] = GetParam();
    const double expected = GetRingTime(ranks, static_cast<double>(payload));
    const double unlimited = RunRing("0", payload / ranks);
    EXPECT_NEAR(unlimited / expected, 1, 0.005);
    if (payload > LARGEST_TWICE) // the two differ less than the tolerance
    {
        return;
    }
    const double granted = RunRing("4", payload / ranks);
    const double grant = 2 * DELAY + 2 * GRANT / RATE;
    EXPECT_NEAR(granted / (expected + grant), 1, 0.005);
    EXPECT_GE(granted, unlimited + grant);
    // Later clear-to-sends and their acknowledgments take room beside data.
    EXPECT_LE(granted, unlimited + grant + 2 * ranks * (GRANT + ACK) / RATE);
}

TEST_P(RingTime, OfManySlicesIsShorter)
{
    const auto [ranks, payload] = GetParam();
    if (payload > LARGEST_TWICE)
    {
        return;
    }
    const double whole = RunRing("0", payload / ranks);
    EXPECT_LE(RunRing("0", payload / ranks / 2), whole);
    EXPECT_LE(RunRing("0", payload / ranks / 8), whole);
}

TEST_P(RingTime, HasAStepLatencyInEachStep)
{
    const auto [ranks, payload] = GetParam();
    if (payload > LARGEST_TWICE)
    {
        return;
    }
    const double without = RunRing("0", payload / ranks);
    m_more = {{"StepLatency", "3us"}};
    const double expected = without + 2 * (ranks - 1) * 3e-6;
    EXPECT_NEAR(RunRing("0", payload / ranks) / expected, 1, 0.0025); // ACKs stand in the way less
}

INSTANTIATE_TEST_SUITE_P(
    Sizes,
    RingTime,
    testing::Combine(testing::Values(4, 8, 16),
                     testing::Values(64ULL << 10, 1ULL << 20, 16ULL << 20, 1ULL << 30)));

/// A ring of 4 over 64 MB, of which rank 2 joins late.
class LateRank : public CollectiveJob
{
  protected:
    static constexpr uint64_t PAYLOAD = 64000000; //!< M, bytes

    /**
     * Let rank 2 join after 10 ms.
     *
     * @return when the last rank ended, from then on
     */
    Time RunLate()
    {
        m_starts[2] = MilliSeconds(10);
        InstallOp({CollectiveKind::ALL_REDUCE, 0, PAYLOAD, AllToAllShares::EVEN}, 4, 1);
        Simulator::Stop(MilliSeconds(10) - NanoSeconds(1));
        Simulator::Run();
        m_early = m_ranks.at(1)->GetSentBytes();
        Simulator::Run();
        Time end;
        for (const CollectiveSpan& span : m_collectives)
        {
            end = std::max(end, span.end);
        }
        return end - MilliSeconds(10);
    }

    uint64_t m_early{0}; //!< bytes that rank 1 had sent to rank 2 before it joined
};

TEST_F(LateRank, GetsNoByteBeforeItJoinsAndTheOpTakesItsWholeTimeFromThenOn)
{
    EXPECT_NEAR(RunLate().ToDouble(Time::MS), 7.850, 0.0005);
    EXPECT_EQ(m_early, 0u);
    EXPECT_GT(m_ranks.at(1)->GetSentBytes(), 0u);
}

TEST_F(LateRank, GetsDataEarlyWithoutSlots)
{
    m_settings = {{"Slots", "0"}};
    EXPECT_LT(RunLate().ToDouble(Time::MS), 7.850);
    // Of the first loop of both channels: its own chunk, and what came from ranks 0 and 3.
    EXPECT_EQ(m_early, 3 * 2 * (uint64_t{2} << 20));
}

} // namespace
