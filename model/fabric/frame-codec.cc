/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "frame-codec.h"

#include "ns3/ethernet-header.h"
#include "ns3/ipv4-header.h"
#include "ns3/node.h"

#include <array>

namespace ns3
{
namespace llmfabric
{

namespace
{
/** @return the locally administered MAC address 02:kind and four bytes */
Mac48Address
MakeMac(uint8_t kind, uint32_t value)
{
    const std::array<uint8_t, 6> bytes{0x02,
                                       kind,
                                       static_cast<uint8_t>(value >> 24),
                                       static_cast<uint8_t>(value >> 16),
                                       static_cast<uint8_t>(value >> 8),
                                       static_cast<uint8_t>(value)};
    Mac48Address mac;
    mac.CopyFrom(bytes.data());
    return mac;
}
} // namespace

Mac48Address
MacOfAddress(uint32_t ipv4)
{
    return MakeMac(0, ipv4);
}

Mac48Address
MacOfPort(uint32_t fabricId, uint32_t index)
{
    return MakeMac(1, fabricId << 12 | index);
}

void
AddEthernetHeader(Ptr<Packet> packet,
                  Mac48Address source,
                  Mac48Address destination,
                  uint16_t etherType)
{
    EthernetHeader ethernet(false);
    ethernet.SetSource(source);
    ethernet.SetDestination(destination);
    ethernet.SetLengthType(etherType);
    packet->AddHeader(ethernet);
}

const InternetCodec&
InternetCodec::Get()
{
    static const InternetCodec instance;
    return instance;
}

Ptr<Packet>
InternetCodec::MakeIpPacket(const Frame& frame)
{
    Ptr<Packet> packet = frame.packet->Copy();
    Ipv4Header ip;
    packet->PeekHeader(ip);
    if (static_cast<uint8_t>(ip.GetEcn()) != static_cast<uint8_t>(frame.ecn))
    {
        packet->RemoveHeader(ip);
        ip.SetEcn(static_cast<Ipv4Header::EcnType>(frame.ecn));
        if (Node::ChecksumEnabled())
        {
            ip.EnableChecksum();
        }
        packet->AddHeader(ip);
    }
    return packet;
}

Ptr<Packet>
InternetCodec::MakePacket(const Frame& frame) const
{
    Ptr<Packet> packet = MakeIpPacket(frame);
    AddEthernetHeader(packet, MacOfAddress(frame.source), MacOfAddress(frame.destination), 0x0800);
    return packet;
}

const PfcCodec&
PfcCodec::Get()
{
    static const PfcCodec instance;
    return instance;
}

Ptr<Packet>
PfcCodec::MakePacket(const Frame& frame) const
{
    // Opcode, class-enable vector, eight timers, padding to 60 B with the Ethernet header.
    std::array<uint8_t, 46> body{};
    body[0] = 0x01;
    body[1] = 0x01;
    body[3] = static_cast<uint8_t>(1 << frame.pausePriority);
    body[4 + 2 * frame.pausePriority] = static_cast<uint8_t>(frame.pauseQuanta >> 8);
    body[5 + 2 * frame.pausePriority] = static_cast<uint8_t>(frame.pauseQuanta);
    Ptr<Packet> packet = Create<Packet>(body.data(), static_cast<uint32_t>(body.size()));
    // Its source is the port's own address; the frame's id says which port of a switch made it.
    const Mac48Address source = frame.source ? MacOfAddress(frame.source)
                                             : MacOfPort(frame.GetMakerId(), frame.GetMakerPort());
    AddEthernetHeader(packet, source, Mac48Address("01:80:c2:00:00:01"), 0x8808);
    return packet;
}

} // namespace llmfabric
} // namespace ns3
