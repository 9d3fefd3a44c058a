/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "congestion-bench.h"

#include "congestion-meter.h"
#include "nearest-rank.h"
#include "scenario-reader.h"
#include "scenario-runner.h"

#include "ns3/congestion-preset.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <map>
#include <optional>

namespace ns3
{
namespace llmfabric
{

CongestionBench::CongestionBench(const std::vector<std::string>& overrides)
    : m_overrides(overrides)
{
}

std::vector<std::string>
CongestionBench::GetControls()
{
    std::vector<std::string> names;
    for (const CongestionPreset& preset : GetCongestionPresets())
    {
        names.push_back(preset.name);
    }
    return names;
}

Scenario
CongestionBench::MakeScenario(const CongestionBenchScenario& scenario,
                              const std::string& control) const
{
    const std::string text =
        scenario.GetText() + "nic: {congestion_control: \"" + control + "\"}\n";
    return ScenarioReader::ReadText(text, "scenario of the table", m_overrides);
}

CongestionBenchRow
CongestionBench::Run(const CongestionBenchScenario& scenario, const std::string& control) const
{
    ScenarioRunner runner(MakeScenario(scenario, control));
    const std::shared_ptr<const RankPlan> plan = scenario.MakePlan();
    if (plan)
    {
        runner.SetPlan(plan);
    }
    runner.Setup();
    CongestionMeter meter;
    meter.Watch(runner.GetFabric());
    runner.Run();
    const RunResults& results = runner.GetResults();
    CongestionBenchRow row;
    row.control = control;
    plan ? MeasureCollectives(results, scenario.GetIdealCollective(), row)
         : MeasureFlows(results, row);
    row.unfinished = results.unfinished.size();
    row.peakQueue = meter.GetPeakQueue();
    row.pauses = results.counters.pauseSent;
    row.pauseTime = meter.GetPauseTime();
    row.marks = results.counters.ecnMarked;
    row.retransmissions = results.counters.retransmittedPackets;
    row.cpuSeconds = results.cpuSeconds;
    Simulator::Destroy();
    return row;
}

void
CongestionBench::MeasureFlows(const RunResults& results, CongestionBenchRow& row)
{
    std::vector<double> seconds;
    std::vector<double> slowdowns;
    Time first = Time::Max();
    Time last(0);
    double bytes = 0;
    for (std::size_t i = 0; i < results.flows.size(); ++i)
    {
        const FlowResult& flow = results.flows[i];
        const std::optional<double> slowdown = results.GetSlowdown(i);
        if (!slowdown)
        {
            continue;
        }
        const Time received = TimeStep(static_cast<uint64_t>(flow.received));
        first = std::min(first, flow.spec.start);
        last = std::max(last, received);
        bytes += static_cast<double>(flow.spec.bytes);
        seconds.push_back((received - flow.spec.start).GetSeconds());
        slowdowns.push_back(*slowdown);
    }
    if (!seconds.empty())
    {
        row.goodput = bytes * 8 / (last - first).GetSeconds() / 1e9;
    }
    SetPercentiles(seconds, slowdowns, row);
}

void
CongestionBench::MeasureCollectives(const RunResults& results, Time ideal, CongestionBenchRow& row)
{
    std::map<uint32_t, std::size_t> counts; // by group: its AllReduces so far
    std::vector<std::pair<Time, Time>> bursts;
    std::vector<double> seconds;
    std::vector<double> slowdowns;
    double bytes = 0;
    for (const CollectiveResult& one : results.collectives)
    {
        if (one.op != GetName(CollectiveKind::ALL_REDUCE))
        {
            continue;
        }
        const std::size_t burst = counts[one.group]++;
        bursts.resize(std::max(bursts.size(), burst + 1), {Time::Max(), Time(0)});
        bursts[burst].first = std::min(bursts[burst].first, one.start);
        bursts[burst].second = std::max(bursts[burst].second, one.end);
        for (uint64_t sent : one.sentBytesPerRank)
        {
            bytes += static_cast<double>(sent);
        }
        seconds.push_back((one.end - one.start).GetSeconds());
        slowdowns.push_back(seconds.back() / ideal.GetSeconds());
    }
    double busy = 0;
    for (const auto& [start, end] : bursts)
    {
        busy += (end - start).GetSeconds();
    }
    row.goodput = busy > 0 ? bytes * 8 / busy / 1e9 : 0;
    SetPercentiles(seconds, slowdowns, row);
}

void
CongestionBench::SetPercentiles(const std::vector<double>& seconds,
                                const std::vector<double>& slowdowns,
                                CongestionBenchRow& row)
{
    row.count = seconds.size();
    row.median = Seconds(GetPercentile(seconds, 50));
    row.p99 = Seconds(GetPercentile(seconds, 99));
    row.slowdownMedian = GetPercentile(slowdowns, 50);
    row.slowdownP99 = GetPercentile(slowdowns, 99);
}

ExplainTable
CongestionBench::MakeTable(const std::string& name, const CongestionBenchScenario& scenario)
{
    return ExplainTable(name,
                        name + ": " + scenario.GetTitle(),
                        {"control",
                         "goodput Gbps",
                         "p50 ms",
                         "p99 ms",
                         "slowdown p50",
                         "slowdown p99",
                         "peak queue KB",
                         "PFC pauses",
                         "paused ms",
                         "marks",
                         "sent again",
                         "unfinished"});
}

void
CongestionBench::Add(const CongestionBenchRow& row, ExplainTable& table)
{
    table.Add({row.control,
               row.goodput,
               ToMs(row.median),
               ToMs(row.p99),
               row.slowdownMedian,
               row.slowdownP99,
               static_cast<double>(row.peakQueue) / 1000,
               row.pauses,
               ToMs(row.pauseTime),
               row.marks,
               row.retransmissions,
               row.unfinished});
}

} // namespace llmfabric
} // namespace ns3
