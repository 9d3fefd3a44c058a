/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ring-all-reduce.h"

#include "ring-state.h"

namespace ns3
{
namespace llmfabric
{

std::string
RingAllReduce::GetOp() const
{
    return "allreduce";
}

std::string
RingAllReduce::GetName() const
{
    return "ring";
}

std::unique_ptr<CollectiveState>
RingAllReduce::CreateState(const CollectiveTask& task) const
{
    return std::make_unique<RingState>(task, 0, 2);
}

} // namespace llmfabric
} // namespace ns3
