/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "run-summary.h"

#include "ns3/user-error.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace ns3
{
namespace llmfabric
{

namespace
{
using Json = nlohmann::ordered_json;

double
ToNs(const Time& time)
{
    return static_cast<double>(time.GetPicoSeconds()) / 1e3;
}

Json
StagesOf(const RunResults& results)
{
    if (!results.stages)
    {
        return Json::object();
    }
    const StageReport& stages = *results.stages;
    return {{"tokens", stages.tokens},
            {"sequences", stages.sequences},
            {"parameters", stages.parameters},
            {"active_parameters", stages.activeParameters},
            {"ranks", stages.ranks},
            {"global_tokens", stages.globalTokens},
            {"accumulation_steps", stages.accumulationSteps},
            {"micro_batches", stages.microBatches},
            {"tokens_per_gpu_step", stages.tokensPerGpuStep},
            {"flops_per_step", stages.flopsPerStep},
            {"activation_bytes", stages.activationBytes},
            {"gradient_bytes", stages.gradientBytes}};
}

Json
StepsOf(const RunResults& results)
{
    Json steps = Json::array();
    for (const StepResult& step : results.steps)
    {
        steps.push_back({{"step", step.step},
                         {"start_ns", ToNs(step.start)},
                         {"end_ns", ToNs(step.end)},
                         {"compute_ns", ToNs(step.compute)},
                         {"exposed_comm_ns", ToNs(step.GetExposedCommunication())},
                         {"tokens_per_s", step.tokensPerSecond}});
    }
    return steps;
}

Json
CollectivesOf(const RunResults& results)
{
    Json collectives = Json::array();
    for (const CollectiveResult& one : results.collectives)
    {
        collectives.push_back({{"op", one.op},
                               {"algorithm", one.algorithm},
                               {"group", one.groupName},
                               {"group_id", one.group},
                               {"first_rank", one.firstRank},
                               {"ranks", one.ranks},
                               {"payload_bytes", one.payload},
                               {"sent_bytes_per_rank", one.sentBytesPerRank},
                               {"start_ns", ToNs(one.start)},
                               {"end_ns", ToNs(one.end)}});
    }
    return collectives;
}

Json
FlowsOf(const RunResults& results)
{
    Json flows = Json::array();
    for (std::size_t i = 0; i < results.flows.size(); ++i)
    {
        const FlowResult& flow = results.flows[i];
        const std::optional<double> slowdown = results.GetSlowdown(i);
        Json fct = nullptr; // the last byte has not come
        if (flow.received >= 0)
        {
            fct = ToNs(TimeStep(flow.received) - flow.spec.start);
        }
        flows.push_back({{"from", flow.spec.from},
                         {"to", flow.spec.to},
                         {"bytes", flow.spec.bytes},
                         {"start_ns", ToNs(flow.spec.start)},
                         {"fct_ns", fct},
                         {"slowdown", slowdown ? Json(*slowdown) : Json(nullptr)}});
    }
    return flows;
}

Json
LoadOf(const RunResults& results)
{
    if (!results.load)
    {
        return Json::object();
    }
    const LoadSummary& load = *results.load;
    return {{"distribution", load.spec.distribution},
            {"percent", load.spec.percent},
            {"mean_bytes", load.meanBytes},
            {"expected_flows", load.expectedFlows},
            {"flows", load.flows},
            {"payload_bytes", load.bytes},
            {"span_ns", ToNs(load.span)},
            {"offered_percent", load.offered}};
}

Json
RowOf(const SlowdownRow& row)
{
    return {{"from_bytes", row.least},
            {"to_bytes", row.most},
            {"flows", row.flows},
            {"mean", row.mean},
            {"p50", row.median},
            {"p95", row.p95},
            {"p99", row.p99},
            {"max", row.largest}};
}

Json
SlowdownsOf(const RunResults& results)
{
    if (!results.slowdowns)
    {
        return Json::object();
    }
    Json bins = Json::array();
    for (const SlowdownRow& row : results.slowdowns->GetRows())
    {
        bins.push_back(RowOf(row));
    }
    return {{"bins", bins}, {"all", RowOf(results.slowdowns->GetTotal())}};
}

Json
CountersOf(const RunCounters& counters)
{
    Json drops = Json::object();
    for (std::size_t i = 1; i < counters.drops.size(); ++i)
    {
        drops[DropReasonName(static_cast<DropReason>(i))] = counters.drops[i];
    }
    return {{"dropped_frames", drops},
            {"ecn_marked", counters.ecnMarked},
            {"cnp_sent", counters.cnpSent},
            {"pfc_pause_sent", counters.pauseSent},
            {"pfc_resume_sent", counters.resumeSent},
            {"nic_pause_sent", counters.nicPauseSent},
            {"nic_resume_sent", counters.nicResumeSent},
            {"timeouts", counters.timeouts},
            {"retransmitted_packets", counters.retransmittedPackets},
            {"data_packets", counters.dataPackets},
            {"data_packet_hops", counters.dataPacketHops}};
}

} // namespace

std::string
RunSummary::ToJson(const RunResults& results)
{
    const Json json = {{"scenario", results.scenario},
                       {"stages", StagesOf(results)},
                       {"steps", StepsOf(results)},
                       {"collectives", CollectivesOf(results)},
                       {"flows", FlowsOf(results)},
                       {"load", LoadOf(results)},
                       {"slowdown", SlowdownsOf(results)},
                       {"messages",
                        {{"count", results.messages.count},
                         {"completed", results.messages.completed},
                         {"failed", results.messages.failed}}},
                       {"counters", CountersOf(results.counters)},
                       {"run",
                        {{"simulated_ns", ToNs(results.simulated)},
                         {"wall_s", results.wallSeconds},
                         {"cpu_s", results.cpuSeconds},
                         {"events", results.events},
                         {"trace_rows", results.traceRows}}},
                       {"unfinished", results.unfinished},
                       {"error", results.error}};
    // Text that is not UTF-8 (a path, say) must not make the summary fail.
    return json.dump(1, '\t', false, Json::error_handler_t::replace) + "\n";
}

void
RunSummary::Write(const RunResults& results, const std::string& path)
{
    std::ofstream file(path);
    if (!file)
    {
        throw UserError("the summary can't be written to '" + path + "'",
                        "--summary",
                        "choose a file in a folder that exists and can be written");
    }
    file << ToJson(results);
    file.close();
    if (!file)
    {
        throw std::runtime_error("the summary '" + path + "' could not be written to its end");
    }
}

} // namespace llmfabric
} // namespace ns3
