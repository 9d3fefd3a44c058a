/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The bench of collectives: what it runs, and what it prints.

#include "simulation-fixture.h"

#include "ns3/collective-bench.h"
#include "ns3/collective-explainer.h"
#include "ns3/collective-report.h"
#include "ns3/collective-table.h"
#include "ns3/user-error.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/** Runs benches. */
class CollectiveBenchTest : public SimulationTest
{
  protected:
    /// @return a bench of a spec
    static CollectiveBench Make(const CollectiveBenchSpec& spec)
    {
        return CollectiveBench(spec, spec.ReadScenario());
    }

    /// @return an op among 4 ranks
    static CollectiveBenchSpec OfFour(const std::string& op)
    {
        CollectiveBenchSpec spec;
        spec.op = CollectiveBenchOp(op);
        spec.ranks = 4;
        return spec;
    }
};

/// @return the fields of a line between blanks
std::vector<std::string>
Split(const std::string& line)
{
    std::istringstream in(line);
    std::vector<std::string> fields;
    for (std::string field; in >> field;)
    {
        fields.push_back(field);
    }
    return fields;
}

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

TEST_F(CollectiveBenchTest, TimesAnOpAndDividesTheSizeByIt)
{
    const CollectiveBench bench = Make(OfFour("allreduce"));
    const CollectiveBenchRow row = bench.Run(1 << 20, "ring");
    EXPECT_EQ(row.size, uint64_t{1} << 20);
    EXPECT_EQ(row.count, uint64_t{1} << 18);
    EXPECT_EQ(row.algorithm, "ring");
    EXPECT_DOUBLE_EQ(row.algorithmBandwidth, 1048576 / row.time.GetSeconds() / 1e9);
    EXPECT_DOUBLE_EQ(row.busBandwidth, 1.5 * row.algorithmBandwidth);
    EXPECT_LT(row.busBandwidth, 12.5); // of 100 Gb/s
    EXPECT_GT(row.busBandwidth, 8);
    ASSERT_TRUE(row.model);
    EXPECT_NEAR(row.time.GetSeconds() / row.model->GetSeconds(), 1, 0.1);
}

TEST_F(CollectiveBenchTest, EachRunIsASimulationOfItsOwn)
{
    const CollectiveBench bench = Make(OfFour("alltoall"));
    const Time alone = bench.Run(300000, "direct").time;
    bench.Run(8192, "direct");
    EXPECT_EQ(bench.Run(300000, "direct").time, alone);
}

TEST_F(CollectiveBenchTest, EveryOpRunsByItsDefault)
{
    for (const std::string op : {"allreduce",
                                 "reducescatter",
                                 "allgather",
                                 "alltoall",
                                 "alltoallv",
                                 "broadcast",
                                 "reduce",
                                 "sendrecv",
                                 "barrier"})
    {
        const CollectiveBench bench = Make(OfFour(op));
        const CollectiveBenchRow row = bench.Run(4096, bench.GetSeries().front());
        EXPECT_TRUE(row.unfinished.empty()) << op;
        EXPECT_TRUE(row.time.IsStrictlyPositive()) << op;
    }
}

TEST_F(CollectiveBenchTest, IterationsAreTimedTogetherAndWarmUpsAreNot)
{
    CollectiveBenchSpec spec = OfFour("allreduce");
    const Time once = Make(spec).Run(65536, "ring").time;
    spec.iterations = 4;
    const Time mean = Make(spec).Run(65536, "ring").time;
    // The next op begins on a rank while the last one ends on others.
    EXPECT_NEAR(mean.GetSeconds() / once.GetSeconds(), 1, 0.1);
    spec.iterations = 1;
    spec.late[1] = MilliSeconds(1);
    EXPECT_GT(Make(spec).Run(65536, "ring").time, MilliSeconds(1));
    spec.warmups = 1;
    EXPECT_LT(Make(spec).Run(65536, "ring").time, MilliSeconds(1));
}

TEST_F(CollectiveBenchTest, UnequalPartsTakeAsLongAsTheLargest)
{
    CollectiveBenchSpec spec = OfFour("alltoallv");
    spec.overrides = {"nic.congestion_control=FixedRate"};
    spec.zipf = 0;
    const Time even = Make(spec).Run(4 << 20, "direct").time;
    spec.zipf = 1;
    const Time uneven = Make(spec).Run(4 << 20, "direct").time;
    // Rank 0 gets 12 / 25 of each payload instead of 1 / 4.
    EXPECT_NEAR(uneven.GetSeconds() / even.GetSeconds(), 12.0 / 25 * 4, 0.1);
}

TEST_F(CollectiveBenchTest, AnOpThatNeverEndsSaysOnWhomItWaits)
{
    CollectiveBenchSpec spec = OfFour("allreduce");
    spec.overrides = {"stragglers.absent=[2]"};
    const CollectiveBenchRow row = Make(spec).Run(8192, "ring");
    ASSERT_EQ(row.unfinished.size(), 4U);
    EXPECT_NE(row.unfinished[2].find("rank 2"), std::string::npos) << row.unfinished[2];
    EXPECT_TRUE(row.time.IsZero());
}

