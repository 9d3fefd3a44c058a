/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "bruck-lane.h"

#include "binary-log.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace llmfabric
{

BruckLane::BruckLane(const CollectiveTask& task,
                     uint32_t channel,
                     std::shared_ptr<const AllToAllParts> parts)
    : m_parts(std::move(parts)),
      m_rank(task.rank),
      m_ranks(task.GetRanks()),
      m_channel(channel)
{
}

uint32_t
BruckLane::GetChannel() const
{
    return m_channel;
}

uint64_t
BruckLane::GetStepCount() const
{
    return GetCeilLog2(m_ranks);
}

uint32_t
BruckLane::GetCount(uint32_t high, uint32_t bit) const
{
    return std::min(bit, m_ranks - high);
}

uint64_t
BruckLane::GetBytes(uint32_t rank, uint32_t bit) const
{
    uint64_t bytes = 0;
    for (uint64_t high = bit; high < m_ranks; high += 2 * uint64_t{bit})
    {
        const auto to = static_cast<uint32_t>((rank + high) % m_ranks);
        const uint32_t count = GetCount(static_cast<uint32_t>(high), bit);
        if (m_parts->IsEven())
        {
            bytes += count * m_parts->GetBytes(m_channel, rank, to);
            continue;
        }
        for (uint32_t low = 0; low < count; ++low)
        {
            bytes += m_parts->GetBytes(m_channel, (rank + m_ranks - low) % m_ranks, to);
        }
    }
    return bytes;
}

LaneStep
BruckLane::GetStep(uint64_t index) const
{
    const uint32_t bit = uint32_t{1} << index;
    const uint32_t from = (m_rank + m_ranks - bit) % m_ranks;
    LaneStep step;
    step.SetReceive({from}, {0, GetBytes(from, bit)});
    step.SetSend({(m_rank + bit) % m_ranks}, {0, GetBytes(m_rank, bit)});
    if (index > 0)
    {
        step.sendAfter = {{LaneNeed::SAME, index - 1, LaneNeed::WHOLE, false}};
    }
    return step;
}

std::vector<DataPiece>
BruckLane::GetPieces(uint64_t index) const
{
    const uint32_t bit = uint32_t{1} << index;
    std::vector<DataPiece> pieces;
    for (uint64_t high = bit; high < m_ranks; high += 2 * uint64_t{bit})
    {
        const auto to = static_cast<uint32_t>((m_rank + high) % m_ranks);
        for (uint32_t low = 0; low < GetCount(static_cast<uint32_t>(high), bit); ++low)
        {
            pieces.push_back(m_parts->GetPiece(m_channel, (m_rank + m_ranks - low) % m_ranks, to));
        }
    }
    return pieces;
}

} // namespace llmfabric
} // namespace ns3
