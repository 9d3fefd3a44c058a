/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-explainer.h"

#include "algorithm-reader.h"
#include "collective-sizes.h"

#include <cmath>

namespace ns3
{
namespace llmfabric
{

CollectiveExplainer::CollectiveExplainer(const CollectiveBench& bench)
    : m_bench(bench),
      m_op(GetName(bench.GetSpec().op.GetKind()))
{
    for (const std::string& file : bench.GetScenario().collective.algorithms)
    {
        m_registry.Add(AlgorithmReader::Read(file));
    }
}

CollectiveExplainer::Facts
CollectiveExplainer::GetFacts(const CollectiveCandidate& way, const CollectiveTask& task) const
{
    CollectiveTask own = task;
    own.cut = m_bench.GetConfig().GetCut(*task.layout, task.payload, way.protocol);
    Facts facts;
    facts.channels = own.cut.channels;
    if (!way.time)
    {
        return facts;
    }
    const auto algorithm = m_registry.Get(m_op, way.algorithm);
    auto cost = algorithm->GetCost(own);
    if (!cost)
    {
        own.bytes = nullptr; // as the tuner does it
        cost = algorithm->GetCost(own);
    }
    const ProtocolProfile& profile = ProtocolProfile::Get(way.protocol);
    const auto sent = [&profile](double bytes) {
        return static_cast<double>(profile.GetSentBytes(static_cast<uint64_t>(bytes)));
    };
    for (const CostPhase& phase : cost.value_or(CollectiveCost{}))
    {
        facts.isKnown = true;
        facts.rounds += phase.rounds;
        facts.far += phase.rounds * sent(phase.farBytes);
        facts.near += phase.rounds * sent(phase.nearBytes);
    }
    return facts;
}

std::string
CollectiveExplainer::Compare(const Facts& best, const Facts& next)
{
    std::string better;
    std::string worse;
    const auto compare = [&](double ours, double theirs, const std::string& what) {
        if (std::abs(ours - theirs) >= 0.5)
        {
            std::string& list = ours < theirs ? better : worse;
            list += (list.empty() ? "" : " and ") + ToFixed(ours, 0) + " instead of " +
                    ToFixed(theirs, 0) + " " + what;
        }
    };
    compare(best.rounds, next.rounds, "rounds");
    compare(best.far, next.far, "B by the busiest NIC");
    compare(best.near, next.near, "B by NVLink");
    better = better.empty() ? "cheaper steps" : better;
    return better + (worse.empty() ? "" : ", in spite of " + worse);
}

bool
CollectiveExplainer::Runs(const CollectiveCandidate& way, uint64_t size) const
{
    for (const std::string& series : m_bench.GetSeries())
    {
        const CollectiveBenchRow row = m_bench.Predict(size, series);
        if (row.algorithm == way.algorithm && row.protocol == way.protocol)
        {
            return true;
        }
    }
    return false;
}

std::string
CollectiveExplainer::GetReason(const std::vector<CollectiveCandidate>& ways,
                               std::size_t place,
                               const CollectiveTask& task) const
{
    const CollectiveCandidate& way = ways[place];
    if (!way.time)
    {
        return way.obstacle;
    }
    if (place > 0)
    {
        const double best = ToUs(*ways.front().time);
        return "+" + ToFixed(best > 0 ? (ToUs(*way.time) / best - 1) * 100 : 0, 1) + " %";
    }
    if (ways.size() == 1 || !ways[1].time)
    {
        return "the only one";
    }
    const CollectiveCandidate& next = ways[1];
    const bool isSame = next.algorithm == way.algorithm;
    const std::string name = isSame ? GetName(next.protocol) : next.algorithm;
    return *next.time == *way.time
               ? "as fast as " + name
               : "beats " + name + ": " + Compare(GetFacts(way, task), GetFacts(next, task));
}

ExplainTable
CollectiveExplainer::MakeTable(uint64_t size) const
{
    const CollectiveTask task = m_bench.MakeTask(size);
    ExplainTable table(
        "candidates",
        m_bench.GetSpec().op.GetName() + " of " + CollectiveSizes::ToText(task.payload) + " on " +
            std::to_string(m_bench.GetRanks()) + " ranks, by the cost model; * runs",
        {"", "algorithm", "protocol", "channels", "us", "rounds", "NIC B", "NVLink B", "why"});
    const std::vector<CollectiveCandidate> ways = m_bench.GetCandidates(size);
    const ExplainTable::Cell none = std::string();
    for (std::size_t i = 0; i < ways.size(); ++i)
    {
        const CollectiveCandidate& way = ways[i];
        const Facts facts = GetFacts(way, task);
        const auto known = [&](double value) {
            const ExplainTable::Cell cell = static_cast<uint64_t>(std::llround(value));
            return facts.isKnown ? cell : none;
        };
        table.Add({std::string(Runs(way, size) ? "*" : ""),
                   way.algorithm,
                   GetName(way.protocol),
                   uint64_t{facts.channels},
                   way.time ? ExplainTable::Cell(ToUs(*way.time)) : none,
                   known(facts.rounds),
                   known(facts.far),
                   known(facts.near),
                   GetReason(ways, i, task)});
    }
    if (task.GetRanks() > 1)
    {
        table.AddNote(
            "auto takes the default of the op if it is at most 1 % slower than the fastest");
    }
    return table;
}

} // namespace llmfabric
} // namespace ns3
