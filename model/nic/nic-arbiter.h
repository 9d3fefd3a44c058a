/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NIC_ARBITER_H
#define NIC_ARBITER_H

#include "nic-requester.h"

#include <boost/intrusive/set.hpp>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Chooses which queue pair of a NIC sends next: round robin, in the order of (peer, index), among
 * those whose time has come; the others wait in a heap ordered by time.
 *
 * O(log n) a packet; a queue pair without work costs nothing. The order depends on who the queue
 * pairs are, never on who was made or became ready first.
 */
class NicArbiter
{
  public:
    ~NicArbiter()
    {
        Clear();
    }

    /** Forget all requesters; called before they are destroyed. */
    void Clear()
    {
        m_waiting.clear();
        m_ready.clear();
        m_last = nullptr;
    }

    /** @param requester one that has a packet to send; nothing happens if it is in already */
    void Add(Requester& requester);

    /**
     * Take the one whose turn it is.
     *
     * @param now the time, ticks
     * @return the requester, taken out, or null if none may send now
     */
    Requester* Take(int64_t now);

    /**
     * @return the earliest time at which one may send, ticks; 0 if one is ready, NEVER if there is
     *         none
     */
    int64_t GetNextTime() const
    {
        if (!m_ready.empty())
        {
            return 0;
        }
        return m_waiting.empty() ? NEVER : m_waiting.front().time;
    }

    /// There is nobody to send.
    static constexpr int64_t NEVER = INT64_MAX;

  private:
    /** A requester whose time is to come. */
    struct Waiting
    {
        int64_t time;         //!< when, ticks
        Requester* requester; //!< who
    };

    /**
     * @param a one
     * @param b another
     * @return true if a comes after b
     */
    static bool Later(const Waiting& a, const Waiting& b)
    {
        return a.time != b.time ? a.time > b.time : *b.requester < *a.requester;
    }

    using ReadySet = boost::intrusive::set<Requester>;

    std::vector<Waiting> m_waiting;   //!< heap, the earliest first
    ReadySet m_ready;                 //!< by (peer, index)
    const Requester* m_last{nullptr}; //!< who had the last turn
};

} // namespace llmfabric
} // namespace ns3

#endif /* NIC_ARBITER_H */
