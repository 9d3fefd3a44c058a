/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ring-all-gather.h"

#include "ring-state.h"

namespace ns3
{
namespace llmfabric
{

std::string
RingAllGather::GetOp() const
{
    return "allgather";
}

std::string
RingAllGather::GetName() const
{
    return "ring";
}

std::unique_ptr<CollectiveState>
RingAllGather::CreateState(const CollectiveTask& task) const
{
    return std::make_unique<RingState>(task, 0, 1);
}

} // namespace llmfabric
} // namespace ns3
