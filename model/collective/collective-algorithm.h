/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_ALGORITHM_H
#define COLLECTIVE_ALGORITHM_H

#include "collective-state.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * What one rank knows of the op that it takes part in.
 */
struct CollectiveTask
{
    uint32_t rank{0};    //!< index of this rank in its group, from 0
    uint32_t ranks{1};   //!< p, members of the group
    uint64_t payload{0}; //!< M, bytes; see CollectiveAlgorithm

    /// Of an All-to-All with unequal parts: bytes from one member to another, indices in the group.
    /// Null for even parts. All members must be told the same.
    std::function<uint64_t(uint32_t from, uint32_t to)> bytes{};
};

/**
 * @ingroup llm-fabric
 * Stage 4: a way to do a collective op, e.g. AllReduce by a ring.
 *
 * It has no state of its own; for each rank and op it makes a CollectiveState. Payloads are counted
 * as nccl-tests does: M is the tensor that each rank holds before an AllReduce or a ReduceScatter,
 * that each rank holds after an AllGather, or what a rank of an All-to-All shares out, its own part
 * included.
 *
 * Ops go by the words of the scenario ("allreduce"), which the workload's ops have too.
 */
class CollectiveAlgorithm
{
  public:
    virtual ~CollectiveAlgorithm() = default;

    /**
     * @return the op that it does, as scenarios call it, e.g. "allreduce"
     */
    virtual std::string GetOp() const = 0;

    /**
     * @return its name, as scenarios call it, e.g. "ring"; unique among the algorithms of an op
     */
    virtual std::string GetName() const = 0;

    /**
     * @param task what the rank knows of the op; rank is below ranks
     * @return the rank's part in the op, not started
     */
    virtual std::unique_ptr<CollectiveState> CreateState(const CollectiveTask& task) const = 0;
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_ALGORITHM_H */
