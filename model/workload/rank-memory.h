/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_MEMORY_H
#define RANK_MEMORY_H

#include "model-parts.h"
#include "rank-grid.h"
#include "training-spec.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The memory of one rank, bytes of each part.
 *
 * With x values of which a rank is responsible, y = x / D (D ranks that share gradients; experts
 * with their own group):
 *
 *     parameters   x s_theta; ZeRO-3 y s_theta
 *     gradients    x s_grad; from ZeRO-2 on y s_grad, but x s_grad if no_sync lets them add up
 *     optimizer    x s_opt; from ZeRO-1 on y s_opt
 *     gathered     of what more than one rank shares. ZeRO-2: the gradients of a part, with buckets
 *                  of two at most. ZeRO-3: parameters of 1 + prefetch of the largest units;
 *                  gradients of one, unless all of them add up
 *     activations  of the micro-batches that the schedule keeps at most, see ActivationMemory
 *     workspace    what a layer keeps while it is computed again
 */
struct RankMemory
{
    uint64_t parameters{0};  //!< weights
    uint64_t gradients{0};   //!< gradients
    uint64_t optimizer{0};   //!< optimizer state
    uint64_t gathered{0};    //!< ZeRO-2, 3: what is whole for a while
    uint64_t activations{0}; //!< of all micro-batches in flight
    uint64_t workspace{0};   //!< of a layer that is computed again

    /**
     * @return the sum
     */
    uint64_t GetTotal() const;

    /**
     * @return the parts in words, e.g. "parameters 1 B + ..."; parts of 0 bytes are left out
     */
    std::string Describe() const;
};

/**
 * @param spec the training run
 * @param parts the model in parts
 * @param grid the ranks
 * @param stage a pipeline stage
 * @return the memory of a rank there
 * @throws UserError if a size does not fit 64 bits
 */
RankMemory GetRankMemory(const TrainingSpec& spec,
                         const ModelParts& parts,
                         const RankGrid& grid,
                         uint32_t stage);

} // namespace llmfabric
} // namespace ns3

#endif /* RANK_MEMORY_H */
