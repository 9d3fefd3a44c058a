/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LISTED_RACES_H
#define LISTED_RACES_H

#include "listed-uses.h"

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Looks for steps of a rank that handle the same chunk in an order that is left open, although it
 * makes a difference: a chunk is replaced, or added to, while it is sent; or replaced while it is
 * replaced or added to. Sends of a chunk may come in any order, and so may additions to it.
 *
 * One step comes before another by the order of a strand, by "after", and by messages of other
 * ranks as long as they carry the chunk. Other messages don't count, because a small payload leaves
 * chunks empty, which are not sent.
 */
class ListedRaces
{
  public:
    /**
     * @param program a list
     * @param order the ids of its steps, each after all that it waits for
     * @param uses who handles which chunk, in that order
     */
    ListedRaces(const ListedProgram& program,
                const std::vector<uint32_t>& order,
                const ListedUses& uses);

    /**
     * @throws UserError if the order of two steps is left open
     */
    void Check();

  private:
    /// A bit for each step of a rank.
    using Row = std::vector<uint64_t>;

    /**
     * Find out which uses of a rank come before which, as far as it is said on the rank.
     *
     * @param rank a rank
     */
    void FindLocalOrder(uint32_t rank);
    /**
     * @param rank a rank
     * @return for each of its steps those before it
     */
    std::vector<Row> FindBefore(uint32_t rank) const;
    /**
     * @param rank a rank
     * @param chunk a chunk
     * @param steps its steps that handle the chunk, by increasing number
     * @param before for each of its steps those before it
     */
    void AddLocalOrder(uint32_t rank,
                       uint32_t chunk,
                       const std::vector<uint32_t>& steps,
                       const std::vector<Row>& before);
    /**
     * @param chunk a chunk
     * @param steps ids of the steps of one rank that handle it, in order
     */
    void CheckRank(uint32_t chunk, const std::vector<uint32_t>& steps);
    /**
     * @param chunk a chunk
     * @param id id of a step that handles it
     * @param earlier ids of other steps that handle it
     */
    void CheckAfter(uint32_t chunk, uint32_t id, const std::vector<uint32_t>& earlier);
    /**
     * @param chunk a chunk
     * @param id id of a step that handles it
     * @param earlier ids of steps to mark if they come before it
     */
    void MarkBefore(uint32_t chunk, uint32_t id, const std::vector<uint32_t>& earlier);

    const ListedProgram& m_program;   //!< the list
    const ListedUses& m_uses;         //!< who handles which chunk
    std::vector<uint32_t> m_position; //!< place in the order, by id
    std::vector<uint32_t> m_marks;    //!< number of the last search that came to it, by id
    uint32_t m_searches{0};           //!< searches so far
    std::vector<uint32_t> m_next;     //!< steps of a search to look at
    /// Ids of the steps of the rank just before a use, by use.
    std::vector<boost::container::small_vector<uint32_t, 2>> m_before;
};

} // namespace llmfabric
} // namespace ns3

#endif /* LISTED_RACES_H */
