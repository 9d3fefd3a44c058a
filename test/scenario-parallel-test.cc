/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-fixture.h"

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/**
 * @param keys keys of the section parallel and their values
 * @return the section of the short job with these keys
 */
Scenario::Parallel
Read(const std::string& keys)
{
    return ScenarioReader::ReadText(SHORT_JOB, "a.yaml", {"parallel={" + keys + "}"}).parallel;
}

/**
 * @param key a key of the section parallel
 * @param value its value
 * @param message what the complaint says after where
 */
void
ExpectExactly(const std::string& key, const std::string& value, const std::string& message)
{
    EXPECT_EQ(Complaint(SHORT_JOB, {"parallel." + key + "=" + value}),
              "--set (parallel." + key + "): " + message);
}

/// A training job without the section parallel, on 32 GPUs.
const std::string LARGE_JOB = "corpus: {tokens: 5}\n"
                              "model: {preset: gpt2-small}\n"
                              "batch: {local_sequences: 4}\n"
                              "compute: {gpu: H100}\n"
                              "cluster: {nodes: 4, gpus_per_node: 8}\n";

} // namespace

TEST(ScenarioParallel, SectionMayBeAbsent)
{
    const auto parallel = ScenarioReader::ReadText(LARGE_JOB, "a.yaml", {}).parallel;
    EXPECT_EQ(parallel.data, 1U);
    EXPECT_EQ(parallel.tensor, 1U);
    EXPECT_EQ(parallel.pipeline, 1U);
    EXPECT_EQ(parallel.expert, 1U);
    EXPECT_EQ(parallel.context, 1U);
    EXPECT_EQ(parallel.zero, 0U);
    EXPECT_FALSE(parallel.sequenceParallel);
    EXPECT_EQ(parallel.contextMethod, ContextMethod::RING);
    EXPECT_EQ(parallel.schedule, "1f1b");
    EXPECT_EQ(parallel.chunks, 1U);
    EXPECT_EQ(parallel.layerSplit, LayerSplitMethod::EVEN);
    EXPECT_TRUE(parallel.pipelineScatter);
    EXPECT_EQ(parallel.recompute, Recompute::NONE);
    EXPECT_FALSE(parallel.buckets);
    EXPECT_EQ(parallel.firstBucket, 1048576U);
    EXPECT_EQ(parallel.bucketSize, 26214400U);
    EXPECT_EQ(parallel.prefetch, 1U);
    EXPECT_FALSE(parallel.noSync);
    EXPECT_EQ(parallel.capacityFactor, 0);
    EXPECT_EQ(parallel.zipfExponent, 0);
    EXPECT_TRUE(parallel.expertWeights.empty());
    EXPECT_EQ(parallel.order,
              (std::array<GridAxis, GRID_AXES>{GridAxis::TENSOR,
                                               GridAxis::CONTEXT,
                                               GridAxis::EXPERT,
                                               GridAxis::DATA,
                                               GridAxis::PIPELINE}));
}

TEST(ScenarioParallel, DegreesAreRead)
{
    const auto parallel = ScenarioReader::ReadText(LARGE_JOB,
                                                   "a.yaml",
                                                   {"parallel={data: 4, tensor: 2, pipeline: 4, "
                                                    "expert: 2, zero: 3}"})
                              .parallel;
    EXPECT_EQ(parallel.data, 4U);
    EXPECT_EQ(parallel.tensor, 2U);
    EXPECT_EQ(parallel.pipeline, 4U);
    EXPECT_EQ(parallel.expert, 2U);
    EXPECT_EQ(parallel.zero, 3U);
    EXPECT_EQ(Read("context: 2").context, 2U);
    for (const std::string key : {"data", "tensor", "pipeline", "expert", "context", "chunks"})
    {
        ExpectExactly(key, "0", "'0' is out of range; allowed: 1 to 4294967295");
    }
    ExpectExactly("zero", "4", "'4' is out of range; allowed: 0 to 3");
}

