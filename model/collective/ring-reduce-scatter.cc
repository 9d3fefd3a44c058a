/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ring-reduce-scatter.h"

#include "ring-state.h"

namespace ns3
{
namespace llmfabric
{

std::string
RingReduceScatter::GetOp() const
{
    return "reducescatter";
}

std::string
RingReduceScatter::GetName() const
{
    return "ring";
}

std::unique_ptr<CollectiveState>
RingReduceScatter::CreateState(const CollectiveTask& task) const
{
    // One place later than an AllReduce, so that a rank ends with its own chunk.
    return std::make_unique<RingState>(task, 1, 1);
}

} // namespace llmfabric
} // namespace ns3
