/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-sink.h"

#include "roce-nic.h"

#include "ns3/nstime.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(RoceSink);

TypeId
RoceSink::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llmfabric::RoceSink")
            .SetParent<Application>()
            .SetGroupName("LlmFabric")
            .AddConstructor<RoceSink>()
            .AddAttribute("LocalAddress",
                          "Address of the NIC at which it listens; 0.0.0.0: all NICs of the node.",
                          Ipv4AddressValue(Ipv4Address::GetAny()),
                          MakeIpv4AddressAccessor(&RoceSink::m_localAddress),
                          MakeIpv4AddressChecker())
            .AddAttribute("Receives",
                          "Receives that are kept posted for a connection whose messages take "
                          "receives (perftest: receive queue of 512).",
                          UintegerValue(512),
                          MakeUintegerAccessor(&RoceSink::m_receives),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("ReceiveSize",
                          "Room of each receive, bytes; 0: the size of the source's messages.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceSink::m_receiveSize),
                          MakeUintegerChecker<uint64_t>())
            .AddTraceSource("Rx",
                            "A message has come whole.",
                            MakeTraceSourceAccessor(&RoceSink::m_rx),
                            "ns3::llmfabric::RoceSink::RxTracedCallback");
    return tid;
}

RoceSink::RoceSink() = default;

RoceSink::~RoceSink() = default;

void
RoceSink::DoDispose()
{
    for (const Accepted& one : m_connections)
    {
        one.connection->SetReceiveCallback({}); // a source may hold it longer
    }
    m_connections.clear();
    Application::DoDispose();
}

void
RoceSink::StartApplication()
{
    m_listens = true;
}

void
RoceSink::StopApplication()
{
    m_listens = false;
}

bool
RoceSink::Accepts(Ipv4Address address) const
{
    return m_localAddress == Ipv4Address::GetAny() || m_localAddress == address;
}

bool
RoceSink::ListensAt(Time time) const
{
    return time >= m_startTime && (m_stopTime.IsZero() || time < m_stopTime);
}

void
RoceSink::Accept(Ptr<RoceConnection> connection, uint64_t messageBytes, bool receives)
{
    const QueuePairConfig& config = connection->GetPairs().front().first->GetConfig();
    const uint64_t room = m_receiveSize ? m_receiveSize : messageBytes;
    const std::size_t place = m_connections.size();
    m_connections.push_back({connection, room, receives, Ipv4Address(config.localAddress)});
    connection->SetReceiveCallback(MakeCallback(&RoceSink::OnReceive, this).Bind(place));
    if (receives)
    {
        connection->PostReceive(room, m_receives);
    }
}

void
RoceSink::OnReceive(std::size_t place, uint64_t bytes)
{
    const Accepted& one = m_connections[place];
    if (one.receives)
    {
        one.connection->PostReceive(one.room, 1);
    }
    if (m_listens)
    {
        m_totalRx += bytes;
        m_rx(bytes, one.from);
    }
}

} // namespace llmfabric
} // namespace ns3
