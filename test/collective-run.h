/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_RUN_H
#define COLLECTIVE_RUN_H

#include "held-data.h"
#include "promised-data.h"

#include "ns3/collective-algorithm.h"
#include "ns3/collective-state.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * All ranks of a collective in memory, without a simulator: what two ranks send each other on a
 * lane keeps its order, everything else happens in an order drawn at random. Slices carry the sets
 * of their contributions.
 */
class CollectiveRun
{
  public:
    /**
     * @param algorithm an algorithm
     * @param task the op; its rank is of no concern
     * @param slots slots of a connection; 0: no limit
     * @param seed seed of the order in which things happen
     */
    CollectiveRun(const CollectiveAlgorithm& algorithm,
                  const CollectiveTask& task,
                  uint32_t slots,
                  uint32_t seed)
        : m_task(task),
          m_promise(algorithm.GetOp(), task),
          m_slots(slots),
          m_random(seed)
    {
        for (uint32_t rank = 0; rank < task.GetRanks(); ++rank)
        {
            m_ranks.push_back(std::make_unique<Rank>(*this, rank));
            Rank& one = *m_ranks.back();
            CollectiveTask own = task;
            own.rank = rank;
            one.state =
                std::make_unique<CollectiveState>(algorithm.CreateLanes(own), task.cut.slice, one);
            one.lanes = algorithm.CreateLanes(own);
            for (const DataPiece& piece : m_promise.GetInput(rank))
            {
                one.input.Set(piece, Contributions().set(rank));
            }
            one.held = one.input;
            m_events.push_back({Event::START, rank, 0, 0});
        }
    }

    /// Starts all ranks and lets happen what happens, to the end.
    void Run()
    {
        while (!m_events.empty())
        {
            std::swap(m_events[m_random() % m_events.size()], m_events.back());
            const Event event = m_events.back();
            m_events.pop_back();
            Happen(event);
        }
        for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
        {
            EXPECT_TRUE(IsDone(rank)) << "rank " << rank << " of " << m_ranks.size();
            EXPECT_TRUE(m_ranks[rank]->state->GetWaits().empty());
        }
        for (const auto& [link, messages] : m_links)
        {
            EXPECT_TRUE(messages.empty()) << "what nobody takes";
        }
    }

    /**
     * @param rank a rank
     * @return whether its part is over
     */
    bool IsDone(uint32_t rank) const
    {
        return m_ranks[rank]->state->IsDone();
    }

    /**
     * @param rank a rank
     * @return whether it holds what the op has to give it, each contribution once
     */
    bool HoldsResult(uint32_t rank) const
    {
        for (const auto& [piece, contributions] : m_promise.GetResult(rank))
        {
            if (!m_ranks[rank]->held.Holds(piece, contributions))
            {
                return false;
            }
        }
        return true;
    }

    /**
     * @param rank a rank
     * @return what it sent, bytes
     */
    uint64_t GetSent(uint32_t rank) const
    {
        return m_ranks[rank]->sent;
    }

    /**
     * @return what all ranks sent, bytes
     */
    uint64_t GetTotal() const
    {
        uint64_t total = 0;
        for (const auto& rank : m_ranks)
        {
            total += rank->sent;
        }
        return total;
    }

    /**
     * @return messages that were sent
     */
    uint64_t GetMessages() const
    {
        return m_messages;
    }

  private:
    /// One rank: its state, its surroundings and what it holds.
    class Rank : public CollectiveHost
    {
      public:
        /**
         * @param run the run
         * @param index index of the rank
         */
        Rank(CollectiveRun& run, uint32_t index)
            : m_run(run),
              m_index(index)
        {
        }

        bool CanSend(uint32_t lane, uint32_t peer) const override
        {
            const auto found = granted.find({lane, peer});
            return m_run.m_slots == 0 || (found != granted.end() && found->second > 0);
        }

        void Send(const CollectiveSlice& slice) override
        {
            ASSERT_GT(slice.bytes, 0u);
            ASSERT_LE(slice.bytes, m_run.m_task.cut.slice);
            ASSERT_NE(slice.peer, m_index);
            if (m_run.m_slots > 0)
            {
                --granted[{slice.lane, slice.peer}];
            }
            sent += slice.bytes;
            ++m_run.m_messages;
            m_run.m_links[{slice.lane, m_index, slice.peer}].push_back({slice.bytes, Read(slice)});
            m_run.m_events.push_back({Event::ARRIVE, slice.peer, slice.lane, m_index});
        }

        bool HasArrived(uint32_t lane, uint32_t peer) const override
        {
            const auto found = arrived.find({lane, peer});
            return found != arrived.end() && found->second > 0;
        }

