/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_ALGORITHM_H
#define COLLECTIVE_ALGORITHM_H

#include "collective-cost.h"
#include "collective-lane.h"
#include "collective-protocol.h"
#include "collective-task.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Stage 4: a way to do a collective op, e.g. AllReduce by a ring.
 *
 * It has no state of its own; for each rank and op it makes the lanes that a CollectiveState walks.
 * Ops go by the words of the scenario ("allreduce"), which the workload's ops have too. The payload
 * M is counted as nccl-tests does ("size" in its tables):
 *
 *     allreduce       the tensor that each rank holds
 *     reducescatter   the tensor that each rank holds; rank r gets part r of the sum
 *     allgather       the tensor that each rank holds in the end; rank r has part r
 *     broadcast       the tensor of the root, which all get
 *     reduce          the tensor that each rank holds; the root gets the sum
 *     alltoall        what each rank shares out, its own part included; part j goes to rank j
 *     sendrecv        what each rank sends to the next and gets from the one before
 *     barrier         none
 *
 * Parts are cut as PayloadSplit does, but for an All-to-All whose CollectiveTask tells the bytes;
 * then M is of no concern. With one rank, or without bytes, any op but a barrier of several ranks
 * is over when it starts.
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
     * @return whose start-up costs it has; without an override those of a ring
     */
    virtual LatencyRow GetLatencyRow() const;

    /**
     * @param layout where the members of a group are
     * @return why it can't be done there, as the end of a sentence; empty if it can
     */
    virtual std::string GetObstacle(const CollectiveLayout& layout) const;

    /**
     * @param task what the rank knows of the op; rank is below ranks
     * @return the rank's part in the op; lane i of one rank talks to lanes i of others, and is the
     *         same whatever the payload
     */
    virtual std::vector<std::unique_ptr<CollectiveLane>> CreateLanes(
        const CollectiveTask& task) const = 0;

    /**
     * @param task an op; its rank is of no concern
     * @return what the op costs; none if the choice "auto" should not think of this algorithm
     */
    virtual std::optional<CollectiveCost> GetCost(const CollectiveTask& task) const;
};

/**
 * @ingroup llm-fabric
 * Whom a lane sends to or receives from.
 */
struct LanePeer
{
    uint32_t lane;    //!< index of the lane
    uint32_t channel; //!< its channel
    bool channelNic;  //!< it uses the channel's NICs, else those of the GPUs
    uint32_t peer;    //!< the member at the other end
};

/**
 * @param algorithm an algorithm
 * @param task an op of a rank
 * @return each connection that the rank sends on once, by lane, in the order of first use
 */
std::vector<LanePeer> GetPeersToSend(const CollectiveAlgorithm& algorithm,
                                     const CollectiveTask& task);

/**
 * @param algorithm an algorithm
 * @param task an op of a rank
 * @return what the rank sends in the whole op, bytes
 */
uint64_t GetBytesToSend(const CollectiveAlgorithm& algorithm, const CollectiveTask& task);

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_ALGORITHM_H */
