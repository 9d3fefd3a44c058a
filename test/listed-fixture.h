/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LISTED_FIXTURE_H
#define LISTED_FIXTURE_H

#include "ns3/listed-algorithm.h"
#include "ns3/user-error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/// Writes a list step by step, and numbers the steps.
class ListWriter
{
  public:
    /**
     * @param op an op
     * @param ranks p
     * @param chunks chunks of the payload
     */
    ListWriter(const std::string& op, uint32_t ranks, uint32_t chunks)
        : m_next(ranks, 0)
    {
        m_schedule.name = "listed";
        m_schedule.op = op;
        m_schedule.ranks = ranks;
        m_schedule.chunks = chunks;
        m_schedule.source = "a.txt";
    }

    /**
     * @param rank whose step it is
     * @param action what it does
     * @param peer the other rank
     * @param first first chunk
     * @param after steps of the rank that are over before
     * @param count chunks
     * @return number of the step
     */
    uint32_t Add(uint32_t rank,
                 ListedAction action,
                 uint32_t peer,
                 uint32_t first,
                 const std::vector<uint32_t>& after = {},
                 uint32_t count = 1)
    {
        ListedStep step;
        step.rank = rank;
        step.step = m_next[rank]++;
        step.action = action;
        step.peer = peer;
        step.first = first;
        step.count = count;
        step.after.assign(after.begin(), after.end());
        step.line = m_schedule.steps.size() + 1;
        m_schedule.steps.push_back(step);
        return step.step;
    }

    /**
     * Add a ring AllReduce, ReduceScatter or AllGather, in which each rank has one chunk.
     *
     * @param places messages that each rank sends
     * @param offset rank r begins with chunk r - offset (mod p)
     * @param added how many of them are added to what the receiver has
     */
    void AddRing(uint32_t places, uint32_t offset, uint32_t added)
    {
        const uint32_t ranks = m_schedule.ranks;
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            std::vector<uint32_t> after;
            for (uint32_t k = 0; k <= places; ++k)
            {
                const uint32_t chunk = (rank + 2 * ranks - k - offset) % ranks;
                if (k > 0)
                {
                    after = {Add(rank,
                                 k <= added ? ListedAction::REDUCE : ListedAction::RECEIVE,
                                 (rank + ranks - 1) % ranks,
                                 chunk)};
                }
                if (k < places)
                {
                    Add(rank, ListedAction::SEND, (rank + 1) % ranks, chunk, after);
                }
            }
        }
    }

    /// @return the list so far, to read and to change
    ListedSchedule& Get()
    {
        return m_schedule;
    }

    /// @return the algorithm
    ListedAlgorithm Make() const
    {
        return ListedAlgorithm(m_schedule);
    }

    /// @return the message with which the list is refused, or "no error"
    std::string GetError() const
    {
        try
        {
            ListedAlgorithm algorithm(m_schedule);
        }
        catch (const UserError& error)
        {
            return error.what();
        }
        return "no error";
    }

  private:
    ListedSchedule m_schedule;    //!< the list
    std::vector<uint32_t> m_next; //!< number of the next step of each rank
};

/**
 * @param ranks p
 * @param payload bytes
 * @param slice bytes of a slice
 * @return an op with one channel, whose loop takes all of the payload
 */
inline CollectiveTask
MakeTask(uint32_t ranks, uint64_t payload, uint64_t slice)
{
    CollectiveTask task;
    task.layout = std::make_shared<const CollectiveLayout>(CollectiveLayout::Spread(ranks));
    task.payload = payload;
    task.cut = {1, 1ULL << 40, slice};
    return task;
}

/**
 * @return an AllReduce of one message per pair, in which each rank adds up all on its own
 */
inline ListWriter
MakeOneShot()
{
    ListWriter list("allreduce", 3, 1);
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        list.Add(rank, ListedAction::SEND, (rank + 1) % 3, 0);
        list.Add(rank, ListedAction::SEND, (rank + 2) % 3, 0);
        list.Add(rank, ListedAction::REDUCE, (rank + 1) % 3, 0, {0, 1});
        list.Add(rank, ListedAction::REDUCE, (rank + 2) % 3, 0, {0, 1});
    }
    return list;
}

/**
 * @param ranks p
 * @return an AllReduce of two rounds, in which each rank adds up one chunk
 */
inline ListWriter
MakeMesh(uint32_t ranks)
{
    ListWriter list("allreduce", ranks, ranks);
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        std::vector<uint32_t> added;
        for (uint32_t d = 1; d < ranks; ++d)
        {
            list.Add(rank, ListedAction::SEND, (rank + d) % ranks, (rank + d) % ranks);
        }
        for (uint32_t d = 1; d < ranks; ++d)
        {
            added.push_back(list.Add(rank, ListedAction::REDUCE, (rank + d) % ranks, rank));
        }
        for (uint32_t d = 1; d < ranks; ++d)
        {
            list.Add(rank, ListedAction::SEND, (rank + d) % ranks, rank, added);
        }
        for (uint32_t d = 1; d < ranks; ++d)
        {
            list.Add(rank, ListedAction::RECEIVE, (rank + d) % ranks, (rank + d) % ranks);
        }
    }
    return list;
}

} // namespace llmfabric
} // namespace ns3

#endif /* LISTED_FIXTURE_H */
