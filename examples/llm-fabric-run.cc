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

#include "ns3/attribute-text.h"
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
#include <filesystem>
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
    "  --summary=FILE    where the results for machines go; default: the trace's name with .json,\n"
    "                    without a trace the scenario's\n"
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
    try
    {
        name.find("::") != std::string::npos ? AttributeText::SetDefault(name, value)
                                             : AttributeText::SetGlobal(name, value);
    }
    catch (const UserError& error)
    {
        throw error.At("command line (" + argument + ")");
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

/** Refuse to write over the scenario, or two outputs into one file. */
void
CheckFiles(const Scenario& scenario, const std::string& summary)
{
    auto same = [](const std::string& a, const std::string& b) {
        std::error_code ignored;
        return std::filesystem::weakly_canonical(a, ignored) ==
               std::filesystem::weakly_canonical(b, ignored);
    };
    const std::string trace = scenario.trace.file.value_or("");
    if (same(summary, scenario.file) || (!trace.empty() && same(trace, scenario.file)))
    {
        throw UserError("the results would be written over the scenario '" + scenario.file + "'",
                        "command line",
                        "name another file by --summary or trace.file");
    }
    if (!trace.empty() && same(summary, trace))
    {
        throw UserError("trace and summary are the same file '" + summary + "'",
                        "command line",
                        "name another file by --summary or trace.file");
    }
}

/** @return where the summary goes */
std::string
ChooseSummary(const Options& options, const Scenario& scenario, const std::string& proposed)
{
    if (options.summary)
    {
        return *options.summary;
    }
    // A scenario in JSON may have the name that its summary would get.
    std::error_code ignored;
    const bool taken = std::filesystem::weakly_canonical(proposed, ignored) ==
                       std::filesystem::weakly_canonical(scenario.file, ignored);
    return taken ? scenario.name + ".summary.json" : proposed;
}

int
Simulate(const Options& options)
{
    const Scenario scenario = ScenarioReader::Read(options.scenario, options.overrides);
    ScenarioRunner runner(scenario);
    const std::string summary = ChooseSummary(options, scenario, runner.GetSummaryPath());
    CheckFiles(scenario, summary);
    try
    {
        runner.Setup();
        // Whoever finds this file after a run that was killed has to know.
        RunResults begun = runner.GetResults();
        begun.error = "the run has not ended";
        RunSummary::Write(begun, summary);
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
