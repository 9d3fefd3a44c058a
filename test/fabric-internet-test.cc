/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "internet-fixture.h"

#include "ns3/boolean.h"
#include "ns3/bulk-send-application.h"
#include "ns3/error-model.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4-header.h"
#include "ns3/pcap-file.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/udp-echo-helper.h"
#include "ns3/uinteger.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

const std::string PORTS = "/NodeList/*/DeviceList/*/$ns3::llmfabric::FabricPort/";

/// What a capture holds.
struct Capture
{
    std::vector<std::vector<uint8_t>> packets; //!< bytes of each packet
    uint32_t linkType{0};                      //!< data link type of the file
};

/**
 * @param path path of a capture
 * @return what it holds
 */
Capture
ReadCapture(const std::string& path)
{
    PcapFile file;
    file.Open(path, std::ios::in);
    EXPECT_FALSE(file.Fail()) << path;
    Capture capture;
    capture.linkType = file.GetDataLinkType();
    std::vector<uint8_t> data(65536);
    uint32_t seconds;
    uint32_t fraction;
    uint32_t included;
    uint32_t original;
    uint32_t read;
    while (true)
    {
        file.Read(data.data(), data.size(), seconds, fraction, included, original, read);
        if (file.Eof() || file.Fail())
        {
            return capture;
        }
        EXPECT_EQ(included, original);
        capture.packets.emplace_back(data.begin(), data.begin() + read);
    }
}

/// The Internet stack over a fabric.
class FabricInternetTest : public InternetTest
{
  protected:
    /**
     * Count the calls of a trace source of all ports.
     *
     * @param source name of the source
     */
    void Count(const std::string& source)
    {
        const bool found =
            Config::ConnectFailSafe(PORTS + source,
                                    Callback<void, std::string, Ptr<const Packet>>(
                                        [this, source](std::string context, Ptr<const Packet>) {
                                            EXPECT_NE(context.find(source), std::string::npos)
                                                << context;
                                            ++counts[source];
                                        }));
        EXPECT_TRUE(found) << source;
    }

    /**
     * Send a datagram from host 0.
     *
     * @param address where to, port 9
     * @param bytes what to carry
     */
    void SendDatagram(const Ipv4Address& address, uint32_t bytes = 100)
    {
        Ptr<Socket> socket =
            Socket::CreateSocket(fabric.nodes.Get(0), UdpSocketFactory::GetTypeId());
        socket->SetAllowBroadcast(true);
        socket->BindToNetDevice(PortOf(0));
        socket->SendTo(Create<Packet>(bytes), 0, InetSocketAddress(address, 9));
    }

    /// @return frames of the stack that each host has sent
    std::vector<uint64_t> CountSent() const
    {
        std::vector<uint64_t> sent;
        for (const Ptr<RoceNic>& nic : fabric.nics)
        {
            const auto& frames = nic->GetPort()->GetCounters().framesSent;
            sent.push_back(frames[static_cast<std::size_t>(FrameKind::OTHER)]);
        }
        return sent;
    }

    std::map<std::string, uint64_t> counts; //!< by trace source
};

} // namespace

TEST_F(FabricInternetTest, TwoHostsPing)
{
    MakeHosts(2);
    EXPECT_EQ(Ping(0, 1, 5), 5U);
    // 20 + 8 + 56 B and 38 B of Ethernet, on four links
    EXPECT_EQ(roundTrips, std::vector<Time>(5, PicoSeconds(4 * (122 * 80 + 1000000))));
    EXPECT_TRUE(SumDrops(fabric.GetPorts()).empty());
}

TEST_F(FabricInternetTest, AUdpEchoComesBack)
{
    MakeHosts(3);
    UdpEchoServerHelper server(9);
    server.Install(fabric.nodes.Get(2));
    UdpEchoClientHelper client(AddressOf(2), 9);
    client.SetAttribute("MaxPackets", UintegerValue(10));
    client.SetAttribute("Interval", StringValue("10us"));
    ApplicationContainer applications = client.Install(fabric.nodes.Get(0));
    uint32_t replies = 0;
    applications.Get(0)->TraceConnectWithoutContext(
        "Rx",
        Callback<void, Ptr<const Packet>>([&replies](Ptr<const Packet>) { ++replies; }));
    Simulator::Run();
    EXPECT_EQ(replies, 10U);
}

