/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chunk-grid.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

ByteRange
Cut(const ByteRange& whole, uint32_t pieces, uint32_t index)
{
    const ByteRange piece = PayloadSplit(whole.bytes, pieces).GetRange(index);
    return {whole.offset + piece.offset, piece.bytes};
}

ChunkGrid::ChunkGrid(uint64_t payload, uint32_t owners, uint32_t channels, uint64_t chunk)
    : m_parts(payload, owners),
      m_channels(channels),
      m_chunk(chunk)
{
    NS_ABORT_MSG_IF(channels == 0 || chunk == 0, "ChunkGrid: no channels, or empty chunks");
}

uint64_t
ChunkGrid::GetLoops() const
{
    const auto ceil = [](uint64_t a, uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); };
    const uint64_t largestPart = ceil(m_parts.GetPayload(), m_parts.GetChunks());
    return ceil(ceil(largestPart, m_channels), m_chunk);
}

std::vector<ChunkGrid::Run>
ChunkGrid::GetRuns() const
{
    if (GetLoops() == 0)
    {
        return {};
    }
    const auto full = static_cast<double>(GetLoops() - 1);
    const double loop = static_cast<double>(m_chunk) * m_channels;
    const double part = static_cast<double>(m_parts.GetPayload()) / m_parts.GetChunks();
    const Run last{1, part - full * loop};
    return full > 0 ? std::vector<Run>{{full, loop}, last} : std::vector<Run>{last};
}

ByteRange
ChunkGrid::GetRange(uint32_t owner, uint32_t channel, uint64_t loop) const
{
    const ByteRange share = Cut(m_parts.GetRange(owner), m_channels, channel);
    const uint64_t begin = std::min(loop * m_chunk, share.bytes);
    return {share.offset + begin, std::min(m_chunk, share.bytes - begin)};
}

} // namespace llmfabric
} // namespace ns3
