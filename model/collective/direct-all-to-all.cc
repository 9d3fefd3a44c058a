/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "direct-all-to-all.h"

#include "payload-split.h"

#include "ns3/abort.h"

namespace ns3
{
namespace llmfabric
{

namespace
{

/// One rank of a direct All-to-All.
class DirectAllToAllState : public CollectiveState
{
  public:
    /**
     * @param task what the rank knows of the op
     */
    explicit DirectAllToAllState(const CollectiveTask& task);

    void Start(std::vector<CollectiveSend>& sends) override;
    void OnReceive(uint32_t peer, std::vector<CollectiveSend>& sends) override;
    bool IsDone() const override;
    bool Expects(uint32_t peer) const override;
    std::vector<uint32_t> GetPeersToSend() const override;
    std::vector<uint32_t> GetPeersToReceive() const override;
    uint64_t GetBytesToSend() const override;
    uint32_t GetStepCount() const override;
    std::vector<CollectiveWait> GetWaits() const override;

  private:
    /**
     * @param from a rank
     * @param to a rank
     * @return size of the message from one to the other, bytes; 0 if they are the same
     */
    uint64_t GetBytes(uint32_t from, uint32_t to) const;

    /**
     * @param distance from 1 to p - 1
     * @return the rank that far after this one
     */
    uint32_t GetPeer(uint32_t distance) const;

    /**
     * @return where the part of each rank begins, bytes
     */
    std::vector<uint64_t> GetOffsets() const;

    CollectiveTask m_task;        //!< what the rank knows of the op
    PayloadSplit m_split;         //!< the parts, if they are even
    bool m_started{false};        //!< Start() was called
    std::vector<bool> m_expects;  //!< by rank: its message is still to come
    uint32_t m_messagesToCome{0}; //!< how many that are
};

DirectAllToAllState::DirectAllToAllState(const CollectiveTask& task)
    : m_task(task),
      m_split(task.payload, task.ranks)
{
    NS_ABORT_MSG_IF(task.rank >= task.ranks, "DirectAllToAll: no rank " << task.rank);
}

void
DirectAllToAllState::Start(std::vector<CollectiveSend>& sends)
{
    NS_ABORT_MSG_IF(m_started, "DirectAllToAll: started twice");
    m_started = true;
    m_expects.resize(m_task.ranks);
    const std::vector<uint64_t> offsets = GetOffsets();
    for (uint32_t distance = 1; distance < m_task.ranks; ++distance)
    {
        const uint32_t peer = GetPeer(distance);
        const uint64_t bytes = GetBytes(m_task.rank, peer);
        if (bytes > 0)
        {
            sends.push_back({peer, offsets[peer], bytes, 0});
        }
        if (GetBytes(peer, m_task.rank) > 0)
        {
            m_expects[peer] = true;
            ++m_messagesToCome;
        }
    }
}

void
DirectAllToAllState::OnReceive(uint32_t peer, std::vector<CollectiveSend>& /* sends */)
{
    NS_ABORT_MSG_UNLESS(Expects(peer),
                        "DirectAllToAll: rank " << m_task.rank << " expects no message from "
                                                << peer);
    m_expects[peer] = false;
    --m_messagesToCome;
}

bool
DirectAllToAllState::IsDone() const
{
    return m_started && m_messagesToCome == 0;
}

bool
DirectAllToAllState::Expects(uint32_t peer) const
{
    return peer < m_expects.size() && m_expects[peer];
}

std::vector<uint32_t>
DirectAllToAllState::GetPeersToSend() const
{
    std::vector<uint32_t> peers;
    for (uint32_t distance = 1; distance < m_task.ranks; ++distance)
    {
        if (GetBytes(m_task.rank, GetPeer(distance)) > 0)
        {
            peers.push_back(GetPeer(distance));
        }
    }
    return peers;
}

std::vector<uint32_t>
DirectAllToAllState::GetPeersToReceive() const
{
    std::vector<uint32_t> peers;
    for (uint32_t distance = 1; distance < m_task.ranks; ++distance)
    {
        if (GetBytes(GetPeer(distance), m_task.rank) > 0)
        {
            peers.push_back(GetPeer(distance));
        }
    }
    return peers;
}

uint64_t
DirectAllToAllState::GetBytesToSend() const
{
    uint64_t bytes = 0;
    for (uint32_t peer = 0; peer < m_task.ranks; ++peer)
    {
        bytes += GetBytes(m_task.rank, peer);
    }
    return bytes;
}

uint32_t
DirectAllToAllState::GetStepCount() const
{
    return m_task.payload == 0 || m_task.ranks == 1 ? 0 : 1;
}

std::vector<CollectiveWait>
DirectAllToAllState::GetWaits() const
{
    std::vector<CollectiveWait> waits;
    for (uint32_t peer = 0; peer < m_expects.size(); ++peer)
    {
        if (m_expects[peer])
        {
            waits.push_back({peer, 0});
        }
    }
    return waits;
}

uint64_t
DirectAllToAllState::GetBytes(uint32_t from, uint32_t to) const
{
    if (from == to || m_task.payload == 0)
    {
        return 0;
    }
    return m_task.bytes ? m_task.bytes(from, to) : m_split.GetBytes(to);
}

uint32_t
DirectAllToAllState::GetPeer(uint32_t distance) const
{
    const uint32_t toTheEnd = m_task.ranks - m_task.rank;
    return distance < toTheEnd ? m_task.rank + distance : distance - toTheEnd;
}

std::vector<uint64_t>
DirectAllToAllState::GetOffsets() const
{
    std::vector<uint64_t> offsets;
    uint64_t offset = 0;
    for (uint32_t to = 0; to < m_task.ranks; ++to)
    {
        offsets.push_back(offset);
        offset += m_task.bytes ? m_task.bytes(m_task.rank, to) : m_split.GetBytes(to);
    }
    return offsets;
}

} // namespace

std::string
DirectAllToAll::GetOp() const
{
    return "alltoall";
}

std::string
DirectAllToAll::GetName() const
{
    return "direct";
}

std::unique_ptr<CollectiveState>
DirectAllToAll::CreateState(const CollectiveTask& task) const
{
    return std::make_unique<DirectAllToAllState>(task);
}

} // namespace llmfabric
} // namespace ns3
