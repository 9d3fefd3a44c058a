/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Studies of congestion control: a table of all of them in the same scenarios, and DCQCN against
// its theory.
//
//   llm-fabric-congestion
//   llm-fabric-congestion --study=dcqcn-theory --seeds=3
//   llm-fabric-congestion --study=join
//
// Exit status: 0 done, 1 the run failed, 2 a user mistake.

#include "ns3/congestion-bench.h"
#include "ns3/congestion-options.h"
#include "ns3/dcqcn-theory-report.h"
#include "ns3/program-frame.h"
#include "ns3/user-error.h"

#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/** Write a file, or say that it can't be written. */
void
Save(const std::string& path, const std::string& option, const std::string& text)
{
    if (path.empty())
    {
        return;
    }
    std::ofstream file(path);
    if (!file)
    {
        throw UserError("the file '" + path + "' can't be written",
                        "command line (" + option + ")",
                        "name another one");
    }
    file << text;
    file.close();
    if (!file)
    {
        throw std::runtime_error("the file '" + path + "' could not be written to the end");
    }
}

void
SaveJson(const CongestionOptions& options, const std::vector<ExplainTable>& tables)
{
    nlohmann::ordered_json json;
    for (const ExplainTable& table : tables)
    {
        json[table.GetKey()] = table.ToJson();
    }
    Save(options.GetJson(), "--json", json.dump(1, '\t') + "\n");
}

void
StudyDcqcn(const CongestionOptions& options)
{
    DcqcnTheoryReport report({options.GetCases(), options.GetSeeds(), options.GetOverrides()});
    const bool isJoin = options.GetStudy() == CongestionOptions::Study::JOIN;
    const ExplainTable table = isJoin ? report.RunJoin() : report.RunSteady();
    table.WriteText(std::cout);
    SaveJson(options, {table});
    std::ostringstream series;
    report.WriteSeries(series);
    Save(options.GetCsv(), "--csv", series.str());
}

void
Compare(const CongestionOptions& options)
{
    const CongestionBench bench(options.GetOverrides());
    const auto orAll = [](const auto& some, const auto& all) { return some.empty() ? all : some; };
    std::vector<ExplainTable> tables;
    for (const std::string& name :
         orAll(options.GetScenarios(), CongestionBenchScenario::GetNames()))
    {
        const auto scenario = CongestionBenchScenario::Create(name);
        ExplainTable table = CongestionBench::MakeTable(name, *scenario);
        for (const std::string& control :
             orAll(options.GetControls(), CongestionBench::GetControls()))
        {
            CongestionBench::Add(bench.Run(*scenario, control), table);
        }
        table.WriteText(std::cout);
        std::cout.flush();
        tables.push_back(table);
    }
    SaveJson(options, tables);
}

int
Main(int argc, char* argv[])
{
    const CongestionOptions options(argc, argv);
    if (options.IsHelp())
    {
        std::cout << CongestionOptions::GetUsage();
        return 0;
    }
    options.GetStudy() == CongestionOptions::Study::TABLE ? Compare(options) : StudyDcqcn(options);
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return ProgramFrame::Run("llm-fabric-congestion", [&]() { return Main(argc, argv); });
}
