/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-runner.h"

#include "run-attributes.h"
#include "training-job-helper.h"

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
ScenarioRunner::Setup()
{
    m_network.ApplyDefaults();
    if (!m_scenario.HasFlows())
    {
        m_job = ScenarioNetwork::WithPlaces(m_scenario, [this]() {
            return std::make_unique<TrainingJob>(m_network.MakeTrainingSpec());
        });
        m_results.stages = m_job->GetReport();
    }
    m_fabric = ScenarioNetwork::WithPlaces(m_scenario, [this]() { return m_network.Create(); });
    if (m_job)
    {
        m_network.CheckDuration(m_job->GetReport());
    }
    m_network.ApplyPaths();
    m_network.CheckBuffers(m_fabric);
    if (m_job)
    {
        SetupTraining();
    }
    else
    {
        SetupFlows();
    }
    for (const Ptr<RoceNic>& nic : m_fabric.nics)
    {
        nic->GetMessageSentSource().ConnectTickSink(
            MakeCallback(&ScenarioRunner::OnMessageSent, this));
    }
    if (m_scenario.trace.file)
    {
        SetupTrace();
    }
}

void
ScenarioRunner::SetupTraining()
{
    TrainingJobHelper helper(m_scenario.cluster.gpusPerNode);
    helper.SetAllReduce(m_scenario.collective.allreduce);
    m_ranks =
        ScenarioNetwork::WithPlaces(m_scenario, [&]() { return helper.Install(m_fabric, *m_job); });
    m_observer.Watch(m_ranks, m_job->GetReport().globalTokens);
    m_observer.SetFinishedCallback(MakeCallback(&ScenarioRunner::OnFinished, this));
}

void
ScenarioRunner::SetupFlows()
{
    std::vector<FlowSpec> flows;
    for (const Scenario::Flow& flow : m_scenario.flows)
    {
        flows.push_back({flow.from, flow.to, flow.bytes, flow.start});
    }
    m_flows.Install(m_fabric, flows);
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
    return m_job ? m_observer.IsFinished() : m_flows.IsFinished();
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
    if (!m_job)
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
    // An AllReduce is weighed with the time that its bytes take at line rate.
    const StageReport& stages = m_job->GetReport();
    const StepProgress done = m_ranks.front()->GetProgress();
    const double bytes =
        2.0 * static_cast<double>(stages.allReducePayload) * (stages.ranks - 1) / stages.ranks;
    const double transfer = 8 * bytes / static_cast<double>(m_scenario.cluster.rate.GetBitRate());
    const double total = stages.computePerStep.GetSeconds() + transfer * stages.allReducesPerStep;
    const double now = done.computed.GetSeconds() + transfer * done.collectives;
    const bool over = done.step == m_scenario.run.steps;
    report.part = over ? 1 : total > 0 ? std::min(now / total, 1.0) : 0;
    const auto steps = static_cast<double>(m_scenario.run.steps);
    report.whole = over ? 1 : (static_cast<double>(done.step) + report.part) / steps;
    report.what = "step " + std::to_string(std::min(done.step + 1, m_scenario.run.steps)) + " of " +
                  std::to_string(m_scenario.run.steps);
    return report;
}

void
ScenarioRunner::CollectResults()
{
    m_results.steps = m_observer.GetSteps();
    m_results.collectives = m_observer.GetCollectives();
    m_results.flows = m_flows.GetResults();
    m_results.unfinished = m_job ? m_observer.GetWaits() : m_flows.GetWaits();
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
