/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LISTED_CHUNKS_H
#define LISTED_CHUNKS_H

#include "chunk-grid.h"
#include "collective-lane.h"
#include "collective-task.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The chunks of a list: which ranks have and get each of them, and which bytes it is.
 *
 *     op              chunks n           chunk c is given by    and goes to
 *     allreduce       any                all                    all
 *     reducescatter   k p                all                    c / k
 *     allgather       k p                c / k                  all
 *     broadcast       any                0, the root            all
 *     reduce          any                all                    0, the root
 *     alltoall        k p p              c / k / p              c / k mod p
 *
 * All but an All-to-All cut the payload in n, as PayloadSplit does. Of an All-to-All each part from
 * one rank to another is cut in k.
 */
class ListedChunks
{
  public:
    /**
     * @param op one of GetOps()
     * @param ranks p, at least 1
     * @param chunks n, a multiple of GetUnit()
     */
    ListedChunks(const std::string& op, uint32_t ranks, uint32_t chunks);

    /// @return the ops that lists can do
    static const std::vector<std::string>& GetOps();

    /**
     * @param op one of GetOps()
     * @param ranks p
     * @return a number of which n must be a multiple
     */
    static uint64_t GetUnit(const std::string& op, uint32_t ranks);

    /**
     * @param chunk a chunk
     * @return the only rank that has something of it in the beginning; none: all have
     */
    std::optional<uint32_t> GetGiver(uint32_t chunk) const;

    /**
     * @param chunk a chunk
     * @return the only rank that must have it in the end; none: all must
     */
    std::optional<uint32_t> GetTaker(uint32_t chunk) const;

    /**
     * @return whether rank 0 of the list is the root, whichever rank that is
     */
    bool HasRoot() const;

    /**
     * @param task an op
     * @param first a chunk
     * @param count chunks, at least 1
     * @return where the first begins (of an All-to-All, in the payload of its giver), and the size
     *         of all
     */
    ByteRange GetRange(const CollectiveTask& task, uint32_t first, uint32_t count) const;

    /**
     * @param task an op
     * @param first a chunk
     * @param count chunks, at least 1
     * @return the bytes
     */
    std::vector<DataPiece> GetPieces(const CollectiveTask& task,
                                     uint32_t first,
                                     uint32_t count) const;

  private:
    /// Which op it is.
    enum class Kind
    {
        ALL_REDUCE,
        REDUCE_SCATTER,
        ALL_GATHER,
        BROADCAST,
        REDUCE,
        ALL_TO_ALL
    };

    /**
     * @param task an All-to-All
     * @param chunk a chunk
     * @return its size, bytes
     */
    uint64_t GetBytes(const CollectiveTask& task, uint32_t chunk) const;

    /**
     * @param task an All-to-All
     * @param chunk a chunk
     * @return the bytes
     */
    DataPiece GetPiece(const CollectiveTask& task, uint32_t chunk) const;

    Kind m_kind;       //!< the op
    uint32_t m_ranks;  //!< p
    uint32_t m_chunks; //!< n
    uint32_t m_each;   //!< k, chunks of a part
};

} // namespace llmfabric
} // namespace ns3

#endif /* LISTED_CHUNKS_H */
