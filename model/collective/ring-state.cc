/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ring-state.h"

#include "ns3/abort.h"

#include <limits>

namespace ns3
{
namespace llmfabric
{

RingState::RingState(const CollectiveTask& task, uint32_t first, uint32_t phases)
    : m_split(task.payload, task.ranks),
      m_rank(task.rank),
      m_first(first),
      m_phases(phases)
{
    NS_ABORT_MSG_IF(task.rank >= task.ranks, "RingState: no rank " << task.rank);
    NS_ABORT_MSG_IF(task.ranks > std::numeric_limits<uint32_t>::max() / 4,
                    "RingState: too many ranks: " << task.ranks);
}

void
RingState::Start(std::vector<CollectiveSend>& sends)
{
    NS_ABORT_MSG_IF(m_started, "RingState: started twice");
    m_started = true;
    Advance(sends);
}

void
RingState::OnReceive(uint32_t peer, std::vector<CollectiveSend>& sends)
{
    NS_ABORT_MSG_UNLESS(Expects(peer),
                        "RingState: rank " << m_rank << " expects no message from " << peer);
    ++m_received;
    Advance(sends);
}

bool
RingState::IsDone() const
{
    return m_started && m_received == GetStepCount() && m_sent == GetStepCount();
}

bool
RingState::Expects(uint32_t peer) const
{
    return m_started && m_received < GetStepCount() && peer == GetPrevious();
}

std::vector<uint32_t>
RingState::GetPeersToSend() const
{
    return GetBytesOf(m_rank) == 0 ? std::vector<uint32_t>{} : std::vector<uint32_t>{GetNext()};
}

std::vector<uint32_t>
RingState::GetPeersToReceive() const
{
    const uint32_t previous = GetPrevious();
    return GetBytesOf(previous) == 0 ? std::vector<uint32_t>{} : std::vector<uint32_t>{previous};
}

uint64_t
RingState::GetBytesToSend() const
{
    return GetBytesOf(m_rank);
}

uint64_t
RingState::GetBytesOf(uint32_t rank) const
{
    if (GetStepCount() == 0)
    {
        return 0;
    }
    // Each p - 1 steps send all chunks but one: that which the step after them would send.
    const uint32_t steps = m_split.GetChunks() - 1;
    uint64_t bytes = 0;
    for (uint32_t phase = 1; phase <= m_phases; ++phase)
    {
        bytes += m_split.GetPayload() - m_split.GetBytes(GetChunk(rank, phase * steps));
    }
    return bytes;
}

uint32_t
RingState::GetStepCount() const
{
    return m_split.GetPayload() == 0 ? 0 : m_phases * (m_split.GetChunks() - 1);
}

std::vector<CollectiveWait>
RingState::GetWaits() const
{
    if (!m_started || IsDone())
    {
        return {};
    }
    return {{GetPrevious(), m_received}};
}

uint32_t
RingState::GetChunk(uint32_t rank, uint32_t step) const
{
    const uint32_t p = m_split.GetChunks();
    return (rank + p - (m_first + step) % p) % p;
}

uint32_t
RingState::GetNext() const
{
    return (m_rank + 1) % m_split.GetChunks();
}

uint32_t
RingState::GetPrevious() const
{
    return (m_rank + m_split.GetChunks() - 1) % m_split.GetChunks();
}

void
RingState::Advance(std::vector<CollectiveSend>& sends)
{
    const uint32_t steps = GetStepCount();
    while (m_received < steps && m_split.GetBytes(GetChunk(GetPrevious(), m_received)) == 0)
    {
        ++m_received;
    }
    for (; m_sent < steps && m_sent <= m_received; ++m_sent)
    {
        const uint32_t chunk = GetChunk(m_rank, m_sent);
        const uint64_t bytes = m_split.GetBytes(chunk);
        if (bytes > 0)
        {
            sends.push_back({GetNext(), m_split.GetOffset(chunk), bytes, m_sent});
        }
    }
}

} // namespace llmfabric
} // namespace ns3
