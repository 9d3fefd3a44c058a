/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-port.h"

#include "frame-codec.h"
#include "ip-classifier.h"

#include "ns3/abort.h"
#include "ns3/error-model.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <string>

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(FabricPort);

namespace
{
constexpr uint32_t BY_NODE = 0xffffffff; //!< FabricId and Index: taken from the node
}

TypeId
FabricPort::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llmfabric::FabricPort")
            .SetParent<NetDevice>()
            .SetGroupName("LlmFabric")
            .AddConstructor<FabricPort>()
            .AddAttribute(
                "DataRate",
                "Line rate, above 0; read when the port is first used: by RoceNic::Connect(), "
                "by Send() or at the start of the simulation.",
                StringValue("100Gbps"),
                MakeDataRateAccessor(&FabricPort::m_dataRate),
                MakeDataRateChecker())
            .AddAttribute("Mtu",
                          "Largest IP packet of the Internet stack, bytes (RoCE has its own MTU).",
                          UintegerValue(9000),
                          MakeUintegerAccessor(&FabricPort::SetMtu, &FabricPort::GetMtu),
                          MakeUintegerChecker<uint16_t>(68))
            .AddAttribute("Address",
                          "IPv4 address of a host port, in 10.0.0.0/8; 0.0.0.0 on a switch.",
                          Ipv4AddressValue(Ipv4Address::GetAny()),
                          MakeIpv4AddressAccessor(&FabricPort::m_address),
                          MakeIpv4AddressChecker())
            .AddAttribute("FabricId",
                          "Id of the node in the fabric, from the topology's coordinates, at most "
                          "2^20 - 1; 4294967295 takes the node's id.",
                          UintegerValue(BY_NODE),
                          MakeUintegerAccessor(&FabricPort::m_fabricId),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Index",
                          "Index of the port on its node, at most 1023; 4294967295 takes the order "
                          "in which devices were added to the node.",
                          UintegerValue(BY_NODE),
                          MakeUintegerAccessor(&FabricPort::m_index),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("TxQueueLimit",
                          "Most bytes of the Internet stack that may wait in this port.",
                          UintegerValue(4000000),
                          MakeUintegerAccessor(&FabricPort::m_txQueueLimit),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("ReceiveErrorModel",
                          "Loses arriving frames.",
                          PointerValue(),
                          MakePointerAccessor(&FabricPort::m_errorModel),
                          MakePointerChecker<ErrorModel>())
            .AddTraceSource("MacTx",
                            "The Internet stack gave a packet to send.",
                            MakeTraceSourceAccessor(&FabricPort::m_macTx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacTxDrop",
                            "A packet of the Internet stack was lost before it was queued.",
                            MakeTraceSourceAccessor(&FabricPort::m_macTxDrop),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRx",
                            "A packet goes to the Internet stack.",
                            MakeTraceSourceAccessor(&FabricPort::m_macRx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxBegin",
                            "The first bit of a frame leaves.",
                            MakeTraceSourceAccessor(&FabricPort::m_phyTxBegin),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxEnd",
                            "The last bit of a frame has left.",
                            MakeTraceSourceAccessor(&FabricPort::m_phyTxEnd),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxEnd",
                            "The last bit of a frame has arrived.",
                            MakeTraceSourceAccessor(&FabricPort::m_phyRxEnd),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxDrop",
                            "The error model lost an arriving frame.",
                            MakeTraceSourceAccessor(&FabricPort::m_phyRxDrop),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Sniffer",
                            "A frame starts to leave or has arrived.",
                            MakeTraceSourceAccessor(&FabricPort::m_sniffer),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PromiscSniffer",
                            "A frame starts to leave or has arrived.",
                            MakeTraceSourceAccessor(&FabricPort::m_promiscSniffer),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Hop",
                            "A frame has crossed the link of this port, or is lost.",
                            MakeTraceSourceAccessor(&FabricPort::m_hop),
                            "ns3::llmfabric::FabricPort::HopTracedCallback");
    return tid;
}

FabricPort::FabricPort() = default;

FabricPort::~FabricPort() = default;

void
FabricPort::Attach(Ptr<FabricLink> link, std::size_t end)
{
    NS_ABORT_MSG_IF(m_link, "a FabricPort has one link");
    m_link = link;
    m_end = end;
}

uint32_t
FabricPort::GetFabricId() const
{
    return m_fabricId == BY_NODE ? m_node->GetId() : m_fabricId;
}

uint32_t
FabricPort::GetPortIndex() const
{
    return m_index == BY_NODE ? m_ifIndex : m_index;
}

void
FabricPort::DoInitialize()
{
    NetDevice::DoInitialize();
    Prepare();
}

void
FabricPort::Prepare()
{
    if (m_engine)
    {
        return;
    }
    constexpr uint32_t maxNode = MAX_FABRIC_NODES - 1;
    constexpr uint32_t maxPort = MAX_NODE_PORTS - 1;
    if (GetFabricId() > maxNode || GetPortIndex() > maxPort)
    {
        throw UserError("FabricId is at most " + std::to_string(maxNode) + " and Index at most " +
                            std::to_string(maxPort),
                        "node " + std::to_string(m_node->GetId()),
                        "choose smaller ones");
    }
    m_frameIdBase = Frame::FirstId(GetFabricId(), GetPortIndex());
    m_engine = FabricEngine::Get();
    if (m_errorModel)
    {
        m_engine->AddClockReader(); // it may ask Simulator::Now()
    }
    if (!m_link)
    {
        return;
    }
    if (m_dataRate.GetBitRate() == 0)
    {
        throw UserError("the DataRate of a port is 0",
                        "node " + std::to_string(m_node->GetId()) + ", port " +
                            std::to_string(GetPortIndex()),
                        "set the attribute FabricPort::DataRate above 0");
    }
    m_link->Initialize();
    m_peer = PeekPointer(m_link->GetPort(1 - m_end));
    m_linkDelay = m_link->GetDelay().GetTimeStep();
    m_transmitter.Start(*m_engine, this, &m_link->GetDirectionFrom(m_end), m_dataRate.GetBitRate());
}

void
FabricPort::DoDispose()
{
    m_receiver = nullptr;
    m_peer = nullptr;
    m_link = nullptr;
    m_node = nullptr;
    m_errorModel = nullptr;
    m_receiveCallback.Nullify();
    m_promiscCallback.Nullify();
    NetDevice::DoDispose();
}

void
FabricPort::Drop(Frame* frame, DropReason reason)
{
    ++m_counters.drops[static_cast<std::size_t>(reason)];
    if (!m_hop.IsEmpty())
    {
        const int64_t now = m_engine->Now();
        const uint64_t queued = m_transmitter.GetQueue().GetBytes(frame->priority);
        frame->queueBytes = static_cast<uint32_t>(std::min<uint64_t>(queued, UINT32_MAX));
        m_hop(now, *frame, {now, -1, -1, m_peer && !m_peer->m_isSwitch, reason});
    }
    FramePool::Free(frame);
}

void
FabricPort::Receive(Frame* frame)
{
    const bool lost = HasReceiveSinks() && CheckArrival(*frame);
    if (!m_peer->m_hop.IsEmpty())
    {
        m_peer->m_hop(frame->due,
                      *frame,
                      {frame->enqueued,
                       frame->started,
                       frame->due - m_linkDelay,
                       !m_isSwitch,
                       lost ? DropReason::LINK_ERROR : DropReason::NONE});
    }
    if (lost)
    {
        ++m_counters.drops[static_cast<std::size_t>(DropReason::LINK_ERROR)];
        FramePool::Free(frame);
    }
    else if (frame->kind == FrameKind::PFC)
    {
        m_transmitter.Pause(frame->pausePriority, frame->pauseQuanta);
        FramePool::Free(frame);
    }
    else if (m_receiver)
    {
        m_receiver->ReceiveFrame(frame, *this);
    }
    else
    {
        DeliverToStack(frame);
    }
}

void
FabricPort::SendPause(uint8_t priority, uint16_t quanta)
{
    Frame* frame = FramePool::Allocate();
    frame->kind = FrameKind::PFC;
    frame->codec = &PfcCodec::Get();
    frame->id = NextFrameId();
    frame->source = m_address.Get();
    frame->wireBytes = PFC_WIRE_BYTES;
    frame->pausePriority = priority;
    frame->pauseQuanta = quanta;
    frame->priority = priority;
    m_transmitter.Enqueue(frame);
}

} // namespace llmfabric
} // namespace ns3
