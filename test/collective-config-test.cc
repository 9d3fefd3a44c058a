/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "made-layouts.h"

#include "ns3/collective-config.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

TEST(CollectiveConfigTest, AGroupHasTwoChannelsForEachNic)
{
    const CollectiveConfig config;
    EXPECT_EQ(config.GetChannels(*MakeNodes(2, 8)), 16u);
    EXPECT_EQ(config.GetChannels(*MakeNodes(2, 8, 4)), 4u);
    EXPECT_EQ(config.GetChannels(CollectiveLayout::Spread(5)), 2u);
}

TEST(CollectiveConfigTest, ChannelsCanBeSaid)
{
    CollectiveConfig config;
    config.channels = 5;
    EXPECT_EQ(config.GetChannels(*MakeNodes(2, 8)), 5u);
    const CollectiveCut cut = config.GetCut(*MakeNodes(2, 8), 1 << 30, CollectiveProtocol::SIMPLE);
    EXPECT_EQ(cut.channels, 5u);
}

TEST(CollectiveConfigTest, SmallPayloadsUseFewerChannels)
{
    const CollectiveConfig config;
    const CollectiveLayout layout = *MakeNodes(2, 8);
    const auto getChannels = [&](uint64_t payload) {
        return config.GetCut(layout, payload, CollectiveProtocol::SIMPLE).channels;
    };
    constexpr uint64_t FEWEST = CollectiveConfig::CHANNEL_BYTES;
    EXPECT_EQ(getChannels(0), 1u);
    EXPECT_EQ(getChannels(2 * FEWEST - 1), 1u);
    EXPECT_EQ(getChannels(2 * FEWEST), 2u);
    EXPECT_EQ(getChannels(16 * FEWEST - 1), 15u);
    EXPECT_EQ(getChannels(16 * FEWEST), 16u);
    EXPECT_EQ(getChannels(uint64_t{1} << 60), 16u);
}

TEST(CollectiveConfigTest, ChunksAndSlicesAreTheProtocols)
{
    const CollectiveConfig config;
    const CollectiveLayout layout = *MakeNodes(2, 8);
    for (CollectiveProtocol protocol :
         {CollectiveProtocol::NONE, CollectiveProtocol::LL, CollectiveProtocol::LL128})
    {
        const CollectiveCut cut = config.GetCut(layout, 1 << 30, protocol);
        EXPECT_EQ(cut.slice, ProtocolProfile::Get(protocol).GetSlice());
        EXPECT_EQ(cut.chunk, ProtocolProfile::Get(protocol).GetChunk());
    }
    const CollectiveCut simple = config.GetCut(layout, 1 << 30, CollectiveProtocol::SIMPLE);
    EXPECT_EQ(simple.slice, CollectiveCut().slice);
    EXPECT_EQ(simple.chunk, CollectiveCut().chunk);
}

TEST(CollectiveConfigTest, ChunksAndSlicesCanBeSaid)
{
    CollectiveConfig config;
    const CollectiveLayout layout = *MakeNodes(2, 8);
    config.slice = 1000;
    EXPECT_EQ(config.GetCut(layout, 1 << 30, CollectiveProtocol::LL).slice, 1000u);
    EXPECT_EQ(config.GetCut(layout, 1 << 30, CollectiveProtocol::LL).chunk, 32u << 10);
    config.slice = 1 << 20; // of LL, more than a chunk
    EXPECT_EQ(config.GetCut(layout, 1 << 30, CollectiveProtocol::LL).chunk, 1u << 20);
    config.chunk = 7000;
    EXPECT_EQ(config.GetCut(layout, 1 << 30, CollectiveProtocol::LL).chunk, 7000u);
}

TEST(CollectiveConfigTest, AStepCostsWhatTheProtocolSays)
{
    const CollectiveConfig config;
    const auto getStep = [&](LatencyRow row, bool far, const CollectiveLayout& layout) {
        return config.GetStepLatency(row, far, layout, CollectiveProtocol::LL);
    };
    EXPECT_EQ(getStep(LatencyRow::RING, false, *MakeNodes(2, 8)), NanoSeconds(600));
    EXPECT_EQ(getStep(LatencyRow::RING, true, *MakeNodes(2, 8)), NanoSeconds(2700));
    EXPECT_EQ(getStep(LatencyRow::TREE, true, *MakeNodes(2, 8)), NanoSeconds(5000));
    EXPECT_EQ(getStep(LatencyRow::RING, true, CollectiveLayout::Spread(4)), NanoSeconds(5000));
}

TEST(CollectiveConfigTest, AStepCanBeSaidToCostAnythingEvenNothing)
{
    CollectiveConfig config;
    for (const Time& said : {Time(0), NanoSeconds(123)})
    {
        config.stepLatency = said;
        for (bool far : {false, true})
        {
            EXPECT_EQ(config.GetStepLatency(LatencyRow::RING,
                                            far,
                                            *MakeNodes(2, 8),
                                            CollectiveProtocol::SIMPLE),
                      said);
        }
    }
}

} // namespace
