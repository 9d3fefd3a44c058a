/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/slowdown-table.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{
namespace
{

TEST(SlowdownTable, PercentilesAreThoseOfTheNearestRank)
{
    SlowdownTable table({1000});
    for (int i = 200; i >= 1; --i)
    {
        table.Add(5, i);
    }
    const SlowdownRow row = table.GetRows().front();
    EXPECT_EQ(row.flows, 200U);
    EXPECT_DOUBLE_EQ(row.mean, 100.5);
    EXPECT_DOUBLE_EQ(row.median, 100);
    EXPECT_DOUBLE_EQ(row.p95, 190);
    EXPECT_DOUBLE_EQ(row.p99, 198);
    EXPECT_DOUBLE_EQ(row.largest, 200);
}

TEST(SlowdownTable, OneFlowIsEachPercentile)
{
    SlowdownTable table({1000});
    table.Add(1, 1.5);
    const SlowdownRow row = table.GetTotal();
    for (double value : {row.mean, row.median, row.p95, row.p99, row.largest})
    {
        EXPECT_DOUBLE_EQ(value, 1.5);
    }
}

TEST(SlowdownTable, EdgesBelongToTheBinBelowAndLargerOnesToTheLast)
{
    SlowdownTable table({10, 20});
    for (uint64_t bytes : {1ULL, 10ULL, 11ULL, 20ULL, 21ULL, 1000ULL})
    {
        table.Add(bytes, 1);
    }
    const std::vector<SlowdownRow> rows = table.GetRows();
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].flows, 2U);
    EXPECT_EQ(rows[1].flows, 4U);
    EXPECT_EQ(rows[1].least, 11U);
    EXPECT_EQ(rows[1].most, 20U);
    EXPECT_EQ(table.GetTotal().flows, 6U);
}

TEST(SlowdownTable, DecilesOfADistributionHoldATenthOfTheFlowsEach)
{
    const auto sizes = FlowSizeDistribution::Create("web-search");
    const std::vector<uint64_t> edges = SlowdownTable::GetDeciles(sizes);
    // Straight lines between the points of web-search: 10 % at 2/3 of 10 KB, 50 % at 10/13 on the
    // way from 50 to 80 KB.
    EXPECT_EQ(edges,
              (std::vector<uint64_t>{6667,
                                     20000,
                                     30000,
                                     50000,
                                     73077,
                                     200000,
                                     1000000,
                                     2000000,
                                     5000000,
                                     30000000}));
    SlowdownTable table(edges);
    for (int i = 0; i < 10000; ++i)
    {
        table.Add(sizes.GetSize((i + 0.5) / 10000), 1);
    }
    for (const SlowdownRow& row : table.GetRows())
    {
        EXPECT_NEAR(static_cast<double>(row.flows), 1000, 1) << row.most;
    }
}

TEST(SlowdownTable, DecilesOfEqualSizesAreOneBin)
{
    const FlowSizeDistribution sizes({{500, 95}, {1000, 100}});
    EXPECT_EQ(SlowdownTable::GetDeciles(sizes), (std::vector<uint64_t>{500, 1000}));
}

TEST(SlowdownTable, PrintsABinWithoutFlowsAsDashes)
{
    SlowdownTable table({10, 20});
    table.Add(15, 2.345);
    std::ostringstream out;
    table.Print(out);
    std::istringstream lines(out.str());
    std::vector<std::string> read;
    for (std::string line; std::getline(lines, line);)
    {
        read.push_back(line);
    }
    ASSERT_EQ(read.size(), 4U);
    EXPECT_NE(read[0].find("p50       p95       p99       max"), std::string::npos);
    EXPECT_NE(read[1].find("1 to 10"), std::string::npos);
    EXPECT_NE(read[1].find("0         -         -"), std::string::npos);
    EXPECT_NE(read[2].find("11 to 20"), std::string::npos);
    EXPECT_NE(read[2].find("1      2.35"), std::string::npos);
    EXPECT_NE(read[3].find("all"), std::string::npos);
}

} // namespace
} // namespace llmfabric
} // namespace ns3