TEST_F(CollectiveBenchTest, ATrainingJobLendsItsClusterOnly)
{
    CollectiveBenchSpec spec;
    spec.scenario = "gpt2-dp8";
    spec.overrides = {"cluster.nodes=2"};
    const CollectiveBench bench = Make(spec);
    EXPECT_EQ(bench.GetRanks(), 2U);
    EXPECT_FALSE(bench.GetScenario().trace.file);
    spec.ranks = 3;
    EXPECT_THROW(spec.ReadScenario(), UserError);
    spec.ranks.reset();
    spec.gpusPerNode = 2;
    EXPECT_THROW(spec.ReadScenario(), UserError);
}

TEST_F(CollectiveBenchTest, MistakesAreFoundBeforeAnythingRuns)
{
    CollectiveBenchSpec spec = OfFour("allreduce");
    spec.algorithms = {"ring", "pat"};
    EXPECT_THROW(Make(spec), UserError);
    spec.algorithms = {"ring", "auto"};
    Make(spec).Check({8, 16});
    spec.overrides = {"trace.file=a.h5"};
    EXPECT_THROW(Make(spec).Check({8}), UserError);
    spec.overrides = {"switch.buffer=1KB"};
    EXPECT_THROW(Make(spec).Check({8}), UserError);
    spec.overrides = {"stragglers.absent=[4]"};
    EXPECT_THROW(Make(spec).Check({8}), UserError);
    spec.overrides.clear();
    spec.late[4] = Seconds(1);
    EXPECT_THROW(spec.ReadScenario(), UserError);
}

TEST_F(CollectiveBenchTest, TheTableReadsBackAsThatOfNcclTests)
{
    CollectiveBenchSpec spec = OfFour("broadcast");
    spec.root = 3;
    spec.datatype = "half";
    spec.overrides = {"collective.slots=0"};
    const CollectiveBench bench = Make(spec);
    std::ostringstream out;
    CollectiveTable table(out, bench);
    table.WriteHeader({1024, 4096, 1, 4});
    CollectiveBenchRow row = bench.Predict(1024, "ring");
    row.time = NanoSeconds(123456);
    row.algorithmBandwidth = 1.25;
    row.busBandwidth = 2.5;
    table.WriteRow(row);
    row.busBandwidth = 3.5;
    table.WriteRow(row);
    table.WriteFooter();
    std::vector<std::string> rows;
    for (const std::string& line : Lines(out.str()))
    {
        if (line[0] != '#')
        {
            rows.push_back(line);
        }
    }
    ASSERT_EQ(rows.size(), 2U) << out.str();
    const std::vector<std::string> fields = Split(rows[0]);
    ASSERT_EQ(fields.size(), 17U) << rows[0];
    const std::vector<std::string> first{"1024",
                                         "512",
                                         "half",
                                         "none",
                                         "3",
                                         "123.5",
                                         "1.25",
                                         "2.50",
                                         "N/A",
                                         "123.5",
                                         "1.25",
                                         "2.50",
                                         "N/A",
                                         "ring",
                                         "none",
                                         "1"};
    EXPECT_EQ(std::vector<std::string>(fields.begin(), fields.end() - 1), first);
    EXPECT_NE(out.str().find("# slots unlimited"), std::string::npos);
    EXPECT_NE(out.str().find("# Avg bus bandwidth    : 3\n"), std::string::npos) << out.str();
}

TEST_F(CollectiveBenchTest, TheExplanationMarksWhatRunsAndSaysWhyTheFastestIsFast)
{
    CollectiveBenchSpec spec = OfFour("allreduce");
    spec.algorithms = {"auto"};
    const CollectiveBench bench = Make(spec);
    const auto rows = CollectiveExplainer(bench).MakeTable(8192).GetRows();
    ASSERT_GE(rows.size(), 3U);
    EXPECT_EQ(std::get<std::string>(rows[0][0]), "*");
    EXPECT_EQ(std::get<std::string>(rows[0][1]), bench.Predict(8192, "auto").algorithm);
    EXPECT_EQ(std::get<std::string>(rows[0].back()).rfind("beats ", 0), 0U);
    EXPECT_EQ(std::get<std::string>(rows[1][0]), "");
    EXPECT_EQ(std::get<std::string>(rows[1].back()).rfind("+", 0), 0U);
    EXPECT_LE(std::get<double>(rows[0][4]), std::get<double>(rows[1][4]));
}

TEST_F(CollectiveBenchTest, TheReportSaysWhetherTheRunHasEnded)
{
    const CollectiveBench bench = Make(OfFour("allreduce"));
    CollectiveReport report(bench);
    report.Add(bench.Predict(8192, "ring"));
    EXPECT_EQ(report.GetJson()["error"], "the run has not ended");
    report.End();
    EXPECT_EQ(report.GetJson()["error"], "");
    EXPECT_EQ(report.GetJson()["rows"].at(0)["size"], 8192);
    EXPECT_THROW(report.Write("/no/such/folder/a.json"), UserError);
}

} // namespace
