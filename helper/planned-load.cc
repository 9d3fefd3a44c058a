/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "planned-load.h"

namespace ns3
{
namespace llmfabric
{

PlannedLoad
GetPlannedLoad(const RankPlan& plan, uint32_t rank)
{
    PlannedLoad load;
    plan.GetProgram(rank).ForEachStored([&](const ProgramOp& op, uint64_t repeats) {
        const auto times = static_cast<double>(repeats);
        if (const auto* compute = std::get_if<ComputeOp>(&op.what))
        {
            load.compute += times * compute->duration.GetSeconds();
        }
        else if (const auto* collective = std::get_if<CollectiveOp>(&op.what))
        {
            const uint32_t ranks = plan.GetGroup(collective->group).GetSize();
            const auto steps = static_cast<double>(GetRingSteps(collective->kind, ranks));
            load.messages += times * steps;
            load.bytes += times * steps / ranks * static_cast<double>(collective->payload);
        }
        else if (const auto* send = std::get_if<SendOp>(&op.what))
        {
            load.messages += times;
            load.bytes += times * static_cast<double>(send->bytes);
        }
    });
    return load;
}

} // namespace llmfabric
} // namespace ns3