TEST_F(FabricInternetTest, TcpDeliversAllBytesAndPcapShowsThem)
{
    const std::string prefix = testing::TempDir() + "fabric-" + std::to_string(getpid());
    MakeHosts(2);
    helper.EnablePcap(prefix + "-0.pcap", PortOf(0), false, true);
    helper.EnablePcap(prefix + "-1.pcap", PortOf(1), true, true);
    EXPECT_EQ(RunTcp(0, 1, 3000000), 3000000U);
    const uint64_t sent = CountSent()[0] + CountSent()[1];
    EndSimulation();
    fabric = Fabric(); // closes the files
    for (const std::string& name : {prefix + "-0.pcap", prefix + "-1.pcap"})
    {
        const Capture capture = ReadCapture(name);
        EXPECT_EQ(capture.linkType, 1U); // Ethernet
        EXPECT_EQ(capture.packets.size(), sent);
        ASSERT_FALSE(capture.packets.empty());
        const std::vector<uint8_t> head(capture.packets[0].begin(),
                                        capture.packets[0].begin() + 15);
        const std::vector<uint8_t> expected{2, 0, 10, 0, 0, 2, 2, 0, 10, 0, 0, 1, 8, 0, 0x45};
        EXPECT_EQ(head, expected);
        std::filesystem::remove(name);
    }
}

TEST_F(FabricInternetTest, PcapShowsRoceAndPfcFramesToo)
{
    const std::string name = testing::TempDir() + "fabric-" + std::to_string(getpid()) + ".pcap";
    MakeHosts(2);
    helper.EnablePcap(name, PortOf(1), true, true);
    PortOf(1)->Prepare();
    PortOf(1)->SendPause(3, 1);
    RunFlows(fabric, {{0, 1, 10000, Time(0)}});
    EndSimulation();
    fabric = Fabric();
    const Capture capture = ReadCapture(name);
    ASSERT_EQ(capture.packets.size(), 1U + 3U + 1U); // PFC, data of 4096 B at most, ACK
    EXPECT_EQ(capture.packets[0].size(), 60U);
    EXPECT_EQ(capture.packets[1].size(), 14U + 20 + 8 + 12 + 16 + 4096 + 4);
    EXPECT_EQ(capture.packets[4].size(), 14U + 20 + 8 + 12 + 4 + 4);
    std::filesystem::remove(name);
}

TEST_F(FabricInternetTest, APortAttributeSetByConfigPathTakesEffect)
{
    MakeHosts(2);
    Config::Set(PORTS + "Mtu", UintegerValue(1500));
    std::vector<uint32_t> sizes;
    PortOf(1)->TraceConnectWithoutContext(
        "MacRx",
        Callback<void, Ptr<const Packet>>(
            [&sizes](Ptr<const Packet> packet) { sizes.push_back(packet->GetSize()); }));
    Ptr<Socket> receiver = Socket::CreateSocket(fabric.nodes.Get(1), UdpSocketFactory::GetTypeId());
    receiver->Bind(InetSocketAddress(AddressOf(1), 9));
    SendDatagram(AddressOf(1), 4000);
    Simulator::Run();
    EXPECT_EQ(receiver->GetRxAvailable(), 4000U);
    EXPECT_EQ(sizes, (std::vector<uint32_t>{1500, 1500, 1068})); // 20 + 8 + 4000 B in fragments
}

TEST_F(FabricInternetTest, ASwitchAttributeSetByConfigPathTakesEffect)
{
    MakeHosts(2);
    Config::Set("/NodeList/*/$ns3::llmfabric::FabricSwitch/Buffer", UintegerValue(12345));
    EXPECT_THROW(fabric.switches[0]->DivideBuffer(), UserError);
    Config::Set("/NodeList/*/$ns3::llmfabric::FabricSwitch/Latency", StringValue("3us"));
    Config::Set("/NodeList/*/$ns3::llmfabric::FabricSwitch/Buffer", UintegerValue(1000000));
    EXPECT_EQ(Ping(0, 1, 1), 1U);
    EXPECT_EQ(roundTrips[0], PicoSeconds(4 * (122 * 80 + 1000000) + 2 * 3000000));
}

