/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef INTERNET_FIXTURE_H
#define INTERNET_FIXTURE_H

#include "fabric-fixture.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/fabric-internet-helper.h"
#include "ns3/icmpv4.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-raw-socket-factory.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/socket.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <vector>

namespace ns3
{
namespace llmfabric
{

/// A test with the Internet stack over a fabric.
class InternetTest : public FabricTest
{
  protected:
    /**
     * @param hosts hosts at one switch
     * @param nicsPerNode how many of them are ports of one server
     */
    void MakeHosts(uint32_t hosts, uint32_t nicsPerNode = 1)
    {
        TopologySpec spec;
        spec.nodes = hosts / nicsPerNode;
        spec.nicsPerNode = nicsPerNode;
        fabric = helper.Create(TopologyBuilder::Create("single-switch")->Build(spec));
        interfaces = FabricInternetHelper().Install(fabric);
    }

    /**
     * @param host a host
     * @return its port
     */
    Ptr<FabricPort> PortOf(uint32_t host) const
    {
        return fabric.nics.at(host)->GetPort();
    }

    /**
     * @param host a host
     * @return the address that it got
     */
    Ipv4Address AddressOf(uint32_t host) const
    {
        return interfaces.GetAddress(host);
    }

    /**
     * Send ICMP echo requests 10 us apart and run the simulation.
     *
     * @param from a host, whose server sends them
     * @param to the host whose address they go to
     * @param count how many
     * @param bytes what each carries
     * @return how many came back unchanged; their round trips are in roundTrips
     */
    std::size_t Ping(uint32_t from, uint32_t to, uint16_t count, uint32_t bytes = 56)
    {
        roundTrips.clear();
        Ptr<Node> node = PortOf(from)->GetNode();
        Ptr<Socket> socket = Socket::CreateSocket(node, Ipv4RawSocketFactory::GetTypeId());
        socket->SetAttribute("Protocol", UintegerValue(1)); // ICMP
        if (from % fabric.plan.nicsPerNode != 0)
        {
            socket->BindToNetDevice(PortOf(from));
        }
        socket->SetRecvCallback(
            Callback<void, Ptr<Socket>>([this](Ptr<Socket> ready) { ReadEcho(ready); }));
        socket->Connect(InetSocketAddress(AddressOf(to), 0));
        for (uint16_t number = 0; number < count; ++number)
        {
            Simulator::ScheduleWithContext(node->GetId(),
                                           MicroSeconds(10 * number),
                                           &InternetTest::SendEcho,
                                           this,
                                           socket,
                                           number,
                                           bytes);
        }
        Simulator::Run();
        socket->Close();
        return roundTrips.size();
    }

    /**
     * Send bytes by TCP and run the simulation.
     *
     * @param from the host whose server sends
     * @param to the host whose address they go to
     * @param bytes how many
     * @return how many came
     */
    uint64_t RunTcp(uint32_t from, uint32_t to, uint64_t bytes)
    {
        const TypeId tcp = TcpSocketFactory::GetTypeId();
        PacketSinkHelper sinks(tcp.GetName(), InetSocketAddress(Ipv4Address::GetAny(), 5001));
        ApplicationContainer sink = sinks.Install(PortOf(to)->GetNode());
        BulkSendHelper senders(tcp.GetName(), InetSocketAddress(AddressOf(to), 5001));
        senders.SetAttribute("MaxBytes", UintegerValue(bytes));
        senders.Install(PortOf(from)->GetNode());
        Simulator::Run();
        return DynamicCast<PacketSink>(sink.Get(0))->GetTotalRx();
    }

    Fabric fabric;                     //!< the network
    Ipv4InterfaceContainer interfaces; //!< by host
    std::vector<Time> roundTrips;      //!< of the echoes that came back

  private:
    /**
     * @param socket a raw ICMP socket
     * @param number sequence number
     * @param bytes what to carry
     */
    void SendEcho(Ptr<Socket> socket, uint16_t number, uint32_t bytes)
    {
        const std::vector<uint8_t> data(bytes, static_cast<uint8_t>(number));
        Icmpv4Echo echo;
        echo.SetIdentifier(77);
        echo.SetSequenceNumber(number);
        echo.SetData(Create<Packet>(data.data(), bytes));
        Icmpv4Header header;
        header.SetType(Icmpv4Header::ICMPV4_ECHO);
        header.EnableChecksum();
        Ptr<Packet> packet = Create<Packet>();
        packet->AddHeader(echo);
        packet->AddHeader(header);
        sentAt = Simulator::Now();
        socket->Send(packet, 0);
    }

    /**
     * @param socket a raw ICMP socket that has a packet
     */
    void ReadEcho(Ptr<Socket> socket)
    {
        Ptr<Packet> packet = socket->Recv();
        Ipv4Header ip;
        Icmpv4Header header;
        Icmpv4Echo echo;
        packet->RemoveHeader(ip);
        packet->RemoveHeader(header);
        if (header.GetType() == Icmpv4Header::ICMPV4_ECHO_REPLY)
        {
            packet->RemoveHeader(echo);
            EXPECT_EQ(echo.GetIdentifier(), 77);
            std::vector<uint8_t> data(echo.GetDataSize());
            echo.GetData(data.data());
            EXPECT_EQ(
                data,
                std::vector<uint8_t>(data.size(), static_cast<uint8_t>(echo.GetSequenceNumber())));
            roundTrips.push_back(Simulator::Now() - sentAt);
        }
    }

    Time sentAt; //!< when the last echo request went
};

} // namespace llmfabric
} // namespace ns3

#endif /* INTERNET_FIXTURE_H */
