/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_TASK_H
#define COLLECTIVE_TASK_H

#include "collective-layout.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * How a payload is cut. All members of a group must be told the same.
 *
 * The defaults are those of NCCL 2.30's protocol Simple: chunkSteps 4 and sliceSteps 2 of a buffer
 * of 4 MiB in 8 steps.
 */
struct CollectiveCut
{
    uint32_t channels{1};       //!< channels that share the payload, at least 1
    uint64_t chunk{2ULL << 20}; //!< bytes of a chunk, at least 1
    uint64_t slice{1ULL << 20}; //!< bytes of a slice, at least 1; a message carries one slice
};

/**
 * @ingroup llm-fabric
 * What one rank knows of the op that it takes part in.
 */
struct CollectiveTask
{
    uint32_t rank{0};                               //!< index of this rank in its group, from 0
    std::shared_ptr<const CollectiveLayout> layout; //!< where the members are
    uint64_t payload{0};                            //!< M, bytes; see CollectiveAlgorithm
    CollectiveCut cut{};                            //!< how it is cut
    uint32_t root{0}; //!< of a Broadcast or Reduce: index of the member that has or gets it

    /// Of an All-to-All with unequal parts: bytes from one member to another, indices in the group.
    /// Null for even parts; else the payload is of no concern. All members must be told the same.
    std::function<uint64_t(uint32_t from, uint32_t to)> bytes{};
    uint32_t bytesId{0}; //!< tells `bytes` of one group and payload apart; 0: it can't be told

    /// @return p, members of the group
    uint32_t GetRanks() const
    {
        return layout->GetSize();
    }
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_TASK_H */
