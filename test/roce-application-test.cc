/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// RoceSource and RoceSink, as a script uses them.

#include "simulation-fixture.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/fabric-helper.h"
#include "ns3/roce-sink-helper.h"
#include "ns3/roce-sink.h"
#include "ns3/roce-source-helper.h"
#include "ns3/roce-source.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/topology-builder.h"
#include "ns3/uinteger.h"
#include "ns3/user-error.h"

#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// What trace sources told.
struct Told
{
    std::vector<std::pair<uint64_t, uint64_t>> posted;      //!< number and bytes
    std::vector<uint64_t> complete;                         //!< numbers
    std::vector<std::pair<uint64_t, std::string>> received; //!< bytes and path
};

Told g_told; //!< of this test

void
OnTx(uint64_t number, uint64_t bytes)
{
    g_told.posted.emplace_back(number, bytes);
}

void
OnComplete(std::string /* path */, const TransferResult& result)
{
    g_told.complete.push_back(result.transfer);
}

void
OnRx(std::string path, uint64_t bytes, Ipv4Address /* from */)
{
    g_told.received.emplace_back(bytes, path);
}

class RoceApplicationTest : public SimulationTest
{
  protected:
    /**
     * Make hosts on one switch, 100 Gb/s and 1 us a link, at line rate.
     *
     * @param nodes how many
     * @param nics NICs of each
     */
    void Build(uint32_t nodes, uint32_t nics = 1)
    {
        g_told = Told();
        FabricHelper helper;
        helper.SetNicAttribute("CongestionControl", StringValue("ns3::llmfabric::FixedRate"));
        helper.SetSwitchAttribute("Ecn", BooleanValue(false));
        TopologySpec spec;
        spec.nodes = nodes;
        spec.nicsPerNode = nics;
        m_fabric = helper.Create(TopologyBuilder::Create("single-switch")->Build(spec));
    }

    /**
     * @param node a node
     * @return its new sink
     */
    Ptr<RoceSink> AddSink(uint32_t node)
    {
        return DynamicCast<RoceSink>(RoceSinkHelper().Install(m_fabric.nodes.Get(node)).Get(0));
    }

    /**
     * @param node a node
     * @param host the host to send to
     * @param maxBytes how many bytes
     * @return its new source
     */
    Ptr<RoceSource> AddSource(uint32_t node, uint32_t host, uint64_t maxBytes)
    {
        RoceSourceHelper helper(FabricHelper::AddressOf(host));
        helper.SetAttribute("MaxBytes", UintegerValue(maxBytes));
        return DynamicCast<RoceSource>(helper.Install(m_fabric.nodes.Get(node)).Get(0));
    }

    /// @return what the simulation complains about, or an empty text
    static std::string Complaint()
    {
        try
        {
            Simulator::Run();
        }
        catch (const UserError& error)
        {
            return error.what();
        }
        return "";
    }

    Fabric m_fabric; //!< the network
};

TEST_F(RoceApplicationTest, MaxBytesArriveExactlyInMessagesOfTheirSize)
{
    Build(2);
    Ptr<RoceSink> sink = AddSink(1);
    Ptr<RoceSource> source = AddSource(0, 1, 1000000);
    source->TraceConnectWithoutContext("Tx", MakeCallback(&OnTx));
    Config::Connect("/NodeList/*/ApplicationList/*/$ns3::llmfabric::RoceSource/Complete",
                    MakeCallback(&OnComplete));
    Config::Connect("/NodeList/1/ApplicationList/0/$ns3::llmfabric::RoceSink/Rx",
                    MakeCallback(&OnRx));
    Simulator::Run();
    EXPECT_EQ(sink->GetTotalRx(), 1000000u);
    EXPECT_EQ(source->GetTotalTx(), 1000000u);
    EXPECT_EQ(source->GetCompleted(), 1000000u);
    // 15 messages of 64 KiB and one of 16,960 B.
    ASSERT_EQ(g_told.posted.size(), 16u);
    EXPECT_EQ(g_told.posted.front(), std::make_pair(uint64_t{0}, uint64_t{65536}));
    EXPECT_EQ(g_told.posted.back(), std::make_pair(uint64_t{15}, uint64_t{1000000 - 15 * 65536}));
    EXPECT_EQ(g_told.complete.size(), 16u);
    ASSERT_EQ(g_told.received.size(), 16u);
    EXPECT_EQ(g_told.received.back().first, 1000000u - 15 * 65536);
    EXPECT_NE(g_told.received[0].second.find("/NodeList/1/ApplicationList/0"), std::string::npos);
}

