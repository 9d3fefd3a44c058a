/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "poisson-load.h"

#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/tick-rate.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <set>
#include <tuple>

namespace ns3
{
namespace llmfabric
{

namespace
{

/** The random streams of a sending host, and when its next flow arrives. */
struct Sender
{
    /**
     * @param number of the host
     * @param gap mean time from flow to flow, ticks
     * @param start when flows begin to arrive, ticks
     */
    Sender(uint32_t number, double gap, int64_t start)
        : host(number),
          meanGap(gap),
          next(start),
          gaps(CreateObject<ExponentialRandomVariable>()),
          sizes(CreateObject<UniformRandomVariable>()),
          receivers(CreateObject<UniformRandomVariable>())
    {
        // Far from the numbers that scripts choose, and from those of marks and jitter.
        constexpr int64_t first = int64_t{1} << 42;
        constexpr int64_t perHost = 4;
        const int64_t stream = first + perHost * number;
        gaps->SetStream(stream);
        sizes->SetStream(stream + 1);
        receivers->SetStream(stream + 2);
        Advance();
    }

    /** Draw when the next flow arrives. */
    void Advance()
    {
        constexpr int64_t never = int64_t{1} << 62; // later than all that a clock can tell
        const double gap = gaps->GetValue(meanGap, 0);
        next = gap < static_cast<double>(never - next) ? next + std::llround(gap) : never;
    }

