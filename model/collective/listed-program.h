/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LISTED_PROGRAM_H
#define LISTED_PROGRAM_H

#include "listed-schedule.h"

#include "ns3/user-error.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The steps of a list, sorted and paired: each has an id, a place in a lane, and a mate.
 *
 * On lane d - 1 a rank r sends to r + d and receives from r - d (mod p). So all that one rank sends
 * another lies on one lane, and its strand of sends there has as many steps as the other's strand
 * of receives; step i of one is the mate of step i of the other.
 */
class ListedProgram
{
  public:
    /// No step.
    static constexpr uint32_t NONE = std::numeric_limits<uint32_t>::max();

    /// Steps of a rank on one lane, all sends or all receives, by id.
    struct Strand
    {
        const uint32_t* begin{nullptr}; //!< the first
        const uint32_t* end{nullptr};   //!< after the last

        /// @return how many they are
        uint32_t GetSize() const
        {
            return static_cast<uint32_t>(end - begin);
        }
    };

    /**
     * @param schedule a list
     * @throws UserError if a number is out of its range, if steps are missing or doubled, or if
     *         sends and receives don't match
     */
    explicit ListedProgram(ListedSchedule schedule);

    ListedProgram(const ListedProgram&) = delete;
    ListedProgram& operator=(const ListedProgram&) = delete;

    /// @return the list, its steps sorted by rank and step; the id of a step is its index there
    const ListedSchedule& GetSchedule() const
    {
        return m_schedule;
    }

    /// @return how many steps there are
    uint32_t GetSize() const
    {
        return static_cast<uint32_t>(m_schedule.steps.size());
    }

    /**
     * @param id id of a step
     * @return the step
     */
    const ListedStep& Get(uint32_t id) const
    {
        return m_schedule.steps[id];
    }

    /**
     * @param rank a rank, or p
     * @return id of its first step
     */
    uint32_t GetFirst(uint32_t rank) const
    {
        return m_first[rank];
    }

    /**
     * @param id id of a step
     * @return the lane that it lies on
     */
    uint32_t GetLane(uint32_t id) const;

    /**
     * @param id id of a step
     * @return its place in its strand
     */
    uint32_t GetPlace(uint32_t id) const
    {
        return m_place[id];
    }

    /**
     * @param id id of a step
     * @return the one before in its strand, or NONE
     */
    uint32_t GetPrevious(uint32_t id) const
    {
        return m_previous[id];
    }

    /**
     * @param id id of a step
     * @return of a send the receive, of a receive the send at the other end
     */
    uint32_t GetMate(uint32_t id) const
    {
        return m_mate[id];
    }

    /**
     * @param rank a rank
     * @param lane a lane
     * @param sends what it sends there, else what it receives
     * @return its steps, in their order
     */
    Strand GetStrand(uint32_t rank, uint32_t lane, bool sends) const;

    /**
     * @param a id of a step
     * @param b id of a step
     * @return whether they handle the same chunks
     */
    bool HaveSameChunks(uint32_t a, uint32_t b) const;

    /**
     * @param id id of a step
     * @return e.g. "step 3 of rank 0"
     */
    std::string GetName(uint32_t id) const;

    /**
     * @param id id of a step
     * @return e.g. "chunk 2" or "chunks 2-3"
     */
    std::string GetChunks(uint32_t id) const;

    /**
     * @param step a step
     * @return where it stands
     */
    std::string GetWhere(const ListedStep& step) const;

  private:
    /// Refuse numbers of the whole list that are out of their range.
    void CheckHead() const;
    /**
     * Refuse numbers out of their range.
     *
     * @param step a step
     */
    void CheckStep(const ListedStep& step) const;
    /// Sort the steps, and refuse missing and doubled ones.
    void Number();
    /// Find the strands.
    void FindStrands();
    /// Pair sends and receives.
    void Pair();
    /**
     * @param sends what a rank sends to another
     * @param receives what that one receives from it
     */
    void Pair(const Strand& sends, const Strand& receives);
    /**
     * @param a id of a step
     * @param b id of a step
     * @return whether a comes before b when they are sorted by strand
     */
    bool IsBefore(uint32_t a, uint32_t b) const;

    ListedSchedule m_schedule;        //!< the list
    std::vector<uint32_t> m_first;    //!< id of the first step of each rank, and of rank p
    std::vector<uint32_t> m_byStrand; //!< ids, strand by strand
    std::vector<uint32_t> m_place;    //!< place in its strand, by id
    std::vector<uint32_t> m_previous; //!< step before in the strand, by id
    std::vector<uint32_t> m_mate;     //!< step at the other end, by id
};

} // namespace llmfabric
} // namespace ns3

#endif /* LISTED_PROGRAM_H */
