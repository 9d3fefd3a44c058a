/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How a bench of collectives counts and draws.

#include "ns3/collective-bench-op.h"
#include "ns3/collective-chart.h"
#include "ns3/collective-sizes.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3::llmfabric;

namespace
{

using Sizes = std::vector<uint64_t>;

/// @return the lines of a text
std::vector<std::string>
Lines(const std::string& text)
{
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);)
    {
        lines.push_back(line);
    }
    return lines;
}

TEST(CollectiveSizes, AreReadAsNcclTestsAndScenariosWriteThem)
{
    EXPECT_EQ(CollectiveSizes::Parse("8"), 8U);
    EXPECT_EQ(CollectiveSizes::Parse("8K"), 8192U);
    EXPECT_EQ(CollectiveSizes::Parse("8k"), 8192U);
    EXPECT_EQ(CollectiveSizes::Parse("1.5M"), 1572864U);
    EXPECT_EQ(CollectiveSizes::Parse("1G"), 1073741824U);
    EXPECT_EQ(CollectiveSizes::Parse("8KiB"), 8192U);
    EXPECT_EQ(CollectiveSizes::Parse("8KB"), 8000U);
    for (const std::string bad : {"", "K", "0", "-1", "8X", "1.0001K", "99999T", "nan"})
    {
        EXPECT_THROW(CollectiveSizes::Parse(bad), UserError) << bad;
    }
}

TEST(CollectiveSizes, AreWrittenAsTheyAreRead)
{
    EXPECT_EQ(CollectiveSizes::ToText(0), "0");
    EXPECT_EQ(CollectiveSizes::ToText(1000), "1000");
    EXPECT_EQ(CollectiveSizes::ToText(1536), "1536");
    for (uint64_t size : {uint64_t{1}, uint64_t{3} << 10, uint64_t{1} << 20, uint64_t{7} << 40})
    {
        EXPECT_EQ(CollectiveSizes::Parse(CollectiveSizes::ToText(size)), size);
    }
}

TEST(CollectiveSizes, GrowByTheFactorOrByTheStepUpToTheLargest)
{
    EXPECT_EQ((CollectiveSizes{8, 64, 1, 2}.List()), (Sizes{8, 16, 32, 64}));
    EXPECT_EQ((CollectiveSizes{8, 63, 1, 2}.List()), (Sizes{8, 16, 32}));
    EXPECT_EQ((CollectiveSizes{8, 60, 20, 1}.List()), (Sizes{8, 28, 48}));
    EXPECT_EQ((CollectiveSizes{8, 8, 1, 2}.List()), (Sizes{8}));
    EXPECT_EQ((CollectiveSizes{0, 0, 1, 2}.List()), (Sizes{0}));
    EXPECT_THROW((CollectiveSizes{9, 8, 1, 2}.List()), UserError);
    EXPECT_THROW((CollectiveSizes{1, 1001, 1, 1}.List()), UserError);
    EXPECT_EQ((CollectiveSizes{1, 1000, 1, 1}.List().size()), CollectiveSizes::MAX_SIZES);
}

TEST(CollectiveSizes, ComeInOneWord)
{
    EXPECT_EQ(CollectiveSizes::ParseRange("8K:1M:4").List(), (Sizes{8192, 32768, 131072, 524288}));
    EXPECT_EQ(CollectiveSizes::ParseRange("8K:16K").List(), (Sizes{8192, 16384}));
    EXPECT_EQ(CollectiveSizes::ParseRange("8K").List(), (Sizes{8192}));
    for (const std::string bad : {"", ":", "8K:", "1:2:3:4", "1:2:0", "1:2:1", "1:2:x"})
    {
        EXPECT_THROW(CollectiveSizes::ParseRange(bad), UserError) << bad;
    }
}

TEST(CollectiveBenchOp, IsFoundByTheNamesOfScenariosAndOfNcclTests)
{
    EXPECT_EQ(CollectiveBenchOp("all_reduce").GetName(), "allreduce");
    EXPECT_EQ(CollectiveBenchOp("Reduce-Scatter").GetKind(), CollectiveKind::REDUCE_SCATTER);
    EXPECT_EQ(CollectiveBenchOp("all_gather").GetKind(), CollectiveKind::ALL_GATHER);
    EXPECT_FALSE(CollectiveBenchOp("alltoall").IsUneven());
    EXPECT_TRUE(CollectiveBenchOp("alltoallv").IsUneven());
    EXPECT_THROW(CollectiveBenchOp("gather"), UserError);
}

