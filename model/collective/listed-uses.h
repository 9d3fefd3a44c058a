/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LISTED_USES_H
#define LISTED_USES_H

#include "listed-program.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Which steps of a list handle a chunk. A use is a chunk of a step; it has a number.
 */
class ListedUses
{
  public:
    /**
     * @param program a list
     * @param order the ids of its steps, each after all that it waits for
     */
    ListedUses(const ListedProgram& program, const std::vector<uint32_t>& order);

    /// @return uses of all chunks
    uint32_t GetSize() const
    {
        return m_first.back();
    }

    /**
     * @param chunk a chunk
     * @return the ids of the steps of all ranks that handle it, in the order that was given
     */
    const std::vector<uint32_t>& GetSteps(uint32_t chunk) const
    {
        return m_steps[chunk];
    }

    /**
     * @param id id of a step
     * @param chunk a chunk that it handles
     * @return number of the use
     */
    uint32_t GetNumber(uint32_t id, uint32_t chunk) const
    {
        return m_first[id] + chunk - m_program.Get(id).first;
    }

  private:
    const ListedProgram& m_program;             //!< the list
    std::vector<uint32_t> m_first;              //!< number of the first use of a step, by id
    std::vector<std::vector<uint32_t>> m_steps; //!< ids, by chunk
};

} // namespace llmfabric
} // namespace ns3

#endif /* LISTED_USES_H */
