/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-plan-reader.h"

#include "scenario-words.h"

#include "ns3/rank-grid.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// @return the names of all axes, in the order of GridAxis
std::vector<std::string>
GetAxisNames()
{
    std::vector<std::string> names;
    for (std::size_t axis = 0; axis < GRID_AXES; ++axis)
    {
        names.push_back(GetName(static_cast<GridAxis>(axis)));
    }
    return names;
}

} // namespace

ScenarioPlanReader::ScenarioPlanReader(const ScenarioSection& root, Scenario& scenario)
    : m_root(root),
      m_scenario(scenario)
{
}

void
ScenarioPlanReader::Read()
{
    ReadParallel();
    ReadCompute();
}

void
ScenarioPlanReader::ReadParallel()
{
    const auto section =
        m_root.GetSection("parallel",
                          {"data",        "tensor",    "pipeline",          "expert",
                           "context",     "zero",      "sequence_parallel", "context_method",
                           "schedule",    "chunks",    "layer_split",       "pipeline_scatter",
                           "order",       "recompute", "buckets",           "first_bucket",
                           "bucket_size", "prefetch",  "no_sync",           "capacity_factor",
                           "imbalance"});
    ReadDegrees(section);
    ReadPipeline(section);
    ReadGradients(section);
    ReadOrder(section);
    ReadExpertLoad(section);
}

void
ScenarioPlanReader::ReadDegrees(const ScenarioSection& section)
{
    static constexpr uint32_t LARGEST_ZERO = 3;
    auto& parallel = m_scenario.parallel;
    section.ReadCount("data", parallel.data, 1);
    section.ReadCount("tensor", parallel.tensor, 1);
    section.ReadCount("pipeline", parallel.pipeline, 1);
    section.ReadCount("expert", parallel.expert, 1);
    section.ReadCount("context", parallel.context, 1);
    section.ReadCount("zero", parallel.zero, 0, LARGEST_ZERO);
    section.ReadBool("sequence_parallel", parallel.sequenceParallel);
    section.ReadName("context_method",
                     parallel.contextMethod,
                     {{"ring", ContextMethod::RING}, {"ulysses", ContextMethod::ULYSSES}});
    section.ReadName("recompute",
                     parallel.recompute,
                     {{"none", Recompute::NONE},
                      {"selective", Recompute::SELECTIVE},
                      {"full", Recompute::FULL}});
}

void
ScenarioPlanReader::ReadPipeline(const ScenarioSection& section)
{
    auto& parallel = m_scenario.parallel;
    section.ReadText("schedule", parallel.schedule);
    section.ReadCount("chunks", parallel.chunks, 1);
    section.ReadBool("pipeline_scatter", parallel.pipelineScatter);
    if (section.GetKind("layer_split") != ScenarioNode::LIST)
    {
        section.ReadName(
            "layer_split",
            parallel.layerSplit,
            {{"even", LayerSplitMethod::EVEN}, {"balanced", LayerSplitMethod::BALANCED}},
            "a list of the layers of each part");
        return;
    }
    parallel.layerSplit = LayerSplitMethod::GIVEN;
    section.ReadEach("layer_split", "a whole number", [&parallel](const std::string& text) {
        parallel.layersPerPart.push_back(
            ScenarioValue::ParseCount(text, 0, std::numeric_limits<uint64_t>::max()));
    });
}

void
ScenarioPlanReader::ReadGradients(const ScenarioSection& section)
{
    auto& parallel = m_scenario.parallel;
    section.ReadBool("buckets", parallel.buckets);
    section.ReadSize("first_bucket", parallel.firstBucket, 1);
    section.ReadSize("bucket_size", parallel.bucketSize, 1);
    section.ReadCount("prefetch", parallel.prefetch, 0);
    section.ReadBool("no_sync", parallel.noSync);
}

