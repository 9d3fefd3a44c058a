/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "all-to-all-parts.h"

#include "chunk-grid.h"

namespace ns3
{
namespace llmfabric
{

AllToAllParts::AllToAllParts(const CollectiveTask& task)
    : m_even(task.payload, task.GetRanks()),
      m_bytes(task.bytes),
      m_channels(task.cut.channels)
{
}

uint64_t
AllToAllParts::GetBytes(uint32_t channel, uint32_t from, uint32_t to) const
{
    const uint64_t bytes = m_bytes ? m_bytes(from, to) : m_even.GetBytes(to);
    return PayloadSplit(bytes, m_channels).GetBytes(channel);
}

DataPiece
AllToAllParts::GetPiece(uint32_t channel, uint32_t from, uint32_t to) const
{
    ByteRange part = m_even.GetRange(to);
    if (m_bytes)
    {
        part = {0, m_bytes(from, to)};
        for (uint32_t before = 0; before < to; ++before)
        {
            part.offset += m_bytes(from, before);
        }
    }
    const ByteRange share = Cut(part, m_channels, channel);
    return {from, share.offset, share.bytes};
}

} // namespace llmfabric
} // namespace ns3