        void Take(const CollectiveSlice& slice) override
        {
            auto& link = m_run.m_links[{slice.lane, slice.peer, m_index}];
            ASSERT_FALSE(link.empty());
            const Message message = link.front();
            link.pop_front();
            --arrived[{slice.lane, slice.peer}];
            --granting[{slice.lane, slice.peer}];
            EXPECT_EQ(message.bytes, slice.bytes) << "both sides know all sizes";
            const bool reduces = lanes[slice.lane]->GetStep(slice.step).reduces;
            for (const HeldData::Part& part : message.parts)
            {
                reduces ? held.Add(part) : held.Set(part.piece, part.contributions);
            }
        }

        bool Reduce(uint32_t lane, uint64_t bytes) override
        {
            EXPECT_GT(bytes, 0u);
            if (m_run.m_random() % 2 == 0)
            {
                return true;
            }
            m_run.m_events.push_back({Event::REDUCED, m_index, lane, 0});
            return false;
        }

        bool CanGrant(uint32_t lane, uint32_t peer) const override
        {
            const auto found = granting.find({lane, peer});
            return m_run.m_slots > 0 && (found == granting.end() || found->second < m_run.m_slots);
        }

        void Grant(uint32_t lane, uint32_t peer) override
        {
            ++granting[{lane, peer}];
            m_run.m_events.push_back({Event::GRANT, peer, lane, m_index});
        }

        std::unique_ptr<CollectiveState> state;             //!< its part in the op
        std::vector<std::unique_ptr<CollectiveLane>> lanes; //!< the same lanes, to ask
        HeldData input;                                     //!< what it had in the beginning
        HeldData held;                                      //!< what it has
        uint64_t sent{0};                                   //!< bytes that it sent
        bool started{false};                                //!< its program has reached the op
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> arrived;  //!< slices, by lane and peer
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> granted;  //!< to it, by lane and peer
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> granting; //!< by it, not taken again

      private:
        /**
         * @param slice a slice that leaves
         * @return what it carries
         */
        std::vector<HeldData::Part> Read(const CollectiveSlice& slice) const
        {
            const LaneStep step = lanes[slice.lane]->GetStep(slice.step);
            const HeldData& source = step.sendsInput ? input : held;
            std::vector<HeldData::Part> parts;
            uint64_t begin = slice.begin;
            uint64_t left = slice.bytes;
            uint64_t total = 0;
            for (const DataPiece& piece : lanes[slice.lane]->GetPieces(slice.step))
            {
                total += piece.bytes;
                const uint64_t skipped = std::min(begin, piece.bytes);
                const uint64_t bytes = std::min(left, piece.bytes - skipped);
                begin -= skipped;
                left -= bytes;
                for (const auto& part : source.Get({piece.origin, piece.offset + skipped, bytes}))
                {
                    EXPECT_TRUE(part.contributions.any()) << "sent before it was there";
                    parts.push_back(part);
                }
            }
            EXPECT_EQ(total, step.sendBytes) << "the pieces are the step";
            return parts;
        }

        CollectiveRun& m_run; //!< the run
        uint32_t m_index;     //!< index of the rank
    };

    /// A slice on its way.
    struct Message
    {
        uint64_t bytes;                    //!< size
        std::vector<HeldData::Part> parts; //!< what it carries
    };

    /// Something that may happen next.
    struct Event
    {
        /// What happens.
        enum Kind
        {
            START,
            ARRIVE,
            GRANT,
            REDUCED
        };

        Kind kind;     //!< what happens
        uint32_t rank; //!< to whom
        uint32_t lane; //!< on which lane
        uint32_t peer; //!< who sent it
    };

    /**
     * @param event what happens
     */
    void Happen(const Event& event)
    {
        Rank& rank = *m_ranks[event.rank];
        switch (event.kind)
        {
        case Event::START:
            rank.started = true;
            rank.state->Start();
            break;
        case Event::ARRIVE:
            EXPECT_TRUE(rank.started || m_slots == 0) << "data came before its op was reached";
            ++rank.arrived[{event.lane, event.peer}];
            rank.state->OnProgress(event.lane);
            break;
        case Event::GRANT:
            ++rank.granted[{event.lane, event.peer}];
            rank.state->OnProgress(event.lane);
            break;
        case Event::REDUCED:
            rank.state->OnReduced(event.lane);
            break;
        }
    }

    CollectiveTask m_task;                      //!< what is done
    PromisedData m_promise;                     //!< what ranks have and get
    uint32_t m_slots;                           //!< slots of a connection; 0: no limit
    std::mt19937 m_random;                      //!< draws the order
    std::vector<std::unique_ptr<Rank>> m_ranks; //!< by index
    std::vector<Event> m_events;                //!< what may happen next
    uint64_t m_messages{0};                     //!< messages that were sent
    /// Slices on their way or not yet taken, by lane, sender and receiver.
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::deque<Message>> m_links;
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_RUN_H */
