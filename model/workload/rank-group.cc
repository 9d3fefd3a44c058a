/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-group.h"

#include "ns3/abort.h"

namespace ns3
{
namespace llmfabric
{

RankGroup::RankGroup(uint32_t id, uint32_t first, uint32_t stride, uint32_t size)
    : m_id(id),
      m_first(first),
      m_stride(stride),
      m_size(size)
{
    NS_ABORT_MSG_IF(stride == 0 || size == 0, "RankGroup: stride and size must be at least 1");
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
    return m_first + index * m_stride;
}

bool
RankGroup::Contains(uint32_t rank) const
{
    return rank >= m_first && (rank - m_first) % m_stride == 0 &&
           (rank - m_first) / m_stride < m_size;
}

uint32_t
RankGroup::GetIndex(uint32_t rank) const
{
    NS_ABORT_MSG_UNLESS(Contains(rank), "RankGroup: rank " << rank << " is not in group " << m_id);
    return (rank - m_first) / m_stride;
}

} // namespace llmfabric
} // namespace ns3
