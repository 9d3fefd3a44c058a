/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "gradient-buckets.h"

#include "checked-math.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

std::vector<GradientBucket>
FillBuckets(const std::vector<GradientTensor>& tensors, const GradientPlan& plan)
{
    std::vector<GradientBucket> buckets;
    bool open = false;
    for (const GradientTensor& tensor : tensors)
    {
        if (tensor.bytes == 0)
        {
            continue;
        }
        if (!open)
        {
            buckets.push_back({0, 0});
        }
        GradientBucket& bucket = buckets.back();
        bucket.bytes = CheckedSum({bucket.bytes, tensor.bytes}, "gradient bytes");
        bucket.ready = std::max(bucket.ready, tensor.ready);
        const uint64_t cap = buckets.size() == 1 ? plan.firstBucketBytes : plan.bucketBytes;
        open = bucket.bytes < cap;
    }
    return buckets;
}

} // namespace llmfabric
} // namespace ns3