TEST_F(RoceApplicationTest, AllVerbsAndSpreadsCarryEachByteOnce)
{
    for (const std::string verb : {"write", "send", "write-immediate"})
    {
        for (const std::string spread : {"round-robin", "split"})
        {
            Build(2);
            Ptr<RoceSink> sink = AddSink(1);
            Ptr<RoceSource> source = AddSource(0, 1, 3333333);
            source->SetAttribute("Verb", StringValue(verb));
            source->SetAttribute("Spread", StringValue(spread));
            source->SetAttribute("QueuePairs", UintegerValue(4));
            source->SetAttribute("MessageSize", UintegerValue(100000));
            Simulator::Run();
            EXPECT_EQ(sink->GetTotalRx(), 3333333u) << verb << " " << spread;
            EXPECT_EQ(source->GetCompleted(), 3333333u) << verb << " " << spread;
            uint64_t sum = 0;
            for (const auto& [near, far] : source->GetConnection()->GetPairs())
            {
                const uint64_t bytes = far->GetResponder().GetReceivedBytes();
                EXPECT_GT(bytes, 3333333u / 5) << verb << " " << spread;
                EXPECT_EQ(near->GetRequester().GetCounters().rnrNaks, 0u) << verb << " " << spread;
                sum += bytes;
            }
            EXPECT_EQ(sum, 3333333u);
            EndSimulation();
        }
    }
}

TEST_F(RoceApplicationTest, ASinkWithoutReceivesLetsSendsWait)
{
    Build(2);
    Ptr<RoceSink> sink = AddSink(1);
    sink->SetAttribute("Receives", UintegerValue(1));
    Ptr<RoceSource> source = AddSource(0, 1, 10 * 65536);
    source->SetAttribute("Verb", StringValue("send"));
    Simulator::Run();
    EXPECT_EQ(sink->GetTotalRx(), 10u * 65536); // one receive at a time is enough: it is renewed
    EndSimulation();

    Build(2);
    sink = AddSink(1);
    sink->SetAttribute("Receives", UintegerValue(0));
    m_fabric.nics[0]->SetAttribute("RnrRetryCount", UintegerValue(2));
    source = AddSource(0, 1, 10 * 65536);
    source->SetAttribute("Verb", StringValue("send"));
    Simulator::Run();
    EXPECT_EQ(sink->GetTotalRx(), 0u);
    EXPECT_NE(source->GetError().find("receives"), std::string::npos) << source->GetError();
}

TEST_F(RoceApplicationTest, StopTimeEndsAnEndlessSourceAndSinksCountWhileTheyListen)
{
    Build(2);
    Ptr<RoceSink> sink = AddSink(1);
    sink->SetStopTime(MicroSeconds(100));
    Ptr<RoceSource> source = AddSource(0, 1, 0);
    source->SetAttribute("InFlight", UintegerValue(2));
    source->SetStartTime(MicroSeconds(10));
    source->SetStopTime(MicroSeconds(210));
    Simulator::Run();
    // 200 us at 100 Gb/s * 4096 / 4178 are 2,450,933 B; what is under way at the end is 2 messages.
    EXPECT_GT(source->GetTotalTx(), 2450933u - 65536);
    EXPECT_LT(source->GetTotalTx(), 2450933u + 2 * 65536);
    EXPECT_EQ(source->GetCompleted(), source->GetTotalTx());
    EXPECT_LT(Simulator::Now(), MicroSeconds(230));
    const uint64_t counted = (100 - 10) * 2450933 / 200;
    EXPECT_LT(sink->GetTotalRx(), counted);
    EXPECT_GT(sink->GetTotalRx(), counted - 2 * 65536);
}

