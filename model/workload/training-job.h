/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRAINING_JOB_H
#define TRAINING_JOB_H

#include "rank-group.h"
#include "rank-program.h"
#include "training-spec.h"

#include <cstdint>
#include <memory>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The values that stages 1 to 3 derive from a TrainingSpec, for reports and summaries.
 */
struct StageReport
{
    uint64_t tokens{0};            //!< stage 1: |D|, tokens of the corpus
    uint64_t sequences{0};         //!< stage 1: N = |D| / T, whole sequences
    double stepsPerEpoch{0};       //!< N T / globalTokens, steps to see each sequence once
    uint64_t parameters{0};        //!< stage 2: P
    uint64_t parameterBytes{0};    //!< stage 2: S_theta = P s_theta (equation 3a), bytes
    uint64_t gradientBytes{0};     //!< stage 2: S_grad = P s_grad (equation 3b), bytes
    uint64_t activationBytes{0};   //!< stage 2: S_act = B T d s_act (equation 2), bytes
    uint32_t ranks{0};             //!< stage 3: ranks of the job
    uint64_t globalTokens{0};      //!< stage 3: tokens of one step over all ranks
    uint64_t accumulationSteps{0}; //!< stage 3: N_acc = globalTokens / (B T ranks)
    uint64_t tokensPerGpuStep{0};  //!< stage 3: N_acc B T, tokens of one rank in one step
    uint64_t allReducePayload{0};  //!< stage 3: M_DP = S_grad, bytes of one gradient AllReduce
    uint32_t allReducesPerStep{0}; //!< stage 3: 1, or 0 for a rank without partners
    Time computePerStep;           //!< N_acc (forward + backward) + update, of one rank
};

/**
 * @ingroup llm-fabric
 * Stages 1 to 3: what a training run computes and sends, when, and between whom.
 *
 * The object never changes after it was made. It knows no cluster and no simulator.
 */
class TrainingJob
{
  public:
    /// Id of the group of all data-parallel ranks.
    static constexpr uint32_t DATA_GROUP = 0;

    /**
     * @param spec what the user asked for
     * @throws UserError if it is impossible: a value is zero or negative, the global batch is no
     *         multiple of what the ranks take at a time, or a size does not fit 64 bits
     */
    explicit TrainingJob(const TrainingSpec& spec);

    /**
     * @return what the user asked for
     */
    const TrainingSpec& GetSpec() const;

    /**
     * @return the derived values
     */
    const StageReport& GetReport() const;

    /**
     * @param rank a rank, below StageReport::ranks
     * @return the ops of this rank in each step; equal programs are one object
     */
    std::shared_ptr<const RankProgram> GetProgram(uint32_t rank) const;

    /**
     * @param id the group of a CollectiveOp
     * @return the ranks that take part
     */
    RankGroup GetGroup(uint32_t id) const;

  private:
    /// Derives the corpus' and the model's values.
    void DeriveSizes();
    /// Derives the batch's values; needs the sizes.
    void DeriveBatch();
    /// Derives the duration of a step's computing; needs the batch.
    void DeriveCompute();
    /// Makes the program that all ranks share; needs everything else.
    void MakeProgram();

    TrainingSpec m_spec;                          //!< what the user asked for
    StageReport m_report;                         //!< the derived values
    std::shared_ptr<const RankProgram> m_program; //!< the ops of every rank
};

} // namespace llmfabric
} // namespace ns3

#endif /* TRAINING_JOB_H */
