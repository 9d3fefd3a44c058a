/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "run-report.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <set>
#include <sstream>

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
RunReport::PrintStages(const Scenario& scenario, const RunResults& results)
{
    m_out << "llm-fabric: " << scenario.name << "\n";
    if (results.stages)
    {
        PrintModelStages(scenario, *results.stages);
    }
    else
    {
        uint64_t bytes = 0;
        for (const Scenario::Flow& flow : scenario.flows)
        {
            bytes += flow.bytes;
        }
        Title("Stages 1 to 4  plain flows, no model");
        Row("flows", Count(scenario.flows.size()));
        Row("payload", Bytes(bytes), "sum of the flows");
    }
    PrintInfrastructure(scenario);
    m_out << std::endl;
}

void
RunReport::PrintModelStages(const Scenario& scenario, const StageReport& stages)
{
    Title("Stage 1  Dataset and tokenization");
    if (scenario.corpus.words)
    {
        Row("corpus", Count(*scenario.corpus.words) + " words");
    }
    if (scenario.corpus.bytes)
    {
        Row("corpus", Bytes(*scenario.corpus.bytes));
    }
    Row("tokens |D|", Count(stages.tokens), "words x 1.25, or bytes / 4");
    Row("sequences N", Count(stages.sequences), "floor(|D| / T)");

    Title("Stage 2  Model and tensors");
    Row("model", scenario.model.preset);
    Row("parameters P", Count(stages.parameters));
    Row("activation S_act", Bytes(stages.activationBytes), "B T d s_act, per mini-batch");
    Row("parameters S_theta", Bytes(stages.parameterBytes), "P s_theta");
    Row("gradient S_grad", Bytes(stages.gradientBytes), "P s_grad");

    Title("Stage 3  Parallel plan");
    Row("data-parallel ranks", Count(stages.ranks));
    Row("tokens per step", Count(stages.globalTokens), "all GPUs");
    if (stages.tokens > 0)
    {
        Row("passes over the corpus",
            Number(static_cast<double>(stages.globalTokens) / static_cast<double>(stages.tokens),
                   2,
                   ""),
            "tokens per step / |D|");
    }
    Row("accumulation steps N_acc",
        Count(stages.accumulationSteps),
        "tokens per step / (B T ranks)");
    Row("tokens per GPU and step", Count(stages.tokensPerGpuStep), "N_acc B T");
    Row("compute per step", Ms(stages.computePerStep), "N_acc (forward + backward) + update");

    Title("Stage 4  Collectives");
    Row("AllReduce per step", Count(stages.allReducesPerStep), scenario.collective.allreduce);
    Row("payload M_DP", Bytes(stages.allReducePayload), "S_grad");
    const uint64_t total = 2 * (uint64_t{stages.ranks} - 1) * stages.allReducePayload;
    Row("sent by all ranks", Bytes(total), "ring: 2 (p - 1) M, to compare with the counters");
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
    }
    Row("RoCE MTU", Bytes(scenario.nic.mtu));
    Row("congestion control", scenario.nic.congestionControl);
    Row("switch buffer",
        Bytes(scenario.sw.buffer),
        std::string("PFC ") + (scenario.sw.pfc ? "on" : "off") + ", ECN " +
            Count(scenario.sw.ecn.kmin) + " to " + Count(scenario.sw.ecn.kmax) + " B");
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
        Row("exposed communication", Ms(step.GetExposedCommunication()));
        Row("tokens per second",
            Count(static_cast<uint64_t>(std::llround(step.tokensPerSecond))),
            "all GPUs");
    }
    for (const CollectiveResult& one : results.collectives)
    {
        uint64_t total = 0;
        for (uint64_t bytes : one.sentBytesPerRank)
        {
            total += bytes;
        }
        const auto [least, most] =
            std::minmax_element(one.sentBytesPerRank.begin(), one.sentBytesPerRank.end());
        Title("Collective " + one.op + " (" + one.algorithm + ", " + std::to_string(one.ranks) +
              " ranks)");
        Row("duration", Ms(one.end - one.start));
        Row("payload", Bytes(one.payload));
        Row("sent by one rank",
            Bytes(*most),
            *least == *most ? "counted, each rank" : "counted, least " + Bytes(*least));
        Row("sent by all ranks", Bytes(total), "counted");
        const double seconds = (one.end - one.start).GetSeconds();
        const double algorithmBandwidth =
            seconds > 0 ? static_cast<double>(one.payload) / seconds / 1e9 : 0;
        Row("algorithm bandwidth", Number(algorithmBandwidth, 3, "GB/s"), "payload / duration");
        Row("bus bandwidth",
            Number(algorithmBandwidth * 2 * (one.ranks - 1) / one.ranks, 3, "GB/s"),
            "as nccl-tests: x 2 (p - 1) / p");
    }
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
    Row("PFC pauses, resumes", Count(counters.pauseSent) + ", " + Count(counters.resumeSent));
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
