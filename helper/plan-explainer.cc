/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "plan-explainer.h"

#include "step-chart.h"

#include "ns3/activation-memory.h"

#include <map>

namespace ns3
{
namespace llmfabric
{

namespace
{

using Cell = ExplainTable::Cell;

} // namespace

std::string
GetName(Recompute recompute)
{
    return recompute == Recompute::NONE        ? "none"
           : recompute == Recompute::SELECTIVE ? "selective"
                                               : "full";
}

PlanExplainer::PlanExplainer(const Scenario& scenario, const TrainingJob& job, const TextSize& text)
    : m_scenario(scenario),
      m_job(job),
      m_text(text),
      m_costs(scenario, job),
      m_traffic(GetTraffic(job))
{
}

void
PlanExplainer::WriteText(std::ostream& out) const
{
    out << "llm-fabric: " << m_scenario.name << ", explained without a simulation\n";
    for (const ExplainTable& table : MakeTables())
    {
        table.WriteText(out);
    }
    const StepChart chart(m_job, m_costs);
    chart.MakeSummary().WriteText(out);
    chart.MakeStages().WriteText(out);
    chart.Draw(out);
    out << std::flush;
}

void
PlanExplainer::WriteStages(std::ostream& out) const
{
    out << "llm-fabric: " << m_scenario.name << "\n";
    for (const ExplainTable& table : {MakeCorpus(), MakeModel(), MakePlan(), MakeTraffic()})
    {
        table.WriteText(out);
    }
}

nlohmann::ordered_json
PlanExplainer::ToJson() const
{
    nlohmann::ordered_json json;
    json["scenario"] = m_scenario.name;
    json["units"] = {{"tensors", "B"}, {"stages", "B"}, {"traffic", "B"}, {"timeline", "ms"}};
    std::vector<ExplainTable> tables = MakeTables();
    const StepChart chart(m_job, m_costs);
    tables.push_back(chart.MakeSummary());
    tables.push_back(chart.MakeStages());
    for (const ExplainTable& table : tables)
    {
        json[table.GetKey()] = table.ToJson();
    }
    return json;
}

std::vector<ExplainTable>
PlanExplainer::MakeTables() const
{
    return {MakeCorpus(),
            MakeModel(),
            MakeTensors(),
            MakePlan(),
            MakeStages(),
            MakeTraffic(),
            MakeAlgorithms(),
            MakeChoices(),
            MakeCluster()};
}

ExplainTable
PlanExplainer::MakeCorpus() const
{
    const TrainingSpec& spec = m_job.GetSpec();
    const StageReport& report = m_job.GetReport();
    const uint64_t sequence = spec.model.GetDimensions().sequence;
    const Scenario::Corpus& corpus = m_scenario.corpus;
    ValueTable table("corpus", "Stage 1  Dataset and tokenization");
    const bool byBytes =
        corpus.bytes || (corpus.file && corpus.unit == Scenario::Corpus::Unit::BYTES);
    if (corpus.file)
    {
        table.Row("file", "", *corpus.file, "");
        table.Row("bytes of the text", "counted", m_text.bytes, "B");
        table.Row("words of the text", "counted", m_text.words, "words");
    }
    if (corpus.words)
    {
        table.Row("corpus", "", *corpus.words, "words");
    }
    if (corpus.bytes)
    {
        table.Row("corpus S_text", "", *corpus.bytes, "B");
    }
    if (byBytes)
    {
        table.Row("bytes per token beta_tok", "", corpus.bytesPerToken, "B");
    }
    else if (!corpus.tokens)
    {
        table.Row("tokens per word", "", corpus.tokensPerWord, "tokens");
    }
    table.Row("tokens |D|",
              corpus.tokens ? ""
              : byBytes     ? "S_text / beta_tok"
                            : "words x tokens per word",
              report.tokens,
              "tokens");
    table.Row("sequence T", "", sequence, "tokens");
    const LastSequence last = spec.corpus.GetLastSequence();
    table.Row("last sequence",
              "",
              std::string(last == LastSequence::DROP  ? "drop"
                          : last == LastSequence::PAD ? "pad"
                                                      : "pack"),
              "");
    table.Row("sequences N",
              last == LastSequence::PAD ? "ceil(|D| / T)" : "floor(|D| / T)",
              report.sequences,
              "sequences");
    table.Row("steps per epoch",
              last == LastSequence::PACK ? "|D| / tokens of a step" : "N T / tokens of a step",
              report.stepsPerEpoch,
              "steps");
    table.Row("corpus in batches", "|D| / tokens of a step", report.batchShare, "batches");
    return table;
}

void
PlanExplainer::AddWork(ValueTable& table) const
{
    const TrainingSpec& spec = m_job.GetSpec();
    const TransformerDimensions& model = spec.model.GetDimensions();
    std::map<std::string, uint64_t> kinds{{"last layer", model.layers - 1}};
    if (model.experts.experts > 0 && !spec.model.IsExpertLayer(0))
    {
        kinds.emplace("dense layer", 0);
    }
    for (const auto& [kind, layer] : kinds)
    {
        const double flops =
            spec.model.GetLayerFlops(layer, model.sequence, spec.compute.causalAttention)
                .GetTotal() /
            1e9;
        table.Row(kind + ", forward, 1 sequence",
                  spec.compute.causalAttention ? "2 T x matrix values + half the scores"
                                               : "2 T x matrix values + scores",
                  flops,
                  "GFLOP");
        table.Row(kind + ", backward, 1 sequence", "2 x forward", 2 * flops, "GFLOP");
    }
    table.Row("output, forward, 1 sequence",
              "2 T d V",
              spec.model.GetOutputFlops(model.sequence) / 1e9,
              "GFLOP");
    table.Row("one step",
              "3 x forward, all sequences",
              m_job.GetReport().flopsPerStep / 1e12,
              "TFLOP");
    ParallelPlan alone;
    for (const Recompute recompute : {Recompute::NONE, Recompute::SELECTIVE, Recompute::FULL})
    {
        alone.recompute = recompute;
        const ActivationMemory kept(spec.model, alone, 1, spec.precision.activation);
        for (const auto& [kind, layer] : kinds)
        {
            table.Row("kept of the " + kind + ", recompute " + GetName(recompute),
                      "1 sequence, undivided",
                      kept.GetLayerBytes(layer),
                      "B");
        }
    }
}

ExplainTable
PlanExplainer::MakeModel() const
{
    const TrainingSpec& spec = m_job.GetSpec();
    const StageReport& report = m_job.GetReport();
    const TransformerDimensions& model = spec.model.GetDimensions();
    ValueTable table("model", "Stage 2  Model and tensors");
    if (!m_scenario.model.preset.empty())
    {
        table.Row("preset", "", m_scenario.model.preset, "");
    }
    table.Row("layers L", "", model.layers, "layers");
    table.Row("hidden size d", "", model.hidden, "values");
    table.Row("heads", "", model.heads, "heads");
    table.Row("key-value heads", "", model.keyValueHeads, "heads");
    table.Row("feed-forward d_ff", "", model.feedForward, "values");
    table.Row("vocabulary V", "", model.vocabulary, "tokens");
    if (model.experts.experts > 0)
    {
        table.Row("experts E", "", model.experts.experts, "experts");
        table.Row("top K", "", model.experts.topK, "experts");
        table.Row("shared experts", "", model.experts.shared, "experts");
        table.Row("dense layers, then each n-th MoE",
                  "",
                  std::to_string(model.experts.firstDense) + ", " +
                      std::to_string(model.experts.frequency),
                  "layers");
    }
    table.Row("bytes of an activation s_act", "", spec.precision.activation, "B");
    table.Row("bytes of a gradient s_grad", "", spec.precision.gradient, "B");
    table.Row("bytes of a parameter s_theta", "", spec.precision.parameter, "B");
    table.Row("parameters P",
              spec.model.HasOverride() ? "given" : "sum of all tensors",
              report.parameters,
              "values");
    if (spec.model.HasOverride())
    {
        table.Row("parameters by shape",
                  "sum of all tensors",
                  spec.model.GetDerivedParameterCount(),
                  "values");
    }
    table.Row("active parameters", "passed by one token", report.activeParameters, "values");
    table.Row("weights S_theta", "P s_theta", report.parameterBytes, "B");
    table.Row("gradients S_grad", "P s_grad", report.gradientBytes, "B");
    table.Row("optimizer state",
              "P x " + std::to_string(spec.precision.GetOptimizerBytes()),
              report.optimizerBytes,
              "B");
    table.Row("activation S_act, 1 sequence",
              "T d s_act",
              spec.model.GetActivationBytes(1, spec.precision.activation),
              "B");
    table.Row("activation S_act, mini-batch", "B T d s_act", report.activationBytes, "B");
    AddWork(table);
    return table;
}

ExplainTable
PlanExplainer::MakeTensors() const
{
    const TrainingSpec& spec = m_job.GetSpec();
    const TransformerDimensions& model = spec.model.GetDimensions();
    ExplainTable table(
        "tensors",
        "Stage 2  Tensors",
        {"where", "tensor", "rows", "columns", "copies", "bytes per value", "bytes"});
    const auto add = [&](const std::string& where, const std::vector<TensorShape>& tensors) {
        for (const TensorShape& tensor : tensors)
        {
            table.Add({where,
                       tensor.name,
                       tensor.rows,
                       tensor.columns,
                       tensor.copies,
                       spec.precision.parameter,
                       tensor.GetParameters() * spec.precision.parameter});
        }
    };
    add("embedding", spec.model.GetEmbeddingTensors());
    const auto dense = spec.model.FindLayer(false);
    const auto expert = spec.model.FindLayer(true);
    if (dense)
    {
        add(model.experts.experts > 0 ? "dense layer" : "layer",
            spec.model.GetLayerTensors(*dense));
    }
    if (expert)
    {
        add("MoE layer", spec.model.GetLayerTensors(*expert));
    }
    add("output", spec.model.GetOutputTensors());
    return table;
}

} // namespace llmfabric
} // namespace ns3
