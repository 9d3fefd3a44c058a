/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_PROTOCOL_H
#define ROCE_PROTOCOL_H

#include "ns3/fabric-frame.h" // DATA_OVERHEAD_BYTES

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/// UDP destination port of RoCE v2.
static constexpr uint16_t ROCE_UDP_PORT = 4791;
/// Largest message of a queue pair (InfiniBand architecture: 2^31 bytes).
static constexpr uint64_t MAX_MESSAGE_BYTES = uint64_t{1} << 31;
/// Most packets without acknowledgment: half of the 24-bit sequence space, less one.
static constexpr uint64_t MAX_UNACKNOWLEDGED = (uint64_t{1} << 23) - 1;
/// Packet sequence numbers and queue pair numbers have 24 bits.
static constexpr uint32_t MASK_24 = 0xffffff;
/// Largest path MTU that may be asked for, bytes (the standard's is 4096).
static constexpr uint32_t MAX_ROCE_MTU = 1000000;
/// The largest number of a queue pair between two NICs.
static constexpr uint32_t MAX_QUEUE_PAIR_INDEX = 0xffff;
/// The first queue pair number; 0 and 1 are InfiniBand's management queue pairs (SMI and GSI).
static constexpr uint32_t FIRST_QUEUE_PAIR = 2;

/// RETH, in the first packet of a write.
static constexpr uint32_t RETH_BYTES = 16;
/// Wire bytes of an acknowledgment, positive or negative: the same with an AETH of 4 B.
static constexpr uint32_t ACK_WIRE_BYTES = 86;
/// Wire bytes of a congestion notification packet: the same with 16 reserved bytes.
static constexpr uint32_t CNP_WIRE_BYTES = 98;

/** BTH opcodes of the reliable connected service that are used, and the CNP. */
enum class RoceOpcode : uint8_t
{
    WRITE_FIRST = 0x06,
    WRITE_MIDDLE = 0x07,
    WRITE_LAST = 0x08,
    WRITE_ONLY = 0x0a,
    ACKNOWLEDGE = 0x11,
    CNP = 0x81
};

/// AETH syndrome of an acknowledgment without credit limit.
static constexpr uint8_t SYNDROME_ACK = 0x1f;
/// AETH syndrome of a negative acknowledgment, PSN sequence error.
static constexpr uint8_t SYNDROME_NAK_SEQUENCE = 0x60;

/**
 * Extend a 24-bit sequence number to the 64-bit one that is nearest to a known one.
 *
 * @param wire 24-bit number
 * @param near a 64-bit number at most 2^23 away
 * @return signed distance from near
 */
inline int64_t
PsnDistance(uint32_t wire, uint64_t near)
{
    const uint32_t shifted = (wire - static_cast<uint32_t>(near)) << 8;
    return static_cast<int32_t>(shifted) >> 8;
}

/**
 * Identify a connection the same way at both ends and in every run: lower 24 bits of the source's
 * and of the destination's address, and the index that counts the pair's queue pairs.
 *
 * @param source IPv4 address of the sender
 * @param destination IPv4 address of the receiver
 * @param index number of the queue pair between the two, below 65536
 * @return the id
 */
inline uint64_t
QueuePairId(uint32_t source, uint32_t destination, uint32_t index)
{
    return static_cast<uint64_t>(source & MASK_24) << 40 |
           static_cast<uint64_t>(destination & MASK_24) << 16 | (index & 0xffff);
}

} // namespace llmfabric
} // namespace ns3

#endif /* ROCE_PROTOCOL_H */
