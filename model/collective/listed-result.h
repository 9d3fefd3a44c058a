/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LISTED_RESULT_H
#define LISTED_RESULT_H

#include "listed-chunks.h"
#include "listed-uses.h"

#include <bitset>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Does a list with sets of ranks in place of values, chunk by chunk: the set of a chunk on a rank
 * has those whose values are in it.
 */
class ListedResult
{
  public:
    /**
     * @param program a list whose result depends on no order that is left open
     * @param uses who handles which chunk, each step after all that it waits for
     */
    ListedResult(const ListedProgram& program, const ListedUses& uses);

    /**
     * @throws UserError if a rank sends, or adds to, what it does not have, adds a value twice, or
     *         ends without what the op promises it
     */
    void Check();

  private:
    /// The ranks whose values are in a chunk.
    using Values = std::bitset<ListedSchedule::MAX_RANKS>;

    /**
     * @param chunk a chunk
     */
    void Check(uint32_t chunk);
    /**
     * Do a step for a chunk.
     *
     * @param chunk the chunk
     * @param id id of the step
     */
    void Do(uint32_t chunk, uint32_t id);
    /**
     * @param chunk a chunk
     * @param rank a rank that must have all of it
     * @param all the values that there are
     */
    void CheckEnd(uint32_t chunk, uint32_t rank, const Values& all) const;
    /**
     * @param id id of the step that is wrong
     * @param what what is wrong with it
     * @param action what to do about it
     */
    [[noreturn]] void Refuse(uint32_t id, const std::string& what, const std::string& action) const;
    /**
     * @param values some values
     * @return e.g. "rank 0" or "ranks 0, 1, 2 and 5 others"
     */
    static std::string List(const Values& values);

    const ListedProgram& m_program;                //!< the list
    const ListedUses& m_uses;                      //!< who handles which chunk
    ListedChunks m_chunks;                         //!< what the op promises
    std::vector<Values> m_held;                    //!< what each rank has of a chunk
    std::unordered_map<uint32_t, Values> m_moving; //!< what was sent and not taken, by receive
};

} // namespace llmfabric
} // namespace ns3

#endif /* LISTED_RESULT_H */
