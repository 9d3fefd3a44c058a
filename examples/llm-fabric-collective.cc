/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Times one collective op on a simulated cluster, size by size, as nccl-tests does on a real one.
//
//   llm-fabric-collective --op=allreduce --ranks=8 --sizes=8K:64M
//
// Exit status: 0 done, 1 the run failed or an op never ended, 2 a user mistake.

#include "ns3/collective-bench.h"
#include "ns3/collective-chart.h"
#include "ns3/collective-explainer.h"
#include "ns3/collective-options.h"
#include "ns3/collective-report.h"
#include "ns3/collective-table.h"
#include "ns3/program-frame.h"
#include "ns3/user-error.h"

#include <iostream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/** Refuse to write over a scenario. */
void
CheckOutput(const std::string& output, const std::string& input, const std::string& option)
{
    if (ProgramFrame::IsSameFile(output, input))
    {
        throw UserError("'" + input + "' would be written over",
                        "command line (" + option + ")",
                        "name another file");
    }
}

void
Explain(const CollectiveBench& bench, const std::vector<uint64_t>& sizes)
{
    const CollectiveExplainer explainer(bench);
    for (uint64_t size : sizes)
    {
        explainer.MakeTable(size).WriteText(std::cout);
    }
}

/** @return exit status */
int
Simulate(const CollectiveBench& bench,
         const CollectiveSizes& sizes,
         const CollectiveOptions& options)
{
    CollectiveReport report(bench);
    const auto save = [&]() {
        options.GetJson().empty() ? void() : report.Write(options.GetJson());
    };
    save(); // whoever finds this file after a run that was killed has to know
    const std::vector<std::string> series = bench.GetSeries();
    CollectiveTable table(std::cout, bench);
    CollectiveChart chart("Bus bandwidth of " + bench.GetSpec().op.GetName(), series);
    std::string trace;
    table.WriteHeader(sizes);
    for (uint64_t size : sizes.List())
    {
        for (std::size_t i = 0; i < series.size(); ++i)
        {
            const CollectiveBenchRow row = bench.Run(size, series[i]);
            report.Add(row);
            if (!row.unfinished.empty())
            {
                save();
                std::cerr << "llm-fabric-collective: " << bench.GetSpec().op.GetName() << " of "
                          << CollectiveSizes::ToText(row.size) << " never ends:\n";
                for (const std::string& wait : row.unfinished)
                {
                    std::cerr << "  " << wait << "\n";
                }
                return 1;
            }
            table.WriteRow(row);
            chart.Add(row.size, i, row.busBandwidth);
            trace = row.trace;
        }
    }
    table.WriteFooter();
    if (options.HasChart())
    {
        chart.Draw(std::cout);
    }
    if (!trace.empty())
    {
        std::cout << "# Trace: " << trace << " (columns: traces/SCHEMA.md)" << std::endl;
    }
    report.End();
    save();
    return 0;
}

int
Main(int argc, char* argv[])
{
    const CollectiveOptions options(argc, argv);
    if (options.IsHelp())
    {
        std::cout << CollectiveOptions::GetUsage();
        return 0;
    }
    const CollectiveSizes sizes = options.GetSizes();
    const Scenario scenario = options.GetSpec().ReadScenario();
    CheckOutput(options.GetJson(), scenario.file, "--json");
    CheckOutput(scenario.trace.file.value_or(""), scenario.file, "trace.file");
    CheckOutput(options.GetJson(), scenario.trace.file.value_or(""), "--json");
    const CollectiveBench bench(options.GetSpec(), scenario);
    if (options.IsExplained())
    {
        Explain(bench, sizes.List());
        return 0;
    }
    bench.Check(sizes.List());
    return Simulate(bench, sizes, options);
}

} // namespace

int
main(int argc, char* argv[])
{
    return ProgramFrame::Run("llm-fabric-collective", [&]() { return Main(argc, argv); });
}