TEST(ScenarioParallel, KeysAreRead)
{
    const auto parallel =
        Read("sequence_parallel: true, context_method: ulysses, schedule: zb-h1, chunks: 3, "
             "pipeline_scatter: false, recompute: selective, buckets: true, first_bucket: 2MiB, "
             "bucket_size: 5MB, prefetch: 0, no_sync: true, capacity_factor: 1.25");
    EXPECT_TRUE(parallel.sequenceParallel);
    EXPECT_EQ(parallel.contextMethod, ContextMethod::ULYSSES);
    EXPECT_EQ(parallel.schedule, "zb-h1");
    EXPECT_EQ(parallel.chunks, 3U);
    EXPECT_FALSE(parallel.pipelineScatter);
    EXPECT_EQ(parallel.recompute, Recompute::SELECTIVE);
    EXPECT_TRUE(parallel.buckets);
    EXPECT_EQ(parallel.firstBucket, 2097152U);
    EXPECT_EQ(parallel.bucketSize, 5000000U);
    EXPECT_EQ(parallel.prefetch, 0U);
    EXPECT_TRUE(parallel.noSync);
    EXPECT_EQ(parallel.capacityFactor, 1.25);
    EXPECT_EQ(Read("recompute: full").recompute, Recompute::FULL);
    EXPECT_EQ(Read("recompute: none, context_method: ring").recompute, Recompute::NONE);
}

TEST(ScenarioParallel, ValuesAreChecked)
{
    ExpectExactly("context_method",
                  "rings",
                  "unknown context_method 'rings', did you mean 'ring'?; allowed: ring, ulysses");
    ExpectExactly("recompute",
                  "all",
                  "unknown recompute 'all', did you mean 'full'?; allowed: none, selective, full");
    ExpectExactly("schedule", "''", "the text is empty; write a text, or take the key out");
    for (const std::string key : {"first_bucket", "bucket_size"})
    {
        ExpectExactly(key, "0", "'0' is out of range; allowed: 1 to 18446744073709551615 bytes");
    }
    ExpectExactly("prefetch",
                  "-1",
                  "'-1' is negative, not a whole number; allowed: 0 to 4294967295");
    for (const std::string key : {"sequence_parallel", "pipeline_scatter", "buckets", "no_sync"})
    {
        ExpectExactly(key, "yes", "'yes' is not a boolean; allowed: true, false");
    }
    ExpectExactly("capacity_factor", "-1", "'-1' is out of range; allowed: a number, 0 or more");
    ExpectExactly("capacity_factor", "1x", "'1x' is not a number; allowed: a number, 0 or more");
    ExpectParts(Complaint(SHORT_JOB, {"parallel.tenser=2"}),
                {"(parallel.tenser): unknown key 'tenser', did you mean 'tensor'?"});
}

TEST(ScenarioParallel, LayerSplitIsANameOrAList)
{
    EXPECT_EQ(Read("layer_split: even").layerSplit, LayerSplitMethod::EVEN);
    EXPECT_EQ(Read("layer_split: balanced").layerSplit, LayerSplitMethod::BALANCED);
    const auto given = Read("layer_split: [0, 5, 7]");
    EXPECT_EQ(given.layerSplit, LayerSplitMethod::GIVEN);
    EXPECT_EQ(given.layersPerPart, (std::vector<uint64_t>{0, 5, 7}));
    ExpectExactly("layer_split",
                  "evn",
                  "unknown layer_split 'evn', did you mean 'even'?; allowed: even, balanced, a "
                  "list of the layers of each part");
    ExpectExactly("layer_split",
                  "[]",
                  "this is not a list with items; write a list, or take the key out");
    EXPECT_EQ(Complaint(SHORT_JOB, {"parallel.layer_split=[1, -2]"}),
              "--set (parallel.layer_split[1]): '-2' is negative, not a whole number; allowed: 0 "
              "or more");
    EXPECT_EQ(Complaint(SHORT_JOB, {"parallel.layer_split=[1, [2]]"}),
              "--set (parallel.layer_split[1]): a list stands where a whole number should; write a "
              "whole number");
    EXPECT_EQ(Complaint(SHORT_JOB, {"parallel.layer_split=[null]"}),
              "--set (parallel.layer_split[0]): nothing stands where a whole number should; write "
              "a whole number");
}

