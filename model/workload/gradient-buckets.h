/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GRADIENT_BUCKETS_H
#define GRADIENT_BUCKETS_H

#include "training-spec.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The gradient of a tensor, as it waits for its bucket.
 */
struct GradientTensor
{
    uint64_t bytes; //!< size, bytes
    uint64_t ready; //!< when it is there: any count that grows during the backward pass
};

/**
 * @ingroup llm-fabric
 * Gradients that travel together.
 */
struct GradientBucket
{
    uint64_t bytes; //!< size, bytes
    uint64_t ready; //!< when the last of its gradients is there
};

/**
 * Fill buckets as PyTorch's DistributedDataParallel does: a tensor is never split, and a bucket is
 * closed by the tensor with which its size reaches its cap; so the first bucket may be far over
 * its cap.
 *
 * @param tensors gradients in the order in which they are put in, which is the reverse of the order
 *        of registration; those of 0 bytes are left out
 * @param plan the caps
 * @return the buckets in their order; none is empty
 * @throws UserError if a bucket does not fit 64 bits
 */
std::vector<GradientBucket> FillBuckets(const std::vector<GradientTensor>& tensors,
                                        const GradientPlan& plan);

} // namespace llmfabric
} // namespace ns3

#endif /* GRADIENT_BUCKETS_H */
