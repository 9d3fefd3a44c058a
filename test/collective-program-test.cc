/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The program llm-fabric-collective as a user meets it: exit status, messages, files.

#include "command-folder.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3::llmfabric;

namespace
{

namespace fs = std::filesystem;

/** Runs the program in an empty folder of its own. */
class CollectiveProgramTest : public testing::Test
{
  protected:
    /**
     * @param arguments arguments of the program
     * @return its exit status; its output is in m_out and m_err
     */
    int Run(const std::string& arguments)
    {
        const int status =
            m_folder.Run(m_limit + std::string(LLM_FABRIC_COLLECTIVE) + " " + arguments);
        m_out = m_folder.GetOut();
        m_err = m_folder.GetErr();
        return status;
    }

    /// @return the lines of the table, as fields
    std::vector<std::vector<std::string>> GetRows() const
    {
        std::vector<std::vector<std::string>> rows;
        std::istringstream lines(m_out);
        for (std::string line; std::getline(lines, line);)
        {
            if (line[0] != '#')
            {
                rows.emplace_back();
                std::istringstream in(line);
                for (std::string field; in >> field;)
                {
                    rows.back().push_back(field);
                }
            }
        }
        return rows;
    }

    /**
     * @param column a column
     * @return its field in each row
     */
    std::vector<std::string> GetColumn(std::size_t column) const
    {
        std::vector<std::string> fields;
        for (const auto& row : GetRows())
        {
            fields.push_back(row.at(column));
        }
        return fields;
    }

    /**
     * Expect exit status 2 and one line that holds a text, before anything is simulated.
     *
     * @param arguments arguments of the program
     * @param text what the message has to hold
     */
    void ExpectMistake(const std::string& arguments, const std::string& text)
    {
        EXPECT_EQ(Run(arguments), 2) << arguments;
        EXPECT_NE(m_err.find(text), std::string::npos) << arguments << ": " << m_err;
        EXPECT_EQ(std::count(m_err.begin(), m_err.end(), '\n'), 1) << m_err;
        EXPECT_EQ(m_out, "");
    }