TEST(ScenarioParallel, OrderNamesEachAxisOnce)
{
    const std::string action = "; name each axis once: tensor, context, expert, data, pipeline";
    EXPECT_EQ(Read("order: [pipeline, data, tensor, expert, context]").order,
              (std::array<GridAxis, GRID_AXES>{GridAxis::PIPELINE,
                                               GridAxis::DATA,
                                               GridAxis::TENSOR,
                                               GridAxis::EXPERT,
                                               GridAxis::CONTEXT}));
    ExpectExactly("order",
                  "[tensor, context, data, pipeline]",
                  "the axis 'expert' is missing" + action);
    EXPECT_EQ(Complaint(SHORT_JOB, {"parallel.order=[data, dta]"}),
              "--set (parallel.order[1]): unknown axis 'dta', did you mean 'data'?" + action);
    EXPECT_EQ(
        Complaint(SHORT_JOB, {"parallel.order=[tensor, context, expert, data, pipeline, data]"}),
        "--set (parallel.order[5]): the axis 'data' stands twice" + action);
    ExpectExactly("order",
                  "data",
                  "this is not a list with items; write a list, or take the key out");
}

TEST(ScenarioParallel, ImbalanceIsUniformZipfOrGiven)
{
    EXPECT_EQ(Read("imbalance: uniform").zipfExponent, 0);
    EXPECT_EQ(Read("imbalance: {zipf: 1.2}").zipfExponent, 1.2);
    const auto given = Read("imbalance: [0, 2.5, 1e-3]");
    EXPECT_EQ(given.zipfExponent, 0);
    EXPECT_EQ(given.expertWeights, (std::vector<double>{0, 2.5, 0.001}));
    ExpectExactly("imbalance",
                  "unifrom",
                  "unknown imbalance 'unifrom', did you mean 'uniform'?; allowed: uniform, a map "
                  "{zipf: exponent}, a list of the weights of the experts");
    ExpectExactly("imbalance", "[0, 0.0]", "the weights are all 0; make one of them larger");
    ExpectExactly("imbalance.zipf", "-1", "'-1' is out of range; allowed: a number, 0 or more");
    EXPECT_EQ(Complaint(SHORT_JOB, {"parallel.imbalance={}"}),
              "--set (parallel.imbalance.zipf): the required key 'zipf' is absent; add it");
    EXPECT_EQ(Complaint(SHORT_JOB, {"parallel.imbalance=[1, -1]"}),
              "--set (parallel.imbalance[1]): '-1' is out of range; allowed: a number, 0 or more");
}

TEST(ScenarioParallel, RanksMustFitTheCluster)
{
    const auto fits = [](const std::string& keys) {
        return Complaint(LARGE_JOB, {"parallel={" + keys + "}"});
    };
    EXPECT_EQ(fits("data: 4, tensor: 2, pipeline: 2, context: 2, expert: 4"), "no complaint");
    EXPECT_EQ(
        fits("data: 4, tensor: 2, pipeline: 3, context: 2"),
        "--set (parallel.data): 48 ranks do not fit the 32 GPUs of the cluster (data x tensor "
        "x pipeline x context = 4 x 2 x 3 x 2, nodes x gpus_per_node = 4 x 8); allowed: 1 to "
        "32 ranks");
    ExpectParts(fits("tensor: 33"), {"--set (parallel): 33 ranks do not fit"});
    // 2^16 to the fourth is 0 in 64 bits.
    ExpectParts(fits("data: 65536, tensor: 65536, pipeline: 65536, context: 65536"),
                {"2^64 or more ranks do not fit the 32 GPUs"});
}