    uint32_t host;                        //!< number of the host
    double meanGap;                       //!< ticks
    int64_t next;                         //!< when the next flow arrives, ticks
    Ptr<ExponentialRandomVariable> gaps;  //!< from flow to flow
    Ptr<UniformRandomVariable> sizes;     //!< of flows
    Ptr<UniformRandomVariable> receivers; //!< of flows
};

/** Orders senders by their next flow; the earliest is on top. */
struct IsLater
{
    /** @return whether the next flow of one comes after that of the other */
    bool operator()(const Sender& one, const Sender& other) const
    {
        return std::tie(one.next, one.host) > std::tie(other.next, other.host);
    }
};

UserError
MakeError(const std::string& what, const std::string& key, const std::string& action)
{
    return UserError(what, key.empty() ? "load" : "load." + key, action);
}

} // namespace

PoissonLoad::PoissonLoad(const LoadSpec& spec,
                         const FlowSizeDistribution& distribution,
                         const std::vector<DataRate>& rates)
    : m_spec(spec),
      m_distribution(distribution),
      m_rates(rates)
{
    Check(spec, rates.size());
    for (const auto& [from, to] : spec.pairs)
    {
        m_receivers[from].push_back(to);
    }
    CheckAmount();
}

std::vector<DataRate>
PoissonLoad::GetRates(const Fabric& fabric)
{
    std::vector<DataRate> rates;
    for (const Ptr<RoceNic>& nic : fabric.nics)
    {
        rates.push_back(nic->GetPort()->GetDataRate());
    }
    return rates;
}

void
PoissonLoad::Check(const LoadSpec& spec, uint64_t hosts)
{
    CheckNumbers(spec);
    CheckPairs(spec, hosts);
}

void
PoissonLoad::CheckNumbers(const LoadSpec& spec)
{
    if (!(spec.percent > 0 && spec.percent <= 100))
    {
        throw MakeError("the load is " + std::to_string(spec.percent) + " percent",
                        "percent",
                        "allowed: above 0, up to 100");
    }
    if (spec.duration.has_value() == spec.flows.has_value())
    {
        throw MakeError(spec.flows ? "duration and flows exclude each other"
                                   : "neither duration nor flows is given",
                        "",
                        "give one of the two");
    }
    if (spec.duration && !spec.duration->IsStrictlyPositive())
    {
        throw MakeError("the duration is 0", "duration", "allowed: a time above 0");
    }
}

void
PoissonLoad::CheckPairs(const LoadSpec& spec, uint64_t hosts)
{
    if (spec.pairs.empty() && hosts < 2)
    {
        throw MakeError("one host alone has none to send to", "", "add a host");
    }
    const std::string allowed =
        "allowed: hosts 0 to " + std::to_string(hosts - 1) + " (host = node x nics_per_node + nic)";
    std::set<std::pair<uint32_t, uint32_t>> known;
    for (std::size_t i = 0; i < spec.pairs.size(); ++i)
    {
        const auto [from, to] = spec.pairs[i];
        const std::string key = "pairs[" + std::to_string(i) + "]";
        if (from >= hosts)
        {
            throw MakeError("there is no host " + std::to_string(from), key + ".from", allowed);
        }
        if (to >= hosts)
        {
            throw MakeError("there is no host " + std::to_string(to), key + ".to", allowed);
        }
        if (from == to)
        {
            throw MakeError("host " + std::to_string(from) + " would send to itself",
                            key + ".to",
                            "name two hosts");
        }
        if (!known.insert(spec.pairs[i]).second)
        {
            throw MakeError("the pair stands twice", key, "remove one of the two");
        }
    }
}

void
PoissonLoad::CheckAmount() const
{
    const double rate = GetArrivalRate();
    const auto asked = static_cast<double>(m_spec.flows.value_or(0));
    const double flows =
        m_spec.duration ? rate * static_cast<double>(m_spec.duration->GetTimeStep()) : asked;
    if (flows > static_cast<double>(MAX_FLOWS))
    {
        throw MakeError("these are about " + std::to_string(std::llround(flows)) + " flows",
                        m_spec.duration ? "duration" : "flows",
                        "allowed: up to " + std::to_string(MAX_FLOWS));
    }
    const double end = static_cast<double>(m_spec.start.GetTimeStep()) + flows / rate;
    const double most =
        static_cast<double>(Simulator::GetMaximumSimulationTime().GetTimeStep()) / 2;
    if (end > most)
    {
        throw MakeError("the last flows may arrive too late for a clock of this resolution",
                        m_spec.duration ? "duration" : "percent",
                        "let them arrive sooner, or take a coarser time resolution");
    }
}

std::vector<uint32_t>
PoissonLoad::GetSenders() const
{
    std::vector<uint32_t> senders;
    for (uint32_t host = 0; host < m_rates.size(); ++host)
    {
        if (m_receivers.empty() || m_receivers.count(host) > 0)
        {
            senders.push_back(host);
        }
    }
    return senders;
}

double
PoissonLoad::GetMeanGap(uint32_t host) const
{
    const double bits = 8 * m_distribution.GetMean();
    const double rate = static_cast<double>(m_rates.at(host).GetBitRate()) * m_spec.percent / 100;
    return bits / rate * static_cast<double>(TicksPerSecond());
}

double
PoissonLoad::GetArrivalRate() const
{
    double rate = 0;
    for (uint32_t host : GetSenders())
    {
        rate += 1 / GetMeanGap(host);
    }
    return rate;
}

uint32_t
PoissonLoad::GetReceiverCount(uint32_t host) const
{
    return static_cast<uint32_t>(m_receivers.empty() ? m_rates.size() - 1
                                                     : m_receivers.at(host).size());
}

uint32_t
PoissonLoad::GetReceiver(uint32_t host, uint32_t draw) const
{
    if (!m_receivers.empty())
    {
        return m_receivers.at(host)[draw];
    }
    return draw < host ? draw : draw + 1; // all but itself
}

std::vector<FlowSpec>
PoissonLoad::Draw() const
{
    std::priority_queue<Sender, std::vector<Sender>, IsLater> senders;
    for (uint32_t host : GetSenders())
    {
        senders.emplace(host, GetMeanGap(host), m_spec.start.GetTimeStep());
    }
    std::vector<FlowSpec> flows;
    const Time end = m_spec.start + m_spec.duration.value_or(Time(0));
    while (m_spec.flows ? flows.size() < *m_spec.flows : senders.top().next < end.GetTimeStep())
    {
        Sender sender = senders.top();
        senders.pop();
        const uint32_t others = GetReceiverCount(sender.host);
        flows.push_back({sender.host,
                         GetReceiver(sender.host, sender.receivers->GetInteger(0, others - 1)),
                         m_distribution.GetSize(sender.sizes->GetValue(0, 1)),
                         TimeStep(static_cast<uint64_t>(sender.next))});
        sender.Advance();
        senders.push(sender);
    }
    return flows;
}

LoadSummary
PoissonLoad::Summarize(const std::vector<FlowSpec>& flows) const
{
    LoadSummary summary;
    summary.spec = m_spec;
    summary.meanBytes = m_distribution.GetMean();
    summary.flows = flows.size();
    for (const FlowSpec& flow : flows)
    {
        summary.bytes += flow.bytes;
    }
    const Time last = flows.empty() ? m_spec.start : flows.back().start;
    summary.span = m_spec.duration.value_or(last - m_spec.start);
    const auto ticks = static_cast<double>(summary.span.GetTimeStep());
    summary.expectedFlows =
        m_spec.flows ? static_cast<double>(*m_spec.flows) : GetArrivalRate() * ticks;
    double rate = 0;
    for (uint32_t host : GetSenders())
    {
        rate += static_cast<double>(m_rates[host].GetBitRate());
    }
    const double carried = rate / 8 * summary.span.GetSeconds();
    summary.offered = carried > 0 ? 100 * static_cast<double>(summary.bytes) / carried : 0;
    return summary;
}

} // namespace llmfabric
} // namespace ns3
