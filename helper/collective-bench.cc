/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-bench.h"

#include "cluster-costs.h"
#include "scenario-collectives.h"
#include "scenario-network.h"
#include "scenario-runner.h"

#include "ns3/expert-shares.h"
#include "ns3/op-list.h"
#include "ns3/simulator.h"
#include "ns3/user-error.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// The series of a scenario that names different algorithms for different payloads.
const char* const RULES = "rules";

/// Id of the group of all ranks.
constexpr uint32_t GROUP = 0;

/**
 * @param scenario a scenario
 * @param op an op, as scenarios call it
 * @return what to call the algorithm that the scenario chooses
 */
std::string
GetChoice(const Scenario& scenario, const std::string& op)
{
    const auto rules = scenario.collective.rules.find(op);
    if (rules == scenario.collective.rules.end() || rules->second.empty())
    {
        return CollectiveTuner::GetDefault(op);
    }
    return rules->second.size() == 1 ? rules->second.front().algorithm : RULES;
}

} // namespace

CollectiveBench::CollectiveBench(const CollectiveBenchSpec& spec, const Scenario& scenario)
    : m_spec(spec),
      m_scenario(scenario),
      m_ranks(spec.GetRanks(scenario)),
      m_series(spec.algorithms),
      m_group{RankGroup(GROUP, 0, 1, m_ranks), nullptr}
{
    ScenarioNetwork network(m_scenario); // its defaults hold as long as it
    network.ApplyDefaults();
    const ClusterCosts costs =
        ScenarioNetwork::WithPlaces(m_scenario, [this]() { return ClusterCosts::Of(m_scenario); });
    m_group.layout = std::make_shared<const CollectiveLayout>(costs.MakeLayout(m_group.ranks));
    if (m_series.empty())
    {
        m_series.push_back(GetChoice(m_scenario, GetName(m_spec.op.GetKind())));
    }
    for (const std::string& series : m_series)
    {
        const Scenario own = MakeScenario(series);
        m_setups[series] = ScenarioNetwork::WithPlaces(own, [&own]() {
            return ScenarioCollectives::MakeSetup(own);
        });
    }
}

std::vector<std::string>
CollectiveBench::GetSeries() const
{
    return m_series;
}

const CollectiveConfig&
CollectiveBench::GetConfig() const
{
    return m_setups.begin()->second->config;
}

Scenario
CollectiveBench::MakeScenario(const std::string& series) const
{
    Scenario scenario = m_scenario;
    if (!m_spec.algorithms.empty())
    {
        const std::string op = GetName(m_spec.op.GetKind());
        scenario.collective.rules[op] = {{std::nullopt, series}};
        scenario.positions["collective." + op] = "command line --algorithm";
    }
    return scenario;
}

uint64_t
CollectiveBench::GetWholeSize(uint64_t size) const
{
    const uint64_t element = CollectiveBenchOp::GetElementBytes(m_spec.datatype);
    return m_spec.op.GetSize(size, element, m_ranks);
}

CollectiveOp
CollectiveBench::MakeOp(uint64_t size) const
{
    CollectiveOp op;
    op.kind = m_spec.op.GetKind();
    op.group = GROUP;
    op.payload = GetWholeSize(size);
    op.root = m_spec.op.HasRoot() ? m_spec.root : 0;
    op.shares = m_spec.op.IsUneven() ? AllToAllShares::BY_DESTINATION : AllToAllShares::EVEN;
    return op;
}

std::shared_ptr<const ListedPlan>
CollectiveBench::MakePlan(uint64_t size) const
{
    auto plan = std::make_shared<ListedPlan>(m_ranks, 1);
    std::vector<double> shares;
    if (m_spec.op.IsUneven())
    {
        ExpertLoad load;
        load.zipfExponent = m_spec.zipf;
        const ExpertShares parts(load, m_ranks, m_ranks);
        for (uint32_t rank = 0; rank < m_ranks; ++rank)
        {
            shares.push_back(parts.GetShare(rank));
        }
    }
    plan->AddGroup(m_group.ranks, "bench", shares);
    auto ops = std::make_shared<OpList>();
    ops->BeginBlock(m_spec.warmups + m_spec.iterations);
    ops->Add({GetStream(GroupKind::DATA), MakeOp(size)}, {});
    for (uint32_t rank = 0; rank < m_ranks; ++rank)
    {
        plan->SetProgram(rank, ops);
    }
    return plan;
}

