/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/collective-protocol.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

constexpr CollectiveProtocol ALL[] = {CollectiveProtocol::NONE,
                                      CollectiveProtocol::SIMPLE,
                                      CollectiveProtocol::LL,
                                      CollectiveProtocol::LL128};

/**
 * @param bytes payload bytes
 * @param protocol a protocol
 * @return what is sent for them
 */
uint64_t
GetSent(uint64_t bytes, CollectiveProtocol protocol)
{
    return ProtocolProfile::Get(protocol).GetSentBytes(bytes);
}

TEST(CollectiveProtocolTest, NamesAreTheWordsOfScenarios)
{
    EXPECT_EQ(GetName(CollectiveProtocol::NONE), "none");
    EXPECT_EQ(GetName(CollectiveProtocol::SIMPLE), "simple");
    EXPECT_EQ(GetName(CollectiveProtocol::LL), "ll");
    EXPECT_EQ(GetName(CollectiveProtocol::LL128), "ll128");
}

TEST(CollectiveProtocolTest, SimpleSendsWhatItIsGiven)
{
    for (uint64_t bytes : {uint64_t{0}, uint64_t{1}, uint64_t{1000003}, uint64_t{5} << 30})
    {
        EXPECT_EQ(GetSent(bytes, CollectiveProtocol::NONE), bytes);
        EXPECT_EQ(GetSent(bytes, CollectiveProtocol::SIMPLE), bytes);
    }
}

TEST(CollectiveProtocolTest, FlagsFillHalfALineOfLlAndASixteenthOfLl128)
{
    EXPECT_EQ(GetSent(uint64_t{120} << 30, CollectiveProtocol::LL), uint64_t{240} << 30);
    EXPECT_EQ(GetSent(uint64_t{120} << 30, CollectiveProtocol::LL128), uint64_t{128} << 30);
}

TEST(CollectiveProtocolTest, LinesAreSentWhole)
{
    EXPECT_EQ(GetSent(0, CollectiveProtocol::LL), 0u);
    EXPECT_EQ(GetSent(1, CollectiveProtocol::LL), 16u);
    EXPECT_EQ(GetSent(8, CollectiveProtocol::LL), 16u);
    EXPECT_EQ(GetSent(9, CollectiveProtocol::LL), 32u);
    EXPECT_EQ(GetSent(1, CollectiveProtocol::LL128), 128u);
    EXPECT_EQ(GetSent(120, CollectiveProtocol::LL128), 128u);
    EXPECT_EQ(GetSent(121, CollectiveProtocol::LL128), 256u);
}

TEST(CollectiveProtocolTest, SlicesFillTheBuffersOfNccl)
{
    const auto getSlice = [](CollectiveProtocol protocol) {
        return GetSent(ProtocolProfile::Get(protocol).GetSlice(), protocol);
    };
    EXPECT_EQ(4 * getSlice(CollectiveProtocol::SIMPLE), 4u << 20) << "two of 8 steps each";
    EXPECT_EQ(8 * getSlice(CollectiveProtocol::LL), 8u * 512 * 8 * 16);
    EXPECT_EQ(8 * getSlice(CollectiveProtocol::LL128), 120u * 640 * 8 * 8);
    for (CollectiveProtocol protocol : ALL)
    {
        const ProtocolProfile& profile = ProtocolProfile::Get(protocol);
        EXPECT_EQ(profile.GetChunk() % profile.GetSlice(), 0u) << GetName(protocol);
    }
}

TEST(CollectiveProtocolTest, NoneTakesNoTime)
{
    const ProtocolProfile& none = ProtocolProfile::Get(CollectiveProtocol::NONE);
    for (LatencyRow row : {LatencyRow::RING, LatencyRow::TREE, LatencyRow::PAT})
    {
        EXPECT_EQ(none.GetBaseLatency(row), Time(0));
        for (bool far : {false, true})
        {
            EXPECT_EQ(none.GetStepLatency(row, far, true), Time(0));
            EXPECT_EQ(none.GetStepLatency(row, far, false), Time(0));
        }
    }
}

TEST(CollectiveProtocolTest, LatenciesAreThoseOfNccl)
{
    struct Row
    {
        CollectiveProtocol protocol;
        LatencyRow row;
        double base;
        double nvlink;
        double network;
    };

    const std::vector<Row> rows{
        {CollectiveProtocol::LL, LatencyRow::TREE, 6.8, 0.6, 5.0},
        {CollectiveProtocol::LL128, LatencyRow::TREE, 14, 1.25, 8.5},
        {CollectiveProtocol::SIMPLE, LatencyRow::TREE, 8.4, 4.0, 14},
        {CollectiveProtocol::LL, LatencyRow::RING, 6.6, 0.6, 2.7},
        {CollectiveProtocol::LL128, LatencyRow::RING, 14, 1.9, 4.0},
        {CollectiveProtocol::SIMPLE, LatencyRow::RING, 8.4, 3.4, 14},
        {CollectiveProtocol::SIMPLE, LatencyRow::PAT, 8, 4, 14 / 3.5},
    };
    const auto toMicroSeconds = [](const Time& time) { return time.GetSeconds() * 1e6; };
    for (const Row& row : rows)
    {
        const ProtocolProfile& profile = ProtocolProfile::Get(row.protocol);
        EXPECT_NEAR(toMicroSeconds(profile.GetBaseLatency(row.row)), row.base, 1e-9);
        EXPECT_NEAR(toMicroSeconds(profile.GetStepLatency(row.row, false, false)),
                    row.nvlink,
                    1e-9);
        EXPECT_NEAR(toMicroSeconds(profile.GetStepLatency(row.row, true, false)),
                    row.network,
                    1e-9);
    }
}

TEST(CollectiveProtocolTest, ARingOfLoneGpusPaysTheNetworkAsATreeDoes)
{
    for (CollectiveProtocol protocol : ALL)
    {
        const ProtocolProfile& profile = ProtocolProfile::Get(protocol);
        EXPECT_EQ(profile.GetStepLatency(LatencyRow::RING, true, true),
                  profile.GetStepLatency(LatencyRow::TREE, true, false));
        EXPECT_EQ(profile.GetStepLatency(LatencyRow::RING, false, true),
                  profile.GetStepLatency(LatencyRow::RING, false, false));
        EXPECT_EQ(profile.GetStepLatency(LatencyRow::PAT, true, true),
                  profile.GetStepLatency(LatencyRow::PAT, true, false));
    }
}

} // namespace
