/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The NetDevice face of FabricPort: what the Internet stack, pcap and packet trace sinks see.

#include "fabric-port.h"
#include "frame-codec.h"
#include "ip-classifier.h"

#include "ns3/abort.h"
#include "ns3/error-model.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

namespace ns3
{
namespace llmfabric
{

namespace
{
constexpr uint16_t ETHERTYPE_IPV4 = 0x0800;
}

bool
FabricPort::Send(Ptr<Packet> packet, const Address& /* dest */, uint16_t protocol)
{
    Prepare();
    m_macTx(packet);
    DropReason reason = DropReason::NONE;
    Frame* frame = MakeFrame(packet, protocol, reason);
    if (reason == DropReason::NONE)
    {
        m_transmitter.Enqueue(frame);
        return true;
    }
    m_macTxDrop(packet);
    Drop(frame, reason);
    return false;
}

Frame*
FabricPort::MakeFrame(Ptr<Packet> packet, uint16_t protocol, DropReason& reason)
{
    Frame* frame = FramePool::Allocate();
    frame->id = NextFrameId();
    frame->codec = &InternetCodec::Get();
    frame->packet = GetPointer(packet->Copy());
    reason = ClassifyIpv4(packet, *frame);
    if (protocol != ETHERTYPE_IPV4)
    {
        reason = DropReason::NOT_IPV4;
    }
    if (reason != DropReason::NONE)
    {
        return frame;
    }
    if (!m_link)
    {
        reason = DropReason::LINK_DOWN;
    }
    else if (m_isSwitch)
    {
        reason = DropReason::NO_ROUTE; // a switch only forwards: its buffer has not admitted this
    }
    else if (packet->GetSize() > m_mtu)
    {
        reason = DropReason::TOO_LARGE;
    }
    else if (m_transmitter.GetQueue().GetBytes(frame->priority) + frame->BufferBytes() >
             m_txQueueLimit)
    {
        reason = DropReason::QUEUE_FULL;
    }
    return frame;
}

void
FabricPort::DeliverToStack(Frame* frame)
{
    if (frame->kind != FrameKind::OTHER)
    {
        Drop(frame, DropReason::NO_RECEIVER);
        return;
    }
    // A copy of what is needed, then the frame is free: the stack runs in a true ns-3 event.
    Ptr<Packet> packet = InternetCodec::MakeIpPacket(*frame);
    const Mac48Address from = MacOfAddress(frame->source);
    FramePool::Free(frame);
    Ptr<FabricPort> self(this);
    m_engine->CallOut(m_node->GetId(), [self, packet, from]() {
        self->m_macRx(packet);
        if (!self->m_promiscCallback.IsNull())
        {
            self->m_promiscCallback(self,
                                    packet->Copy(),
                                    ETHERTYPE_IPV4,
                                    from,
                                    self->GetAddress(),
                                    PACKET_HOST);
        }
        if (!self->m_receiveCallback.IsNull())
        {
            self->m_receiveCallback(self, packet, ETHERTYPE_IPV4, from);
        }
    });
}

void
FabricPort::TracePackets(const Frame& frame, int64_t end)
{
    Ptr<Packet> packet = frame.codec->MakePacket(frame);
    m_phyTxBegin(packet);
    m_sniffer(packet);
    m_promiscSniffer(packet);
    if (!m_phyTxEnd.IsEmpty())
    {
        const Time delay = TimeStep(end - Simulator::Now().GetTimeStep());
        Simulator::ScheduleWithContext(m_node->GetId(),
                                       delay,
                                       &FabricPort::TraceTransmitEnd,
                                       Ptr<FabricPort>(this),
                                       Ptr<const Packet>(packet));
    }
}

void
FabricPort::TraceTransmitEnd(Ptr<const Packet> packet)
{
    m_phyTxEnd(packet);
}

bool
FabricPort::CheckArrival(const Frame& frame)
{
    Ptr<Packet> packet = frame.codec->MakePacket(frame);
    if (m_errorModel && m_errorModel->IsCorrupt(packet))
    {
        m_phyRxDrop(packet);
        return true;
    }
    m_phyRxEnd(packet);
    m_sniffer(packet);
    m_promiscSniffer(packet);
    return false;
}

void
FabricPort::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
FabricPort::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
FabricPort::GetChannel() const
{
    return m_link;
}

void
FabricPort::SetAddress(Address /* address */)
{
    NS_ABORT_MSG("the MAC address of a FabricPort follows from its attribute Address");
}

Address
FabricPort::GetAddress() const
{
    return m_address == Ipv4Address::GetAny() ? MacOfPort(GetFabricId(), GetPortIndex())
                                              : MacOfAddress(m_address.Get());
}

bool
FabricPort::SetMtu(const uint16_t mtu)
{
    m_mtu = mtu;
    return true;
}

uint16_t
FabricPort::GetMtu() const
{
    return m_mtu;
}

bool
FabricPort::IsLinkUp() const
{
    return m_link != nullptr;
}

void
FabricPort::AddLinkChangeCallback(Callback<void> /* callback */)
{
    // The link never changes.
}

bool
FabricPort::IsBroadcast() const
{
    return true; // so that an Ipv4Interface may be made; broadcasts are dropped and counted
}

Address
FabricPort::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
FabricPort::IsMulticast() const
{
    return false;
}

Address
FabricPort::GetMulticast(Ipv4Address group) const
{
    return Mac48Address::GetMulticast(group);
}

Address
FabricPort::GetMulticast(Ipv6Address group) const
{
    return Mac48Address::GetMulticast(group);
}

bool
FabricPort::IsPointToPoint() const
{
    return false; // ns-3's global routing would take the switch for a router
}

bool
FabricPort::IsBridge() const
{
    return false;
}

bool
FabricPort::SendFrom(Ptr<Packet> packet,
                     const Address& /* source */,
                     const Address& dest,
                     uint16_t protocol)
{
    return Send(packet, dest, protocol);
}

Ptr<Node>
FabricPort::GetNode() const
{
    return m_node;
}

void
FabricPort::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
FabricPort::NeedsArp() const
{
    return false;
}

void
FabricPort::SetReceiveCallback(ReceiveCallback callback)
{
    m_receiveCallback = callback;
}

void
FabricPort::SetPromiscReceiveCallback(PromiscReceiveCallback callback)
{
    m_promiscCallback = callback;
}

bool
FabricPort::SupportsSendFrom() const
{
    return false;
}

} // namespace llmfabric
} // namespace ns3