CollectiveTask
CollectiveBench::MakeTask(uint64_t size) const
{
    return RankCommunicator::MakeTask(MakeOp(size), m_group, 0, MakePlan(size));
}

std::vector<CollectiveCandidate>
CollectiveBench::GetCandidates(uint64_t size) const
{
    const std::string op = GetName(m_spec.op.GetKind());
    return m_setups.begin()->second->tuner->GetCandidates(op, MakeTask(size));
}

CollectiveBenchRow
CollectiveBench::Predict(uint64_t size, const std::string& series) const
{
    const CollectiveTask task = MakeTask(size);
    const std::string op = GetName(m_spec.op.GetKind());
    const CollectiveChoice choice = ScenarioNetwork::WithPlaces(MakeScenario(series), [&]() {
        return m_setups.at(series)->tuner->Choose(op, task);
    });
    CollectiveBenchRow row;
    row.series = series;
    row.size = task.payload;
    const uint64_t element = CollectiveBenchOp::GetElementBytes(m_spec.datatype);
    row.count = m_spec.op.GetCount(size, element, m_ranks);
    row.algorithm = choice.algorithm->GetName();
    row.protocol = choice.protocol;
    row.channels = choice.cut.channels;
    for (const CollectiveCandidate& way : GetCandidates(size))
    {
        if (way.algorithm == row.algorithm && way.protocol == row.protocol)
        {
            row.model = way.time;
        }
    }
    return row;
}

void
CollectiveBench::Check(const std::vector<uint64_t>& sizes) const
{
    if (m_scenario.trace.file && sizes.size() * m_series.size() > 1)
    {
        throw UserError("each of " + std::to_string(sizes.size() * m_series.size()) +
                            " runs would write the trace '" + *m_scenario.trace.file + "'",
                        m_scenario.Where("trace.file"),
                        "ask for one size and one algorithm, or leave the trace out");
    }
    for (const std::string& series : m_series)
    {
        for (uint64_t size : sizes)
        {
            Predict(size, series);
        }
    }
    // What only the network knows. It is for nothing if the first run would have found it, but a
    // long one of a small size must not end in a mistake at a larger size.
    Scenario scenario = MakeScenario(m_series.front());
    scenario.trace.file.reset();
    {
        ScenarioRunner runner(scenario);
        runner.SetPlan(MakePlan(sizes.back()));
        runner.Setup();
    }
    Simulator::Destroy();
}

CollectiveBenchRow
CollectiveBench::Run(uint64_t size, const std::string& series) const
{
    CollectiveBenchRow row = Predict(size, series);
    {
        ScenarioRunner runner(MakeScenario(series));
        runner.SetPlan(MakePlan(size));
        runner.Setup();
        runner.Run();
        Measure(runner.GetResults(), row);
    }
    Simulator::Destroy();
    return row;
}

void
CollectiveBench::Measure(const RunResults& results, CollectiveBenchRow& row) const
{
    row.trace = results.traceFile;
    row.unfinished = results.unfinished;
    if (!row.unfinished.empty() || results.collectives.size() <= m_spec.warmups)
    {
        return;
    }
    const CollectiveResult& first = results.collectives[m_spec.warmups];
    Time end = first.end;
    for (const CollectiveResult& op : results.collectives)
    {
        end = std::max(end, op.end);
    }
    row.algorithm = first.algorithm;
    const double seconds =
        (end - first.start).GetSeconds() / static_cast<double>(m_spec.iterations);
    row.time = TimeStep((end - first.start).GetTimeStep() / m_spec.iterations);
    if (seconds > 0)
    {
        row.algorithmBandwidth = static_cast<double>(row.size) / seconds / 1e9;
        row.busBandwidth = row.algorithmBandwidth * m_spec.op.GetBusFactor(m_ranks);
    }
}

} // namespace llmfabric
} // namespace ns3
