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

#include "ns3/plan-explainer.h"
#include "ns3/program-frame.h"
#include "ns3/progress-meter.h"
#include "ns3/run-report.h"
#include "ns3/run-summary.h"
#include "ns3/scenario-finder.h"
#include "ns3/scenario-network.h"
#include "ns3/scenario-reader.h"
#include "ns3/scenario-runner.h"
#include "ns3/schedule-writer.h"
#include "ns3/training-job-helper.h"
#include "ns3/training-spec-maker.h"
#include "ns3/user-error.h"

#include <exception>
#include <iostream>
#include <memory>
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
    "  --set=PATH=VALUE  override a key, e.g. --set=cluster.rate=400Gbps; as often as wanted;\n"
    "                    --set=PATH=null takes a key away that the scenario gives\n"
    "  --summary=FILE    where the results for machines go; default: the trace's name with .json,\n"
    "                    without a trace the scenario's\n"
    "  --explain[=json]  print the five stages, what is sent which way, and the timeline of one "
    "step\n"
    "                    as tables, without a simulation\n"
    "  --write-schedule=FILE\n"
    "                    write the ops of all ranks to a file (traces/SCHEMA.md), and stop\n"
    "  --load=LIBRARY    load classes of one's own, e.g. a congestion control\n"
    "  --list            list the presets\n"
    "  --ns3::CLASS::ATTRIBUTE=VALUE, --GLOBAL=VALUE\n"
    "                    defaults of ns-3 attributes and global values\n";

/** What the command line says. */
struct Options
{
    std::string scenario;
    std::vector<std::string> overrides;
    std::optional<std::string> summary;
    std::optional<std::string> explain;
    std::optional<std::string> schedule;
    bool help{false};
    bool list{false};
};

Options
ParseArguments(int argc, char* argv[])
{
    Options options;
    const std::vector<char*> words = ProgramFrame::LoadLibraries(argc, argv);
    for (std::size_t i = 1; words[i]; ++i)
    {
        const std::string argument = words[i];
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
        else if (name == "--explain" && (value.empty() || value == "json"))
        {
            options.explain = value;
        }
        else if (name == "--write-schedule" && !value.empty())
        {
            options.schedule = value;
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
            ProgramFrame::SetDefault(argument);
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

/** Refuse to write over what the scenario is read from. */
void
CheckOutput(const Scenario& scenario, const std::string& output, const std::string& option)
{
    const std::string sizes = scenario.load ? scenario.load->distribution : "";
    for (const std::string& input :
         {scenario.file, scenario.schedule.file, scenario.corpus.file.value_or(""), sizes})
    {
        if (ProgramFrame::IsSameFile(output, input))
        {
            throw UserError("'" + input + "' is read and would be written over",
                            "command line (" + option + ")",
                            "name another file by " + option);
        }
    }
}

/** Refuse to write over inputs, or two outputs into one file. */
void
CheckOutputs(const Scenario& scenario, const std::string& summary)
{
    const std::string trace = scenario.trace.file.value_or("");
    CheckOutput(scenario, summary, "--summary");
    CheckOutput(scenario, trace, "trace.file");
    if (ProgramFrame::IsSameFile(summary, trace))
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
    return ProgramFrame::IsSameFile(proposed, scenario.file) ? scenario.name + ".summary.json"
                                                             : proposed;
}

/** @return the job of a scenario, which must have one */
std::shared_ptr<const TrainingJob>
MakeJob(const Scenario& scenario, TextSize& text)
{
    if (!scenario.HasTraining())
    {
        throw UserError("the scenario '" + scenario.name + "' has no model",
                        "command line (--explain, --write-schedule)",
                        "name a scenario of a training job");
    }
    return ScenarioNetwork::WithPlaces(scenario, [&]() {
        TrainingJobHelper(1).SetStragglers(scenario.stragglers.factors, scenario.stragglers.jitter);
        return std::make_shared<const TrainingJob>(TrainingSpecMaker::Make(scenario, &text));
    });
}

/** Say what a scenario plans, without simulating it. */
int
Plan(const Options& options)
{
    const Scenario scenario = ScenarioReader::Read(options.scenario, options.overrides);
    TextSize text;
    const std::shared_ptr<const TrainingJob> job = MakeJob(scenario, text);
    if (options.explain)
    {
        const PlanExplainer explainer(scenario, *job, text);
        if (*options.explain == "json")
        {
            std::cout << explainer.ToJson().dump(1, '\t') << std::endl;
        }
        else
        {
            explainer.WriteText(std::cout);
        }
    }
    if (options.schedule)
    {
        CheckOutput(scenario, *options.schedule, "--write-schedule");
        ScheduleWriter::Write(*job, *options.schedule);
        std::cerr << "Schedule: " << *options.schedule << std::endl; // tables may be on cout
    }
    return 0;
}

int
Simulate(const Options& options)
{
    const Scenario scenario = ScenarioReader::Read(options.scenario, options.overrides);
    ScenarioRunner runner(scenario);
    const std::string summary = ChooseSummary(options, scenario, runner.GetSummaryPath());
    CheckOutputs(scenario, summary);
    try
    {
        runner.Setup();
        // Whoever finds this file after a run that was killed has to know.
        RunResults begun = runner.GetResults();
        begun.error = "the run has not ended";
        RunSummary::Write(begun, summary);
        RunReport report(std::cout);
        runner.PrintPlan(std::cout);
        report.PrintInfrastructure(scenario);
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
    return options.explain || options.schedule ? Plan(options) : Simulate(options);
}

} // namespace

int
main(int argc, char* argv[])
{
    return ProgramFrame::Run("llm-fabric-run", [&]() { return Main(argc, argv); });
}