    CommandFolder m_folder; //!< where it runs
    std::string m_limit;    //!< what the shell does before it runs the program
    std::string m_out;      //!< standard output of the last command
    std::string m_err;      //!< standard error of the last command
};

using Fields = std::vector<std::string>;

TEST_F(CollectiveProgramTest, PrintsATableAndAChart)
{
    ASSERT_EQ(Run("--op=allreduce --ranks=4 --sizes=8K:32K"), 0) << m_err;
    EXPECT_EQ(GetColumn(0), (Fields{"8192", "16384", "32768"}));
    EXPECT_EQ(GetColumn(1), (Fields{"2048", "4096", "8192"}));
    EXPECT_EQ(GetRows().at(0).size(), 17U);
    for (const std::string part : {"minBytes 8192 maxBytes 32768 step: 2(factor)",
                                   "# slots 4 of 1 MiB",
                                   "out-of-place",
                                   "# Avg bus bandwidth    : ",
                                   "\n#         8K |="})
    {
        EXPECT_NE(m_out.find(part), std::string::npos) << part << " in " << m_out;
    }
    ASSERT_EQ(Run("--ranks=4 --sizes=8K --no-chart"), 0) << m_err;
    EXPECT_EQ(m_out.find("8K |"), std::string::npos) << m_out;
}

TEST_F(CollectiveProgramTest, TakesTheOptionsOfNcclTestsInAllTheirForms)
{
    ASSERT_EQ(Run("-b 8K -e 24K -i 8K -d half -g 2 --ranks 4 -n 2 -w1"), 0) << m_err;
    EXPECT_EQ(GetColumn(0), (Fields{"8192", "16384", "24576"}));
    EXPECT_EQ(GetColumn(1), (Fields{"4096", "8192", "12288"}));
    EXPECT_EQ(GetColumn(2), (Fields{"half", "half", "half"}));
    EXPECT_NE(m_out.find("nGpus 2 "), std::string::npos) << m_out;
    EXPECT_NE(m_out.find("step: 8192(bytes) warmup iters: 1 iters: 2"), std::string::npos) << m_out;
    ASSERT_EQ(Run("-b1K --maxbytes=16K --stepfactor 4 --op=broadcast --root=3 --ranks=4"), 0)
        << m_err;
    EXPECT_EQ(GetColumn(0), (Fields{"1024", "4096", "16384"}));
    EXPECT_EQ(GetColumn(4), (Fields{"3", "3", "3"}));
}

TEST_F(CollectiveProgramTest, ComparesAlgorithms)
{
    ASSERT_EQ(Run("--ranks=4 --sizes=8K --algorithm=ring,auto"), 0) << m_err;
    const Fields names = GetColumn(13);
    ASSERT_EQ(names.size(), 2U);
    EXPECT_EQ(names[0], "ring");
    EXPECT_NE(names[1], "ring");
    EXPECT_NE(m_out.find("#   A ring\n#   B auto\n"), std::string::npos) << m_out;
}

TEST_F(CollectiveProgramTest, WritesRowsForMachines)
{
    ASSERT_EQ(Run("--op=all_gather --ranks=4 --sizes=8K:16K --json=a.json "
                  "--set=collective.slots=0 --ns3::llmfabric::Dcqcn::Gain=0.01"),
              0)
        << m_err;
    EXPECT_NE(m_out.find("# slots unlimited"), std::string::npos) << m_out;
    const auto json = nlohmann::json::parse(m_folder.Read("a.json"));
    EXPECT_EQ(json["op"], "allgather");
    EXPECT_EQ(json["slots"], 0);
    EXPECT_EQ(json["error"], "");
    ASSERT_EQ(json["rows"].size(), 2U);
    EXPECT_EQ(json["rows"][1]["count"], 1024);
    EXPECT_NEAR(json["rows"][1]["time_us"].get<double>(), std::stod(GetRows().at(1).at(5)), 0.006);
    EXPECT_NEAR(json["rows"][1]["busbw"].get<double>(),
                0.75 * json["rows"][1]["algbw"].get<double>(),
                1e-9);
}

TEST_F(CollectiveProgramTest, ExplainsWithoutASimulation)
{
    ASSERT_EQ(Run("--explain --sizes=8K:64M:8192"), 0) << m_err;
    EXPECT_NE(m_out.find("allreduce of 8K on 8 ranks"), std::string::npos) << m_out;
    EXPECT_NE(m_out.find("allreduce of 64M on 8 ranks"), std::string::npos) << m_out;
    EXPECT_NE(m_out.find("  *  ring"), std::string::npos) << m_out;
    EXPECT_NE(m_out.find("beats "), std::string::npos) << m_out;
}

TEST_F(CollectiveProgramTest, ARingOf1024RanksTakesLessThanAGibibyte)
{
    m_limit = "ulimit -v 1048576 && ";
    // 1 KiB for each rank; one channel halves the messages, but not the time of a step.
    ASSERT_EQ(Run("--op=allreduce --ranks=1024 --sizes=1M:1M --set=collective.channels=1 "
                  "--set=cluster.topology=fat-tree --set=cluster.k=16 --no-chart"),
              0)
        << m_err;
    ASSERT_EQ(GetRows().size(), 1u);
    EXPECT_GT(std::stod(GetRows()[0][5]), 2046 * 2.0) << "us: 2 (n - 1) steps of 2 links at least";
}

TEST_F(CollectiveProgramTest, AnOpThatNeverEndsIsStatus1AndNamesWhoWaits)
{
    ASSERT_EQ(Run("--ranks=4 --sizes=8K:64M --json=a.json '--set=stragglers.absent=[2]'"), 1);
    EXPECT_NE(m_err.find("rank 3"), std::string::npos) << m_err;
    EXPECT_NE(m_err.find("waits for data of rank 2"), std::string::npos) << m_err;
    const auto json = nlohmann::json::parse(m_folder.Read("a.json"));
    EXPECT_EQ(json["unfinished"].size(), 4U);
    EXPECT_NE(json["error"], "");
}

TEST_F(CollectiveProgramTest, ALateRankMakesAllWait)
{
    ASSERT_EQ(Run("--ranks=4 --sizes=8K --late=2:10ms"), 0) << m_err;
    EXPECT_GT(std::stod(GetRows().at(0).at(5)), 10000);
    ASSERT_EQ(Run("--ranks=4 --sizes=8K '--set=stragglers.start={2: 10ms}'"), 0) << m_err;
    EXPECT_GT(std::stod(GetRows().at(0).at(5)), 10000);
}

TEST_F(CollectiveProgramTest, OneRunMayBeTraced)
{
    ASSERT_EQ(Run("--ranks=4 --sizes=8K --set=trace.file=a.h5"), 0) << m_err;
    EXPECT_TRUE(fs::exists(m_folder.PathOf("a.h5")));
    EXPECT_NE(m_out.find("# Trace: a.h5"), std::string::npos) << m_out;
    ExpectMistake("--sizes=8K:16K --set=trace.file=b.h5", "each of 2 runs would write the trace");
    EXPECT_FALSE(fs::exists(m_folder.PathOf("b.h5")));
}

TEST_F(CollectiveProgramTest, ABarrierHasOneRow)
{
    ASSERT_EQ(Run("--op=barrier --ranks=4"), 0) << m_err;
    EXPECT_EQ(GetColumn(0), (Fields{"0"}));
    ExpectMistake("--op=barrier --sizes=8K", "a barrier has no payload");
}

TEST_F(CollectiveProgramTest, BadInputIsOneSentenceAndStatus2)
{
    ExpectMistake("--op=foo", "known: allreduce, reducescatter");
    ExpectMistake("--algorithm=foo", "known: binary-tree");
    ExpectMistake("--algorithm=ring,ring", "names ring twice");
    ExpectMistake("--sizes=8X", "command line (--sizes=8X): '8X' is no size");
    ExpectMistake("--sizes=1M:8K", "the smallest size 1M is over the largest 8K");
    ExpectMistake("-b 0", "'0' is no size");
    ExpectMistake("-d float32", "unknown datatype");
    ExpectMistake("-n 0", "(-n)");
    ExpectMistake("--op=reduce -r 8", "there is no rank 8; allowed: 0 to 7");
    ExpectMistake("--ranks=10 -g 4", "10 ranks do not fill nodes of 4 GPUs");
    ExpectMistake("--ranks=2000", "more than 1024 ports");
    ExpectMistake("--late=2", "'2' has no ':'");
    ExpectMistake("--late=8:1ms", "there is no rank 8");
    ExpectMistake("--zipf=-1", "(--zipf=-1)");
    ExpectMistake("--foo", "unknown option '--foo'");
    ExpectMistake("-b", "there is no value for '-b'");
    ExpectMistake("foo --ranks=4", "'foo' is no option");
    ExpectMistake("--explain=json", "unknown option '--explain=json'");
    ExpectMistake("--explain --json=a.json", "--explain has no rows for --json");
    ExpectMistake("--RngSeed=abc", "command line (--RngSeed=abc)");
    ExpectMistake("--scenario=nope", "presets found: ");
    ExpectMistake("--scenario=gpt2-dp8 --ranks=9", "9 ranks do not fit the 8 GPUs");
    ExpectMistake("--set=cluster.nodse=3", "did you mean 'nodes'");
    ExpectMistake("--set=switch.buffer=100KB", "(switch.buffer)");
    ExpectMistake("--set=collective.protocol=foo", "unknown protocol 'foo'");
    ExpectMistake("--json=/no/such/a.json", "can't be written");
}

TEST_F(CollectiveProgramTest, NeverWritesOverTheScenario)
{
    const std::string text = R"({"cluster": {"nodes": 2, "gpus_per_node": 1}})";
    m_folder.Write("my.json", text);
    ExpectMistake("--scenario=my.json --json=my.json", "would be written over");
    ExpectMistake("--scenario=my.json -e 8K --set=trace.file=my.json", "would be written over");
    EXPECT_EQ(m_folder.Read("my.json"), text);
    EXPECT_EQ(Run("--scenario=my.json -e 8K"), 0) << m_err;
}

TEST_F(CollectiveProgramTest, HelpEndsWell)
{
    EXPECT_EQ(Run("--help"), 0);
    EXPECT_NE(m_out.find("--sizes=MIN:MAX"), std::string::npos);
}

} // namespace