// nccl-tests, doc/PERFORMANCE.md
TEST(CollectiveBenchOp, HasTheBusFactorsOfNcclTests)
{
    EXPECT_DOUBLE_EQ(CollectiveBenchOp("allreduce").GetBusFactor(8), 1.75);
    for (const std::string op : {"allgather", "reducescatter", "alltoall", "alltoallv"})
    {
        EXPECT_DOUBLE_EQ(CollectiveBenchOp(op).GetBusFactor(8), 0.875) << op;
        EXPECT_DOUBLE_EQ(CollectiveBenchOp(op).GetBusFactor(1), 0) << op;
    }
    for (const std::string op : {"broadcast", "reduce", "sendrecv"})
    {
        EXPECT_DOUBLE_EQ(CollectiveBenchOp(op).GetBusFactor(8), 1) << op;
    }
}

TEST(CollectiveBenchOp, CountsWholeElementsOrPartsOfSixteenBytes)
{
    const CollectiveBenchOp reduce("allreduce");
    EXPECT_EQ(reduce.GetCount(1023, 4, 8), 255U);
    EXPECT_EQ(reduce.GetSize(1023, 4, 8), 1020U);
    const CollectiveBenchOp gather("allgather");
    EXPECT_EQ(gather.GetCount(8192, 4, 8), 256U);
    EXPECT_EQ(gather.GetSize(8192, 4, 8), 8192U);
    EXPECT_EQ(gather.GetCount(1000, 4, 7), 32U); // 142 bytes of a rank: 128 in lines of 16
    EXPECT_EQ(gather.GetSize(1000, 4, 7), 896U);
    EXPECT_EQ(gather.GetSize(100, 4, 8), 0U);
    EXPECT_EQ(CollectiveBenchOp("barrier").GetSize(1000, 4, 8), 0U);
    EXPECT_EQ(CollectiveBenchOp::GetElementBytes("half"), 2U);
    EXPECT_THROW(CollectiveBenchOp::GetElementBytes("float32"), UserError);
}

TEST(CollectiveChart, ABarIsAsLongAsItsValue)
{
    CollectiveChart chart("t", {"ring"});
    chart.Add(1024, 0, 4);
    chart.Add(2048, 0, 8);
    std::ostringstream out;
    chart.Draw(out);
    const std::vector<std::string> lines = Lines(out.str());
    ASSERT_EQ(lines.size(), 6U) << out.str();
    EXPECT_EQ(std::count(lines[3].begin(), lines[3].end(), '='),
              static_cast<int>(CollectiveChart::BAR / 2));
    EXPECT_EQ(std::count(lines[4].begin(), lines[4].end(), '='),
              static_cast<int>(CollectiveChart::BAR));
    EXPECT_EQ(lines[4].rfind("#         2K |=", 0), 0U) << lines[4];
    EXPECT_EQ(lines[1].find('8'), lines[4].rfind('=')); // the scale names the end of the bar
}

TEST(CollectiveChart, SeveralSeriesAreLettersWhereTheirBarsEnd)
{
    CollectiveChart chart("t", {"ring", "tree", "naive"});
    for (uint64_t size = 1; size <= (1ULL << 40); size *= 1024)
    {
        chart.Add(size, 0, 123.4);
        chart.Add(size, 1, 10);
        chart.Add(size, 2, 10);
    }
    std::ostringstream out;
    chart.Draw(out);
    for (const std::string& line : Lines(out.str()))
    {
        EXPECT_LE(line.size(), CollectiveChart::MAX_WIDTH) << line;
        EXPECT_EQ(line[0], '#');
    }
    const std::string last = *(Lines(out.str()).end() - 2);
    EXPECT_NE(last.find("--A"), std::string::npos) << last;
    EXPECT_NE(last.find("-*-"), std::string::npos) << last;
    EXPECT_EQ(last.find('B'), std::string::npos) << last;
    EXPECT_NE(last.find("123.40 A"), std::string::npos) << last;
}

TEST(CollectiveChart, WithoutBandwidthsThereIsNone)
{
    CollectiveChart chart("t", {"ring"});
    chart.Add(0, 0, 0);
    std::ostringstream out;
    chart.Draw(out);
    EXPECT_EQ(out.str(), "");
}

} // namespace
