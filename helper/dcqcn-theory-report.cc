/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dcqcn-theory-report.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * What another simulation of packets gave, written for this comparison alone: N paced senders, one
 * queue, no headers, ACKs, NICs or PFC; dequeue marking, packets of 1000 B, CNP delay 4 us, 0.5 s
 * of warm-up, 5 pure halvings.
 */
struct KnownResult
{
    double gbps;        //!< link
    uint32_t flows;     //!< N
    double queue;       //!< mean queue, packets
    double probability; //!< marked by all
    double alpha;       //!< mean alpha
};

constexpr KnownResult KNOWN[] = {{40, 2, 23.6, 0.00102, 0.109},
                                 {40, 4, 52.8, 0.00250, 0.132},
                                 {40, 8, 114, 0.0078, 0.155},
                                 {100, 2, 10.4, 0.00036, 0.096},
                                 {100, 8, 40.3, 0.00183, 0.126}};

/**
 * @param one a case
 * @return what is known of it, or null
 */
const KnownResult*
FindKnown(const DcqcnTheoryCase& one)
{
    const auto* found = std::find_if(std::begin(KNOWN), std::end(KNOWN), [&one](const auto& known) {
        return known.gbps == one.gbps && known.flows == one.flows;
    });
    return found == std::end(KNOWN) || one.delay != MicroSeconds(4) ? nullptr : found;
}

/**
 * @param results some results
 * @param member a number of them
 * @return its mean
 */
double
MeanOf(const std::vector<DcqcnTheoryResult>& results, double DcqcnTheoryResult::*member)
{
    double sum = 0;
    for (const DcqcnTheoryResult& result : results)
    {
        sum += result.*member;
    }
    return sum / static_cast<double>(results.size());
}

/**
 * @param value a number, or none
 * @return it as a cell, which is empty if there is none
 */
ExplainTable::Cell
ToCell(const std::optional<double>& value)
{
    return value ? ExplainTable::Cell(*value) : ExplainTable::Cell("");
}

} // namespace

DcqcnTheoryReport::DcqcnTheoryReport(const Spec& spec)
    : m_spec(spec)
{
}

std::vector<DcqcnTheoryCase>
DcqcnTheoryReport::GetKnownCases()
{
    std::vector<DcqcnTheoryCase> cases;
    for (const KnownResult& known : KNOWN)
    {
        DcqcnTheoryCase one;
        one.gbps = known.gbps;
        one.flows = known.flows;
        cases.push_back(one);
    }
    return cases;
}

DcqcnTheoryResult
DcqcnTheoryReport::Run(DcqcnTheoryCase one, uint64_t seed)
{
    one.run += seed;
    DcqcnTheoryResult result = DcqcnTheoryStudy(one).Run(m_spec.overrides);
    if (m_series.empty())
    {
        m_series.swap(result.series);
    }
    return result;
}

ExplainTable
DcqcnTheoryReport::RunSteady()
{
    ExplainTable table("dcqcn_theory",
                       "DCQCN against theory",
                       {"case",
                        "q KB",
                        "q fluid",
                        "q packets",
                        "p percent",
                        "p fluid",
                        "p packets",
                        "alpha",
                        "alpha fluid",
                        "alpha packets",
                        "utilization",
                        "Jain",
                        "least Jain"});
    for (const DcqcnTheoryCase& one : m_spec.cases)
    {
        std::vector<DcqcnTheoryResult> results;
        for (uint64_t seed = 0; seed < m_spec.seeds; ++seed)
        {
            results.push_back(Run(one, seed));
        }
        AddSteady(one, results, table);
    }
    table.AddNote(
        "q: mean queue in packets of 1000 B; p: marked packets; Jain: fairness in windows "
        "of 10 ms");
    table.AddNote("fluid: fixed point of the fluid model; packets: another simulation of packets");
    return table;
}

