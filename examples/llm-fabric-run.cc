/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Runs a scenario: five-stage report, progress, results, trace and summary.
//
//   llm-fabric-run --scenario=gpt2-dp8 --set=run.steps=2
//
// Exit status: 0 done, 1 the run failed, 2 a user mistake.

#include "ns3/config.h"
#include "ns3/global-value.h"
#include "ns3/progress-meter.h"
#include "ns3/run-report.h"
#include "ns3/run-summary.h"
#include "ns3/scenario-finder.h"
#include "ns3/scenario-reader.h"
#include "ns3/scenario-runner.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/user-error.h"

#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

const char* const USAGE =
    "llm-fabric-run --scenario=NAME|FILE [--set=PATH=VALUE ...] [--summary=FILE.json]\n"
    "\n"
    "  --scenario=X      a preset (see --list), or a file: a path with '/', or NAME.yaml, .json\n"
    "  --set=PATH=VALUE  override a key, e.g. --set=cluster.rate=400Gbps; as often as wanted\n"
    "  --summary=FILE    where the results for machines go; default: the trace's name with .json\n"
    "  --list            list the presets\n"
    "  --ns3::CLASS::ATTRIBUTE=VALUE, --GLOBAL=VALUE\n"
    "                    defaults of ns-3 attributes and global values\n";

/** What the command line says. */
struct Options
{
    std::string scenario;
    std::vector<std::string> overrides;
    std::optional<std::string> summary;
    bool help{false};
    bool list{false};
};

/** Set an ns-3 default, --ns3::Class::Attribute=value or --Global=value. */
void
SetNs3Default(const std::string& argument, const std::string& name, const std::string& value)
{
    const bool attribute = name.find("::") != std::string::npos;
    const bool done = attribute ? Config::SetDefaultFailSafe(name, StringValue(value))
                                : GlobalValue::BindFailSafe(name, StringValue(value));
    if (!done)
    {
        throw UserError("unknown option or bad value '" + argument + "'",
                        "command line",
                        "see --help");
    }
}

Options
ParseArguments(int argc, char* argv[])
{
    Options options;
    for (int i = 1; i < argc; ++i)
    {
        const std::string argument = argv[i];
        const std::size_t equals = argument.find('=');
        const std::string name = argument.substr(0, equals);
        const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
        if (name == "--scenario")
        {
            options.scenario = value;
        }
        else if (name == "--set")
        {
            options.overrides.push_back(value);
        }
        else if (name == "--summary")
        {
            options.summary = value;
        }
        else if (name == "--help" || name == "-h")
        {
            options.help = true;
        }
        else if (name == "--list")
        {
            options.list = true;
        }
        else if (name.rfind("--", 0) == 0 && equals != std::string::npos)
        {
            SetNs3Default(argument, name.substr(2), value);
        }
        else
        {
            throw UserError("unknown option '" + argument + "'", "command line", "see --help");
        }
    }
    return options;
}

/** The summary is for machines, which want to know of failures too. */
void
WriteFailure(const RunResults& results, const std::string& path)
{
    try
    {
        RunSummary::Write(results, path);
    }
    catch (const std::exception&)
    {
        // The failure itself is told next; a second message would only hide it.
    }
}

int
Simulate(const Options& options)
{
    const Scenario scenario = ScenarioReader::Read(options.scenario, options.overrides);
    ScenarioRunner runner(scenario);
    const std::string summary = options.summary.value_or(runner.GetSummaryPath());
    try
    {
        runner.Setup();
        RunSummary::CheckWritable(summary);
        RunReport report(std::cout);
        report.PrintStages(scenario, runner.GetResults());
        ProgressMeter meter(std::cout, isatty(STDOUT_FILENO));
        ProgressReport last;
        runner.Run([&](const ProgressReport& progress) {
            last = progress;
            meter.Update(progress, false);
        });
        meter.Update(last, true);
        report.PrintResults(runner.GetResults());
    }
    catch (const std::exception& error)
    {
        runner.GetResults().error = error.what();
        WriteFailure(runner.GetResults(), summary);
        throw;
    }
    RunSummary::Write(runner.GetResults(), summary);
    std::cout << "\n";
    if (!runner.GetResults().traceFile.empty())
    {
        std::cout << "Trace:   " << runner.GetResults().traceFile
                  << " (columns: traces/SCHEMA.md)\n";
    }
    std::cout << "Summary: " << summary << std::endl;
    return runner.IsSuccess() ? 0 : 1;
}

int
Main(int argc, char* argv[])
{
    const Options options = ParseArguments(argc, argv);
    if (options.help)
    {
        std::cout << USAGE;
        return 0;
    }
    if (options.list)
    {
        for (const std::string& preset : ScenarioFinder::GetPresets())
        {
            std::cout << preset << "\n";
        }
        return 0;
    }
    if (options.scenario.empty())
    {
        throw UserError("no scenario is given", "command line", "add --scenario=NAME, see --list");
    }
    return Simulate(options);
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    GlobalValue::Bind("SchedulerType", StringValue("ns3::llmfabric::FabricScheduler"));
    int status = 0;
    try
    {
        status = Main(argc, argv);
    }
    catch (const UserError& error)
    {
        std::cerr << "llm-fabric-run: " << error.what() << std::endl;
        status = 2;
    }
    catch (const std::exception& error)
    {
        std::cerr << "llm-fabric-run: the run failed: " << error.what() << std::endl;
        status = 1;
    }
    Simulator::Destroy();
    return status;
}
