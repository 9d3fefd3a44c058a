/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NIC_ARBITER_H
#define NIC_ARBITER_H

#include "queue-pair.h"

#include <algorithm>
#include <boost/intrusive/set.hpp>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Chooses which queue pair of a NIC sends next: of those whose time has come the one that has sent
 * the fewest bytes, in the order of QueuePair::GetOrder() among equals. The others wait in a heap
 * ordered by time.
 *
 * That is start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996) with equal weights: who
 * becomes ready after a time without work starts at the level of the one that was served last, so
 * it neither gets back what it did not use nor waits for others to catch up. When nobody has work
 * all become equal again, so that equal work is done alike however often it comes. O(log n) a
 * packet; a queue pair without work costs nothing. The order depends on who the queue pairs are,
 * never on who was made or became ready first.
 */
class NicArbiter
{
  public:
    ~NicArbiter()
    {
        Clear();
    }

    /** Forget all queue pairs; called before they are destroyed. */
    void Clear()
    {
        m_waiting.clear();
        m_ready.clear();
    }

    /**
     * @param pair one that has a packet to send; nothing happens if it is in already, unless it may
     *             send earlier now than it had thought
     */
    void Add(QueuePair& pair);

    /**
     * Take the one whose turn it is.
     *
     * @param now the time, ticks
     * @return the queue pair, taken out, or null if none may send now
     */
    QueuePair* Take(int64_t now);

    /**
     * @param pair the queue pair that was taken
     * @param wireBytes what it has sent
     */
    void Charge(QueuePair& pair, uint32_t wireBytes)
    {
        pair.m_served += wireBytes;
        m_highest = std::max(m_highest, pair.m_served);
    }

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
    /** A queue pair whose time is to come. */
    struct Waiting
    {
        int64_t time;    //!< when, ticks
        QueuePair* pair; //!< who
    };

    /**
     * @param a one
     * @param b another
     * @return true if a comes after b
     */
    static bool Later(const Waiting& a, const Waiting& b)
    {
        return a.time != b.time ? a.time > b.time : b.pair->GetOrder() < a.pair->GetOrder();
    }

    using ReadySet = boost::intrusive::set<QueuePair>;

    std::vector<Waiting> m_waiting; //!< heap, the earliest first
    ReadySet m_ready;               //!< by bytes sent, then QueuePair::GetOrder()
    uint64_t m_level{0};            //!< bytes that the one served last had sent before
    uint64_t m_highest{0};          //!< most bytes that one has sent
};

} // namespace llmfabric
} // namespace ns3

#endif /* NIC_ARBITER_H */
