/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-fixture.h"

#include "ns3/flow-size-distribution.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace ns3
{
namespace llmfabric
{
namespace
{

FlowSizeDistribution
ReadText(const std::string& text)
{
    std::istringstream in(text);
    return FlowSizeDistribution::Read(in, "sizes.txt");
}

/// @return what is said against a file
std::string
ComplaintOf(const std::string& text)
{
    try
    {
        ReadText(text);
    }
    catch (const UserError& error)
    {
        return error.what();
    }
    return "no complaint";
}

TEST(FlowSizeDistribution, InverseIsLinearBetweenPoints)
{
    const auto sizes = ReadText("0 0\n1000 50\n3000 100\n");
    EXPECT_DOUBLE_EQ(sizes.GetQuantile(0), 0);
    EXPECT_DOUBLE_EQ(sizes.GetQuantile(0.25), 500);
    EXPECT_DOUBLE_EQ(sizes.GetQuantile(0.5), 1000);
    EXPECT_DOUBLE_EQ(sizes.GetQuantile(0.75), 2000);
    EXPECT_DOUBLE_EQ(sizes.GetQuantile(1), 3000);
    EXPECT_EQ(sizes.GetSize(0.2502), 500U);
    EXPECT_EQ(sizes.GetSize(0.2503), 501U);
}

TEST(FlowSizeDistribution, NoFlowIsEmpty)
{
    EXPECT_EQ(ReadText("0 0\n10 100").GetSize(0), 1U);
}

TEST(FlowSizeDistribution, FirstPointAboveZeroPercentIsAnAtom)
{
    const auto sizes = ReadText("100 40\n200 100\n");
    EXPECT_DOUBLE_EQ(sizes.GetQuantile(0), 100);
    EXPECT_DOUBLE_EQ(sizes.GetQuantile(0.4), 100);
    EXPECT_DOUBLE_EQ(sizes.GetQuantile(0.7), 150);
    EXPECT_DOUBLE_EQ(sizes.GetMean(), 0.4 * 100 + 0.6 * 150);
    EXPECT_DOUBLE_EQ(ReadText("4096 100").GetMean(), 4096);
}

TEST(FlowSizeDistribution, SizesOfAFlatPieceDoNotOccur)
{
    const auto sizes = ReadText("0 0\n100 50\n900 50\n1000 100\n");
    EXPECT_DOUBLE_EQ(sizes.GetQuantile(0.5), 100);
    EXPECT_NEAR(sizes.GetQuantile(0.5000001), 900, 0.01);
    EXPECT_DOUBLE_EQ(sizes.GetMean(), 0.5 * 50 + 0.5 * 950);
}

TEST(FlowSizeDistribution, MeanIsThatOfTheInverse)
{
    for (const std::string& name : FlowSizeDistribution::GetPresets())
    {
        const auto sizes = FlowSizeDistribution::Create(name);
        constexpr int steps = 1000000;
        double sum = 0;
        for (int i = 0; i < steps; ++i)
        {
            sum += sizes.GetQuantile((i + 0.5) / steps);
        }
        EXPECT_NEAR(sum / steps / sizes.GetMean(), 1, 1e-6) << name;
    }
}

TEST(FlowSizeDistribution, PresetsHaveThePublishedPoints)
{
    const auto web = FlowSizeDistribution::Create("web-search");
    EXPECT_DOUBLE_EQ(web.GetMean(), 1711250);
    EXPECT_DOUBLE_EQ(web.GetQuantile(0.53), 80000); // half of the flows are below 80 KB
    EXPECT_DOUBLE_EQ(web.GetQuantile(1), 30000000);
    const auto storage = FlowSizeDistribution::Create("storage");
    EXPECT_NEAR(storage.GetMean(), 40869.8, 1e-6);
    EXPECT_NEAR(storage.GetQuantile(0.6921), 8000, 1e-6);
    EXPECT_DOUBLE_EQ(storage.GetQuantile(1), 2000000);
    const auto hadoop = FlowSizeDistribution::Create("hadoop");
    EXPECT_NEAR(hadoop.GetMean(), 120420.75, 1e-6);
    EXPECT_DOUBLE_EQ(hadoop.GetQuantile(0.5), 700);
}

TEST(FlowSizeDistribution, CommentsAndEmptyLinesAreIgnored)
{
    const auto sizes = ReadText("# bytes percent\n\n  0 0 # begin\r\n1e3\t100\n\n");
    ASSERT_EQ(sizes.GetPoints().size(), 2U);
    EXPECT_EQ(sizes.GetPoints()[1].bytes, 1000U);
}

TEST(FlowSizeDistribution, MistakesHaveFileLineAndWhatIsAllowed)
{
    ExpectParts(ComplaintOf("0 0\n\n100 50\n100 100\n"),
                {"sizes.txt:4: ", "100 bytes do not rise above the 100", "allowed: rising sizes"});
    ExpectParts(ComplaintOf("0 0\n100 50\n200 40\n300 100"),
                {"sizes.txt:3: ", "40 % is below the 50 %", "do not fall"});
    ExpectParts(ComplaintOf("0 0\n100 99.9\n"),
                {"sizes.txt:2: ", "the last point has 99.9 %", "allowed: 100"});
    ExpectParts(ComplaintOf("0 5\n100 100\n"), {"sizes.txt:1: ", "5 % of the flows have 0 bytes"});
    ExpectParts(ComplaintOf("0 0\n100 101\n"), {"sizes.txt:2:5: ", "'101'", "allowed: 0 to 100"});
    ExpectParts(ComplaintOf("0 0\n1.5 100\n"), {"sizes.txt:2:1: ", "'1.5'", "whole bytes"});
    ExpectParts(ComplaintOf("0 0\n-1 100\n"), {"sizes.txt:2:1: ", "'-1'"});
    ExpectParts(ComplaintOf("0\n"), {"sizes.txt:1:2: ", "a cumulative percent should stand"});
    ExpectParts(ComplaintOf("0 0 0\n"), {"sizes.txt:1:5: "});
    ExpectParts(ComplaintOf("# nothing\n"), {"sizes.txt:1: ", "there is no point"});
}

TEST(FlowSizeDistribution, UnknownNamesAndFilesAreRefused)
{
    const auto complaint = [](const std::string& name) -> std::string {
        try
        {
            FlowSizeDistribution::Create(name);
        }
        catch (const UserError& error)
        {
            return error.what();
        }
        return "no complaint";
    };
    ExpectParts(complaint("web-serch"),
                {"unknown distribution 'web-serch'",
                 "did you mean 'web-search'?",
                 "known: web-search, storage, hadoop"});
    ExpectParts(complaint("none/there.txt"), {"none/there.txt: ", "No such file"});
    ExpectParts(complaint("./"), {"./: ", "it is a folder"});
}

} // namespace
} // namespace llmfabric
} // namespace ns3
