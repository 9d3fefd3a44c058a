/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-source.h"

#include "roce-nic.h"
#include "roce-protocol.h"
#include "roce-sink.h"

#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/string.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"
#include "ns3/user-error.h"
#include "ns3/word-choice.h"

#include <algorithm>
#include <limits>
#include <sstream>

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(RoceSource);

namespace
{
/** What a source posts. */
enum class SourceVerb
{
    WRITE,          //!< RDMA Writes
    SEND,           //!< Sends
    WRITE_IMMEDIATE //!< RDMA Writes with immediate data
};

const WordChoice<SourceVerb> VERBS("ns3::llmfabric::RoceSource::Verb",
                                   {{"write", SourceVerb::WRITE},
                                    {"send", SourceVerb::SEND},
                                    {"write-immediate", SourceVerb::WRITE_IMMEDIATE}});
const WordChoice<MessageSpread> SPREADS("ns3::llmfabric::RoceSource::Spread",
                                        {{"round-robin", MessageSpread::ROUND_ROBIN},
                                         {"split", MessageSpread::SPLIT}});

/**
 * @param node a node
 * @param address an address; 0.0.0.0: any
 * @return the first NIC of the node that has it, or null
 */
Ptr<RoceNic>
FindNic(const Ptr<Node>& node, Ipv4Address address)
{
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        const Ptr<FabricPort> port = DynamicCast<FabricPort>(node->GetDevice(i));
        if (port && (address == Ipv4Address::GetAny() || port->GetIpv4Address() == address))
        {
            const Ptr<RoceNic> nic = port->GetObject<RoceNic>();
            if (nic)
            {
                return nic;
            }
        }
    }
    return nullptr;
}

/** @return the first NIC of all nodes that has an address, or null */
Ptr<RoceNic>
FindNic(Ipv4Address address)
{
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        const Ptr<RoceNic> nic = FindNic(*node, address);
        if (nic)
        {
            return nic;
        }
    }
    return nullptr;
}

/** @return an address as text */
std::string
TextOf(Ipv4Address address)
{
    std::ostringstream text;
    text << address;
    return text.str();
}
} // namespace

TypeId
RoceSource::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llmfabric::RoceSource")
            .SetParent<Application>()
            .SetGroupName("LlmFabric")
            .AddConstructor<RoceSource>()
            .AddAttribute("Remote",
                          "Address of the NIC to send to; a RoceSink has to listen there.",
                          Ipv4AddressValue(Ipv4Address::GetAny()),
                          MakeIpv4AddressAccessor(&RoceSource::m_remote),
                          MakeIpv4AddressChecker())
            .AddAttribute("LocalAddress",
                          "Address of the NIC to send from; 0.0.0.0: the first of the node.",
                          Ipv4AddressValue(Ipv4Address::GetAny()),
                          MakeIpv4AddressAccessor(&RoceSource::m_localAddress),
                          MakeIpv4AddressChecker())
            .AddAttribute("MaxBytes",
                          "Bytes to send; the last message takes what is left. 0: no limit.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceSource::m_maxBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("MessageSize",
                          "Bytes of a message (perftest: 65536).",
                          UintegerValue(65536),
                          MakeUintegerAccessor(&RoceSource::m_messageSize),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("Verb",
                          "What is posted: write, send or write-immediate.",
                          StringValue("write"),
                          MakeStringAccessor(&RoceSource::m_verb),
                          MakeStringChecker())
            .AddAttribute("QueuePairs",
                          "Queue pairs to the sink.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RoceSource::m_queuePairs),
                          MakeUintegerChecker<uint32_t>(1, MAX_QUEUE_PAIR_INDEX + 1))
            .AddAttribute("Spread",
                          "How messages go over the queue pairs: round-robin (whole, in turn) or "
                          "split (each in equal parts over all).",
                          StringValue("round-robin"),
                          MakeStringAccessor(&RoceSource::m_spread),
                          MakeStringChecker())
            .AddAttribute("InFlight",
                          "Messages that are posted and not complete, at most (perftest: send "
                          "queue of 128).",
                          UintegerValue(128),
                          MakeUintegerAccessor(&RoceSource::m_inFlight),
                          MakeUintegerChecker<uint64_t>(1))
            .AddTraceSource("Tx",
                            "A message is posted.",
                            MakeTraceSourceAccessor(&RoceSource::m_tx),
                            "ns3::llmfabric::RoceSource::TxTracedCallback")
            .AddTraceSource("Complete",
                            "A message is acknowledged, or has failed.",
                            MakeTraceSourceAccessor(&RoceSource::m_completeTrace),
                            "ns3::llmfabric::RoceSource::CompleteTracedCallback");
    return tid;
}

