/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-fixture.h"

#include "ns3/user-error.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/**
 * @param leaves leaf switches
 * @param spines spine switches
 * @param hostsPerLeaf hosts at a leaf
 * @param nicsPerNode NICs of a server
 * @return what a leaf-spine network is made from
 */
TopologySpec
LeafSpine(uint32_t leaves, uint32_t spines, uint32_t hostsPerLeaf, uint32_t nicsPerNode = 1)
{
    TopologySpec spec;
    spec.nodes = leaves * hostsPerLeaf / nicsPerNode;
    spec.nicsPerNode = nicsPerNode;
    spec.leaves = leaves;
    spec.spines = spines;
    spec.hostsPerLeaf = hostsPerLeaf;
    return spec;
}

/**
 * @param k ports of a switch
 * @return what a fat-tree is made from
 */
TopologySpec
FatTree(uint32_t k)
{
    TopologySpec spec;
    spec.nodes = k * k * k / 4;
    spec.k = k;
    return spec;
}

/**
 * @param name name of a topology
 * @param spec what it is made from
 * @return the plan
 */
TopologyPlan
Plan(const std::string& name, const TopologySpec& spec)
{
    return TopologyBuilder::Create(name)->Build(spec);
}

/// Networks as the builders draw them.
class TopologyTest : public FabricTest
{
  protected:
    /**
     * @param name name of a topology
     * @param spec what it is made from
     * @return the network, with all its ports listened to
     */
    Fabric Make(const std::string& name, const TopologySpec& spec)
    {
        return Make(Plan(name, spec));
    }

    /**
     * @param plan a plan
     * @return the network, with all its ports listened to
     */
    Fabric Make(const TopologyPlan& plan)
    {
        const Fabric fabric = helper.Create(plan);
        for (const Ptr<FabricPort>& port : fabric.GetPorts())
        {
            hops.Listen(port);
        }
        return fabric;
    }

    /**
     * One packet from each host to each other, long apart.
     *
     * @param fabric the network
     * @return links that each data packet crossed, by source and destination host
     */
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> MeasurePaths(const Fabric& fabric)
    {
        std::vector<FlowSpec> flows;
        for (uint32_t from = 0; from < fabric.nics.size(); ++from)
        {
            for (uint32_t to = 0; to < fabric.nics.size(); ++to)
            {
                if (from != to)
                {
                    flows.push_back({from, to, 1000, MicroSeconds(50 * flows.size())});
                }
            }
        }
        RunFlows(fabric, flows);
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> links;
        const uint32_t base = FabricHelper::AddressOf(0).Get();
        for (const HopRow& row : hops.rows)
        {
            if (row.frame.kind == FrameKind::DATA)
            {
                ++links[{row.frame.source - base, row.frame.destination - base}];
            }
        }
        EXPECT_EQ(links.size(), flows.size());
        return links;
    }

    /**
     * @param nodes a kind of switches
     * @return the ports of them that have sent data
     */
    std::set<FabricPort*> FindSendingPorts(const std::vector<Ptr<FabricSwitch>>& switches) const
    {
        std::set<FabricPort*> ports;
        for (const HopRow& row : hops.rows)
        {
            for (const Ptr<FabricSwitch>& device : switches)
            {
                const auto& own = device->GetPorts();
                const bool found = std::find(own.begin(), own.end(), row.port) != own.end();
                if (found && row.frame.kind == FrameKind::DATA)
                {
                    ports.insert(row.port);
                }
            }
        }
        return ports;
    }

    HopRecorder hops; //!< listens to all ports
};

/**
 * @param name name of a topology
 * @param spec what it would be made from
 * @return the complaint, or "none"
 */
std::string
ComplaintAbout(const std::string& name, const TopologySpec& spec)
{
    try
    {
        Plan(name, spec);
    }
    catch (const UserError& error)
    {
        return error.what();
    }
    return "none";
}

/// Uneven traffic between the 16 hosts of a fat-tree with k = 4.
std::vector<FlowSpec>
MakeTraffic()
{
    std::vector<FlowSpec> flows;
    for (uint32_t host = 0; host < 16; ++host)
    {
        flows.push_back({host, (host + 5) % 16, 400000 + host, MicroSeconds(host % 3)});
        flows.push_back({host, (host + 9) % 16, 200000, Time(0)});
        if (host != 6)
        {
            flows.push_back({host, 6, 300000, MicroSeconds(2)});
        }
    }
    return flows;
}

} // namespace

