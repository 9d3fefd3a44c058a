/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PAYLOAD_SPLIT_H
#define PAYLOAD_SPLIT_H

#include "byte-range.h"

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A payload of M bytes cut in p chunks whose sizes differ by one byte at most.
 *
 * Chunk i is bytes floor(i M / p) to floor((i + 1) M / p). There may be fewer bytes than chunks;
 * then some chunks are empty.
 */
class PayloadSplit
{
  public:
    /**
     * @param payload M, bytes
     * @param chunks p, at least 1
     */
    PayloadSplit(uint64_t payload, uint32_t chunks);

    /**
     * @param chunk i, at most p (the end of the payload)
     * @return where chunk i begins, bytes
     */
    uint64_t GetOffset(uint32_t chunk) const;

    /**
     * @param chunk i, below p
     * @return size of chunk i, bytes
     */
    uint64_t GetBytes(uint32_t chunk) const;

    /**
     * @param chunk i, below p
     * @return where chunk i is
     */
    ByteRange GetRange(uint32_t chunk) const;

    /**
     * @return M, bytes
     */
    uint64_t GetPayload() const;

    /**
     * @return p
     */
    uint32_t GetChunks() const;

  private:
    uint64_t m_payload; //!< M, bytes
    uint32_t m_chunks;  //!< p
};

} // namespace llmfabric
} // namespace ns3

#endif /* PAYLOAD_SPLIT_H */
