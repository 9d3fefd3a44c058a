/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-codec.h"

#include "bth-header.h"
#include "feedback-trailer.h"
#include "roce-extension-headers.h"
#include "roce-protocol.h"

#include "ns3/ipv4-header.h"
#include "ns3/udp-header.h"

#include <boost/crc.hpp>

namespace ns3
{
namespace llmfabric
{

namespace
{
constexpr uint8_t UDP_PROTOCOL = 17;
constexpr uint32_t UDP_BYTES = 8;
constexpr std::size_t BTH_OFFSET = 28; //!< from the IPv4 header
constexpr uint32_t ICRC_BYTES = 4;
constexpr uint32_t MIN_ETHERNET_BYTES = MIN_WIRE_BYTES - WIRE_GAP_BYTES - 4; //!< without FCS

/** @return bytes as a packet */
Ptr<Packet>
PacketOf(const std::vector<uint8_t>& bytes)
{
    return Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
}

/** @return the bytes of a packet */
std::vector<uint8_t>
BytesOf(const Packet& packet)
{
    std::vector<uint8_t> bytes(packet.GetSize());
    packet.CopyData(bytes.data(), packet.GetSize());
    return bytes;
}

uint8_t
PadOf(const Frame& frame)
{
    return static_cast<uint8_t>((4 - frame.payloadBytes % 4) % 4);
}

/** @return the bitmap of a NAK of selective repeat */
std::vector<uint8_t>
MakeBitmap(const FrameExtension& extension)
{
    std::vector<uint8_t> bytes(extension.bitmapBytes);
    for (std::size_t i = 0; i < 8 * bytes.size(); ++i)
    {
        bytes[i / 8] |= static_cast<uint8_t>(extension.received[i] << i % 8);
    }
    return bytes;
}

/** @return what follows the headers, to the end of the pad */
Ptr<Packet>
MakeBody(const Frame& frame)
{
    if (frame.kind == FrameKind::NAK && frame.extension)
    {
        return PacketOf(MakeBitmap(*frame.extension));
    }
    return Create<Packet>(frame.kind == FrameKind::DATA ? frame.payloadBytes + PadOf(frame) : 0);
}

RethHeader
MakeReth(const Frame& frame)
{
    RethHeader reth;
    reth.SetVirtualAddress(frame.offset);
    reth.SetDmaLength(frame.messageBytes);
    return reth;
}

AethHeader
MakeAeth(const Frame& frame)
{
    AethHeader aeth;
    aeth.SetSyndrome(frame.syndrome);
    aeth.SetMsn(frame.msn);
    return aeth;
}

/** Put the headers between BTH and payload in front, the last one first. */
void
AddExtensions(const Ptr<Packet>& packet, const Frame& frame)
{
    const OpcodeTraits traits = GetOpcodeTraits(static_cast<RoceOpcode>(frame.opcode));
    if (frame.kind == FrameKind::CNP)
    {
        packet->AddHeader(CnpHeader());
    }
    if (traits.immediate)
    {
        ImmDtHeader immediate;
        immediate.SetImmediate(frame.immediate);
        packet->AddHeader(immediate);
    }
    if (traits.aeth)
    {
        packet->AddHeader(MakeAeth(frame));
    }
    if (traits.reth)
    {
        packet->AddHeader(MakeReth(frame));
    }
}

BthHeader
MakeBth(const Frame& frame)
{
    BthHeader bth;
    bth.SetOpcode(static_cast<RoceOpcode>(frame.opcode));
    bth.SetPadCount(frame.kind == FrameKind::DATA ? PadOf(frame) : 0);
    bth.SetBecn(frame.kind == FrameKind::CNP);
    bth.SetQueuePair(frame.remoteQueuePair);
    bth.SetAckRequest(frame.ackRequest);
    bth.SetPsn(frame.psn);
    return bth;
}

/**
 * Put UDP and IPv4 headers in front.
 *
 * @param following bytes that the packet does not have yet, and that the lengths count
 */
void
AddUdpIp(const Ptr<Packet>& packet, const Frame& frame, uint32_t following)
{
    const auto bytes = static_cast<uint16_t>(UDP_BYTES + packet->GetSize() + following);
    UdpHeader udp;
    udp.SetSourcePort(frame.sourcePort);
    udp.SetDestinationPort(ROCE_UDP_PORT);
    udp.ForcePayloadSize(bytes);
    packet->AddHeader(udp);
    Ipv4Header ip;
    ip.SetTos(static_cast<uint8_t>(frame.dscp << 2 | static_cast<uint8_t>(frame.ecn)));
    ip.SetPayloadSize(bytes);
    ip.SetDontFragment();
    ip.SetTtl(64);
    ip.SetProtocol(UDP_PROTOCOL);
    ip.SetSource(Ipv4Address(frame.source));
    ip.SetDestination(Ipv4Address(frame.destination));
    ip.EnableChecksum();
    packet->AddHeader(ip);
}

/** @return the ICRC as it goes over the wire, least significant byte first */
std::vector<uint8_t>
MakeIcrc(const Ptr<Packet>& packet)
{
    const uint32_t icrc = RoceCodec::ComputeIcrc(BytesOf(*packet));
    std::vector<uint8_t> bytes;
    for (uint32_t i = 0; i < ICRC_BYTES; ++i)
    {
        bytes.push_back(static_cast<uint8_t>(icrc >> 8 * i));
    }
    return bytes;
}
} // namespace

const RoceCodec&
RoceCodec::Get()
{
    static const RoceCodec instance;
    return instance;
}

uint32_t
RoceCodec::ComputeIcrc(std::vector<uint8_t> ip)
{
    for (std::size_t variant : {1, 8, 10, 11, 26, 27}) // TOS, TTL, IP and UDP checksums
    {
        ip[variant] = 0xff;
    }
    ip[BTH_OFFSET + 4] = 0xff; // FECN, BECN, reserved
    boost::crc_32_type crc;
    const std::vector<uint8_t> ones(8, 0xff);
    crc.process_bytes(ones.data(), ones.size());
    crc.process_bytes(ip.data(), ip.size());
    return crc.checksum();
}

Ptr<Packet>
RoceCodec::MakePacket(const Frame& frame) const
{
    const std::vector<uint8_t> trailer = FeedbackTrailer::Make(frame);
    Ptr<Packet> packet = MakeBody(frame);
    AddExtensions(packet, frame);
    packet->AddHeader(MakeBth(frame));
    AddUdpIp(packet, frame, static_cast<uint32_t>(trailer.size()) + ICRC_BYTES);
    const std::vector<uint8_t> icrc = MakeIcrc(packet);
    packet->AddAtEnd(PacketOf(trailer));
    packet->AddAtEnd(PacketOf(icrc));
    AddEthernetHeader(packet, MacOfAddress(frame.source), MacOfAddress(frame.destination), 0x0800);
    if (packet->GetSize() < MIN_ETHERNET_BYTES)
    {
        // Not Packet::AddPaddingAtEnd(), whose bytes are undefined.
        packet->AddAtEnd(Create<Packet>(MIN_ETHERNET_BYTES - packet->GetSize()));
    }
    return packet;
}

} // namespace llmfabric
} // namespace ns3
