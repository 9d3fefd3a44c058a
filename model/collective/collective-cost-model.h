/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_COST_MODEL_H
#define COLLECTIVE_COST_MODEL_H

#include "collective-algorithm.h"
#include "collective-config.h"

#include "ns3/nstime.h"

#include <optional>
#include <string>

namespace ns3
{
namespace llmfabric
{

/// What a message pays on its way, one way.
struct LinkCost
{
    Time latency{0};     //!< from the first bit sent to the first bit received
    double bandwidth{0}; //!< payload bytes per second; 0: no limit
};

/**
 * @ingroup llm-fabric
 * How long a collective op takes on idle links, by formula, as NCCL's src/graph/tuning.cc does it:
 * t = latency + bytes / bandwidth for each algorithm and protocol. But what a link costs is told by
 * the cluster, not measured, and what an algorithm sends is its own CollectiveCost:
 *
 *     t = base + grant + sum over phases of rounds * max(
 *             latency + step + sent(slice) / bandwidth + reduction,
 *             sent(nearBytes) / near bandwidth,
 *             sent(farBytes) / far bandwidth)
 *
 * base and step are the protocol's start-up costs, sent() adds its flags; grant is the latency of
 * the first clear-to-send on its way back, if connections have slots. A reduction goes at the rate
 * of one channel, and at the GPU's rate over all channels if that is less.
 */
class CollectiveCostModel
{
  public:
    /**
     * @param near what a message within a node pays; its bandwidth is that of a GPU
     * @param far what a message between nodes pays; its bandwidth is that of a NIC
     * @param config how ranks do their collectives
     */
    CollectiveCostModel(const LinkCost& near, const LinkCost& far, const CollectiveConfig& config);

    /**
     * @param algorithm an algorithm
     * @param layout where the members of a group are
     * @param protocol a protocol
     * @return why they can't do an op together there, as the end of a sentence; empty if they can
     */
    static std::string FindObstacle(const CollectiveAlgorithm& algorithm,
                                    const CollectiveLayout& layout,
                                    CollectiveProtocol protocol);

    /**
     * @param algorithm an algorithm
     * @param task an op with its cut; its rank is of no concern
     * @param protocol how slices are moved
     * @return from the start on all ranks to the end on the last one; 0 of an op without bytes or
     *         with one rank; none if there is an obstacle or the algorithm tells no cost
     */
    std::optional<Time> GetTime(const CollectiveAlgorithm& algorithm,
                                const CollectiveTask& task,
                                CollectiveProtocol protocol) const;

  private:
    /// What does the op: chooses latencies and counts of bytes.
    struct Means
    {
        const CollectiveTask& task;  //!< the op
        CollectiveProtocol protocol; //!< how slices are moved
        LatencyRow row;              //!< whose start-up costs the algorithm has
    };

    /**
     * @param phase a phase
     * @param means what does the op
     * @return what one of its rounds takes, ticks
     */
    double GetRound(const CostPhase& phase, const Means& means) const;

    /**
     * @param phase a phase that reduces
     * @param cut how the payload is cut
     * @param layout where the members of the group are
     * @return what the reduction of its slice takes, ticks
     */
    double GetReduction(const CostPhase& phase,
                        const CollectiveCut& cut,
                        const CollectiveLayout& layout) const;

    /**
     * @param cut how the payload is cut
     * @return at which rate each channel adds while all do, bytes per second; 0: no limit
     */
    double GetReductionRate(const CollectiveCut& cut) const;

    /**
     * @param cost what an op costs
     * @return what its first clear-to-send takes, ticks
     */
    double GetGrant(const CollectiveCost& cost) const;

    LinkCost m_near;           //!< of messages within a node
    LinkCost m_far;            //!< of messages between nodes
    CollectiveConfig m_config; //!< how ranks do their collectives
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_COST_MODEL_H */
