/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-plan.h"

#include "ns3/abort.h"

namespace ns3
{
namespace llmfabric
{

std::string
RankPlan::GetStreamName(uint32_t stream) const
{
    return llmfabric::GetStreamName(stream);
}

bool
RankPlan::HasShares(uint32_t /* id */) const
{
    return false;
}

double
RankPlan::GetShare(uint32_t id, uint32_t /* index */) const
{
    NS_ABORT_MSG("RankPlan: group " << id << " has no shares");
    return 0;
}

uint64_t
RankPlan::GetAllToAllBytes(const CollectiveOp& op,
                           const RankGroup& group,
                           uint32_t from,
                           uint32_t to) const
{
    if (op.shares == AllToAllShares::EVEN)
    {
        using Wide = unsigned __int128;
        const Wide ranks = group.GetSize();
        return static_cast<uint64_t>((to + Wide{1}) * op.payload / ranks -
                                     Wide{to} * op.payload / ranks);
    }
    const uint32_t index = op.shares == AllToAllShares::BY_DESTINATION ? to : from;
    return static_cast<uint64_t>(static_cast<long double>(op.payload) *
                                 GetShare(group.GetId(), index));
}

} // namespace llmfabric
} // namespace ns3
