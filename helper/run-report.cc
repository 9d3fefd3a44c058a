/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "run-report.h"

#include "scenario-collectives.h"
#include "scenario-network.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

namespace ns3
{
namespace llmfabric
{

namespace
{

/** @return a number with commas between groups of three digits */
std::string
Count(uint64_t value)
{
    std::string digits = std::to_string(value);
    for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
    {
        digits.insert(static_cast<std::size_t>(at), ",");
    }
    return digits;
}

std::string
Bytes(uint64_t value)
{
    return Count(value) + " B";
}

std::string
Number(double value, int decimals, const std::string& unit)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(decimals) << value << " " << unit;
    return text.str();
}

std::string
Ms(const Time& time)
{
    return Number(static_cast<double>(time.GetPicoSeconds()) / 1e9, 3, "ms");
}

std::string
Rate(const DataRate& rate)
{
    return Number(static_cast<double>(rate.GetBitRate()) / 1e9, 0, "Gb/s");
}

std::string
Us(const Time& time)
{
    return Number(static_cast<double>(time.GetPicoSeconds()) / 1e6, 1, "us");
}

} // namespace

RunReport::RunReport(std::ostream& out)
    : m_out(out)
{
}

void
RunReport::Title(const std::string& title)
{
    m_out << "\n" << title << "\n";
}

void
RunReport::Row(const std::string& name, const std::string& value, const std::string& note)
{
    m_out << "  " << std::left << std::setw(30) << name << std::right << std::setw(20) << value;
    if (!note.empty())
    {
        m_out << "   " << note;
    }
    m_out << "\n";
}

void
RunReport::PrintPlan(const Scenario& scenario, const RankPlan* plan)
{
    m_out << "llm-fabric: " << scenario.name << "\n";
    if (plan)
    {
        uint64_t ops = 0;
        for (uint32_t rank = 0; rank < plan->GetRanks(); ++rank)
        {
            ops += plan->GetProgram(rank).GetOpCount();
        }
        Title("Stages 1 to 3  ops from a file");
        Row("file", scenario.schedule.file);
        Row("ranks", Count(plan->GetRanks()));
        Row("ops of a step", Count(ops), "all ranks");
    }
    else
    {
        uint64_t bytes = 0;
        for (const Scenario::Flow& flow : scenario.flows)
        {
            bytes += flow.bytes;
        }
        Title("Stages 1 to 4  plain flows, no model");
        if (scenario.flows.empty())
        {
            return;
        }
        Row("flows", Count(scenario.flows.size()));
        Row("payload", Bytes(bytes), "sum of the flows");
    }
}

void
RunReport::PrintLoad(const LoadSummary& load)
{
    Row("sizes", load.spec.distribution, "mean " + Number(load.meanBytes, 0, "B"));
    Row("load",
        Number(load.spec.percent, 1, "%"),
        "payload, of what the line of a sending host carries");
    Row("flows at random",
        Count(load.flows),
        "Poisson per host, expected " + Number(load.expectedFlows, 1, "in ") + Ms(load.span));
    Row("their payload", Bytes(load.bytes), "that is " + Number(load.offered, 1, "%"));
}

void
RunReport::PrintInfrastructure(const Scenario& scenario)
{
    Title("Stage 5  Infrastructure");
    Row("nodes", Count(scenario.cluster.nodes));
    Row("GPUs, NICs per node",
        std::to_string(scenario.cluster.gpusPerNode) + ", " +
            std::to_string(scenario.cluster.nicsPerNode));
    Row("topology", scenario.cluster.topology);
    Row("links", Rate(scenario.cluster.rate), "each " + Us(scenario.cluster.delay));
    if (!scenario.HasFlows())
    {
        Row("NVLink", Rate(scenario.cluster.nvlink.rate), Us(scenario.cluster.nvlink.delay));
        const CollectiveConfig config = ScenarioCollectives::MakeConfig(scenario);
        Row("slots of a connection",
            config.slots == 0 ? "unlimited" : Count(config.slots),
            config.slots == 0 ? "no clear-to-sends: data may come before its op is reached"
                              : "slices, granted by clear-to-sends");
        Row("protocol",
            config.protocol ? GetName(*config.protocol) : "auto",
            config.protocol == CollectiveProtocol::NONE ? "no start-up costs" : "");
    }
    Row("RoCE MTU", Bytes(scenario.nic.mtu));
    Row("congestion control", scenario.nic.congestionControl);
    const Scenario::Ecn ecn = ScenarioNetwork::GetMarking(scenario);
    Row("switch buffer",
        Bytes(scenario.sw.buffer),
        std::string("PFC ") + (scenario.sw.pfc ? "on" : "off") + ", ECN " + Count(ecn.kmin) +
            " to " + Count(ecn.kmax) + " B");
    PrintReceiveSide(scenario);
    m_out << std::endl;
}

void
RunReport::PrintReceiveSide(const Scenario& scenario)
{
    if (scenario.nic.drainRate)
    {
        const auto rate = static_cast<double>(scenario.nic.drainRate->GetBitRate());
        Row("receive side",
            "drains at " + Number(rate / 1e9, 0, "Gb/s"),
            "payload to a host; a NIC whose buffer fills pauses its switch");
        return;
    }
    for (const Scenario::Attribute& attribute : scenario.attributes)
    {
        const std::string name = "DrainRate";
        const std::string& path = attribute.path;
        if (path.size() > name.size() && path.substr(path.size() - name.size()) == name)
        {
            Row("receive side", "drains at " + attribute.value, path);
            return;
        }
    }
    Row("receive side", "drains at line rate", "host and GPU memory are never the bottleneck");
}

void
RunReport::PrintResults(const RunResults& results)
{
    PrintTraining(results);
    PrintFlows(results);
    PrintNetwork(results);
    if (!results.unfinished.empty())
    {
        Title("Not finished");
        for (const std::string& one : results.unfinished)
        {
            m_out << "  " << one << "\n";
        }
    }
    m_out << std::flush;
}

void
RunReport::PrintTraining(const RunResults& results)
{
    for (const StepResult& step : results.steps)
    {
        Title("Step " + std::to_string(step.step + 1) + " of " +
              std::to_string(results.steps.size()) + " (number " + std::to_string(step.step) +
              " in files)");
        Row("duration", Ms(step.end - step.start));
        Row("compute", Ms(step.compute), "slowest rank");
        Row("exposed communication",
            Ms(step.GetExposedCommunication()),
            "duration - compute, so waiting for other stages is in it");
        if (step.tokensPerSecond > 0) // ops from a file have no tokens
        {
            Row("tokens per second",
                Count(static_cast<uint64_t>(std::llround(step.tokensPerSecond))),
                "all GPUs");
        }
    }
    PrintCollectives(results);
}

void
RunReport::PrintCollectives(const RunResults& results)
{
    // Equal ops are told together, in the order of their first.
    std::vector<std::vector<const CollectiveResult*>> sorts;
    std::map<std::tuple<std::string, std::string, std::string, uint32_t, uint64_t>, std::size_t> at;
    for (const CollectiveResult& one : results.collectives)
    {
        const auto key =
            std::make_tuple(one.op, one.algorithm, one.groupName, one.ranks, one.payload);
        const auto [place, isNew] = at.emplace(key, sorts.size());
        if (isNew)
        {
            sorts.emplace_back();
        }
        sorts[place->second].push_back(&one);
    }
    for (const auto& sort : sorts)
    {
        PrintSort(sort);
    }
}

void
RunReport::PrintSort(const std::vector<const CollectiveResult*>& sort)
{
    const CollectiveResult& first = *sort.front();
    uint64_t total = 0;
    uint64_t least = std::numeric_limits<uint64_t>::max();
    uint64_t most = 0;
    Time longest;
    Time sum;
    for (const CollectiveResult* one : sort)
    {
        for (uint64_t bytes : one->sentBytesPerRank)
        {
            total += bytes;
            least = std::min(least, bytes);
            most = std::max(most, bytes);
        }
        longest = std::max(longest, one->end - one->start);
        sum += one->end - one->start;
    }
    const auto count = static_cast<int64_t>(sort.size());
    const Time mean = TimeStep(static_cast<uint64_t>(sum.GetTimeStep() / count));
    Title("Collective " + first.op + " (" + first.algorithm + ", " + std::to_string(first.ranks) +
          " ranks, " + first.groupName + " group)");
    if (count == 1)
    {
        Row("duration", Ms(mean), "from the first rank that reached it to the last that left");
    }
    else
    {
        Row("number", Count(sort.size()), "in all groups and steps");
        Row("duration, mean", Ms(mean), "longest " + Ms(longest));
    }
    Row("payload", Bytes(first.payload));
    Row("sent by one rank",
        Bytes(most),
        least == most ? "counted, each rank" : "counted, least " + Bytes(least));
    Row("sent by all ranks", Bytes(total), "counted");
    const double seconds = mean.GetSeconds();
    const double algorithmBandwidth =
        seconds > 0 ? static_cast<double>(first.payload) / seconds / 1e9 : 0;
    Row("algorithm bandwidth", Number(algorithmBandwidth, 3, "GB/s"), "payload / duration");
    const double factor = GetBusFactor(first);
    Row("bus bandwidth",
        Number(algorithmBandwidth * factor, 3, "GB/s"),
        "as nccl-tests: " + Number(factor, 3, "x algorithm bandwidth"));
}

double
RunReport::GetBusFactor(const CollectiveResult& result)
{
    for (uint32_t i = 0; i < COLLECTIVE_KINDS; ++i)
    {
        const auto kind = static_cast<CollectiveKind>(i);
        if (GetName(kind) == result.op)
        {
            return llmfabric::GetBusFactor(kind, result.ranks);
        }
    }
    return 0;
}

void
RunReport::PrintFlows(const RunResults& results)
{
    if (results.flows.empty())
    {
        return;
    }
    std::multiset<Time> times;
    for (const FlowResult& flow : results.flows)
    {
        if (flow.received >= 0)
        {
            times.insert(TimeStep(flow.received) - flow.spec.start);
        }
    }
    Title("Flows");
    Row("received whole", Count(times.size()), "of " + Count(results.flows.size()));
    if (!times.empty())
    {
        Row("completion, shortest", Ms(*times.begin()));
        Row("completion, median", Ms(*std::next(times.begin(), (times.size() - 1) / 2)));
        Row("completion, longest", Ms(*times.rbegin()));
    }
    if (results.slowdowns)
    {
        Title("Slowdown of flows at random: start to last byte received, over the time alone");
        results.slowdowns->Print(m_out);
    }
}

void
RunReport::PrintNetwork(const RunResults& results)
{
    const RunCounters& counters = results.counters;
    Title("Network");
    Row("data packets", Count(counters.dataPackets), "sent by NICs");
    Row("data packet-hops", Count(counters.dataPacketHops));
    Row("retransmitted packets", Count(counters.retransmittedPackets));
    Row("timeouts", Count(counters.timeouts));
    Row("ECN marks, CNPs", Count(counters.ecnMarked) + ", " + Count(counters.cnpSent));
    Row("PFC pauses, resumes",
        Count(counters.pauseSent) + ", " + Count(counters.resumeSent),
        "sent by switches");
    if (counters.nicPauseSent > 0)
    {
        Row("PFC pauses, resumes",
            Count(counters.nicPauseSent) + ", " + Count(counters.nicResumeSent),
            "sent by NICs, whose hosts drain too slowly");
    }
    uint64_t drops = 0;
    std::string reasons;
    for (std::size_t i = 1; i < counters.drops.size(); ++i)
    {
        drops += counters.drops[i];
        if (counters.drops[i] > 0)
        {
            reasons += (reasons.empty() ? "" : ", ") +
                       std::string(DropReasonName(static_cast<DropReason>(i))) + " " +
                       Count(counters.drops[i]);
        }
    }
    Row("dropped frames", Count(drops), reasons);
    Row("messages",
        Count(results.messages.completed),
        "of " + Count(results.messages.count) + " completed, " + Count(results.messages.failed) +
            " failed");

    Title("Run");
    Row("simulated", Ms(results.simulated));
    Row("wall time", Number(results.wallSeconds, 2, "s"));
    Row("fabric events", Count(results.events));
    Row("trace rows", Count(results.traceRows));
}

} // namespace llmfabric
} // namespace ns3
