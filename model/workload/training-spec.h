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

#include <cstdint>

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
};

/**
 * @ingroup llm-fabric
 * How many tokens a step takes, and in which portions.
 */
struct BatchPlan
{
    uint64_t globalTokens{0};   //!< tokens of one step over all ranks; 0: one mini-batch per rank
    uint64_t localSequences{1}; //!< B, sequences of the mini-batch of one rank
};

/**
 * @ingroup llm-fabric
 * How the work is divided over the ranks.
 */
struct ParallelPlan
{
    uint32_t data{1}; //!< degree of data parallelism, ranks

    /**
     * @return the ranks of the job
     */
    uint32_t GetRanks() const
    {
        return data;
    }
};

/**
 * @ingroup llm-fabric
 * How long a rank computes.
 */
struct ComputeTimes
{
    Time forward;  //!< forward pass of one local mini-batch
    Time backward; //!< backward pass of one local mini-batch
    Time update;   //!< weight update, once per step
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
};

} // namespace llmfabric
} // namespace ns3

#endif /* TRAINING_SPEC_H */