TEST_F(FabricInternetTest, ANicAttributeSetByConfigPathTakesEffect)
{
    MakeHosts(2);
    Config::Set("/NodeList/*/DeviceList/*/$ns3::llmfabric::RoceNic/Mtu", UintegerValue(1000));
    RunFlows(fabric, {{0, 1, 10000, Time(0)}});
    const auto& frames = PortOf(0)->GetCounters().framesSent;
    EXPECT_EQ(frames[static_cast<std::size_t>(FrameKind::DATA)], 10U);
}

TEST_F(FabricInternetTest, StandardTraceSourcesFire)
{
    MakeHosts(2);
    for (const std::string source : {"MacTx",
                                     "MacTxDrop",
                                     "MacRx",
                                     "PhyTxBegin",
                                     "PhyTxEnd",
                                     "PhyRxEnd",
                                     "PhyRxDrop",
                                     "Sniffer",
                                     "PromiscSniffer"})
    {
        Count(source);
    }
    Ptr<ReceiveListErrorModel> model = CreateObject<ReceiveListErrorModel>();
    model->SetList({4});
    PortOf(1)->SetAttribute("ReceiveErrorModel", PointerValue(model));
    Simulator::Schedule(MicroSeconds(1), [this]() { SendDatagram(Ipv4Address("10.255.255.255")); });
    EXPECT_EQ(Ping(0, 1, 5), 4U); // the last request is lost
    const std::map<std::string, uint64_t> expected{{"MacTx", 5 + 4 + 1},
                                                   {"MacTxDrop", 1}, // the broadcast
                                                   {"MacRx", 4 + 4},
                                                   {"PhyTxBegin", 2 * 5 + 2 * 4},
                                                   {"PhyTxEnd", 2 * 5 + 2 * 4},
                                                   {"PhyRxEnd", 2 * 5 + 2 * 4 - 1},
                                                   {"PhyRxDrop", 1},
                                                   {"Sniffer", 2 * 2 * (5 + 4) - 1},
                                                   {"PromiscSniffer", 2 * 2 * (5 + 4) - 1}};
    EXPECT_EQ(counts, expected);
}

TEST_F(FabricInternetTest, GlobalRoutingDoesNoHarm)
{
    MakeHosts(3);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    EXPECT_EQ(Ping(0, 2, 3), 3U);
    Ipv4GlobalRoutingHelper::RecomputeRoutingTables();
    EXPECT_EQ(Ping(2, 1, 3), 3U);
}

TEST_F(FabricInternetTest, BroadcastAndMulticastAreLostAndCounted)
{
    MakeHosts(3);
    for (const std::string address : {"10.255.255.255", "255.255.255.255", "224.0.0.1"})
    {
        SendDatagram(Ipv4Address(address.c_str()));
    }
    EXPECT_EQ(Ping(0, 2, 1), 1U);
    EXPECT_EQ(SumDrops(fabric.GetPorts()),
              (std::map<DropReason, uint64_t>{{DropReason::BROADCAST, 3}}));
    EXPECT_STREQ(DropReasonName(DropReason::BROADCAST), "broadcast");
}

TEST_F(FabricInternetTest, ATransmitQueueThatIsFullLosesAndCounts)
{
    MakeHosts(2);
    PortOf(0)->SetAttribute("TxQueueLimit", UintegerValue(10000));
    for (int i = 0; i < 50; ++i)
    {
        SendDatagram(AddressOf(1), 972);
    }
    Simulator::Run();
    // one on the wire and 9 of 1018 B in the queue
    EXPECT_EQ(PortOf(0)->GetCounters().drops[static_cast<std::size_t>(DropReason::QUEUE_FULL)],
              40U);
}

