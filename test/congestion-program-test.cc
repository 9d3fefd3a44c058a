/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The program llm-fabric-congestion as a user meets it: exit status, messages, files.

#include "command-folder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

using namespace ns3::llmfabric;

namespace
{

const std::string PROGRAM = std::string(LLM_FABRIC_CONGESTION) + " ";

TEST(CongestionProgram, PrintsARowForEachControlAndWritesTheSameForMachines)
{
    CommandFolder folder;
    const std::string load = std::string("--load=") + CUSTOM_CONGESTION_CONTROL;
    ASSERT_EQ(folder.Run(PROGRAM + load +
                         " --scenarios=incast --controls=swift,MarkedAimd --json=table.json"),
              0)
        << folder.GetErr();
    EXPECT_NE(folder.GetOut().find("\n  swift "), std::string::npos) << folder.GetOut();
    const auto rows = nlohmann::json::parse(folder.Read("table.json")).at("incast");
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[1].at("control"), "MarkedAimd");
    EXPECT_GT(rows[0].at("goodput_gbps").get<double>(), 90);
    EXPECT_EQ(rows[0].at("unfinished"), 0);
}

TEST(CongestionProgram, BadInputIsOneSentenceAndStatus2)
{
    for (const std::string mistake : {"--controls=swif",
                                      "--scenarios=incest",
                                      "--study=theory",
                                      "--study=dcqcn-theory --cases=40",
                                      "--study=join --set=nic.congestion_control=hpcc",
                                      "--json=/no/such/file.json --controls=fixed --scenarios=x",
                                      "--load=libnone.so",
                                      "--set=nic.mtuu=3 --controls=fixed"})
    {
        CommandFolder folder;
        EXPECT_EQ(folder.Run(PROGRAM + mistake), 2) << mistake << ": " << folder.GetOut();
        const std::string& text = folder.GetErr();
        EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << mistake << ": " << text;
        EXPECT_EQ(text.rfind("llm-fabric-congestion: ", 0), 0U) << text;
    }
}

} // namespace
