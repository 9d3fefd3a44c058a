/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "listed-plan.h"

#include "ns3/abort.h"

#include <utility>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// The first number of a stream of one's own.
constexpr uint32_t FIRST_OWN_STREAM = 1 + GROUP_KINDS + 2 * MESSAGE_CHANNELS;

} // namespace

ListedPlan::ListedPlan(uint32_t ranks, uint64_t steps)
    : m_ranks(ranks),
      m_steps(steps),
      m_none(std::make_shared<const OpList>())
{
    NS_ABORT_MSG_IF(ranks == 0, "ListedPlan: no ranks");
    NS_ABORT_MSG_IF(steps == 0, "ListedPlan: no steps");
    for (uint32_t stream = 0; stream < FIRST_OWN_STREAM; ++stream)
    {
        m_streams.emplace(llmfabric::GetStreamName(stream), stream);
    }
}

uint32_t
ListedPlan::GetRanks() const
{
    return m_ranks;
}

uint64_t
ListedPlan::GetSteps() const
{
    return m_steps;
}

void
ListedPlan::SetSteps(uint64_t steps)
{
    NS_ABORT_MSG_IF(steps == 0, "ListedPlan: no steps");
    m_steps = steps;
}

void
ListedPlan::SetProgram(uint32_t rank, const std::shared_ptr<const OpList>& ops)
{
    NS_ABORT_MSG_IF(rank >= m_ranks, "ListedPlan: no rank " << rank);
    NS_ABORT_MSG_UNLESS(ops, "ListedPlan: no ops");
    m_programs[rank] = ops;
}

RankProgram
ListedPlan::GetProgram(uint32_t rank) const
{
    NS_ABORT_MSG_IF(rank >= m_ranks, "ListedPlan: no rank " << rank);
    const auto found = m_programs.find(rank);
    return RankProgram(found == m_programs.end() ? m_none : found->second);
}

void
ListedPlan::AddGroup(const RankGroup& group,
                     const std::string& name,
                     const std::vector<double>& shares)
{
    const uint32_t id = group.GetId();
    NS_ABORT_MSG_IF(name.empty(), "ListedPlan: group " << id << " has no name");
    NS_ABORT_MSG_IF(!shares.empty() && shares.size() != group.GetSize(),
                    "ListedPlan: " << shares.size() << " shares for " << group.GetSize()
                                   << " members of group " << id);
    for (uint32_t i = 0; i < group.GetSize(); ++i)
    {
        NS_ABORT_MSG_IF(group.GetRank(i) >= m_ranks,
                        "ListedPlan: no rank " << group.GetRank(i) << " for group " << id);
    }
    for (double share : shares)
    {
        NS_ABORT_MSG_UNLESS(share >= 0 && share <= 1,
                            "ListedPlan: a share of " << share << " in group " << id);
    }
    NS_ABORT_MSG_UNLESS(m_groups.emplace(id, Group{group, name, shares}).second,
                        "ListedPlan: group " << id << " is added twice");
}

bool
ListedPlan::HasGroup(uint32_t id) const
{
    return m_groups.count(id) > 0;
}

const ListedPlan::Group&
ListedPlan::Find(uint32_t id) const
{
    const auto found = m_groups.find(id);
    NS_ABORT_MSG_IF(found == m_groups.end(), "ListedPlan: no group " << id);
    return found->second;
}

RankGroup
ListedPlan::GetGroup(uint32_t id) const
{
    return Find(id).group;
}

std::string
ListedPlan::GetGroupName(uint32_t id) const
{
    return Find(id).name;
}

bool
ListedPlan::HasShares(uint32_t id) const
{
    return !Find(id).shares.empty();
}

double
ListedPlan::GetShare(uint32_t id, uint32_t index) const
{
    NS_ABORT_MSG_UNLESS(HasShares(id), "ListedPlan: group " << id << " has no shares");
    return Find(id).shares.at(index);
}

uint32_t
ListedPlan::FindStream(const std::string& name)
{
    const auto next = FIRST_OWN_STREAM + static_cast<uint32_t>(m_ownNames.size());
    const auto [entry, isNew] = m_streams.emplace(name, next);
    if (isNew)
    {
        m_ownNames.push_back(name);
    }
    return entry->second;
}

std::string
ListedPlan::GetStreamName(uint32_t stream) const
{
    const bool named = stream >= FIRST_OWN_STREAM && stream - FIRST_OWN_STREAM < m_ownNames.size();
    return named ? m_ownNames[stream - FIRST_OWN_STREAM] : llmfabric::GetStreamName(stream);
}

} // namespace llmfabric
} // namespace ns3
