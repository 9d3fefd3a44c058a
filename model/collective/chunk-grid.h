/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHUNK_GRID_H
#define CHUNK_GRID_H

#include "payload-split.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @param whole bytes to cut
 * @param pieces n, at least 1
 * @param index i, below n
 * @return piece i of n whose sizes differ by one byte at most, as PayloadSplit cuts them
 */
ByteRange Cut(const ByteRange& whole, uint32_t pieces, uint32_t index);

/**
 * @ingroup llm-fabric
 * A payload as loops send it: cut in parts that each have an owner, each part in shares of the
 * channels, each share in chunks, of which a loop takes one.
 *
 * A loop so sends up to channels * owners * chunk bytes, as NCCL's loops do.
 */
class ChunkGrid
{
  public:
    /// Loops that are alike.
    struct Run
    {
        double loops; //!< how many
        double bytes; //!< what each takes of a part, all channels together, on average over parts
    };

    /**
     * @param payload M, bytes
     * @param owners parts, at least 1
     * @param channels shares of a part, at least 1
     * @param chunk bytes of a chunk, at least 1
     */
    ChunkGrid(uint64_t payload, uint32_t owners, uint32_t channels, uint64_t chunk);

    /**
     * @return loops of each channel; 0 if there are no bytes
     */
    uint64_t GetLoops() const;

    /**
     * @return the loops as formulas see them: those that are full, if any, then the last one;
     * nothing if there are no bytes
     */
    std::vector<Run> GetRuns() const;

    /**
     * @param owner number of a part
     * @param channel number of a share
     * @param loop number of a loop
     * @return the chunk, which may be empty
     */
    ByteRange GetRange(uint32_t owner, uint32_t channel, uint64_t loop) const;

  private:
    PayloadSplit m_parts; //!< the parts
    uint32_t m_channels;  //!< shares of a part
    uint64_t m_chunk;     //!< bytes of a chunk
};

} // namespace llmfabric
} // namespace ns3

#endif /* CHUNK_GRID_H */