TEST_F(FabricInternetTest, RoceAndTcpShareAPort)
{
    MakeHosts(3);
    FlowSet flows;
    flows.Install(fabric, {{0, 1, 5000000, Time(0)}, {2, 1, 5000000, Time(0)}});
    EXPECT_EQ(RunTcp(0, 1, 1000000), 1000000U);
    for (const FlowResult& flow : flows.GetResults())
    {
        EXPECT_TRUE(flow.completed) << flow.error;
    }
    const auto& frames = PortOf(0)->GetCounters().framesSent;
    EXPECT_GE(frames[static_cast<std::size_t>(FrameKind::DATA)], 1221U);
    EXPECT_GE(frames[static_cast<std::size_t>(FrameKind::OTHER)], 100U);
}

TEST_F(FabricInternetTest, EcnCapableTcpSeesTheMarksOfTheSwitch)
{
    Config::SetDefault("ns3::llmfabric::RedMarkPolicy::Kmin", UintegerValue(0));
    Config::SetDefault("ns3::llmfabric::RedMarkPolicy::Kmax", UintegerValue(0));
    Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("On"));
    Config::SetGlobal("ChecksumEnabled", BooleanValue(true)); // a mark changes the checksum
    MakeHosts(2);
    std::map<Ipv4Header::EcnType, uint64_t> seen;
    PortOf(1)->TraceConnectWithoutContext(
        "MacRx",
        Callback<void, Ptr<const Packet>>([&seen](Ptr<const Packet> packet) {
            Ipv4Header header;
            header.EnableChecksum();
            packet->PeekHeader(header);
            EXPECT_TRUE(header.IsChecksumOk());
            ++seen[header.GetEcn()];
        }));
    EXPECT_EQ(RunTcp(0, 1, 200000), 200000U);
    EXPECT_GT(seen[Ipv4Header::ECN_CE], 0U);
    EXPECT_GT(seen[Ipv4Header::ECN_NotECT], 0U); // SYN
    EXPECT_EQ(seen[Ipv4Header::ECN_ECT0], 0U);   // all of them were marked
    EXPECT_GE(fabric.switches[0]->GetMarked(), seen[Ipv4Header::ECN_CE]);
}

TEST_F(FabricInternetTest, AllPortsOfAServerAreInTheSubnet)
{
    MakeHosts(6, 2);
    EXPECT_EQ(interfaces.GetN(), 6U);
    for (uint32_t host = 0; host < 6; ++host)
    {
        const auto [ipv4, interface] = interfaces.Get(host);
        EXPECT_EQ(ipv4, fabric.nodes.Get(host / 2)->GetObject<Ipv4>());
        EXPECT_EQ(ipv4->GetNetDevice(interface), PortOf(host));
        EXPECT_EQ(ipv4->GetAddress(interface, 0).GetLocal(), FabricHelper::AddressOf(host));
        EXPECT_EQ(ipv4->GetAddress(interface, 0).GetMask(), Ipv4Mask("255.0.0.0"));
        EXPECT_EQ(ipv4->GetMetric(interface), 1);
        EXPECT_TRUE(ipv4->IsUp(interface));
    }
    EXPECT_EQ(fabric.switchNodes.Get(0)->GetObject<Ipv4>(), nullptr);
}

TEST_F(FabricInternetTest, TrafficLeavesByTheFirstPortUnlessItIsBound)
{
    MakeHosts(4, 2);
    EXPECT_EQ(Ping(0, 3, 2), 2U);
    EXPECT_EQ(CountSent(), (std::vector<uint64_t>{2, 0, 2, 0}));
    EXPECT_EQ(Ping(1, 2, 3), 3U); // bound to the second port
    EXPECT_EQ(CountSent(), (std::vector<uint64_t>{2, 3, 5, 0}));
    EXPECT_EQ(RunTcp(0, 3, 100000), 100000U);
}

TEST_F(FabricInternetTest, InstallingTwiceOrBesideAnotherStackIsFine)
{
    MakeHosts(2);
    NodeContainer all(fabric.nodes, fabric.switchNodes);
    all.Create(1);
    const Ipv4InterfaceContainer again = FabricInternetHelper().Install(all);
    ASSERT_EQ(again.GetN(), 2U);
    EXPECT_EQ(again.Get(1), interfaces.Get(1));
    EXPECT_EQ(again.Get(1).first->GetNInterfaces(), 2U); // with the loopback
    EXPECT_EQ(Ping(1, 0, 2), 2U);
}
