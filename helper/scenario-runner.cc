/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-runner.h"

#include "plan-explainer.h"
#include "run-attributes.h"
#include "run-report.h"
#include "scenario-collectives.h"
#include "scenario-traffic.h"
#include "schedule-reader.h"
#include "training-job-helper.h"
#include "training-spec-maker.h"

#include "ns3/fabric-engine.h"
#include "ns3/fabric-scheduler.h"
#include "ns3/hdf5-trace-sink.h"
#include "ns3/node.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace ns3
{
namespace llmfabric
{

namespace
{
void
StopSimulator()
{
    Simulator::Stop();
}

uint64_t
DataFramesOf(const FabricPort& port)
{
    return port.GetCounters().framesSent[static_cast<std::size_t>(FrameKind::DATA)];
}
} // namespace

ScenarioRunner::ScenarioRunner(const Scenario& scenario)
    : m_scenario(scenario),
      m_network(m_scenario)
{
    m_results.scenario = scenario.name;
    m_results.traceFile = scenario.trace.file.value_or("");
}

ScenarioRunner::~ScenarioRunner() = default;

std::string
ScenarioRunner::GetSummaryPath() const
{
    if (!m_scenario.trace.file)
    {
        return m_scenario.name + ".json";
    }
    std::string path = *m_scenario.trace.file;
    const std::size_t dot = path.rfind('.');
    const std::size_t slash = path.rfind('/');
    if (dot != std::string::npos && (slash == std::string::npos || dot > slash + 1) && dot > 0)
    {
        path.resize(dot);
    }
    return path + ".json";
}

void
ScenarioRunner::SetPlan(std::shared_ptr<const RankPlan> plan)
{
    m_plan = plan;
}

void
ScenarioRunner::Setup()
{
    m_network.ApplyDefaults();
    if (m_plan)
    {
        CheckPlan();
    }
    else if (m_scenario.HasSchedule())
    {
        ReadPlan();
        CheckPlan();
    }
    else if (!m_scenario.HasFlows())
    {
        ScenarioNetwork::WithPlaces(m_scenario, [this]() { MakePlan(); });
        CheckPlan();
    }
    m_fabric = ScenarioNetwork::WithPlaces(m_scenario, [this]() { return m_network.Create(); });
    m_network.ApplyPaths();
    m_network.CheckBuffers(m_fabric);
    if (m_plan)
    {
        SetupRanks();
    }
    else
    {
        SetupFlows();
    }
    for (const Ptr<RoceNic>& nic : m_fabric.nics)
    {
        nic->GetTraces().messageSent.ConnectTickSink(
            MakeCallback(&ScenarioRunner::OnMessageSent, this));
    }
    if (m_scenario.trace.file)
    {
        SetupTrace();
    }
}

void
ScenarioRunner::ReadPlan()
{
    // Its mistakes have a place in the file of the schedule.
    const std::shared_ptr<ListedPlan> plan = ScheduleReader::Read(m_scenario.schedule.file);
    const uint64_t gpus = uint64_t{m_scenario.cluster.nodes} * m_scenario.cluster.gpusPerNode;
    if (plan->GetRanks() > gpus)
    {
        throw UserError("the " + std::to_string(plan->GetRanks()) +
                            " ranks of the schedule do not fit the cluster of " +
                            std::to_string(gpus) + " GPUs",
                        m_scenario.Where("schedule.file"),
                        "enlarge the cluster");
    }
    if (m_scenario.positions.count("run.steps") > 0)
    {
        plan->SetSteps(m_scenario.run.steps);
    }
    m_plan = plan;
}

void
ScenarioRunner::MakePlan()
{
    m_job = std::make_shared<const TrainingJob>(TrainingSpecMaker::Make(m_scenario, &m_text));
    m_plan = m_job;
    m_results.stages = m_job->GetReport();
}

void
ScenarioRunner::CheckPlan()
{
    // As if the ranks that differ did one after the other what in truth they do at once.
    PlannedLoad all;
    if (m_job)
    {
        for (const RankClass& one : m_job->GetClasses())
        {
            all += GetPlannedLoad(*m_job, one.first);
        }
    }
    for (uint32_t rank = 0; rank < m_plan->GetRanks() && !m_job; ++rank)
    {
        all += GetPlannedLoad(*m_plan, rank);
    }
    double slowest = 1;
    for (const auto& [rank, factor] : m_scenario.stragglers.factors)
    {
        slowest = std::max(slowest, factor);
    }
    all.compute *= slowest;
    m_network.CheckDuration(all, m_plan->GetSteps());
    m_load = GetPlannedLoad(*m_plan, 0);
}

void
ScenarioRunner::PrintPlan(std::ostream& out) const
{
    if (m_job)
    {
        PlanExplainer(m_scenario, *m_job, m_text).WriteStages(out);
    }
    else
    {
        RunReport(out).PrintPlan(m_scenario, m_plan.get());
        if (m_results.load)
        {
            RunReport(out).PrintLoad(*m_results.load);
        }
    }
}

void
ScenarioRunner::SetupRanks()
{
    TrainingJobHelper helper(m_scenario.cluster.gpusPerNode);
    m_ranks = ScenarioNetwork::WithPlaces(m_scenario, [&]() {
        ScenarioCollectives::Apply(m_scenario, helper);
        return helper.Install(m_fabric, m_plan);
    });
    m_observer.Watch(m_ranks, m_job ? m_job->GetReport().globalTokens : 0);
    m_observer.SetFinishedCallback(MakeCallback(&ScenarioRunner::OnFinished, this));
}

void
ScenarioRunner::SetupFlows()
{
    m_flows.Install(m_fabric, ScenarioTraffic(m_scenario, m_fabric).MakeFlows(m_results));
    m_flows.SetFinishedCallback(MakeCallback(&ScenarioRunner::OnFinished, this));
}

void
ScenarioRunner::SetupTrace()
{
    Hdf5TraceSink::Options options;
    options.path = *m_scenario.trace.file;
    options.compression = m_scenario.trace.compression;
    options.dropReasons = TraceRecorder::GetDropReasons();
    try
    {
        m_sink = std::make_shared<Hdf5TraceSink>(options);
    }
    catch (const UserError& error)
    {
        throw error.At(m_scenario.Where("trace.file"));
    }
    m_sink->SetAttribute("scenario", m_scenario.text);
    m_sink->SetAttribute("seed", uint64_t{RngSeedManager::GetSeed()});
    m_sink->SetAttribute("run_number", RngSeedManager::GetRun());
    m_sink->SetAttribute("llm_fabric_version", RunAttributes::GetModuleVersion());
    m_sink->SetAttribute("ns3_version", RunAttributes::GetNs3Version());
    m_recorder = std::make_unique<TraceRecorder>(m_sink);
    m_recorder->Connect(m_fabric);
    m_recorder->Connect(m_ranks);
}

void
ScenarioRunner::OnMessageSent(int64_t /* tick */, const MessageEvent& message)
{
    ++(message.failed ? m_results.messages.failed : m_results.messages.completed);
}

bool
ScenarioRunner::IsFinished() const
{
    return m_plan ? m_observer.IsFinished() : m_flows.IsFinished();
}

void
ScenarioRunner::OnFinished()
{
    Simulator::Remove(m_sliceEnd); // so that the run ends with its last event
}

void
ScenarioRunner::Run(ProgressCallback progress)
{
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    const std::clock_t cpuStart = std::clock();
    try
    {
        RunSlices(progress);
    }
    catch (...)
    {
        CollectResults(); // what was reached before the failure
        throw;
    }
    m_results.wallSeconds = std::chrono::duration<double>(Clock::now() - start).count();
    m_results.cpuSeconds = static_cast<double>(std::clock() - cpuStart) / CLOCKS_PER_SEC;
    CollectResults();
    if (m_recorder)
    {
        FinishTrace();
    }
}

void
ScenarioRunner::RunSlices(const ProgressCallback& progress)
{
    using Clock = std::chrono::steady_clock;
    const FabricScheduler* scheduler = FabricEngine::Get()->GetScheduler();
    Time slice = MicroSeconds(100);
    // Another scheduler does not tell whether anything is left, so there all is one slice.
    while (progress && scheduler && !scheduler->IsEmpty() && !IsFinished())
    {
        const Clock::time_point start = Clock::now();
        m_sliceEnd = Simulator::Schedule(slice, &StopSimulator);
        Simulator::Run();
        progress(GetProgress());
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        slice = seconds < 0.05 ? slice + slice : seconds > 0.4 ? slice / 2 : slice;
    }
    Simulator::Run();
    if (progress)
    {
        progress(GetProgress());
    }
}

ProgressReport
ScenarioRunner::GetProgress() const
{
    ProgressReport report;
    report.simulated = Simulator::Now();
    for (const Ptr<RoceNic>& nic : m_fabric.nics)
    {
        report.packets += DataFramesOf(*nic->GetPort());
    }
    if (!m_plan)
    {
        uint64_t bytes = 0;
        for (const FlowResult& flow : m_flows.GetResults())
        {
            bytes += flow.spec.bytes;
        }
        const auto received = static_cast<double>(m_flows.GetReceivedBytes());
        report.part = bytes > 0 ? received / static_cast<double>(bytes) : 1;
        report.whole = report.part;
        report.what = "flows";
        return report;
    }
    // Bytes are weighed with the time that they take at line rate.
    const StepProgress done = m_ranks.front()->GetProgress();
    const double bit = 8 / static_cast<double>(m_scenario.cluster.rate.GetBitRate());
    const double total = m_load.compute + bit * m_load.bytes;
    const double now = done.computed.GetSeconds() + bit * static_cast<double>(done.sentBytes);
    const bool over = done.step == m_plan->GetSteps();
    report.part = over ? 1 : total > 0 ? std::min(now / total, 1.0) : 0;
    const auto steps = static_cast<double>(m_plan->GetSteps());
    report.whole = over ? 1 : (static_cast<double>(done.step) + report.part) / steps;
    report.what = "step " + std::to_string(std::min(done.step + 1, m_plan->GetSteps())) + " of " +
                  std::to_string(m_plan->GetSteps());
    return report;
}

void
ScenarioRunner::CollectResults()
{
    m_results.steps = m_observer.GetSteps();
    m_results.collectives = m_observer.GetCollectives();
    m_results.flows = m_flows.GetResults();
    ScenarioTraffic(m_scenario, m_fabric).Judge(m_results);
    m_results.unfinished = m_plan ? m_observer.GetWaits() : m_flows.GetWaits();
    RunCounters& counters = m_results.counters;
    for (const Ptr<FabricPort>& port : m_fabric.GetPorts())
    {
        counters.dataPacketHops += DataFramesOf(*port);
        for (std::size_t i = 0; i < counters.drops.size(); ++i)
        {
            counters.drops[i] += port->GetCounters().drops[i];
        }
    }
    m_results.messages.count = m_results.messages.completed + m_results.messages.failed;
    for (const Ptr<RoceNic>& nic : m_fabric.nics)
    {
        const NicCounters one = nic->GetCounters();
        counters.dataPackets += DataFramesOf(*nic->GetPort());
        counters.cnpSent += one.cnpSent;
        counters.nicPauseSent += one.pausesSent;
        counters.nicResumeSent += one.resumesSent;
        counters.timeouts += one.requesters.timeouts;
        counters.retransmittedPackets += one.requesters.retransmitted;
        for (const Ptr<QueuePair>& pair : nic->GetQueuePairs())
        {
            pair->GetRequester().ForEachPending(
                [this](uint64_t, uint64_t, int64_t) { ++m_results.messages.count; });
        }
    }
    for (const Ptr<FabricSwitch>& one : m_fabric.switches)
    {
        counters.ecnMarked += one->GetMarked();
        counters.pauseSent += one->GetPausesSent();
        counters.resumeSent += one->GetResumesSent();
    }
    const Ptr<FabricEngine> engine = FabricEngine::Get();
    m_results.events = engine->GetEventCount();
    m_results.simulated = IsFinished() ? Simulator::Now() : TimeStep(engine->GetLastTick());
}

void
ScenarioRunner::FinishTrace()
{
    m_recorder->Finish();
    m_sink->SetAttribute("attributes", RunAttributes::Describe(m_fabric));
    m_sink->SetAttribute("simulated_ps", m_results.simulated.GetPicoSeconds());
    m_sink->Close();
    m_results.traceRows = m_recorder->GetRows();
}

} // namespace llmfabric
} // namespace ns3
