/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_COST_H
#define COLLECTIVE_COST_H

#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Rounds of an algorithm that are alike: in each of them a message goes from one rank to another,
 * and only then the next round can begin. "Near" is within a node, "far" between nodes.
 *
 * The cost model takes for each round the longest of
 *
 *     latency + slice / bandwidth             of the near or far message of the round
 *     nearBytes / near bandwidth              the busiest GPU is busy as long
 *     farBytes / far bandwidth                and so is the busiest NIC
 *     the same bytes / rate of additions      where a GPU adds what it receives
 *
 * so that messages which are cut in slices hide the latency, as they do on a network.
 */
struct CostPhase
{
    double rounds{0};    //!< how many rounds there are, one after the other
    bool far{false};     //!< the messages go between nodes
    double slice{0};     //!< bytes on a link until a message may go on: its first slice
    double nearBytes{0}; //!< bytes that the busiest GPU sends or receives in its node, in a round
    double farBytes{0};  //!< bytes that the busiest NIC sends or receives in a round
    bool reduces{false}; //!< the slice is added to what the receiver holds before it goes on
};

/// What an algorithm costs, as the cost model sees it: phases one after the other.
using CollectiveCost = std::vector<CostPhase>;

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_COST_H */
