/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "made-layouts.h"

#include "ns3/collective-layout.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <set>
#include <vector>

using namespace ns3::llmfabric;

namespace
{

/**
 * @param layout a layout
 * @param channel a channel
 * @return the members in the order of its ring
 */
std::vector<uint32_t>
GetRing(const CollectiveLayout& layout, uint32_t channel)
{
    std::vector<uint32_t> ring;
    for (uint32_t position = 0; position < layout.GetSize(); ++position)
    {
        ring.push_back(layout.GetMemberAt(channel, position));
    }
    return ring;
}

/**
 * @return layouts of all kinds
 */
std::vector<CollectiveLayout>
GetLayouts()
{
    return {CollectiveLayout::Spread(5),
            *MakeNodes(2, 4, 2),
            *MakeNodes(1, 8),
            *FillNodes(10, 4, 2), // the last node is half full
            CollectiveLayout({{7, 3}, {2, 0}, {7, 1}, {2, 0}, {9, 5}, {7, 3}})};
}

TEST(CollectiveLayout, EachChannelBeginsInANodeWhereItsNicIs)
{
    const auto layout = MakeNodes(2, 4, 2);
    EXPECT_EQ(GetRing(*layout, 0), (std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(GetRing(*layout, 1), (std::vector<uint32_t>{2, 3, 0, 1, 6, 7, 4, 5}));
    EXPECT_EQ(GetRing(*layout, 2), GetRing(*layout, 0)) << "there are two NICs";
    for (uint32_t channel = 0; channel < 4; ++channel)
    {
        const uint32_t first = layout->GetMemberAt(channel, 4);
        EXPECT_EQ(layout->GetNic(first, channel), layout->GetOwnNic(first));
        EXPECT_EQ(layout->GetNic(first, channel), channel % 2);
    }
}

TEST(CollectiveLayout, PositionsAndMembersAreInverse)
{
    for (const CollectiveLayout& layout : GetLayouts())
    {
        for (uint32_t channel = 0; channel < 5; ++channel)
        {
            const auto ring = GetRing(layout, channel);
            EXPECT_EQ(std::set<uint32_t>(ring.begin(), ring.end()).size(), layout.GetSize());
            for (uint32_t position = 0; position < ring.size(); ++position)
            {
                EXPECT_EQ(layout.GetPosition(channel, ring[position]), position);
            }
        }
    }
}

TEST(CollectiveLayout, EachRingVisitsEachNodeOnce)
{
    for (const CollectiveLayout& layout : GetLayouts())
    {
        for (uint32_t channel = 0; channel < 5; ++channel)
        {
            const auto ring = GetRing(layout, channel);
            uint32_t borders = 0;
            for (uint32_t i = 0; i < ring.size(); ++i)
            {
                const uint32_t next = ring[(i + 1) % ring.size()];
                borders += layout.GetNode(ring[i]) != layout.GetNode(next) ? 1 : 0;
            }
            EXPECT_EQ(borders, layout.GetNodes() > 1 ? layout.GetNodes() : 0);
        }
    }
}

TEST(CollectiveLayout, NodesAndMembersAreNumberedInTheOrderOfTheGroup)
{
    const CollectiveLayout layout({{7, 3}, {2, 0}, {7, 1}, {2, 0}, {9, 5}, {7, 3}});
    ASSERT_EQ(layout.GetNodes(), 3u);
    EXPECT_EQ(layout.GetNode(0), 0u);
    EXPECT_EQ(layout.GetNode(3), 1u);
    EXPECT_EQ(layout.GetNode(4), 2u);
    EXPECT_EQ(layout.GetLocal(2), 1u);
    EXPECT_EQ(layout.GetLocal(5), 2u);
    EXPECT_EQ(layout.GetNodeSize(0), 3u);
    EXPECT_EQ(layout.GetMember(0, 2), 5u);
    EXPECT_EQ(layout.GetMember(1, 1), 3u);
    EXPECT_EQ(layout.GetMember(2, 0), 4u);
    EXPECT_FALSE(layout.IsUniform());
}

TEST(CollectiveLayout, EachMemberIsFoundByItsNodeAndLocalIndex)
{
    for (const CollectiveLayout& layout : GetLayouts())
    {
        for (uint32_t index = 0; index < layout.GetSize(); ++index)
        {
            EXPECT_LT(layout.GetLocal(index), layout.GetNodeSize(layout.GetNode(index)));
            EXPECT_EQ(layout.GetMember(layout.GetNode(index), layout.GetLocal(index)), index);
        }
    }
}

TEST(CollectiveLayout, TheNodeWithTheFewestNicsSetsTheRails)
{
    EXPECT_EQ(MakeNodes(1, 8)->GetRails(), 8u);
    EXPECT_EQ(MakeNodes(1, 8, 2)->GetRails(), 4u);
    EXPECT_EQ(FillNodes(10, 4)->GetRails(), 2u);
    EXPECT_EQ(CollectiveLayout::Spread(3).GetRails(), 1u);
}

TEST(CollectiveLayout, ChannelsUseNicsThatSomeMemberIsNearTo)
{
    const CollectiveLayout layout({{7, 3}, {2, 0}, {7, 1}, {2, 0}, {9, 5}, {7, 3}});
    EXPECT_EQ(layout.GetNic(5, 0), 3u);
    EXPECT_EQ(layout.GetNic(0, 1), 1u);
    EXPECT_EQ(layout.GetNic(0, 2), 3u);
    EXPECT_EQ(layout.GetNic(1, 1), 0u);
    EXPECT_EQ(layout.GetNic(4, 3), 5u);
    EXPECT_EQ(layout.GetOwnNic(2), 1u);
}

TEST(CollectiveLayout, UnevenNodesAreNotUniform)
{
    EXPECT_TRUE(MakeNodes(2, 4)->IsUniform());
    EXPECT_TRUE(CollectiveLayout::Spread(3).IsUniform());
    EXPECT_FALSE(FillNodes(10, 4)->IsUniform());
}

} // namespace
