/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECEIVE_QUEUE_H
#define RECEIVE_QUEUE_H

#include <cstdint>
#include <deque>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The receives that are posted to a queue pair, in order; equal ones take the place of one.
 */
class ReceiveQueue
{
  public:
    /**
     * @param bytes room of each
     * @param count how many to add
     */
    void Post(uint64_t bytes, uint64_t count)
    {
        if (count == 0)
        {
            return;
        }
        m_count += count;
        if (!m_runs.empty() && m_runs.back().bytes == bytes)
        {
            m_runs.back().count += count;
            return;
        }
        m_runs.push_back({bytes, count});
    }

    /** @return receives that are not taken */
    uint64_t GetCount() const
    {
        return m_count;
    }

    /** @return room of the next; there must be one */
    uint64_t GetRoom() const
    {
        return m_runs.front().bytes;
    }

    /** @return number of the one that is taken now, counting from 0; there must be one */
    uint64_t Take()
    {
        --m_count;
        if (--m_runs.front().count == 0)
        {
            m_runs.pop_front();
        }
        return m_taken++;
    }

  private:
    /** Receives with the same room. */
    struct Run
    {
        uint64_t bytes; //!< room of each
        uint64_t count; //!< how many
    };

    std::deque<Run> m_runs; //!< in order
    uint64_t m_count{0};    //!< all that are not taken
    uint64_t m_taken{0};    //!< all that were taken
};

} // namespace llmfabric
} // namespace ns3

#endif /* RECEIVE_QUEUE_H */
