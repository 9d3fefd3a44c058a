/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "payload-split.h"

#include "ns3/abort.h"

namespace ns3
{
namespace llmfabric
{

PayloadSplit::PayloadSplit(uint64_t payload, uint32_t chunks)
    : m_payload(payload),
      m_chunks(chunks)
{
    NS_ABORT_MSG_IF(chunks == 0, "PayloadSplit: no chunks");
}

uint64_t
PayloadSplit::GetOffset(uint32_t chunk) const
{
    NS_ABORT_MSG_IF(chunk > m_chunks, "PayloadSplit: chunk " << chunk << " of " << m_chunks);
    // floor(i M / p) where i M may need 96 bits: with M = q p + r it is i q + floor(i r / p), and
    // i and r are at most p, which has 32 bits.
    const uint64_t i = chunk;
    return i * (m_payload / m_chunks) + i * (m_payload % m_chunks) / m_chunks;
}

uint64_t
PayloadSplit::GetBytes(uint32_t chunk) const
{
    return GetOffset(chunk + 1) - GetOffset(chunk);
}

ByteRange
PayloadSplit::GetRange(uint32_t chunk) const
{
    return {GetOffset(chunk), GetBytes(chunk)};
}

uint64_t
PayloadSplit::GetPayload() const
{
    return m_payload;
}

uint32_t
PayloadSplit::GetChunks() const
{
    return m_chunks;
}

} // namespace llmfabric
} // namespace ns3