void
ScenarioPlanReader::ReadOrder(const ScenarioSection& section)
{
    if (!section.Has("order"))
    {
        return;
    }
    const auto names = GetAxisNames();
    const std::string action = "name each axis once: " + JoinWords(names);
    std::vector<std::string> order;
    section.ReadEach("order", "an axis", [&](const std::string& text) {
        if (std::find(names.begin(), names.end(), text) == names.end())
        {
            throw UserError("unknown axis '" + text + "'" + SuggestWord(text, names), "", action);
        }
        if (std::find(order.begin(), order.end(), text) != order.end())
        {
            throw UserError("the axis '" + text + "' stands twice", "", action);
        }
        order.push_back(text);
    });
    for (std::size_t axis = 0; axis < GRID_AXES; ++axis)
    {
        const auto found = std::find(order.begin(), order.end(), names[axis]);
        if (found == order.end())
        {
            throw UserError("the axis '" + names[axis] + "' is missing",
                            m_scenario.Where("parallel.order"),
                            action);
        }
        m_scenario.parallel.order[found - order.begin()] = static_cast<GridAxis>(axis);
    }
}

void
ScenarioPlanReader::ReadExpertLoad(const ScenarioSection& section)
{
    auto& parallel = m_scenario.parallel;
    section.ReadNumber("capacity_factor", parallel.capacityFactor, {});
    switch (section.GetKind("imbalance"))
    {
    case ScenarioNode::MAP: {
        const auto imbalance = section.GetSection("imbalance", {"zipf"});
        imbalance.Require("zipf");
        imbalance.ReadNumber("zipf", parallel.zipfExponent, {});
        break;
    }
    case ScenarioNode::LIST: {
        auto& weights = parallel.expertWeights;
        section.ReadEach("imbalance", "a number", [&weights](const std::string& text) {
            weights.push_back(ScenarioValue::ParseNumber(text, {}));
        });
        if (*std::max_element(weights.begin(), weights.end()) == 0)
        {
            throw UserError("the weights are all 0",
                            m_scenario.Where("parallel.imbalance"),
                            "make one of them larger");
        }
        break;
    }
    default: {
        std::string name;
        section.ReadChoice("imbalance",
                           name,
                           {"uniform"},
                           "a map {zipf: exponent}, a list of the weights of the experts");
    }
    }
}

void
ScenarioPlanReader::ReadCompute()
{
    const auto section = m_root.GetSection("compute",
                                           {"forward",
                                            "backward",
                                            "forward_per_layer",
                                            "backward_per_layer",
                                            "update",
                                            "weight_share",
                                            "gpu",
                                            "efficiency",
                                            "causal_attention"});
    CheckTimes(section);
    auto& compute = m_scenario.compute;
    section.ReadTime("forward", compute.forward);
    section.ReadTime("backward", compute.backward);
    section.ReadTime("forward_per_layer", compute.forwardPerLayer);
    section.ReadTime("backward_per_layer", compute.backwardPerLayer);
    section.ReadTime("update", compute.update);
    section.ReadNumber("weight_share", compute.weightShare, {0, false, 1});
    section.ReadText("gpu", compute.gpu);
    section.ReadNumber("efficiency", compute.efficiency, {0, true, 1});
    section.ReadBool("causal_attention", compute.causalAttention);
    if (section.Has("efficiency") && !section.Has("gpu"))
    {
        throw UserError("'efficiency' says nothing without a GPU",
                        m_scenario.Where("compute.efficiency"),
                        "remove it, or give compute.gpu");
    }
}

void
ScenarioPlanReader::CheckTimes(const ScenarioSection& section) const
{
    const bool all = section.Has("forward") || section.Has("backward");
    const bool perLayer = section.Has("forward_per_layer") || section.Has("backward_per_layer");
    const std::string either = "compute.forward and compute.backward, or "
                               "compute.forward_per_layer and compute.backward_per_layer";
    if (all && perLayer)
    {
        throw UserError("there are times of all layers and times per layer",
                        section.GetPlace(""),
                        "give either " + either);
    }
    if (all)
    {
        section.Require("forward");
        section.Require("backward");
    }
    else if (perLayer)
    {
        section.Require("forward_per_layer");
        section.Require("backward_per_layer");
    }
    else if (!section.Has("gpu"))
    {
        throw UserError("nothing says how long a GPU computes",
                        section.GetPlace(""),
                        "give " + either + ", or compute.gpu");
    }
}

} // namespace llmfabric
} // namespace ns3
