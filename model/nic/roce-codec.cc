/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-codec.h"

#include "roce-protocol.h"

#include <boost/crc.hpp>

namespace ns3
{
namespace llmfabric
{

namespace
{
constexpr std::size_t IP_BYTES = 20;
constexpr std::size_t BTH_OFFSET = 28; //!< from the IPv4 header
constexpr uint32_t ICRC_BYTES = 4;

/** Appends numbers, most significant byte first. */
class ByteWriter
{
  public:
    void Put(uint64_t value, uint32_t bytes)
    {
        for (uint32_t i = bytes; i > 0; --i)
        {
            m_bytes.push_back(static_cast<uint8_t>(value >> (8 * (i - 1))));
        }
    }

    std::vector<uint8_t>& GetBytes()
    {
        return m_bytes;
    }

  private:
    std::vector<uint8_t> m_bytes;
};

bool
HasReth(const Frame& frame)
{
    const auto opcode = static_cast<RoceOpcode>(frame.opcode);
    return opcode == RoceOpcode::WRITE_FIRST || opcode == RoceOpcode::WRITE_ONLY;
}

uint32_t
PadOf(const Frame& frame)
{
    return (4 - frame.payloadBytes % 4) % 4;
}

/// DSCP of a priority: 8 times the priority, as the class selector code points (RFC 2474).
uint8_t
TypeOfService(const Frame& frame)
{
    return static_cast<uint8_t>(frame.priority << 5 | static_cast<uint8_t>(frame.ecn));
}

void
PutIpUdp(ByteWriter& out, const Frame& frame, uint32_t udpBytes)
{
    out.Put(0x45, 1);
    out.Put(TypeOfService(frame), 1);
    out.Put(IP_BYTES + udpBytes, 2);
    out.Put(0, 2);      // identification
    out.Put(0x4000, 2); // don't fragment
    out.Put(64, 1);     // time to live
    out.Put(17, 1);     // UDP
    out.Put(0, 2);      // header checksum, set below
    out.Put(frame.source, 4);
    out.Put(frame.destination, 4);
    out.Put(frame.sourcePort, 2);
    out.Put(ROCE_UDP_PORT, 2);
    out.Put(udpBytes, 2);
    out.Put(0, 2); // no UDP checksum
}

void
SetIpChecksum(std::vector<uint8_t>& bytes)
{
    uint32_t sum = 0;
    for (std::size_t i = 0; i < IP_BYTES; i += 2)
    {
        sum += static_cast<uint32_t>(bytes[i] << 8 | bytes[i + 1]);
    }
    while (sum >> 16)
    {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    bytes[10] = static_cast<uint8_t>(~sum >> 8);
    bytes[11] = static_cast<uint8_t>(~sum);
}

void
PutBth(ByteWriter& out, const Frame& frame)
{
    const bool data = frame.kind == FrameKind::DATA;
    out.Put(frame.opcode, 1);
    out.Put(data ? PadOf(frame) << 4 : 0, 1);
    out.Put(0xffff, 2);                                  // default partition key
    out.Put(frame.kind == FrameKind::CNP ? 0x40 : 0, 1); // BECN
    out.Put(frame.remoteQueuePair, 3);
    out.Put(frame.ackRequest ? 0x80 : 0, 1);
    out.Put(frame.psn, 3);
}

void
PutExtension(ByteWriter& out, const Frame& frame)
{
    switch (frame.kind)
    {
    case FrameKind::ACK:
    case FrameKind::NAK:
        out.Put(frame.syndrome, 1);
        out.Put(frame.msn, 3);
        break;
    case FrameKind::CNP:
        out.Put(0, 8);
        out.Put(0, 8);
        break;
    default:
        if (HasReth(frame))
        {
            out.Put(0, 8); // virtual address: memory is not modeled
            out.Put(0, 4); // R_Key
            out.Put(frame.messageBytes, 4);
        }
        out.GetBytes().resize(out.GetBytes().size() + frame.payloadBytes + PadOf(frame));
    }
}

uint32_t
UdpBytesOf(const Frame& frame)
{
    return frame.wireBytes - WIRE_GAP_BYTES - ETHERNET_BYTES - static_cast<uint32_t>(IP_BYTES);
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
    ByteWriter out;
    PutIpUdp(out, frame, UdpBytesOf(frame));
    SetIpChecksum(out.GetBytes());
    PutBth(out, frame);
    PutExtension(out, frame);
    const uint32_t icrc = ComputeIcrc(out.GetBytes());
    for (uint32_t i = 0; i < ICRC_BYTES; ++i)
    {
        out.Put(icrc >> (8 * i) & 0xff, 1);
    }
    Ptr<Packet> packet =
        Create<Packet>(out.GetBytes().data(), static_cast<uint32_t>(out.GetBytes().size()));
    AddEthernetHeader(packet, MacOfAddress(frame.source), MacOfAddress(frame.destination), 0x0800);
    return packet;
}

} // namespace llmfabric
} // namespace ns3
