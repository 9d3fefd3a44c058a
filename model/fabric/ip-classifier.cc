/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ip-classifier.h"

#include "ns3/hash-mix.h"

#include <algorithm>
#include <array>

namespace ns3
{
namespace llmfabric
{

namespace
{
using HeaderBytes = std::array<uint8_t, 64>; //!< the longest IPv4 header and two ports

uint16_t
ReadU16(const HeaderBytes& bytes, std::size_t offset)
{
    return static_cast<uint16_t>(bytes[offset] << 8 | bytes[offset + 1]);
}

uint32_t
ReadU32(const HeaderBytes& bytes, std::size_t offset)
{
    return static_cast<uint32_t>(ReadU16(bytes, offset)) << 16 | ReadU16(bytes, offset + 2);
}

bool
IsBroadcast(uint32_t address)
{
    const bool multicast = (address >> 28) == 0xe;
    const bool subnetBroadcast = (address & 0x00ffffff) == 0x00ffffff;
    return multicast || subnetBroadcast;
}
} // namespace

uint64_t
HashFiveTuple(uint32_t source,
              uint32_t destination,
              uint8_t protocol,
              uint16_t sourcePort,
              uint16_t destinationPort)
{
    return HashValues(
        {source, destination, protocol, static_cast<uint64_t>(sourcePort) << 16 | destinationPort});
}

DropReason
ClassifyIpv4(Ptr<const Packet> packet, Frame& frame)
{
    constexpr uint32_t MIN_HEADER = 20;
    frame.payloadBytes = packet->GetSize();
    frame.wireBytes = std::max(MIN_WIRE_BYTES, packet->GetSize() + ETHERNET_BYTES + WIRE_GAP_BYTES);
    HeaderBytes bytes{};
    packet->CopyData(bytes.data(), static_cast<uint32_t>(bytes.size()));
    if (packet->GetSize() < MIN_HEADER || bytes[0] >> 4 != 4)
    {
        return DropReason::NOT_IPV4;
    }
    const std::size_t headerBytes = 4U * (bytes[0] & 15);
    if (headerBytes < MIN_HEADER || headerBytes > packet->GetSize())
    {
        return DropReason::NOT_IPV4;
    }
    frame.payloadBytes = packet->GetSize() - static_cast<uint32_t>(headerBytes);
    frame.source = ReadU32(bytes, 12);
    frame.destination = ReadU32(bytes, 16);
    if (IsBroadcast(frame.destination))
    {
        return DropReason::BROADCAST;
    }
    const uint8_t protocol = bytes[9];
    frame.ecn = static_cast<Ecn>(bytes[1] & 3);
    // Fragments have no ports but in the first: without any all of them take one path.
    const bool whole = (ReadU16(bytes, 6) & 0x3fff) == 0;
    if (whole && (protocol == 6 || protocol == 17))
    {
        frame.sourcePort = ReadU16(bytes, headerBytes);
        frame.destinationPort = ReadU16(bytes, headerBytes + 2);
    }
    frame.flowHash = HashFiveTuple(frame.source,
                                   frame.destination,
                                   protocol,
                                   frame.sourcePort,
                                   frame.destinationPort);
    return DropReason::NONE;
}

} // namespace llmfabric
} // namespace ns3
