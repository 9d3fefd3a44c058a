/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "cluster-costs.h"

#include "scenario-network.h"
#include "topology-builder.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-frame.h"
#include "ns3/gpu-node.h"
#include "ns3/nvlink-switch.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

namespace
{

/** What a way through the network takes. */
struct Way
{
    uint32_t links{0}; //!< how many there are
    Time delay;        //!< their delays together
};

/**
 * @param plan a network
 * @return the longest of the shortest ways from its first server to others
 */
Way
FindLongestWay(const TopologyPlan& plan)
{
    std::map<uint32_t, std::vector<std::pair<uint32_t, Time>>> neighbors;
    for (const PlannedLink& link : plan.links)
    {
        neighbors[link.nodeA].emplace_back(link.nodeB, link.delay);
        neighbors[link.nodeB].emplace_back(link.nodeA, link.delay);
    }
    std::map<uint32_t, Way> reached{{0, {}}};
    std::vector<uint32_t> queue{0};
    Way longest;
    for (std::size_t i = 0; i < queue.size(); ++i)
    {
        const Way way = reached.at(queue[i]);
        if (queue[i] < plan.nodeCount && i > 0)
        {
            longest = way.delay > longest.delay ? way : longest;
            continue; // servers do not forward
        }
        for (const auto& [next, delay] : neighbors[queue[i]])
        {
            if (reached.emplace(next, Way{way.links + 1, way.delay + delay}).second)
            {
                queue.push_back(next);
            }
        }
    }
    return longest;
}

/**
 * @param plan a network
 * @param mtu payload bytes of a full packet
 * @param ends what the two GPUs, buses and NICs add
 * @return what a message between nodes costs
 */
LinkCost
MakeFar(const TopologyPlan& plan, uint32_t mtu, Time ends)
{
    const Way way = FindLongestWay(plan);
    DataRate rate = plan.links.front().rate;
    for (const PlannedLink& link : plan.links)
    {
        rate = std::min(rate, link.rate);
    }
    const uint32_t packet = mtu + DATA_OVERHEAD_BYTES;
    const Time stored = rate.CalculateBytesTxTime(packet) * (std::max(way.links, 1U) - 1);
    const double bandwidth = static_cast<double>(rate.GetBitRate()) / 8 * mtu / packet;
    return {ends + way.delay + stored, bandwidth};
}

/**
 * @param rate of NVLink
 * @param delay of NVLink
 * @return what a message in a node costs
 */
LinkCost
MakeNear(DataRate rate, Time delay)
{
    return {delay, static_cast<double>(rate.GetBitRate()) / 8};
}

/**
 * @param object an object
 * @param name an attribute that is a time
 * @return its value
 */
Time
GetTime(const Ptr<Object>& object, const std::string& name)
{
    TimeValue value;
    object->GetAttribute(name, value);
    return value.Get();
}

/**
 * @param nic a NIC
 * @param gpus a server
 * @return what PCIe and the NICs add to a message, both ends together
 */
Time
GetEnds(const Ptr<RoceNic>& nic, const Ptr<GpuNode>& gpus)
{
    return gpus->GetPcieLatency() * 2 + GetTime(nic, "TransmitLatency") +
           GetTime(nic, "ReceiveLatency");
}

} // namespace

ClusterCosts
ClusterCosts::Of(const Fabric& fabric)
{
    const Ptr<GpuNode> gpus = fabric.nodes.Get(0)->GetObject<GpuNode>();
    DataRateValue rate;
    gpus->GetNvlink()->GetAttribute("Rate", rate);
    UintegerValue mtu;
    fabric.nics.front()->GetAttribute("Mtu", mtu);
    ClusterCosts costs;
    costs.near = MakeNear(rate.Get(), GetTime(gpus->GetNvlink(), "Delay"));
    costs.far =
        MakeFar(fabric.plan, static_cast<uint32_t>(mtu.Get()), GetEnds(fabric.nics.front(), gpus));
    costs.gpusPerNode = gpus->GetGpus();
    costs.nicsPerNode = fabric.plan.nicsPerNode;
    return costs;
}

ClusterCosts
ClusterCosts::Of(const Scenario& scenario)
{
    const Scenario::Cluster& cluster = scenario.cluster;
    const TopologyPlan plan = TopologyBuilder::Create(cluster.topology)
                                  ->Build(ScenarioNetwork(scenario).MakeTopologySpec());
    ClusterCosts costs;
    costs.near = MakeNear(cluster.nvlink.rate, cluster.nvlink.delay);
    costs.far =
        MakeFar(plan, scenario.nic.mtu, GetEnds(CreateObject<RoceNic>(), CreateObject<GpuNode>()));
    costs.gpusPerNode = cluster.gpusPerNode;
    costs.nicsPerNode = cluster.nicsPerNode;
    return costs;
}

CollectiveLayout
ClusterCosts::MakeLayout(const RankGroup& group) const
{
    std::vector<CollectiveLayout::Place> places;
    for (uint32_t i = 0; i < group.GetSize(); ++i)
    {
        const uint32_t gpu = group.GetRank(i);
        const uint32_t nic = GpuNode::GetNicIndexOf(gpu % gpusPerNode, gpusPerNode, nicsPerNode);
        places.push_back({gpu / gpusPerNode, nic});
    }
    return CollectiveLayout(places);
}

} // namespace llmfabric
} // namespace ns3
