/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ring-all-reduce.h"

#include "payload-split.h"

#include "ns3/abort.h"

#include <limits>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// One rank of a ring AllReduce.
class RingAllReduceState : public CollectiveState
{
  public:
    /**
     * @param task what the rank knows of the op
     */
    explicit RingAllReduceState(const CollectiveTask& task);

    void Start(std::vector<CollectiveSend>& sends) override;
    void OnReceive(uint32_t peer, std::vector<CollectiveSend>& sends) override;
    bool IsDone() const override;
    std::vector<uint32_t> GetPeersToSend() const override;
    std::vector<uint32_t> GetPeersToReceive() const override;
    uint64_t GetBytesToSend() const override;
    uint32_t GetStepCount() const override;
    std::vector<CollectiveWait> GetWaits() const override;

  private:
    /**
     * @param rank a rank of the ring
     * @param step a step, below GetStepCount()
     * @return the chunk that the rank sends in this step, (rank - step) mod p
     */
    uint32_t GetChunk(uint32_t rank, uint32_t step) const;

    /**
     * @return the rank that this one sends to
     */
    uint32_t GetNext() const;

    /**
     * @return the rank that this one receives from
     */
    uint32_t GetPrevious() const;

    /**
     * Passes the receives of empty chunks and appends each send whose data is there.
     *
     * @param sends where the messages that may go now are appended
     */
    void Advance(std::vector<CollectiveSend>& sends);

    PayloadSplit m_split;   //!< the chunks
    uint32_t m_rank;        //!< index of this rank, r
    bool m_started{false};  //!< Start() was called
    uint32_t m_received{0}; //!< steps whose receive is over
    uint32_t m_sent{0};     //!< steps whose send was handed over
};

RingAllReduceState::RingAllReduceState(const CollectiveTask& task)
    : m_split(task.payload, task.ranks),
      m_rank(task.rank)
{
    NS_ABORT_MSG_IF(task.rank >= task.ranks, "RingAllReduce: no rank " << task.rank);
    NS_ABORT_MSG_IF(task.ranks > std::numeric_limits<uint32_t>::max() / 2,
                    "RingAllReduce: too many ranks: " << task.ranks);
}

void
RingAllReduceState::Start(std::vector<CollectiveSend>& sends)
{
    NS_ABORT_MSG_IF(m_started, "RingAllReduce: started twice");
    m_started = true;
    Advance(sends);
}

void
RingAllReduceState::OnReceive(uint32_t peer, std::vector<CollectiveSend>& sends)
{
    NS_ABORT_MSG_IF(!m_started || IsDone() || peer != GetPrevious(),
                    "RingAllReduce: rank " << m_rank << " expects no message from " << peer);
    ++m_received;
    Advance(sends);
}

bool
RingAllReduceState::IsDone() const
{
    return m_started && m_received == GetStepCount() && m_sent == GetStepCount();
}

std::vector<uint32_t>
RingAllReduceState::GetPeersToSend() const
{
    return GetBytesToSend() == 0 ? std::vector<uint32_t>{} : std::vector<uint32_t>{GetNext()};
}

std::vector<uint32_t>
RingAllReduceState::GetPeersToReceive() const
{
    const CollectiveTask previous{GetPrevious(), m_split.GetChunks(), m_split.GetPayload()};
    const bool silent = RingAllReduceState(previous).GetBytesToSend() == 0;
    return silent ? std::vector<uint32_t>{} : std::vector<uint32_t>{GetPrevious()};
}

uint64_t
RingAllReduceState::GetBytesToSend() const
{
    if (GetStepCount() == 0)
    {
        return 0;
    }
    // Either phase sends all chunks but one: the chunk that a p-th step of the phase would send.
    const uint32_t phase = m_split.GetChunks() - 1;
    const uint64_t reduceScatter = m_split.GetPayload() - m_split.GetBytes(GetChunk(m_rank, phase));
    const uint64_t allGather = m_split.GetPayload() - m_split.GetBytes(GetChunk(GetNext(), phase));
    return reduceScatter + allGather;
}

uint32_t
RingAllReduceState::GetStepCount() const
{
    return m_split.GetPayload() == 0 ? 0 : 2 * (m_split.GetChunks() - 1);
}

std::vector<CollectiveWait>
RingAllReduceState::GetWaits() const
{
    if (!m_started || IsDone())
    {
        return {};
    }
    return {{GetPrevious(), m_received}};
}

uint32_t
RingAllReduceState::GetChunk(uint32_t rank, uint32_t step) const
{
    const uint32_t p = m_split.GetChunks();
    return (rank + p - step % p) % p;
}

uint32_t
RingAllReduceState::GetNext() const
{
    return (m_rank + 1) % m_split.GetChunks();
}

uint32_t
RingAllReduceState::GetPrevious() const
{
    return (m_rank + m_split.GetChunks() - 1) % m_split.GetChunks();
}

void
RingAllReduceState::Advance(std::vector<CollectiveSend>& sends)
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

} // namespace

std::string
RingAllReduce::GetOp() const
{
    return "allreduce";
}

std::string
RingAllReduce::GetName() const
{
    return "ring";
}

std::unique_ptr<CollectiveState>
RingAllReduce::CreateState(const CollectiveTask& task) const
{
    return std::make_unique<RingAllReduceState>(task);
}

} // namespace llmfabric
} // namespace ns3
