/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRAINING_JOB_H
#define TRAINING_JOB_H

#include "compute-model.h"
#include "expert-shares.h"
#include "model-parts.h"
#include "rank-grid.h"
#include "rank-memory.h"
#include "rank-plan.h"
#include "training-spec.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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
    uint64_t sequences{0};         //!< stage 1: N, whole sequences
    double stepsPerEpoch{0};       //!< steps to see each sequence once
    double batchShare{0};          //!< |D| / globalTokens, the corpus in batches
    uint64_t parameters{0};        //!< stage 2: P
    uint64_t activeParameters{0};  //!< stage 2: parameters that one token passes
    uint64_t parameterBytes{0};    //!< stage 2: S_theta = P s_theta (equation 3a), bytes
    uint64_t gradientBytes{0};     //!< stage 2: S_grad = P s_grad (equation 3b), bytes
    uint64_t optimizerBytes{0};    //!< stage 2: optimizer state, bytes
    uint64_t activationBytes{0};   //!< stage 2: S_act = B T d s_act (equation 2), bytes
    double flopsPerStep{0};        //!< stage 2: operations of one step that the model needs
    uint32_t ranks{0};             //!< stage 3: ranks of the job
    uint64_t globalTokens{0};      //!< stage 3: tokens of one step over all ranks
    uint64_t accumulationSteps{0}; //!< stage 3: N_acc = globalTokens / (B T data)
    uint32_t microBatches{0};      //!< stage 3: m = B / b_mu, of one mini-batch
    uint64_t tokensPerGpuStep{0};  //!< stage 3: N_acc B T, tokens of one data-parallel rank
    Time computePerStep;           //!< of rank 0, without stragglers
};

/**
 * @ingroup llm-fabric
 * Ranks that have equal programs.
 */
struct RankClass
{
    uint32_t stage;      //!< pipeline stage
    uint32_t expertRank; //!< place in the expert group, if programs depend on it; else 0
    bool byExpertRank;   //!< whether they do
    uint32_t first;      //!< the first of them
    uint64_t count;      //!< how many they are
};

/**
 * @ingroup llm-fabric
 * Stages 1 to 3: what a training run computes and sends, when, and between whom.
 *
 * The object never changes after it was made. It knows no cluster and no simulator. The ops of a
 * stage are made when they are first asked for, once for all its ranks.
 */
class TrainingJob : public RankPlan
{
  public:
    /**
     * @param spec what the user asked for
     * @throws UserError if it is impossible: a value is zero or negative, the model can't be
     * divided as asked, the global batch is no multiple of what the ranks take at a time, a rank's
     *         memory is too small, or a size does not fit 64 bits
     */
    explicit TrainingJob(const TrainingSpec& spec);

    uint32_t GetRanks() const override;
    uint64_t GetSteps() const override;
    RankProgram GetProgram(uint32_t rank) const override;
    RankGroup GetGroup(uint32_t id) const override;
    std::string GetGroupName(uint32_t id) const override;
    bool HasShares(uint32_t id) const override;
    double GetShare(uint32_t id, uint32_t index) const override;

    /**
     * @return what the user asked for
     */
    const TrainingSpec& GetSpec() const;

    /**
     * @return the derived values
     */
    const StageReport& GetReport() const;

    /**
     * @return the ranks
     */
    const RankGrid& GetGrid() const;

    /**
     * @return the model in parts
     */
    const ModelParts& GetParts() const;

    /**
     * @return how long ranks compute
     */
    const ComputeModel& GetCompute() const;

    /**
     * @param stage a pipeline stage
     * @return the memory of a rank there
     */
    RankMemory GetMemory(uint32_t stage) const;

    /**
     * @return bytes of a GPU's memory; nothing if it is not known
     */
    std::optional<uint64_t> GetGpuMemory() const;

    /**
     * @return the ranks in classes of equal programs, by stage and expert rank
     */
    std::vector<RankClass> GetClasses() const;

  private:
    /// Refuses values that make no sense by themselves.
    void CheckValues() const;
    /// Derives the corpus' and the model's values.
    void DeriveSizes();
    /// Derives the batch's values; needs the sizes.
    void DeriveBatch();
    /// Refuses a step that is too long; needs the batch.
    void CheckDuration() const;
    /// Derives how long rank 0 computes; needs everything else.
    void DeriveComputeTime();
    /// Refuses a plan that does not fit the memory.
    void CheckMemory() const;
    /**
     * @param stage a pipeline stage
     * @param expertRank place in the expert group
     * @return the ops of the ranks there
     */
    std::shared_ptr<const OpList> GetOps(uint32_t stage, uint32_t expertRank) const;
    /// @return whether programs depend on the place in the expert group
    bool DependsOnExpertRank() const;

    TrainingSpec m_spec;                           //!< what the user asked for
    StageReport m_report;                          //!< the derived values
    std::shared_ptr<const RankGrid> m_grid;        //!< the ranks
    std::shared_ptr<const ModelParts> m_parts;     //!< the model in parts
    std::shared_ptr<const ComputeModel> m_compute; //!< the times
    std::shared_ptr<const ExpertShares> m_shares;  //!< of the expert ranks; null without experts

    /// Ops that were made, by stage and expert rank.
    mutable std::map<std::pair<uint32_t, uint32_t>, std::shared_ptr<const OpList>> m_ops;
};

} // namespace llmfabric
} // namespace ns3

#endif /* TRAINING_JOB_H */