RoceSource::RoceSource() = default;

RoceSource::~RoceSource() = default;

void
RoceSource::DoInitialize()
{
    // All applications are initialized before the first of them starts.
    VERBS.Find(m_verb);
    SPREADS.Find(m_spread);
    FindEnds();
    Application::DoInitialize();
}

void
RoceSource::DoDispose()
{
    if (m_connection)
    {
        m_connection->SetCompletionCallback({}); // a sink may hold it longer
    }
    m_connection = nullptr;
    Application::DoDispose();
}

std::string
RoceSource::GetPlace() const
{
    return "RoceSource at node " + std::to_string(GetNode()->GetId());
}

Ptr<RoceNic>
RoceSource::FindLocalNic() const
{
    const Ptr<RoceNic> nic = FindNic(GetNode(), m_localAddress);
    if (nic)
    {
        return nic;
    }
    const bool any = m_localAddress == Ipv4Address::GetAny();
    throw UserError("the node has no NIC" +
                        (any ? std::string() : " with the address " + TextOf(m_localAddress)),
                    GetPlace(),
                    "install it on a host, and give LocalAddress of one of its NICs or none");
}

RoceSource::Ends
RoceSource::FindEnds() const
{
    Ends ends{FindLocalNic(), nullptr, nullptr};
    const bool given = m_remote != Ipv4Address::GetAny();
    ends.to = given ? FindNic(m_remote) : nullptr;
    if (!ends.to || ends.to == ends.from)
    {
        throw UserError(ends.to ? TextOf(m_remote) + " is the NIC that it sends from"
                                : "there is no NIC with the address " + TextOf(m_remote),
                        GetPlace(),
                        "set Remote to the address of another NIC, as "
                        "FabricHelper::AddressOf(host) gives it");
    }
    const Ptr<Node> node = ends.to->GetPort()->GetNode();
    for (uint32_t i = 0; i < node->GetNApplications(); ++i)
    {
        const Ptr<RoceSink> sink = DynamicCast<RoceSink>(node->GetApplication(i));
        if (sink && sink->Accepts(m_remote) && sink->ListensAt(m_startTime))
        {
            ends.sink = sink;
            return ends;
        }
    }
    throw UserError("nobody listens at " + TextOf(m_remote) + " when it starts",
                    GetPlace(),
                    "install a RoceSink on node " + std::to_string(node->GetId()) +
                        " that starts no later and has not stopped by then");
}

void
RoceSource::StartApplication()
{
    const Ends ends = FindEnds();
    const SourceVerb verb = VERBS.Find(m_verb);
    m_request.verb = verb == SourceVerb::SEND ? RoceVerb::SEND : RoceVerb::WRITE;
    if (verb == SourceVerb::WRITE_IMMEDIATE)
    {
        m_request.immediate = 0;
    }
    m_connection = Create<RoceConnection>(ends.from, ends.to, m_queuePairs, SPREADS.Find(m_spread));
    m_connection->SetCompletionCallback(MakeCallback(&RoceSource::OnComplete, this));
    ends.sink->Accept(m_connection, m_messageSize, verb != SourceVerb::WRITE);
    m_running = true;
    PostMessages();
}

void
RoceSource::StopApplication()
{
    m_running = false;
}

void
RoceSource::PostMessages()
{
    const uint64_t most = m_maxBytes ? m_maxBytes : std::numeric_limits<uint64_t>::max();
    while (m_running && m_totalTx < most && m_connection->GetPending() < m_inFlight)
    {
        m_request.bytes = std::min(m_messageSize, most - m_totalTx);
        const uint64_t number = m_connection->Post(m_request);
        if (m_request.immediate)
        {
            ++*m_request.immediate; // the number of the message, mod 2^32
        }
        m_totalTx += m_request.bytes;
        m_tx(number, m_request.bytes);
    }
}

void
RoceSource::OnComplete(const TransferResult& result)
{
    m_completeTrace(result);
    if (result.failed)
    {
        m_error = m_error.empty() ? result.reason : m_error;
        m_running = false;
        return;
    }
    m_completed += result.bytes;
    PostMessages();
}

} // namespace llmfabric
} // namespace ns3
