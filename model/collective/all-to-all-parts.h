/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ALL_TO_ALL_PARTS_H
#define ALL_TO_ALL_PARTS_H

#include "collective-lane.h"
#include "collective-task.h"
#include "payload-split.h"

#include <cstdint>
#include <functional>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * What each member of an All-to-All has for each other: even parts of the payload, or those that
 * the task tells (All-to-All-V). Each part is cut in shares of the channels.
 *
 * Lanes share it, so that each takes O(1) memory of its own.
 */
class AllToAllParts
{
  public:
    /**
     * @param task an All-to-All
     */
    explicit AllToAllParts(const CollectiveTask& task);

    /**
     * @return whether the size of a part depends on its receiver only
     */
    bool IsEven() const
    {
        return !m_bytes;
    }

    /**
     * @param channel a channel
     * @param from a member
     * @param to a member
     * @return the channel's share of what goes from one to the other, bytes
     */
    uint64_t GetBytes(uint32_t channel, uint32_t from, uint32_t to) const;

    /**
     * O(p) if the parts are uneven.
     *
     * @param channel a channel
     * @param from a member
     * @param to a member
     * @return where that share is
     */
    DataPiece GetPiece(uint32_t channel, uint32_t from, uint32_t to) const;

  private:
    PayloadSplit m_even;                                 //!< even parts, by receiver
    std::function<uint64_t(uint32_t, uint32_t)> m_bytes; //!< uneven parts, or null
    uint32_t m_channels;                                 //!< channels that share a part
};

} // namespace llmfabric
} // namespace ns3

#endif /* ALL_TO_ALL_PARTS_H */
