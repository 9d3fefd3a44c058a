/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "plan-explainer.h"

#include "ns3/all-reduce-cost.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace llmfabric
{

namespace
{

using Cell = ExplainTable::Cell;

/**
 * @param rate a rate
 * @return Gb/s
 */
double
ToGbps(const DataRate& rate)
{
    return static_cast<double>(rate.GetBitRate()) / 1e9;
}

} // namespace

void
PlanExplainer::AddChoices(ValueTable& table) const
{
    const ParallelPlan& plan = m_job.GetSpec().parallel;
    const auto row = [&](const std::string& name, const Cell& value, const std::string& unit) {
        table.Row(name, "", value, unit);
    };
    const auto yesNo = [&](const std::string& name, bool value) {
        row(name, std::string(value ? "yes" : "no"), "");
    };
    if (plan.tensor > 1)
    {
        yesNo("sequence parallel", plan.sequenceParallel);
    }
    if (plan.context > 1)
    {
        const bool ring = plan.contextMethod == ContextMethod::RING;
        row("context method", std::string(ring ? "ring" : "ulysses"), "");
    }
    if (plan.pipeline > 1)
    {
        row("schedule", m_job.GetParts().GetSchedule().GetName(), "");
        const bool scatter = plan.pipelineScatter || plan.sequenceParallel;
        row("tensor ranks pass on", std::string(scatter ? "1 / t" : "all"), "of an activation");
    }
    row("recompute", GetName(plan.recompute), "");
    yesNo("buckets", plan.gradients.buckets);
    if (plan.gradients.buckets)
    {
        row("first bucket", plan.gradients.firstBucketBytes, "B");
        row("other buckets", plan.gradients.bucketBytes, "B");
    }
    if (plan.zero == 3)
    {
        row("prefetch", uint64_t{plan.prefetch}, "units ahead");
        yesNo("no_sync", plan.noSync);
    }
    if (plan.expert > 1)
    {
        row("capacity factor", plan.load.capacityFactor, "0: all");
        row("imbalance, Zipf exponent", plan.load.zipfExponent, "");
        yesNo("imbalance, given weights", !plan.load.weights.empty());
    }
}

void
PlanExplainer::AddTimes(ValueTable& table) const
{
    const ComputeTimes& times = m_job.GetSpec().compute;
    const ComputeModel& compute = m_job.GetCompute();
    table.Row("forward, mini-batch",
              compute.GetRate() > 0 ? "FLOPs / (t c FLOP/s), all layers" : "given, all layers",
              ToMs(compute.GetWholeForward()),
              "ms");
    table.Row("backward, mini-batch",
              compute.GetRate() > 0 ? "2 x forward + recomputation" : "given, all layers",
              ToMs(compute.GetWholeBackward()),
              "ms");
    table.Row("update", "", ToMs(times.update), "ms");
    table.Row("compute of rank 0",
              "its layers: N_acc (forward + backward) + update",
              ToMs(m_job.GetReport().computePerStep),
              "ms");
    if (!times.gpu.empty())
    {
        table.Row("GPU", "", times.gpu, "");
        table.Row("peak of a GPU", "", compute.GetPeak() / 1e12, "TFLOP/s");
    }
    if (compute.GetRate() > 0)
    {
        table.Row("efficiency", "", compute.GetRate() / compute.GetPeak(), "");
        table.Row("FLOP/s of a GPU", "peak x efficiency", compute.GetRate() / 1e12, "TFLOP/s");
    }
    if (m_job.GetGpuMemory())
    {
        table.Row("memory of a GPU", "", *m_job.GetGpuMemory(), "B");
    }
}

ExplainTable
PlanExplainer::MakePlan() const
{
    const TrainingSpec& spec = m_job.GetSpec();
    const StageReport& report = m_job.GetReport();
    const ParallelPlan& plan = spec.parallel;
    ValueTable table("plan", "Stage 3  Parallel plan");
    table.Row("data", "", uint64_t{plan.data}, "ranks");
    table.Row("tensor t", "", uint64_t{plan.tensor}, "ranks");
    table.Row("pipeline p", "", uint64_t{plan.pipeline}, "stages");
    table.Row("expert", "", uint64_t{plan.expert}, "ranks, of data");
    table.Row("context c", "", uint64_t{plan.context}, "ranks");
    table.Row("ranks", "data t p c", uint64_t{report.ranks}, "ranks");
    std::string order;
    for (const GridAxis axis : plan.order)
    {
        order += (order.empty() ? "" : ", ") + GetName(axis);
    }
    table.Row("order", "first varies first", order, "");
    table.Row("ZeRO stage", "", uint64_t{plan.zero}, "");
    AddChoices(table);
    table.Row("parts of the model", "", uint64_t{m_job.GetParts().GetParts().size()}, "parts");
    table.Row("tokens of a step", "", report.globalTokens, "tokens");
    table.Row("mini-batch B", "", spec.batch.localSequences, "sequences");
    table.Row("micro-batch b_mu", "", spec.batch.localSequences / report.microBatches, "sequences");
    table.Row("micro-batches m", "B / b_mu", uint64_t{report.microBatches}, "a mini-batch");
    table.Row("accumulation steps N_acc",
              "tokens of a step / (B T data)",
              report.accumulationSteps,
              "mini-batches");
    table.Row("tokens of a data rank", "N_acc B T", report.tokensPerGpuStep, "tokens");
    AddTimes(table);
    return table;
}

ExplainTable
PlanExplainer::MakeStages() const
{
    ExplainTable table("stages",
                       "Stage 3  What a rank of each pipeline stage holds and keeps, bytes",
                       {"stage",
                        "layers",
                        "parameters",
                        "weights",
                        "gradients",
                        "optimizer",
                        "gathered",
                        "activations",
                        "workspace",
                        "total"});
    const ModelParts& parts = m_job.GetParts();
    for (uint32_t stage = 0; stage < m_job.GetSpec().parallel.pipeline; ++stage)
    {
        std::string layers;
        const ParameterShare held = parts.GetStageShare(stage);
        for (uint32_t chunk = 0; chunk < parts.GetChunks(); ++chunk)
        {
            const ModelPart& part = parts.GetPart(stage, chunk);
            layers += (layers.empty() ? "" : "+") + std::to_string(part.layers);
            layers += part.embedding ? "e" : "";
            layers += part.output ? "o" : "";
        }
        const RankMemory memory = m_job.GetMemory(stage);
        table.Add({uint64_t{stage},
                   layers,
                   held.dense + held.expert,
                   memory.parameters,
                   memory.gradients,
                   memory.optimizer,
                   memory.gathered,
                   memory.activations,
                   memory.workspace,
                   memory.GetTotal()});
    }
    table.AddNote(
        "layers: e with the embeddings, o with the output, + between the parts of a stage");
    return table;
}

ExplainTable
PlanExplainer::MakeTraffic() const
{
    ExplainTable table("traffic",
                       "Stage 4  What is sent in one step, bytes",
                       {"object",
                        "op",
                        "group",
                        "size",
                        "payload M",
                        "calls per rank",
                        "ranks",
                        "sent by a rank",
                        "sent by all",
                        "over NVLink",
                        "over PCIe and NIC"});
    uint64_t all = 0;
    uint64_t near = 0;
    for (const TrafficRow& row : m_traffic)
    {
        const uint64_t node = m_costs.GetNodeBytes(row);
        all += row.totalBytes;
        near += node;
        table.Add({row.object,
                   row.op,
                   row.group,
                   uint64_t{row.groupSize},
                   row.payload,
                   row.callsPerRank,
                   row.ranks,
                   row.bytesPerRank,
                   row.totalBytes,
                   node,
                   row.totalBytes - node});
    }
    table.Add({std::string("all"),
               std::string(""),
               std::string(""),
               std::string(""),
               std::string(""),
               std::string(""),
               std::string(""),
               std::string(""),
               all,
               near,
               all - near});
    table.AddNote("calls per rank, sent by a rank: of the rank with the most");
    table.AddNote("sent: with rings AllReduce 2 (n - 1) M, AllGather, ReduceScatter and All-to-All "
                  "(n - 1) M by a group of n; unequal All-to-Alls as the shares say");
    return table;
}

ExplainTable
PlanExplainer::MakeAlgorithms() const
{
    ExplainTable table(
        "algorithms",
        "Stage 4  One AllReduce with each algorithm, by formula, bytes",
        {"object", "size", "payload M", "algorithm", "sent by a rank", "sent by all", "steps"});
    for (const TrafficRow& row : m_traffic)
    {
        if (row.op != GetName(CollectiveKind::ALL_REDUCE))
        {
            continue;
        }
        for (const AllReduceCost& cost : AllReduceCost::GetAll(row.groupSize, row.payload))
        {
            table.Add({row.object,
                       uint64_t{row.groupSize},
                       row.payload,
                       cost.algorithm,
                       static_cast<uint64_t>(std::ceil(cost.bytesPerRank)),
                       static_cast<uint64_t>(cost.totalBytes),
                       cost.steps});
        }
    }
    table.AddNote(
        "naive: all send all to all; tree: a rank's share depends on its place, this is the "
        "mean");
    return table;
}

ExplainTable
PlanExplainer::MakeCluster() const
{
    const Scenario::Cluster& cluster = m_scenario.cluster;
    ValueTable table("cluster", "Stage 5  Infrastructure");
    const auto row = [&](const std::string& name, const Cell& value, const std::string& unit) {
        table.Row(name, "", value, unit);
    };
    row("nodes", uint64_t{cluster.nodes}, "nodes");
    row("GPUs of a node", uint64_t{cluster.gpusPerNode}, "GPUs");
    row("NICs of a node", uint64_t{cluster.nicsPerNode}, "NICs");
    row("NVLink of a GPU, one way", ToGbps(cluster.nvlink.rate), "Gb/s");
    row("NVLink delay", ToMs(cluster.nvlink.delay) * 1e3, "us");
    row("topology", cluster.topology, "");
    row("network link", ToGbps(cluster.rate), "Gb/s");
    row("network link delay", ToMs(cluster.delay) * 1e3, "us");
    row("RoCE MTU", uint64_t{m_scenario.nic.mtu}, "B");
    return table;
}

} // namespace llmfabric
} // namespace ns3