TEST_F(TopologyTest, SingleSwitchHasAPortForEachHost)
{
    TopologySpec spec;
    spec.nodes = 5;
    spec.nicsPerNode = 2;
    const Fabric fabric = Make("single-switch", spec);
    EXPECT_EQ(fabric.nodes.GetN(), 5U);
    EXPECT_EQ(fabric.nics.size(), 10U);
    ASSERT_EQ(fabric.switches.size(), 1U);
    EXPECT_EQ(fabric.switches[0]->GetPorts().size(), 10U);
    EXPECT_EQ(fabric.GetPorts().size(), 20U);
    EXPECT_EQ(fabric.plan.links.size(), 10U);
}

TEST_F(TopologyTest, LeafSpineHasALinkFromEachLeafToEachSpine)
{
    const Fabric fabric = Make("leaf-spine", LeafSpine(4, 3, 8));
    EXPECT_EQ(fabric.nodes.GetN(), 32U);
    EXPECT_EQ(fabric.switchNodes.GetN(), 7U);
    EXPECT_EQ(fabric.plan.links.size(), 32U + 12U);
    for (std::size_t i = 0; i < fabric.switches.size(); ++i)
    {
        EXPECT_EQ(fabric.switches[i]->GetPorts().size(), i < 4 ? 11U : 4U);
    }
}

TEST_F(TopologyTest, FatTreeHasTheCountsOfThePaper)
{
    for (const uint32_t k : {2U, 4U, 6U, 8U})
    {
        const Fabric fabric = helper.Create(Plan("fat-tree", FatTree(k)));
        EXPECT_EQ(fabric.nodes.GetN(), k * k * k / 4);
        EXPECT_EQ(fabric.switches.size(),
                  5 * k * k / 4); // (k/2)^2 core, k^2/2 of either other kind
        EXPECT_EQ(fabric.plan.links.size(), 3 * k * k * k / 4);
        for (const Ptr<FabricSwitch>& device : fabric.switches)
        {
            EXPECT_EQ(device->GetPorts().size(), k);
        }
        EndSimulation();
    }
}

TEST_F(TopologyTest, HostsStandInTheOrderOfLeavesPortsAndAddresses)
{
    const Fabric fabric = Make("leaf-spine", LeafSpine(3, 2, 4, 2));
    ASSERT_EQ(fabric.nics.size(), 12U);
    for (uint32_t host = 0; host < 12; ++host)
    {
        Ptr<FabricPort> port = fabric.nics[host]->GetPort();
        EXPECT_EQ(port->GetIpv4Address(), Ipv4Address(0x0a000001 + host));
        EXPECT_EQ(port->GetNode(), fabric.nodes.Get(host / 2));
        EXPECT_EQ(port->GetFabricId(), host / 2);
        EXPECT_EQ(port->GetPortIndex(), host % 2);
        EXPECT_EQ(port->GetPeer(), fabric.switches[host / 4]->GetPorts()[host % 4]);
        EXPECT_FALSE(port->IsSwitchPort());
        EXPECT_TRUE(port->GetPeer()->IsSwitchPort());
    }
}

TEST_F(TopologyTest, LeafSpinePathsHaveTwoOrFourLinks)
{
    for (const auto& [pair, links] : MeasurePaths(Make("leaf-spine", LeafSpine(3, 2, 3))))
    {
        EXPECT_EQ(links, pair.first / 3 == pair.second / 3 ? 2U : 4U)
            << pair.first << " to " << pair.second;
    }
}

TEST_F(TopologyTest, FatTreePathsHaveTwoFourOrSixLinks)
{
    for (const auto& [pair, links] : MeasurePaths(Make("fat-tree", FatTree(4))))
    {
        const bool sameEdge = pair.first / 2 == pair.second / 2;
        const bool samePod = pair.first / 4 == pair.second / 4;
        EXPECT_EQ(links, sameEdge ? 2U : samePod ? 4U : 6U) << pair.first << " to " << pair.second;
    }
}

TEST_F(TopologyTest, FatTreeUsesAllEqualPaths)
{
    const Fabric fabric = Make("fat-tree", FatTree(4));
    RunFlows(fabric, std::vector<FlowSpec>(64, {0, 15, 5000, Time(0)}));
    std::map<std::string, std::vector<Ptr<FabricSwitch>>> byKind;
    for (std::size_t i = 0; i < fabric.switches.size(); ++i)
    {
        const std::string& name = fabric.plan.nodes[16 + i].name;
        byKind[name.substr(0, name.find('-'))].push_back(fabric.switches[i]);
    }
    // up: 2 ports of the edge, 2 of each of the 2 aggregations; down: 4 cores, 2 aggregations, edge
    EXPECT_EQ(FindSendingPorts(byKind.at("edge")).size(), 2U + 1U);
    EXPECT_EQ(FindSendingPorts(byKind.at("aggregation")).size(), 4U + 2U);
    EXPECT_EQ(FindSendingPorts(byKind.at("core")).size(), 4U);
}

