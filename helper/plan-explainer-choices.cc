/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The table of the algorithms that collectives could take, and why they take the one they do.

#include "plan-explainer.h"

#include "ns3/collective-protocol.h"

#include <set>
#include <sstream>
#include <tuple>

namespace ns3
{
namespace llmfabric
{

ExplainTable
PlanExplainer::MakeChoices() const
{
    ExplainTable table(
        "choices",
        "Stage 4  One collective with each algorithm, predicted by the cost model on idle links",
        {"op", "group", "size", "payload M", "algorithm", "protocol", "predicted ms", "choice"});
    std::set<std::tuple<std::string, std::string, uint64_t>> seen;
    for (const TrafficRow& row : m_traffic)
    {
        const bool isCollective = row.op != "send" && row.groupSize > 1;
        if (isCollective && seen.emplace(row.op, row.group, row.payload).second)
        {
            AddChoices(row, table);
        }
    }
    table.AddNote("rules: key collective; auto takes the fastest, among algorithms that its model "
                  "has a cost of");
    return table;
}

void
PlanExplainer::AddChoices(const TrafficRow& row, ExplainTable& table) const
{
    const CollectiveChoice choice = m_costs.GetChoice(row);
    const std::vector<CollectiveCandidate> candidates = m_costs.GetCandidates(row);
    const auto rules = m_scenario.collective.rules.find(row.op);
    for (const CollectiveCandidate& one : candidates)
    {
        std::ostringstream why;
        why.precision(3);
        const bool taken =
            one.algorithm == choice.algorithm->GetName() && one.protocol == choice.protocol;
        if (taken)
        {
            why << "taken: "
                << (rules == m_scenario.collective.rules.end()
                        ? "the default"
                        : "by collective." + row.op +
                              (&one == &candidates.front() ? ", the fastest" : ""));
        }
        else if (&one == &candidates.front())
        {
            why << "the fastest";
        }
        else if (one.time && candidates.front().time->IsStrictlyPositive())
        {
            why << ToMs(*one.time) / ToMs(*candidates.front().time) << " x the fastest";
        }
        else
        {
            why << one.obstacle;
        }
        table.Add({row.op,
                   row.group,
                   uint64_t{row.groupSize},
                   row.payload,
                   one.algorithm,
                   GetName(one.protocol),
                   one.time ? ExplainTable::Cell(ToMs(*one.time)) : std::string("-"),
                   why.str()});
    }
}

} // namespace llmfabric
} // namespace ns3