TEST_F(RoceApplicationTest, SeveralSourcesToOneSinkShareItsLinkAndRunAlikeEachTime)
{
    std::vector<std::vector<int64_t>> runs;
    for (int run = 0; run < 2; ++run)
    {
        Build(4, 2);
        Ptr<RoceSink> sink = AddSink(3);
        std::vector<Ptr<RoceSource>> sources;
        for (uint32_t node = 0; node < 3; ++node)
        {
            sources.push_back(AddSource(node, 6, 500000 + node));
        }
        sources[0]->SetAttribute("LocalAddress", Ipv4AddressValue(FabricHelper::AddressOf(1)));
        sources.push_back(AddSource(0, 7, 400000)); // the other NIC of the sink's node
        Simulator::Run();
        EXPECT_EQ(sink->GetTotalRx(), 1500003u + 400000);
        EXPECT_EQ(sink->GetConnections(), 4u);
        // The second NIC of node 0 has sent, and its first only what goes to host 7.
        EXPECT_EQ(m_fabric.nics[1]->GetCounters().requesters.sentBytes, 500000u);
        EXPECT_EQ(m_fabric.nics[0]->GetCounters().requesters.sentBytes, 400000u);
        runs.push_back({Simulator::Now().GetTimeStep()});
        m_fabric = Fabric();
        EndSimulation();
    }
    EXPECT_EQ(runs[0], runs[1]);
}

TEST_F(RoceApplicationTest, MistakesAreToldBeforeAnyTraffic)
{
    const auto expect = [this](const std::string& text, auto change) {
        Build(3);
        Ptr<RoceSink> sink = AddSink(2);
        AddSource(1, 2, 1000);
        Ptr<RoceSource> source = AddSource(0, 2, 1000);
        change(sink, source);
        const std::string complaint = Complaint();
        EXPECT_NE(complaint.find(text), std::string::npos) << text << " in: " << complaint;
        EXPECT_NE(complaint.find("RoceSource"), std::string::npos) << complaint;
        EXPECT_EQ(m_fabric.nics[1]->GetCounters().requesters.sentBytes, 0u);
        EndSimulation();
    };
    expect("there is no NIC with the address 10.0.0.9",
           [](auto, auto source) { source->SetAttribute("Remote", Ipv4AddressValue("10.0.0.9")); });
    expect("there is no NIC with the address 0.0.0.0",
           [](auto, auto source) { source->SetAttribute("Remote", Ipv4AddressValue("0.0.0.0")); });
    expect("10.0.0.1 is the NIC that it sends from",
           [](auto, auto source) { source->SetAttribute("Remote", Ipv4AddressValue("10.0.0.1")); });
    expect("nobody listens at 10.0.0.2 when it starts",
           [](auto, auto source) { source->SetAttribute("Remote", Ipv4AddressValue("10.0.0.2")); });
    expect("nobody listens at 10.0.0.3 when it starts",
           [](auto sink, auto) { sink->SetStartTime(MicroSeconds(1)); });
    expect("nobody listens at 10.0.0.3 when it starts", [](auto sink, auto source) {
        sink->SetStopTime(MicroSeconds(1));
        source->SetStartTime(MicroSeconds(1));
    });
    expect("nobody listens at 10.0.0.3 when it starts", [](auto sink, auto) {
        sink->SetAttribute("LocalAddress", Ipv4AddressValue("10.0.0.1"));
    });
    expect("the node has no NIC with the address 10.0.0.2", [](auto, auto source) {
        source->SetAttribute("LocalAddress", Ipv4AddressValue("10.0.0.2"));
    });
    expect("choose one of write, send, write-immediate",
           [](auto, auto source) { source->SetAttribute("Verb", StringValue("read")); });
    expect("choose one of round-robin, split",
           [](auto, auto source) { source->SetAttribute("Spread", StringValue("both")); });
}

} // namespace