TEST_F(TopologyTest, ParallelLinksAreAllUsed)
{
    const DataRate rate("100Gbps");
    const Time delay = MicroSeconds(1);
    TopologyPlan plan;
    plan.nodeCount = 2;
    plan.nodes = {{0, false, "a"}, {1, false, "b"}, {2, true, "left"}, {3, true, "right"}};
    plan.links = {{0, 0, 2, 0, rate, delay},
                  {1, 0, 3, 0, rate, delay},
                  {2, 1, 3, 1, rate, delay},
                  {2, 2, 3, 2, rate, delay},
                  {2, 3, 3, 3, rate, delay}};
    const Fabric fabric = Make(plan);
    RunFlows(fabric, std::vector<FlowSpec>(64, {0, 1, 5000, Time(0)}));
    EXPECT_EQ(FindSendingPorts({fabric.switches[0]}).size(), 3U);
    EXPECT_EQ(FindSendingPorts({fabric.switches[1]}).size(), 1U);
}

TEST_F(TopologyTest, CountsThatDisagreeAreUserErrors)
{
    TopologySpec leafSpine = LeafSpine(4, 2, 8);
    leafSpine.nodes = 31;
    EXPECT_NE(ComplaintAbout("leaf-spine", leafSpine).find("31"), std::string::npos);
    TopologySpec fatTree = FatTree(4);
    fatTree.nodes = 17;
    EXPECT_NE(ComplaintAbout("fat-tree", fatTree).find("17"), std::string::npos);
    fatTree.nodes = 16;
    fatTree.nicsPerNode = 2;
    EXPECT_NE(ComplaintAbout("fat-tree", fatTree), "none");
    TopologySpec empty;
    empty.nodes = 0;
    EXPECT_NE(ComplaintAbout("single-switch", empty), "none");
    empty.nodes = 1;
    empty.nicsPerNode = 0;
    EXPECT_NE(ComplaintAbout("single-switch", empty), "none");
}

TEST_F(TopologyTest, CountsThatMakeNoNetworkAreUserErrors)
{
    TopologySpec spec; // two nodes, all other counts 0
    EXPECT_NE(ComplaintAbout("leaf-spine", spec), "none");
    EXPECT_NE(ComplaintAbout("fat-tree", spec), "none");
    EXPECT_NE(ComplaintAbout("leaf-spine", LeafSpine(2, 0, 1)), "none"); // leaves apart
    EXPECT_EQ(ComplaintAbout("leaf-spine", LeafSpine(1, 0, 2)), "none");
    TopologySpec odd;
    odd.k = 3;
    odd.nodes = 3 * 3 / 4 * 3;
    EXPECT_NE(ComplaintAbout("fat-tree", odd), "none");
}

TEST_F(TopologyTest, AnUnknownTopologyIsAUserError)
{
    EXPECT_NE(ComplaintAbout("torus", FatTree(4)).find("torus"), std::string::npos);
}

TEST_F(TopologyTest, OtherNodesChangeNothing)
{
    const std::vector<FlowSpec> flows = MakeTraffic();
    const std::vector<int64_t> alone = RunFlows(Make("fat-tree", FatTree(4)), flows);
    EndSimulation();
    NodeContainer others(7);
    const std::vector<int64_t> together = RunFlows(Make("fat-tree", FatTree(4)), flows);
    EXPECT_EQ(alone, together);
}

TEST_F(TopologyTest, TheOrderOfNodesLinksAndFlowsChangesNothing)
{
    const std::vector<FlowSpec> flows = MakeTraffic();
    const std::vector<int64_t> sorted = RunFlows(Make("fat-tree", FatTree(4)), flows);
    EndSimulation();
    std::mt19937 random(7);
    TopologyPlan plan = Plan("fat-tree", FatTree(4));
    std::shuffle(plan.nodes.begin(), plan.nodes.end(), random);
    std::shuffle(plan.links.begin(), plan.links.end(), random);
    for (PlannedLink& link : plan.links)
    {
        if (random() % 2)
        {
            std::swap(link.nodeA, link.nodeB);
            std::swap(link.portA, link.portB);
        }
    }
    std::vector<std::size_t> order(flows.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<FlowSpec> shuffled;
    for (const std::size_t flow : order)
    {
        shuffled.push_back(flows[flow]);
    }
    const std::vector<int64_t> mixed = RunFlows(Make(plan), shuffled);
    for (std::size_t i = 0; i < order.size(); ++i)
    {
        EXPECT_EQ(mixed[i], sorted[order[i]]) << "flow " << order[i];
    }
}
