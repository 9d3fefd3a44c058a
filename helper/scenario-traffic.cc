/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-traffic.h"

#include "ideal-completion.h"
#include "poisson-load.h"
#include "scenario-network.h"

#include "ns3/user-error.h"

#include <algorithm>
#include <numeric>

namespace ns3
{
namespace llmfabric
{

ScenarioTraffic::ScenarioTraffic(const Scenario& scenario, const Fabric& fabric)
    : m_scenario(scenario),
      m_fabric(fabric)
{
}

std::vector<FlowSpec>
ScenarioTraffic::MakeFlows(RunResults& results) const
{
    std::vector<FlowSpec> flows;
    for (const Scenario::Flow& flow : m_scenario.flows)
    {
        flows.push_back({flow.from, flow.to, flow.bytes, flow.start});
    }
    if (m_scenario.load)
    {
        const FlowSizeDistribution sizes = MakeDistribution();
        const PoissonLoad load = ScenarioNetwork::WithPlaces(m_scenario, [&]() {
            return PoissonLoad(*m_scenario.load, sizes, PoissonLoad::GetRates(m_fabric));
        });
        const std::vector<FlowSpec> drawn = load.Draw();
        results.load = load.Summarize(drawn);
        flows.insert(flows.end(), drawn.begin(), drawn.end());
    }
    return flows;
}

FlowSizeDistribution
ScenarioTraffic::MakeDistribution() const
{
    try
    {
        return FlowSizeDistribution::Create(m_scenario.load->distribution);
    }
    catch (const UserError& error)
    {
        // A mistake in the file has its place there.
        throw error.GetWhere().empty() ? error.At(m_scenario.Where("load.distribution")) : error;
    }
}

void
ScenarioTraffic::FindIdealTimes(RunResults& results) const
{
    std::vector<std::size_t> order(results.flows.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&results](std::size_t a, std::size_t b) {
        return results.flows[a].spec.from < results.flows[b].spec.from;
    });
    results.idealTicks.assign(results.flows.size(), -1);
    IdealCompletion ideal(m_fabric);
    for (std::size_t flow : order)
    {
        const FlowSpec& spec = results.flows[flow].spec;
        if (results.flows[flow].received < 0)
        {
            continue; // it has no slowdown
        }
        results.idealTicks[flow] = ideal.GetTicks(spec.from, spec.to, spec.bytes);
    }
}

void
ScenarioTraffic::Judge(RunResults& results) const
{
    if (results.flows.empty())
    {
        return; // of ranks, whose network may be large
    }
    FindIdealTimes(results);
    if (!results.load)
    {
        return;
    }
    SlowdownTable table(SlowdownTable::GetDeciles(MakeDistribution()));
    for (std::size_t i = m_scenario.flows.size(); i < results.flows.size(); ++i)
    {
        const std::optional<double> slowdown = results.GetSlowdown(i);
        if (slowdown)
        {
            table.Add(results.flows[i].spec.bytes, *slowdown);
        }
    }
    results.slowdowns = table;
}

} // namespace llmfabric
} // namespace ns3
