/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RING_RUN_H
#define RING_RUN_H

#include "ns3/collective-algorithm.h"

#include <algorithm>
#include <bitset>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/// The ranks whose values a chunk has in its sum.
using Contributions = std::bitset<64>;

/// A message on its way.
struct Message
{
    CollectiveSend send;         //!< what the sender's state said
    uint32_t from;               //!< who sent it
    uint32_t round;              //!< messages that had to come one after the other, this one too
    Contributions contributions; //!< what the chunk held when it left
};

/**
 * All ranks of a collective on a ring in memory: messages between two ranks keep their order,
 * everything else happens in an order drawn at random. Chunks carry the set of their contributions.
 */
class RingRun
{
  public:
    /**
     * @param algorithm an AllReduce or ReduceScatter, whose first p - 1 steps add what comes, or an
     *        AllGather
     * @param ranks p, at most 64
     * @param payload M, bytes
     * @param seed seed of the order in which things happen
     */
    RingRun(const CollectiveAlgorithm& algorithm, uint32_t ranks, uint64_t payload, uint32_t seed)
        : m_payload(payload),
          m_gathers(algorithm.GetOp() == "allgather"),
          m_random(seed),
          m_states(ranks),
          m_held(ranks, std::vector<Contributions>(ranks)),
          m_round(ranks, 0),
          m_sent(ranks, 0)
    {
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            m_states[rank] = algorithm.CreateState({rank, ranks, payload});
            for (uint32_t chunk = 0; chunk < ranks; ++chunk)
            {
                m_held[rank][chunk].set(rank, !m_gathers || chunk == rank);
            }
        }
    }

    /// Starts all ranks and delivers all messages.
    void Run()
    {
        std::vector<uint32_t> late(m_states.size());
        std::iota(late.begin(), late.end(), 0);
        std::shuffle(late.begin(), late.end(), m_random);
        while (!late.empty() || !m_links.empty())
        {
            if (!late.empty() && (m_links.empty() || m_random() % 2 == 0))
            {
                Start(late.back());
                late.pop_back();
            }
            else if (!DeliverOne())
            {
                Start(late.back()); // all messages are for ranks that are late
                late.pop_back();
            }
        }
    }

    /**
     * @param rank a rank
     * @return its state
     */
    const CollectiveState& GetState(uint32_t rank) const
    {
        return *m_states[rank];
    }

    /**
     * @param rank a rank
     * @return what it sent, bytes
     */
    uint64_t GetSent(uint32_t rank) const
    {
        return m_sent[rank];
    }

    /**
     * @return the longest chain of messages that had to come one after the other
     */
    uint32_t GetRounds() const
    {
        return *std::max_element(m_round.begin(), m_round.end());
    }

    /**
     * @param rank a rank
     * @param chunk a chunk
     * @return whether the rank holds the chunk as it is in the end, be it that it has no bytes
     */
    bool Holds(uint32_t rank, uint32_t chunk) const
    {
        const Contributions& held = m_held[rank][chunk];
        return GetOffset(chunk + 1) == GetOffset(chunk) ||
               (m_gathers ? held.test(chunk) && held.count() == 1
                          : held.count() == m_states.size());
    }

    /**
     * @param rank a rank
     * @return whether it holds all chunks as they are in the end
     */
    bool HoldsAll(uint32_t rank) const
    {
        for (uint32_t chunk = 0; chunk < m_states.size(); ++chunk)
        {
            if (!Holds(rank, chunk))
            {
                return false;
            }
        }
        return true;
    }

  private:
    /**
     * @param chunk a chunk
     * @return floor(i M / p)
     */
    uint64_t GetOffset(uint32_t chunk) const
    {
        return static_cast<uint64_t>(static_cast<unsigned __int128>(m_payload) * chunk /
                                     m_states.size());
    }

    /**
     * @param send a message
     * @return the chunk that it carries; a test failure if it is no chunk
     */
    uint32_t FindChunk(const CollectiveSend& send) const
    {
        for (uint32_t chunk = 0; chunk < m_states.size(); ++chunk)
        {
            if (GetOffset(chunk) == send.offset && GetOffset(chunk + 1) == send.offset + send.bytes)
            {
                return chunk;
            }
        }
        ADD_FAILURE() << send.offset << " + " << send.bytes << " is no chunk";
        return 0;
    }

    /**
     * @param rank a rank whose program reaches the op
     */
    void Start(uint32_t rank)
    {
        std::vector<CollectiveSend> sends;
        m_states[rank]->Start(sends);
        m_started.insert(rank);
        Send(rank, sends);
    }

    /**
     * @param rank who sends
     * @param sends what may go
     */
    void Send(uint32_t rank, const std::vector<CollectiveSend>& sends)
    {
        for (const CollectiveSend& send : sends)
        {
            EXPECT_GT(send.bytes, 0u);
            const Contributions& held = m_held[rank][FindChunk(send)];
            EXPECT_TRUE(held.any()) << "sent before it was there";
            m_links[{rank, send.peer}].push_back({send, rank, m_round[rank] + 1, held});
            m_sent[rank] += send.bytes;
        }
    }

    /**
     * Delivers the first message of a link drawn among those that lead to a rank that started.
     *
     * @return whether there was one
     */
    bool DeliverOne()
    {
        std::vector<std::pair<uint32_t, uint32_t>> ready;
        for (const auto& link : m_links)
        {
            if (m_started.count(link.first.second) > 0)
            {
                ready.push_back(link.first);
            }
        }
        if (ready.empty())
        {
            return false;
        }
        const auto link = m_links.find(ready[m_random() % ready.size()]);
        const Message message = link->second.front();
        link->second.pop_front();
        if (link->second.empty())
        {
            m_links.erase(link);
        }
        Receive(message);
        return true;
    }

    /**
     * @param message a message that arrived
     */
    void Receive(const Message& message)
    {
        const uint32_t rank = message.send.peer;
        const std::vector<CollectiveWait> waits = m_states[rank]->GetWaits();
        ASSERT_EQ(waits.size(), 1u);
        EXPECT_EQ(waits[0].peer, message.from);
        EXPECT_EQ(waits[0].step, message.send.step);
        EXPECT_TRUE(m_states[rank]->Expects(message.from));
        Contributions& held = m_held[rank][FindChunk(message.send)];
        if (!m_gathers && message.send.step < m_states.size() - 1)
        {
            EXPECT_TRUE((held & message.contributions).none()) << "a contribution counts twice";
            held |= message.contributions;
        }
        else
        {
            held = message.contributions;
        }
        m_round[rank] = std::max(m_round[rank], message.round);
        std::vector<CollectiveSend> sends;
        m_states[rank]->OnReceive(message.from, sends);
        Send(rank, sends);
    }

    uint64_t m_payload;                                     //!< M, bytes
    bool m_gathers;                                         //!< nothing is added
    std::mt19937 m_random;                                  //!< draws the order
    std::vector<std::unique_ptr<CollectiveState>> m_states; //!< of each rank
    std::vector<std::vector<Contributions>> m_held;         //!< of each rank and chunk
    std::vector<uint32_t> m_round;                          //!< latest round each rank received
    std::vector<uint64_t> m_sent;                           //!< what each rank sent, bytes
    std::set<uint32_t> m_started;                           //!< ranks that reached the op
    /// Messages on the way, by sender and receiver; no entry is empty.
    std::map<std::pair<uint32_t, uint32_t>, std::deque<Message>> m_links;
};

} // namespace llmfabric
} // namespace ns3

#endif /* RING_RUN_H */
