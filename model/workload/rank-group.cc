/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-group.h"

#include "ns3/abort.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param axes directions of a group
 * @return those with more than one member, strides ascending
 */
std::vector<RankGroup::Axis>
Sort(const std::vector<RankGroup::Axis>& axes)
{
    std::vector<RankGroup::Axis> sorted;
    for (const RankGroup::Axis& axis : axes)
    {
        NS_ABORT_MSG_IF(axis.stride == 0 || axis.size == 0,
                        "RankGroup: stride and size must be at least 1");
        if (axis.size > 1)
        {
            sorted.push_back(axis);
        }
    }
    std::sort(sorted.begin(), sorted.end(), [](const RankGroup::Axis& a, const RankGroup::Axis& b) {
        return a.stride < b.stride;
    });
    return sorted;
}

} // namespace

std::string
GetName(GroupKind kind)
{
    switch (kind)
    {
    case GroupKind::DATA:
        return "data";
    case GroupKind::TENSOR:
        return "tensor";
    case GroupKind::CONTEXT:
        return "context";
    case GroupKind::EXPERT:
        return "expert";
    case GroupKind::PARAMETER:
        return "parameter";
    case GroupKind::EXPERT_DATA:
        return "expert-data";
    case GroupKind::EXPERT_PARAMETER:
        return "expert-parameter";
    case GroupKind::EMBEDDING:
        return "embedding";
    case GroupKind::MIRROR:
        return "mirror";
    }
    return "unknown";
}

RankGroup::RankGroup(uint32_t id, uint32_t first, uint32_t stride, uint32_t size)
    : RankGroup(id, first, std::vector<Axis>{{stride, size}})
{
}

RankGroup::RankGroup(uint32_t id, uint32_t first, const std::vector<Axis>& axes)
    : m_id(id),
      m_first(first),
      m_axes(Sort(axes))
{
    uint64_t extent = 1; // ranks from the first member to one past the last one
    for (const Axis& axis : m_axes)
    {
        const uint64_t last = first + extent - 1 + uint64_t{axis.stride} * (axis.size - 1);
        NS_ABORT_MSG_IF(last >= std::numeric_limits<uint32_t>::max(),
                        "RankGroup: rank " << last << " is too large");
        extent += uint64_t{axis.stride} * (axis.size - 1);
        m_size *= axis.size;
    }
    for (std::size_t i = 1; i < m_axes.size(); ++i)
    {
        const uint64_t inner = uint64_t{m_axes[i - 1].stride} * m_axes[i - 1].size;
        NS_ABORT_MSG_IF(m_axes[i].stride % inner != 0,
                        "RankGroup: stride " << m_axes[i].stride << " does not nest over " << inner
                                             << " ranks");
    }
}

RankGroup::RankGroup(uint32_t id, const std::vector<uint32_t>& members)
    : m_id(id)
{
    NS_ABORT_MSG_IF(members.empty(), "RankGroup: group " << id << " has no members");
    NS_ABORT_MSG_IF(members.size() > std::numeric_limits<uint32_t>::max(),
                    "RankGroup: group " << id << " has " << members.size() << " members");
    std::vector<uint32_t> ascending(members.size());
    std::iota(ascending.begin(), ascending.end(), 0);
    std::sort(ascending.begin(), ascending.end(), [&members](uint32_t a, uint32_t b) {
        return members[a] < members[b];
    });
    for (std::size_t i = 1; i < ascending.size(); ++i)
    {
        NS_ABORT_MSG_IF(members[ascending[i]] == members[ascending[i - 1]],
                        "RankGroup: rank " << members[ascending[i]] << " is twice in group " << id);
    }
    m_size = static_cast<uint32_t>(members.size());
    m_members = std::make_shared<const Members>(Members{members, std::move(ascending)});
}

uint32_t
RankGroup::GetId() const
{
    return m_id;
}

uint32_t
RankGroup::GetSize() const
{
    return m_size;
}

uint32_t
RankGroup::GetRank(uint32_t index) const
{
    NS_ABORT_MSG_IF(index >= m_size, "RankGroup: index " << index << " of " << m_size);
    if (m_members)
    {
        return m_members->ranks[index];
    }
    uint32_t rank = m_first;
    for (const Axis& axis : m_axes)
    {
        rank += index % axis.size * axis.stride;
        index /= axis.size;
    }
    return rank;
}

bool
RankGroup::Contains(uint32_t rank) const
{
    return Find(rank) < m_size;
}

uint32_t
RankGroup::GetIndex(uint32_t rank) const
{
    const uint32_t index = Find(rank);
    NS_ABORT_MSG_IF(index >= m_size, "RankGroup: rank " << rank << " is not in group " << m_id);
    return index;
}

uint32_t
RankGroup::Find(uint32_t rank) const
{
    if (m_members)
    {
        return FindListed(rank);
    }
    if (rank < m_first)
    {
        return m_size;
    }
    uint32_t left = rank - m_first;
    uint32_t index = 0;
    uint32_t inner = m_size; // members in all directions with smaller strides
    for (auto axis = m_axes.rbegin(); axis != m_axes.rend(); ++axis)
    {
        inner /= axis->size;
        const uint32_t steps = left / axis->stride;
        if (steps >= axis->size)
        {
            return m_size;
        }
        left -= steps * axis->stride;
        index += steps * inner;
    }
    return left == 0 ? index : m_size;
}

uint32_t
RankGroup::FindListed(uint32_t rank) const
{
    const std::vector<uint32_t>& ranks = m_members->ranks;
    const std::vector<uint32_t>& ascending = m_members->ascending;
    const auto found =
        std::lower_bound(ascending.begin(),
                         ascending.end(),
                         rank,
                         [&ranks](uint32_t index, uint32_t value) { return ranks[index] < value; });
    return found != ascending.end() && ranks[*found] == rank ? *found : m_size;
}

} // namespace llmfabric
} // namespace ns3
