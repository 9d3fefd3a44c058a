/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRAINING_SPEC_H
#define TRAINING_SPEC_H

#include "workload-corpus.h"
#include "workload-transformer.h"

#include "ns3/nstime.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The size of one value of each tensor.
 */
struct Precision
{
    uint64_t activation{2}; //!< s_act, bytes
    uint64_t gradient{2};   //!< s_grad, bytes
    uint64_t parameter{2};  //!< s_theta, bytes

    /// Bytes of optimizer state per parameter; absent: Adam's, GetOptimizerBytes().
    std::optional<uint64_t> optimizer;

    /**
     * @return bytes of optimizer state per parameter: Adam's two moments of 4 bytes, and a copy of
     *         the parameter in 4 bytes if the parameter has fewer
     */
    uint64_t GetOptimizerBytes() const
    {
        return optimizer.value_or(parameter < 4 ? 12 : 8);
    }
};

/**
 * @ingroup llm-fabric
 * How many tokens a step takes, and in which portions.
 */
struct BatchPlan
{
    uint64_t globalTokens{0};   //!< tokens of one step over all ranks; 0: one mini-batch per rank
    uint64_t localSequences{1}; //!< B, sequences of the mini-batch of one data-parallel rank
    uint64_t microSequences{0}; //!< b_mu, sequences of a micro-batch; 0: B, one micro-batch

    /**
     * @return b_mu, sequences of a micro-batch
     */
    uint64_t GetMicroSequences() const
    {
        return microSequences == 0 ? localSequences : microSequences;
    }
};

/// A degree of parallelism as an axis of the grid of ranks. DATA counts the ranks that are left of
/// data parallelism once EXPERT has taken its part: data = EXPERT x DATA.
enum class GridAxis : uint8_t
{
    TENSOR,
    CONTEXT,
    EXPERT,
    DATA,
    PIPELINE
};

/// Number of axes.
static constexpr std::size_t GRID_AXES = 5;

/// What is computed again in the backward pass instead of being kept.
enum class Recompute
{
    NONE,      //!< nothing
    SELECTIVE, //!< the attention scores
    FULL       //!< the whole layer, from its input
};

/// How the ranks of a context group share a sequence.
enum class ContextMethod
{
    RING,   //!< ring attention: blocks of keys and values go round
    ULYSSES //!< All-to-All from parts of the sequence to parts of the heads, and back
};

/// How layers are spread over the parts of a pipeline.
enum class LayerSplitMethod
{
    EVEN,     //!< numbers of layers differ by one at most
    BALANCED, //!< the most expensive part is as cheap as can be, embedding and output included
    GIVEN     //!< as the user says
};

/// How gradients travel over the data-parallel group.
struct GradientPlan
{
    bool buckets{false};                //!< in buckets during the last backward pass, not at once
    uint64_t firstBucketBytes{1 << 20}; //!< cap of the first bucket, bytes
    uint64_t bucketBytes{25 << 20};     //!< cap of the others, bytes
};

/// How the experts of a layer are loaded.
struct ExpertLoad
{
    double capacityFactor{0};    //!< an expert takes at most factor x the even share; 0: all
    double zipfExponent{0};      //!< share of expert e is proportional to (e + 1)^-exponent
    std::vector<double> weights; //!< given shares, one per expert, in any scale; empty: by Zipf
};

/**
 * @ingroup llm-fabric
 * How the work is divided over the ranks.
 */
struct ParallelPlan
{
    uint32_t data{1};     //!< degree of data parallelism; a multiple of expert
    uint32_t tensor{1};   //!< t, ranks that share each layer's matrices
    uint32_t pipeline{1}; //!< p, pipeline stages
    uint32_t expert{1};   //!< ranks that share the experts; taken from data
    uint32_t context{1};  //!< ranks that share each sequence
    uint32_t zero{0};     //!< ZeRO stage, 0 to 3: optimizer, gradients, parameters are shared, too

    bool sequenceParallel{false};                        //!< activations between the matrices, too
    ContextMethod contextMethod{ContextMethod::RING};    //!< how a context group shares a sequence
    std::string schedule{"1f1b"};                        //!< name of a PipelineSchedule
    uint32_t chunks{1};                                  //!< v, parts of the model on each stage
    LayerSplitMethod layerSplit{LayerSplitMethod::EVEN}; //!< how layers are spread
    std::vector<uint64_t> layersPerPart;                 //!< of a given split, in model order
    bool pipelineScatter{true}; //!< tensor ranks send 1/t of an activation each, not all of it
    GradientPlan gradients;     //!< how gradients travel
    uint32_t prefetch{1};       //!< ZeRO-3: units gathered ahead of the one that computes
    bool noSync{false};         //!< ZeRO-3: gradients are shared at the last micro-batch only
    ExpertLoad load;            //!< how experts are loaded
    Recompute recompute{Recompute::NONE}; //!< what the backward pass computes again

    /// Which axis varies first when ranks are numbered, then which.
    std::array<GridAxis, GRID_AXES> order{GridAxis::TENSOR,
                                          GridAxis::CONTEXT,
                                          GridAxis::EXPERT,
                                          GridAxis::DATA,
                                          GridAxis::PIPELINE};

    /**
     * @return the ranks of the job
     */
    uint64_t GetRanks() const
    {
        return uint64_t{data} * tensor * pipeline * context;
    }
};

/**
 * @ingroup llm-fabric
 * How long a rank computes. Either the passes of a whole model, or those of a layer are given, or
 * they follow from FLOPs.
 *
 * Given times are those of one mini-batch on one rank as the plan divides it: with t tensor ranks,
 * the time that a layer takes on each of them.
 */
struct ComputeTimes
{
    std::optional<Time> forward;          //!< of all layers
    std::optional<Time> backward;         //!< of all layers
    std::optional<Time> forwardPerLayer;  //!< of each layer
    std::optional<Time> backwardPerLayer; //!< of each layer
    Time update;                          //!< weight update, once per step
    double weightShare{0.5}; //!< part of the backward pass that makes the weights' gradients
    std::string gpu;         //!< name of a GpuPreset, for times by FLOPs and for memory; or empty
    double efficiency{0};    //!< part of the peak that is reached; 0: the preset's
    bool causalAttention{true}; //!< FLOPs of attention count the lower triangle only
};

/**
 * @ingroup llm-fabric
 * All that a user says about a training run, apart from the cluster it runs on.
 */
struct TrainingSpec
{
    Corpus corpus;         //!< what is learned
    Transformer model;     //!< who learns it
    Precision precision;   //!< bytes of a value
    BatchPlan batch;       //!< tokens of a step
    ParallelPlan parallel; //!< division over the ranks
    ComputeTimes compute;  //!< durations
    uint32_t steps{1};     //!< optimizer steps to run

    std::optional<uint64_t> gpuMemory; //!< bytes of a GPU; absent: the GPU preset's, or no limit
    bool ignoreMemory{false}; //!< a plan that does not fit the memory is taken all the same
};

} // namespace llmfabric
} // namespace ns3

#endif /* TRAINING_SPEC_H */
