/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CLUSTER_COSTS_H
#define CLUSTER_COSTS_H

#include "fabric-helper.h"
#include "scenario-spec.h"

#include "ns3/collective-cost-model.h"
#include "ns3/collective-layout.h"
#include "ns3/rank-group.h"

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * What the cost model of collectives has to know of a cluster: its latencies and bandwidths, and
 * where its GPUs are. Rank i is on GPU i; GPU numbers run node by node, and the GPUs of a node
 * share its NICs evenly, neighbors first.
 *
 * Between nodes the latency is that of the longest way, from a GPU to the last byte of a packet at
 * the other: PCIe, NICs, the delays of the links, and a full packet on each link but the first; the
 * bandwidth is the rate of a link times MTU / (MTU + 82 bytes of headers). Over NVLink they are its
 * Delay and Rate.
 */
struct ClusterCosts
{
    LinkCost near;           //!< over NVLink
    LinkCost far;            //!< through a NIC
    uint32_t gpusPerNode{1}; //!< GPUs of a node
    uint32_t nicsPerNode{1}; //!< NICs of a node

    /**
     * @param fabric a network that has GPUs
     * @return its costs
     */
    static ClusterCosts Of(const Fabric& fabric);

    /**
     * @param scenario a scenario
     * @return the costs of the network that it describes, attributes by path left out
     */
    static ClusterCosts Of(const Scenario& scenario);

    /**
     * @param group a group of ranks
     * @return where they are
     */
    CollectiveLayout MakeLayout(const RankGroup& group) const;
};

} // namespace llmfabric
} // namespace ns3

#endif /* CLUSTER_COSTS_H */
