/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The bench of congestion controls: what it runs, what it measures, and its command line.

#include "simulation-fixture.h"

#include "ns3/congestion-bench.h"
#include "ns3/congestion-options.h"
#include "ns3/nearest-rank.h"
#include "ns3/user-error.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{
namespace
{

class CongestionBenchTest : public SimulationTest
{
  protected:
    /**
     * @param scenario one of CongestionBenchScenario
     * @param control a preset
     * @return how it did
     */
    static CongestionBenchRow Run(const std::string& scenario, const std::string& control)
    {
        return CongestionBench().Run(*CongestionBenchScenario::Create(scenario), control);
    }

    /**
     * @param words a command line, without the program
     * @return what it says
     */
    static CongestionOptions Parse(std::vector<std::string> words)
    {
        words.insert(words.begin(), "program");
        std::vector<char*> argv;
        for (std::string& word : words)
        {
            argv.push_back(word.data());
        }
        return CongestionOptions(static_cast<int>(argv.size()), argv.data());
    }

    static constexpr double LINE = 100.0 * 4096 / 4178; //!< payload of a full line, Gb/s
};

TEST_F(CongestionBenchTest, AnIncastAtLineRateFillsTheLinkAndTheBuffer)
{
    const CongestionBenchRow row = Run("incast", "fixed");
    EXPECT_EQ(row.count, 16u);
    EXPECT_EQ(row.unfinished, 0u);
    EXPECT_NEAR(row.goodput, LINE, 0.002 * LINE);
    EXPECT_NEAR(row.slowdownP99, 16, 0.1);
    EXPECT_GE(row.slowdownP99, row.slowdownMedian);
    EXPECT_GT(row.pauses, 1000u);
    EXPECT_GT(row.pauseTime, MilliSeconds(100)); // 15 of 16 hosts wait, but for filling the buffer
    EXPECT_LT(row.pauseTime, MilliSeconds(15 * 13));
    EXPECT_GT(row.peakQueue, 20000000u);
}

TEST_F(CongestionBenchTest, DcqcnKeepsTheQueueShort)
{
    const CongestionBenchRow paper = Run("join-leave", "dcqcn-paper");
    const CongestionBenchRow fixed = Run("join-leave", "fixed");
    EXPECT_LT(paper.peakQueue, 1000000u);
    EXPECT_GT(fixed.peakQueue, 10000000u);
    EXPECT_EQ(paper.pauses, 0u);
    EXPECT_GT(fixed.pauses, 1000u);
    EXPECT_GT(paper.goodput, 0.8 * LINE);
    EXPECT_LE(paper.goodput, LINE);
}

TEST_F(CongestionBenchTest, AllReducesAreMeasuredByBurst)
{
    const CongestionBenchRow row = Run("bursts", "fixed");
    EXPECT_EQ(row.count, 3u * 8);
    EXPECT_EQ(row.unfinished, 0u);
    EXPECT_GT(row.slowdownMedian, 1);
    EXPECT_LT(row.goodput, 16 * LINE); // 16 uplinks
    EXPECT_GT(row.goodput, 4 * LINE);
    EXPECT_LE(row.median, row.p99);
}

TEST_F(CongestionBenchTest, PercentilesAreValues)
{
    EXPECT_EQ(GetPercentile({4, 1, 3, 2}, 50), 2);
    EXPECT_EQ(GetPercentile({4, 1, 3, 2}, 99), 4);
    EXPECT_EQ(GetPercentile({7}, 50), 7);
    EXPECT_EQ(GetPercentile({}, 50), 0);
}

TEST_F(CongestionBenchTest, RefusesWhatItDoesNotKnow)
{
    EXPECT_THROW(CongestionBenchScenario::Create("outcast"), UserError);
    EXPECT_THROW(Run("incast", "Dqcn"), UserError);
    EXPECT_THROW(Parse({"--study=dcqcn"}), UserError);
    EXPECT_THROW(Parse({"--cases=40"}), UserError);
    EXPECT_THROW(Parse({"--cases=40:1"}), UserError);
    EXPECT_THROW(Parse({"--colour=red"}), UserError);
    EXPECT_THROW(Parse({"--seeds=3"}), UserError);                       // of a study of DCQCN
    EXPECT_THROW(Parse({"--study=join", "--controls=hpcc"}), UserError); // of the table
    EXPECT_THROW(Parse({"--controls=hpcc,hpcc"}), UserError);
    EXPECT_THROW(Parse({"incast"}), UserError);
}

TEST_F(CongestionBenchTest, ReadsItsCommandLine)
{
    const CongestionOptions plain = Parse({});
    EXPECT_EQ(plain.GetStudy(), CongestionOptions::Study::TABLE);
    EXPECT_TRUE(plain.GetControls().empty());
    EXPECT_TRUE(Parse({"--help"}).IsHelp());

    const CongestionOptions theory = Parse({"--study=dcqcn-theory",
                                            "--cases=40:2,25.5:3",
                                            "--delay=85us",
                                            "--measure=20ms",
                                            "--seeds=4",
                                            "--set=switch.pfc=false"});
    ASSERT_EQ(theory.GetCases().size(), 2u);
    EXPECT_EQ(theory.GetCases()[1].GetName(), "25.5G N=3");
    EXPECT_EQ(theory.GetCases()[1].delay, MicroSeconds(85));
    EXPECT_EQ(theory.GetCases()[1].measured, MilliSeconds(20));
    EXPECT_EQ(theory.GetSeeds(), 4u);
    EXPECT_EQ(theory.GetOverrides(), std::vector<std::string>{"switch.pfc=false"});
    EXPECT_EQ(Parse({"--study=dcqcn-theory"}).GetCases().size(), 5u);
    EXPECT_EQ(Parse({"--study=join"}).GetCases().size(), 2u);
}

} // namespace
} // namespace llmfabric
} // namespace ns3