void
DcqcnTheoryReport::AddSteady(const DcqcnTheoryCase& one,
                             const std::vector<DcqcnTheoryResult>& results,
                             ExplainTable& table)
{
    const DcqcnFixedPoint fluid = DcqcnTheoryStudy(one).GetFixedPoint();
    const KnownResult* known = FindKnown(one);
    const auto knownCell = [known](double KnownResult::*member, double factor) {
        return ToCell(known ? std::optional<double>(factor * known->*member) : std::nullopt);
    };
    double least = 1;
    for (const DcqcnTheoryResult& result : results)
    {
        least = std::min(least, result.leastJain);
    }
    table.Add({one.GetName(),
               MeanOf(results, &DcqcnTheoryResult::queue),
               ToCell(fluid.GetQueue()),
               knownCell(&KnownResult::queue, 1),
               100 * MeanOf(results, &DcqcnTheoryResult::probability),
               100 * fluid.GetProbability(),
               knownCell(&KnownResult::probability, 100),
               MeanOf(results, &DcqcnTheoryResult::alpha),
               fluid.GetAlpha(),
               knownCell(&KnownResult::alpha, 1),
               MeanOf(results, &DcqcnTheoryResult::utilization),
               MeanOf(results, &DcqcnTheoryResult::jain),
               least});
}

ExplainTable
DcqcnTheoryReport::RunJoin()
{
    ExplainTable table(
        "dcqcn_join",
        "Flow 1 joins flow 0, which has the link for itself: time until both have half, ms",
        {"case", "flow 0", "run", "within 10 %", "share of flow 0 then"});
    for (DcqcnTheoryCase one : m_spec.cases)
    {
        one.gap = GetJoinTime();
        for (bool opening : {true, false})
        {
            one.opening = opening;
            for (uint64_t seed = 0; seed < m_spec.seeds; ++seed)
            {
                AddJoin(one, seed, table);
            }
        }
    }
    table.AddNote("within 10 %: end of the first window of 10 ms in which each got 45 to 55 % of "
                  "what both got; after it, the mean share of flow 0 to the end");
    table.AddNote("seasoned: got CNPs at its start, so alpha has fallen to about 0 by the join; "
                  "fresh: never got one, so alpha is 1");
    return table;
}

void
DcqcnTheoryReport::AddJoin(const DcqcnTheoryCase& one, uint64_t seed, ExplainTable& table)
{
    const DcqcnTheoryResult result = Run(one, seed);
    const Time fair = DcqcnTheoryStudy::GetFairTime(result, one.gap, 0.9);
    uint64_t first = 0;
    uint64_t all = 0;
    const int64_t window = DcqcnTheoryStudy::GetWindow().GetTimeStep();
    for (auto i = static_cast<std::size_t>(fair.GetTimeStep() / window); i < result.windows.size();
         ++i)
    {
        first += result.windows[i].front();
        all += std::accumulate(result.windows[i].begin(), result.windows[i].end(), uint64_t{0});
    }
    const bool isFair = !fair.IsZero();
    table.Add({one.GetName(),
               one.opening ? "seasoned" : "fresh",
               one.run + seed,
               ToCell(isFair ? std::optional<double>(ToMs(fair - one.gap)) : std::nullopt),
               ToCell(isFair && all > 0 ? std::optional<double>(static_cast<double>(first) /
                                                                static_cast<double>(all))
                                        : std::nullopt)});
}

void
DcqcnTheoryReport::WriteSeries(std::ostream& out) const
{
    const std::size_t flows = m_series.empty() ? 0 : m_series.front().rates.size();
    out << "seconds,queue_kb";
    for (std::size_t flow = 0; flow < flows; ++flow)
    {
        out << ",rate_gbps_" << flow << ",alpha_" << flow;
    }
    out << "\n";
    for (const DcqcnTheoryResult::Sample& sample : m_series)
    {
        out << sample.seconds << "," << sample.queue;
        for (std::size_t flow = 0; flow < flows; ++flow)
        {
            out << "," << sample.rates[flow] << "," << sample.alphas[flow];
        }
        out << "\n";
    }
}

} // namespace llmfabric
} // namespace ns3
