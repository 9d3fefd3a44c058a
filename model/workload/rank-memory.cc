/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-memory.h"

#include "activation-memory.h"
#include "checked-math.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// For the messages of sums and products.
const char* const MEMORY = "the bytes of a rank's memory";

/// Computes the memory of one rank.
class MemoryCount
{
  public:
    /**
     * @param spec the training run
     * @param parts the model in parts
     * @param grid the ranks
     * @param stage a pipeline stage
     */
    MemoryCount(const TrainingSpec& spec,
                const ModelParts& parts,
                const RankGrid& grid,
                uint32_t stage)
        : m_spec(spec),
          m_parts(parts),
          m_grid(grid),
          m_stage(stage)
    {
    }

    /// @param [out] memory gets weights, gradients and optimizer state
    void CountState(RankMemory& memory) const;
    /// @param [out] memory gets what ZeRO-2 and ZeRO-3 hold for a while
    void CountGathered(RankMemory& memory) const;
    /// @param [out] memory gets the activations, and the workspace of recomputation
    void CountActivations(RankMemory& memory) const;

  private:
    /**
     * @param share some values of a rank
     * @return those that other ranks share with it
     */
    uint64_t CountWhole(const ParameterShare& share) const;
    /// @return the most that two open buckets of gradients hold, bytes
    uint64_t CountBuckets() const;
    /**
     * @param share some values
     * @param bytes size of each
     * @param shared whether the ranks of the data-parallel groups share them
     * @return bytes of this rank
     */
    uint64_t GetBytes(const ParameterShare& share, uint64_t bytes, bool shared) const;
    /**
     * @return whether a step has more than one backward pass of each part
     */
    bool HasSeveralPasses() const;
    /**
     * @return whether no_sync lets the gradients of several passes add up
     */
    bool AddsUpGradients() const;
    /**
     * @param part a part
     * @param memory sizes of activations
     * @return what a micro-batch leaves in it
     */
    static uint64_t GetPartBytes(const ModelPart& part, const ActivationMemory& memory);

    const TrainingSpec& m_spec; //!< the training run
    const ModelParts& m_parts;  //!< the model in parts
    const RankGrid& m_grid;     //!< the ranks
    uint32_t m_stage;           //!< the stage
};

uint64_t
MemoryCount::GetBytes(const ParameterShare& share, uint64_t bytes, bool shared) const
{
    const auto own = [&](uint64_t values, GroupKind group) {
        const uint64_t ranks = shared ? m_grid.GetGroupSize(group) : 1;
        return CheckedProduct({CeilDivide(values, ranks), bytes}, MEMORY);
    };
    return CheckedSum(
        {own(share.dense, GroupKind::DATA), own(share.expert, GroupKind::EXPERT_DATA)},
        MEMORY);
}

bool
MemoryCount::HasSeveralPasses() const
{
    const BatchPlan& batch = m_spec.batch;
    const uint64_t miniBatch = CheckedProduct(
        {batch.localSequences, m_spec.model.GetDimensions().sequence, m_spec.parallel.data},
        "the batch's tokens");
    return m_parts.GetShape().microBatches > 1 || batch.globalTokens > miniBatch;
}

bool
MemoryCount::AddsUpGradients() const
{
    return m_spec.parallel.zero == 3 && m_spec.parallel.noSync && HasSeveralPasses();
}

void
MemoryCount::CountState(RankMemory& memory) const
{
    const ParameterShare held = m_parts.GetStageShare(m_stage);
    const uint32_t zero = m_spec.parallel.zero;
    memory.parameters = GetBytes(held, m_spec.precision.parameter, zero >= 3);
    memory.gradients = GetBytes(held, m_spec.precision.gradient, zero >= 2 && !AddsUpGradients());
    memory.optimizer = GetBytes(held, m_spec.precision.GetOptimizerBytes(), zero >= 1);
}

uint64_t
MemoryCount::CountWhole(const ParameterShare& share) const
{
    // A rank that shares with nobody has no more than its own.
    const uint64_t dense = m_grid.GetGroupSize(GroupKind::DATA) > 1 ? share.dense : 0;
    const uint64_t expert = m_grid.GetGroupSize(GroupKind::EXPERT_DATA) > 1 ? share.expert : 0;
    return CheckedSum({dense, expert}, MEMORY);
}

void
MemoryCount::CountGathered(RankMemory& memory) const
{
    const ParallelPlan& plan = m_spec.parallel;
    uint64_t largestPart = 0;
    uint64_t largestUnit = 0;
    uint64_t units = 0;
    for (uint32_t chunk = 0; chunk < m_parts.GetChunks(); ++chunk)
    {
        const ModelPart& part = m_parts.GetPart(m_stage, chunk);
        largestPart = std::max(largestPart, CountWhole(m_parts.GetShare(part)));
        largestUnit = std::max({largestUnit,
                                CountWhole(m_parts.GetEmbeddingShare(part)),
                                CountWhole(m_parts.GetOutputShare(part))});
        units += part.layers + (part.embedding ? 1 : 0) + (part.output ? 1 : 0);
        for (uint64_t i = 0; i < part.layers; ++i)
        {
            largestUnit =
                std::max(largestUnit, CountWhole(m_parts.GetLayerShare(part.firstLayer + i)));
        }
    }
    const uint64_t gradient = m_spec.precision.gradient;
    if (plan.zero == 2)
    {
        const uint64_t whole = CheckedProduct({largestPart, gradient}, MEMORY);
        memory.gathered = plan.gradients.buckets ? std::min(whole, CountBuckets()) : whole;
    }
    else if (plan.zero == 3)
    {
        const uint64_t held = std::min(uint64_t{plan.prefetch} + 1, units);
        memory.gathered =
            CheckedSum({CheckedProduct({largestUnit, held, m_spec.precision.parameter}, MEMORY),
                        CheckedProduct({AddsUpGradients() ? 0 : largestUnit, gradient}, MEMORY)},
                       MEMORY);
    }
}

