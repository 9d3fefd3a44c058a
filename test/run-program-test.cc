/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The program llm-fabric-run as a user meets it: exit status, messages, files.

#include "command-folder.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

using namespace ns3::llmfabric;

namespace
{

namespace fs = std::filesystem;

/** Runs the program in an empty folder of its own. */
class RunProgramTest : public testing::Test
{
  protected:
    /**
     * @param command a shell command, run in the folder
     * @return its exit status; its output is in m_out and m_err
     */
    int Shell(const std::string& command)
    {
        const int status = m_folder.Run(command);
        m_out = m_folder.GetOut();
        m_err = m_folder.GetErr();
        return status;
    }

    /**
     * @param arguments arguments of the program
     * @return its exit status
     */
    int Run(const std::string& arguments)
    {
        return Shell(std::string(LLM_FABRIC_RUN) + " " + arguments);
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
        EXPECT_EQ(m_out.find("simulated"), std::string::npos) << m_out;
    }

    CommandFolder m_folder; //!< where it runs
    std::string m_out;      //!< standard output of the last command
    std::string m_err;      //!< standard error of the last command
};

const std::string SMALL = "--scenario=gpt2-dp8 --set=model.parameters=1e6 ";

TEST_F(RunProgramTest, PrintsTheStagesTheProgressTheResultsAndTheFiles)
{
    ASSERT_EQ(Run(SMALL), 0) << m_err;
    for (const std::string part : {"Stage 1  Dataset and tokenization",
                                   "Stage 5  Infrastructure",
                                   "step 1 of 1 100.0 %",
                                   "packets/s",
                                   "exposed communication",
                                   "Trace:   gpt2-dp8.h5",
                                   "Summary: gpt2-dp8.json"})
    {
        EXPECT_NE(m_out.find(part), std::string::npos) << part << " in " << m_out;
    }
    EXPECT_TRUE(fs::exists(m_folder.PathOf("gpt2-dp8.h5")));
    const auto summary = nlohmann::json::parse(m_folder.Read("gpt2-dp8.json"));
    for (const std::string key :
         {"stages", "steps", "collectives", "flows", "messages", "counters", "run", "unfinished"})
    {
        EXPECT_TRUE(summary.contains(key)) << key;
    }
}

TEST_F(RunProgramTest, TwoRunsDifferInNothingButWallAndCpuTime)
{
    ASSERT_EQ(Run(SMALL + "--set=trace.file=a.h5"), 0);
    ASSERT_EQ(Run(SMALL + "--set=trace.file=b.h5"), 0);
    EXPECT_EQ(Shell("h5diff a.h5 b.h5 /hops /hops"), 0) << m_out << m_err;
    EXPECT_EQ(Shell("h5diff a.h5 b.h5 /messages /messages"), 0) << m_out << m_err;
    auto a = nlohmann::json::parse(m_folder.Read("a.json"));
    auto b = nlohmann::json::parse(m_folder.Read("b.json"));
    for (auto* summary : {&a, &b})
    {
        (*summary)["run"].erase("wall_s");
        (*summary)["run"].erase("cpu_s");
    }
    EXPECT_EQ(a, b);
}

TEST_F(RunProgramTest, StockSchedulersGiveTheSameResults)
{
    ASSERT_EQ(Run(SMALL + "--set=trace=null --summary=own.json"), 0);
    const auto own = nlohmann::json::parse(m_folder.Read("own.json"));
    for (const std::string name : {"Map", "Heap", "Calendar", "PriorityQueue"})
    {
        ASSERT_EQ(Run(SMALL + "--set=trace=null --summary=other.json --SchedulerType=ns3::" + name +
                      "Scheduler"),
                  0)
            << m_err;
        const auto other = nlohmann::json::parse(m_folder.Read("other.json"));
        EXPECT_EQ(other["steps"], own["steps"]) << name;
        EXPECT_EQ(other["counters"], own["counters"]) << name;
        EXPECT_EQ(other["run"]["events"], own["run"]["events"]) << name;
    }
}

TEST_F(RunProgramTest, AFailedRunEndsWithStatus1AndASummary)
{
    const std::string path = "attributes./NodeList/3/DeviceList/0/"
                             "\\$ns3::llmfabric::FabricPort/ReceiveErrorModel";
    const std::string model = "'ns3::RateErrorModel[ErrorUnit=ERROR_UNIT_PACKET|ErrorRate=1]'";
    EXPECT_EQ(Run(SMALL + "--set=" + path + "=" + model), 1) << m_err;
    EXPECT_NE(m_out.find("Not finished"), std::string::npos) << m_out;
    const auto summary = nlohmann::json::parse(m_folder.Read("gpt2-dp8.json"));
    EXPECT_EQ(summary["unfinished"].size(), 8U);
}

TEST_F(RunProgramTest, BadInputIsOneSentenceAndStatus2)
{
    ExpectMistake("", "no scenario is given");
    ExpectMistake("--foo=1", "unknown option '--foo'");
    ExpectMistake("--RngSeed=abc", "command line (--RngSeed=abc)");
    ExpectMistake("--ns3::llmfabric::Dcqcn::Gain=nan", "'nan' is no value of the attribute Gain");
    ExpectMistake("--scenario=nope", "presets found: ddp-testbed, divine-comedy, every-key");
    ExpectMistake("--scenario=no/such.yaml", "can't be read");
    ExpectMistake(SMALL + "--set=cluster.nodse=3", "did you mean 'nodes'");
    ExpectMistake(SMALL + "--set=cluster.nodes=-3", "(cluster.nodes)");
    ExpectMistake(SMALL + "--set=switch.buffer=0", "(switch.buffer)");
    ExpectMistake(SMALL + "--set=model.preset=gpt5", "unknown preset 'gpt5'");
    ExpectMistake(SMALL + "--set=parallel.data=9", "9 ranks do not fit");
    ExpectMistake(SMALL + "--set=switch.buffer=100KB", "469248 B in sum");
    ExpectMistake(SMALL + "--set=trace.file=/no/such/a.h5", "(trace.file)");
    ExpectMistake(SMALL + "--summary=/no/such/a.json", "--summary");
    ExpectMistake(SMALL + "--set=nic.congestion_control=Foo",
                  "known: Dcqcn, Dctcp, FixedRate, Hpcc, Swift, Timely, dcqcn-paper, "
                  "dcqcn-connectx");
    ExpectMistake(SMALL + "--set=nic.mtu=1000001", "(nic.mtu)");
    ExpectMistake(SMALL + "--set=cluster.nodes=4294967295", "(cluster.nodes)");
    ExpectMistake(SMALL + "--set=cluster.nodes=1025", "more than 1024 ports");
    ExpectMistake(SMALL + "--set=compute.forward=500h --set=run.steps=4", "(run.steps)");
    ExpectMistake(SMALL + "--set=trace.file=gpt2-dp8.json", "are the same file");
    const std::string attribute = SMALL + "--set=attributes.ns3::llmfabric::";
    ExpectMistake(attribute + "RoceNic::CnpInterval=abc", "attributes.ns3::llmfabric::RoceNic");
    ExpectMistake(attribute + "RoceNic::Mtu=1000", "the key nic.mtu sets this too");
    ExpectMistake(attribute + "FabricSwitch::PathSelector=ns3::llmfabric::Dcqcn",
                  "is no value of the attribute PathSelector");
    ExpectMistake(attribute + "FabricSwitch::Foo=1", "there is no attribute");
    const std::string path = SMALL + "'--set=attributes./NodeList/*/DeviceList/*/"
                                     "$ns3::llmfabric::FabricPort/";
    ExpectMistake(path + "ReceiveErrorModel=ns3::Foo'", "ReceiveErrorModel");
    ExpectMistake(path + "DataRate=0bps'", "DataRate");
}

TEST_F(RunProgramTest, SyntaxErrorsAndDoubledKeysNameLineAndColumn)
{
    m_folder.Write("bad.yaml", "cluster: [1\nnodes: 2\n");
    ExpectMistake("--scenario=bad.yaml", "bad.yaml:2:");
    m_folder.Write("doubled.json", R"({"cluster": {"nodes": 2, "nodes": 3}})");
    ExpectMistake("--scenario=doubled.json", "doubled.json:1:26 (cluster.nodes)");
}

TEST_F(RunProgramTest, NeverWritesOverTheScenario)
{
    const std::string text =
        R"({"cluster": {"nodes": 2}, "flows": [{"from": 0, "to": 1, "bytes": 9}]})";
    m_folder.Write("my.json", text);
    ASSERT_EQ(Run("--scenario=my.json"), 0) << m_err;
    EXPECT_EQ(m_folder.Read("my.json"), text);
    EXPECT_NE(m_out.find("Summary: my.summary.json"), std::string::npos) << m_out;
    ExpectMistake("--scenario=my.json --summary=my.json", "'my.json' is read");
    ExpectMistake("--scenario=my.json --set=trace.file=my.json", "(trace.file): 'my.json' is read");
    EXPECT_EQ(m_folder.Read("my.json"), text);
}

TEST_F(RunProgramTest, AMistakeThatIsFoundAfterReadingIsInTheSummaryToo)
{
    ASSERT_EQ(Run(SMALL + "--set=switch.buffer=100KB"), 2);
    const auto summary = nlohmann::json::parse(m_folder.Read("gpt2-dp8.json"));
    EXPECT_NE(summary["error"].get<std::string>().find("469248"), std::string::npos);
}

TEST_F(RunProgramTest, LoadsACongestionControlOfOnesOwn)
{
    const std::string load = std::string("--load=") + CUSTOM_CONGESTION_CONTROL + " ";
    const std::string run = "--scenario=incast-16 --set=trace=null --set=nic.congestion_control=";
    ASSERT_EQ(Run(load + run + "MarkedAimd"), 0) << m_err;
    EXPECT_NE(m_out.find("MarkedAimd"), std::string::npos) << m_out;
    const auto first = nlohmann::json::parse(m_folder.Read("incast-16.json"));
    EXPECT_GT(first["counters"]["ecn_marked"].get<uint64_t>(), 0U);
    // Its attributes may stand before --load, and count.
    ASSERT_EQ(Run("--ns3::llmfabric::MarkedAimd::Factor=0.5 " + load + run + "MarkedAimd"), 0)
        << m_err;
    EXPECT_NE(nlohmann::json::parse(m_folder.Read("incast-16.json"))["run"]["simulated_ns"],
              first["run"]["simulated_ns"]);
    ExpectMistake(run + "MarkedAimd", "known: ");
    ExpectMistake("--load=libnone.so " + run + "MarkedAimd", "(--load=libnone.so)");
}

TEST_F(RunProgramTest, HelpAndListEndWell)
{
    EXPECT_EQ(Run("--help"), 0);
    EXPECT_NE(m_out.find("--set=PATH=VALUE"), std::string::npos);
    EXPECT_EQ(Run("--list"), 0);
    EXPECT_NE(m_out.find("gpt2-dp8\n"), std::string::npos);
}

TEST_F(RunProgramTest, ExplainsAPlanAndWritesNothing)
{
    ASSERT_EQ(Run("--scenario=llama3-405b --explain"), 0) << m_err;
    for (const std::string part : {"Stage 1  Dataset and tokenization",
                                   "405,853,388,800",
                                   "Stage 4  What is sent in one step",
                                   "Timeline of one step",
                                   "model FLOPs utilization"})
    {
        EXPECT_NE(m_out.find(part), std::string::npos) << part << " in " << m_out;
    }
    ASSERT_EQ(Run("--scenario=gpt2-dp8 --explain=json"), 0) << m_err;
    EXPECT_TRUE(nlohmann::json::parse(m_out).contains("traffic"));
    for (const auto& file : fs::directory_iterator(m_folder.PathOf("")))
    {
        EXPECT_EQ(file.path().extension(), ".txt") << file.path();
    }
    ExpectMistake("--scenario=incast-16 --explain", "has no model");
    ExpectMistake("--scenario=gpt2-dp8 --explain=xml", "it does not take 'xml'");
}

TEST_F(RunProgramTest, AScheduleIsWrittenEditedAndRun)
{
    ASSERT_EQ(Run(SMALL + "--write-schedule=plan.jsonl"), 0) << m_err;
    std::string plan = m_folder.Read("plan.jsonl");
    const std::string forward = "\"duration_ps\":104000000000";
    ASSERT_NE(plan.find(forward), std::string::npos) << plan;
    plan.replace(plan.find(forward), forward.size(), "\"duration_ps\":204000000000");
    m_folder.Write("edited.jsonl", plan);
    m_folder.Write("edited.yaml",
                   "schedule: {file: edited.jsonl}\ncluster: {nodes: 8, gpus_per_node: 1}\n");
    ASSERT_EQ(Run("--scenario=edited.yaml"), 0) << m_err;
    const auto step = nlohmann::json::parse(m_folder.Read("edited.json"))["steps"].at(0);
    EXPECT_EQ(step["compute_ns"], 724e6);
}

TEST_F(RunProgramTest, MistakesInASchedulePointIntoItsFile)
{
    m_folder.Write("bad.jsonl",
                   "{\"llm_fabric_schedule\":1,\"ranks\":3,\"steps\":1}\n{\"rank\":0}\n");
    m_folder.Write("bad.yaml",
                   "schedule: {file: bad.jsonl}\ncluster: {nodes: 8, gpus_per_node: 1}\n");
    ExpectMistake("--scenario=bad.yaml", "llm-fabric-run: bad.jsonl:2: ");
    ASSERT_EQ(Run(SMALL + "--write-schedule=plan.jsonl"), 0) << m_err;
    m_folder.Write("large.yaml",
                   "schedule: {file: plan.jsonl}\ncluster: {nodes: 4, gpus_per_node: 1}\n");
    ExpectMistake("--scenario=large.yaml", "large.yaml:1:18 (schedule.file): the 8 ranks");
}

TEST_F(RunProgramTest, WhatIsReadIsNeverWrittenOver)
{
    ASSERT_EQ(Run(SMALL + "--write-schedule=plan.jsonl"), 0) << m_err;
    const std::string plan = m_folder.Read("plan.jsonl");
    m_folder.Write("plan.yaml",
                   "schedule: {file: plan.jsonl}\ncluster: {nodes: 8, gpus_per_node: 1}\n");
    ExpectMistake("--scenario=plan.yaml --summary=plan.jsonl", "'plan.jsonl' is read");
    EXPECT_EQ(m_folder.Read("plan.jsonl"), plan);
    m_folder.Write("text.txt", "some words");
    const std::string text = SMALL + "--set=corpus.words=null --set=corpus.file=text.txt ";
    ExpectMistake(text + "--write-schedule=text.txt", "(--write-schedule): 'text.txt' is read");
    EXPECT_EQ(m_folder.Read("text.txt"), "some words");
    EXPECT_EQ(Run(text + "--set=trace=null"), 0) << m_err;
}

TEST_F(RunProgramTest, AStragglerThatOutlastsSimulatedTimeIsRefused)
{
    ExpectMistake(SMALL + "--set=run.steps=60 \"--set=stragglers.factors={0: 1000000}\"",
                  "the run may take");
    EXPECT_EQ(Run(SMALL + "--set=stragglers.jitter=ConstantRandomVariable[Constant=1e300]"), 2);
    EXPECT_NE(m_err.find("stragglers: a computation would end after"), std::string::npos) << m_err;
}

TEST_F(RunProgramTest, TheScriptsOfTheReadmeRun)
{
    EXPECT_EQ(Shell(FIRST_SCRIPT), 0) << m_err;
    EXPECT_NE(m_out.find("pauses sent"), std::string::npos) << m_out;
    EXPECT_EQ(Shell(PLAN_SCRIPT), 0) << m_err;
    EXPECT_NE(m_out.find("forward of micro-batch 3, +1.5ms, after 12"), std::string::npos) << m_out;
    EXPECT_EQ(Shell(ROCE_SCRIPT), 0) << m_err;
    EXPECT_NE(m_out.find("received: 20000000 B in +4.01"), std::string::npos) << m_out;
}

TEST_F(RunProgramTest, TheBenchPrintsOneJsonLine)
{
    ASSERT_EQ(Shell(std::string(LLM_FABRIC_BENCH) + " --case=W1 --ack-interval=1"), 0);
    const auto line = nlohmann::json::parse(m_out);
    EXPECT_EQ(line["data_packet_hops"], 320000);
    EXPECT_LE(line["events_per_frame_hop"].get<double>(), 2.0);
    EXPECT_LT(line["allocations_per_packet"].get<double>(), 0.01);
    EXPECT_EQ(std::count(m_out.begin(), m_out.end(), '\n'), 1);
}

} // namespace
