/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRANSMIT_QUEUE_H
#define TRANSMIT_QUEUE_H

#include "fabric-frame.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/// Number of priorities of a port (IEEE 802.1Q).
static constexpr uint32_t PRIORITIES = 8;

/**
 * @ingroup llm-fabric
 * The frames that wait at a port: a FIFO a priority, and one for link control (PFC) before all.
 *
 * Order of service: link control, then priority 6 (CNPs), then 7, 5, 4, ... 0, strictly; a paused
 * priority waits, link control never does. Invariant: GetBytes(p) is the sum of
 * Frame::BufferBytes() over the frames of priority p that were pushed and not yet popped.
 */
class TransmitQueue
{
  public:
    ~TransmitQueue()
    {
        for (FrameFifo& fifo : m_fifos)
        {
            FramePool::FreeAll(fifo);
        }
    }

    /** @param frame the frame to append to its priority, or to link control if it is a PFC frame */
    void Push(Frame* frame)
    {
        const uint32_t rank = RankOf(*frame);
        frame->queueBytes = static_cast<uint32_t>(std::min<uint64_t>(m_bytes[rank], UINT32_MAX));
        m_bytes[rank] += frame->BufferBytes();
        m_fifos[rank].Push(frame);
        m_waiting |= 1U << rank;
    }

    /**
     * @param minRank the least rank that may be served
     * @return true if Pop(minRank) gives a frame
     */
    bool HasFrame(uint32_t minRank = 0) const
    {
        return (m_waiting & ~m_paused) >> minRank;
    }

    /**
     * Take the next frame out.
     *
     * @param minRank the least rank that may be served
     * @return the frame, or null if there is none of that rank or above that may go
     */
    Frame* Pop(uint32_t minRank = 0)
    {
        const uint32_t ready = (m_waiting & ~m_paused) >> minRank;
        if (!ready)
        {
            return nullptr;
        }
        const uint32_t rank = 31 - static_cast<uint32_t>(__builtin_clz(ready)) + minRank;
        FrameFifo& fifo = m_fifos[rank];
        Frame* frame = fifo.Pop();
        m_bytes[rank] -= frame->BufferBytes();
        if (fifo.IsEmpty())
        {
            m_waiting &= ~(1U << rank);
        }
        return frame;
    }

    /**
     * @param priority a priority
     * @return the bytes that wait in it
     */
    uint64_t GetBytes(uint8_t priority) const
    {
        return m_bytes[RANKS[priority]];
    }

    /**
     * @param priority a priority
     * @param paused true to hold it back
     */
    void SetPaused(uint8_t priority, bool paused)
    {
        const uint32_t bit = 1U << RANKS[priority];
        m_paused = paused ? m_paused | bit : m_paused & ~bit;
    }

    /**
     * @param priority a priority
     * @return true if it is held back
     */
    bool IsPaused(uint8_t priority) const
    {
        return m_paused & (1U << RANKS[priority]);
    }

    /**
     * @param priority a priority
     * @return its rank of service; the larger goes first
     */
    static uint32_t GetRank(uint8_t priority)
    {
        return RANKS[priority];
    }

    /**
     * Look at all that waits, in the order of service.
     *
     * @tparam F a function of const Frame&
     * @param visit called with each frame
     */
    template <typename F>
    void ForEach(F visit) const
    {
        for (auto fifo = m_fifos.rbegin(); fifo != m_fifos.rend(); ++fifo)
        {
            for (const Frame* frame = fifo->Front(); frame; frame = frame->next)
            {
                visit(*frame);
            }
        }
    }

  private:
    static constexpr uint32_t CONTROL_RANK = PRIORITIES;                   //!< link control
    static constexpr uint8_t RANKS[PRIORITIES] = {0, 1, 2, 3, 4, 5, 7, 6}; //!< by priority

    /**
     * @param frame a frame
     * @return the rank it waits in
     */
    static uint32_t RankOf(const Frame& frame)
    {
        return frame.kind == FrameKind::PFC ? CONTROL_RANK : RANKS[frame.priority];
    }

    std::array<FrameFifo, PRIORITIES + 1> m_fifos;  //!< by rank
    std::array<uint64_t, PRIORITIES + 1> m_bytes{}; //!< by rank, bytes in queue
    uint32_t m_waiting{0};                          //!< bit per rank: not empty
    uint32_t m_paused{0};                           //!< bit per rank: held back by PFC
};

} // namespace llmfabric
} // namespace ns3

#endif /* TRANSMIT_QUEUE_H */