uint64_t
MemoryCount::CountBuckets() const
{
    const ParallelPlan& plan = m_spec.parallel;
    uint64_t largest = 0;
    const auto look = [&](const std::vector<TensorShape>& tensors) {
        for (const TensorShape& tensor : tensors)
        {
            largest = std::max(largest, tensor.GetCopyPerRank(plan.tensor));
        }
    };
    for (uint32_t chunk = 0; chunk < m_parts.GetChunks(); ++chunk)
    {
        const ModelPart& part = m_parts.GetPart(m_stage, chunk);
        look(part.embedding || part.embeddingCopy ? m_spec.model.GetEmbeddingTensors()
                                                  : std::vector<TensorShape>());
        look(part.output ? m_spec.model.GetOutputTensors() : std::vector<TensorShape>());
        for (uint64_t i = 0; i < part.layers; ++i)
        {
            look(m_spec.model.GetLayerTensors(part.firstLayer + i));
        }
    }
    const uint64_t tensor = CheckedProduct({largest, m_spec.precision.gradient}, MEMORY);
    // One on the way, one that fills up; the last tensor may make it larger than its cap.
    return CheckedProduct({2, CheckedSum({plan.gradients.bucketBytes, tensor}, MEMORY)}, MEMORY);
}

uint64_t
MemoryCount::GetPartBytes(const ModelPart& part, const ActivationMemory& memory)
{
    uint64_t bytes = CheckedSum({part.embedding ? memory.GetEmbeddingBytes() : 0,
                                 part.output ? memory.GetOutputBytes() : 0},
                                MEMORY);
    for (uint64_t i = 0; i < part.layers; ++i)
    {
        bytes = CheckedSum({bytes, memory.GetLayerBytes(part.firstLayer + i)}, MEMORY);
    }
    return bytes;
}

void
MemoryCount::CountActivations(RankMemory& memory) const
{
    const uint64_t sequences = m_spec.batch.localSequences / m_parts.GetShape().microBatches;
    const uint64_t bytes = m_spec.precision.activation;
    const ActivationMemory kept(m_spec.model, m_spec.parallel, sequences, bytes);
    ParallelPlan whole = m_spec.parallel;
    whole.recompute = Recompute::NONE;
    const ActivationMemory all(m_spec.model, whole, sequences, bytes);
    std::vector<uint64_t> partBytes;
    for (uint32_t chunk = 0; chunk < m_parts.GetChunks(); ++chunk)
    {
        const ModelPart& part = m_parts.GetPart(m_stage, chunk);
        partBytes.push_back(GetPartBytes(part, kept));
        for (uint64_t i = 0; i < part.layers; ++i)
        {
            const uint64_t layer = part.firstLayer + i;
            memory.workspace =
                std::max(memory.workspace, all.GetLayerBytes(layer) - kept.GetLayerBytes(layer));
        }
    }
    const auto inFlight =
        m_parts.GetSchedule().GetPeakInFlight(m_parts.GetShape(), m_stage, partBytes);
    for (uint32_t chunk = 0; chunk < m_parts.GetChunks(); ++chunk)
    {
        memory.activations = CheckedSum(
            {memory.activations, CheckedProduct({inFlight[chunk], partBytes[chunk]}, MEMORY)},
            MEMORY);
    }
}

} // namespace

uint64_t
RankMemory::GetTotal() const
{
    return CheckedSum({parameters, gradients, optimizer, gathered, activations, workspace}, MEMORY);
}

std::string
RankMemory::Describe() const
{
    std::string text;
    const auto add = [&](const std::string& name, uint64_t bytes) {
        if (bytes > 0)
        {
            text += (text.empty() ? "" : " + ") + name + " " + std::to_string(bytes) + " B";
        }
    };
    add("parameters", parameters);
    add("gradients", gradients);
    add("optimizer", optimizer);
    add("gathered", gathered);
    add("activations", activations);
    add("workspace", workspace);
    return text;
}

RankMemory
GetRankMemory(const TrainingSpec& spec,
              const ModelParts& parts,
              const RankGrid& grid,
              uint32_t stage)
{
    const MemoryCount count(spec, parts, grid, stage);
    RankMemory memory;
    count.CountState(memory);
    count.CountGathered(memory);
    count.CountActivations(memory);
    return memory;
}

} // namespace llmfabric
} // namespace ns3
