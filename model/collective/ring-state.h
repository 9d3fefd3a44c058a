/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RING_STATE_H
#define RING_STATE_H

#include "collective-algorithm.h"
#include "collective-state.h"
#include "payload-split.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * One rank of a collective that passes chunks around a ring, one message per step.
 *
 * Rank r sends to r + 1 and receives from r - 1 (mod p). The payload is a PayloadSplit in p chunks.
 * There is one schedule, of which each collective takes a range: in place t rank r sends chunk
 * (r - t) mod p. What is received in a place is what is sent in the next one, so a send waits for
 * one receive only.
 *
 *     p = 4         place 0   1   2   3   4   5
 *     rank 0 sends       c0  c3  c2  c1  c0  c3
 *     rank 1 sends       c1  c0  c3  c2  c1  c0
 *     rank 2 sends       c2  c1  c0  c3  c2  c1
 *     rank 3 sends       c3  c2  c1  c0  c3  c2
 *                       AllGather
 *                           ReduceScatter
 *                       AllReduce, all of it
 *
 * Whether a receiver adds a chunk to its own or keeps it is no concern of the state.
 */
class RingState : public CollectiveState
{
  public:
    /**
     * @param task what the rank knows of the op
     * @param first place of the first step
     * @param phases how many times p - 1 steps there are
     */
    RingState(const CollectiveTask& task, uint32_t first, uint32_t phases);

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
     * @param rank a rank of the ring
     * @param step a step
     * @return the chunk that the rank sends in this step
     */
    uint32_t GetChunk(uint32_t rank, uint32_t step) const;

    /**
     * @param rank a rank of the ring
     * @return what the rank sends in the whole op, bytes
     */
    uint64_t GetBytesOf(uint32_t rank) const;

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
    uint32_t m_first;       //!< place of step 0
    uint32_t m_phases;      //!< how many times p - 1 steps
    bool m_started{false};  //!< Start() was called
    uint32_t m_received{0}; //!< steps whose receive is over
    uint32_t m_sent{0};     //!< steps whose send was handed over
};

} // namespace llmfabric
} // namespace ns3

#endif /* RING_STATE_H */
