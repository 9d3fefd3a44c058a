/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_PROTOCOL_H
#define ROCE_PROTOCOL_H

#include "ns3/congestion-control.h" // AckFeedback
#include "ns3/fabric-frame.h"       // DATA_OVERHEAD_BYTES

#include <array>
#include <cstddef>
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

/// RETH: virtual address 8, R_Key 4, DMA length 4.
static constexpr uint32_t RETH_BYTES = 16;
/// AETH: syndrome 1, message sequence number 3.
static constexpr uint32_t AETH_BYTES = 4;
/// Immediate data.
static constexpr uint32_t IMMEDIATE_BYTES = 4;
/// Wire bytes of an acknowledgment, positive or negative: the same with an AETH.
static constexpr uint32_t ACK_WIRE_BYTES = DATA_OVERHEAD_BYTES + AETH_BYTES;
/// Reserved bytes of a congestion notification packet.
static constexpr uint32_t CNP_RESERVED_BYTES = 16;
/// Wire bytes of a congestion notification packet: the same with the reserved bytes.
static constexpr uint32_t CNP_WIRE_BYTES = DATA_OVERHEAD_BYTES + CNP_RESERVED_BYTES;
/// Trailer of a packet that counts hops: number of hops 4 bits, path id 12 bits (HPCC's header).
static constexpr uint32_t HOP_COUNT_BYTES = 2;
/// Trailer of a packet with telemetry: the same and 8 bytes for each of TelemetryStack::MAX_HOPS
/// hops, written or not (42 B, as HPCC's authors count).
static constexpr uint32_t TELEMETRY_BYTES =
    HOP_COUNT_BYTES + 8 * static_cast<uint32_t>(TelemetryStack::MAX_HOPS);
/// Trailer of an answer that counts marked packets and their bytes, 4 bytes each.
static constexpr uint32_t MARK_COUNT_BYTES = 8;

/**
 * The trailer of a frame lies between its pad and its ICRC, and is no part of what the ICRC covers,
 * since switches write into it.
 *
 * @param kind what the frame is; only DATA, ACK and NAK have a trailer
 * @param feedback what its sender wants to know of the way: an or of AckFeedback::HOPS, MARKS and
 *        TELEMETRY
 * @return bytes of its trailer: TELEMETRY_BYTES with TELEMETRY, else HOP_COUNT_BYTES with HOPS;
 *         MARK_COUNT_BYTES more in an ACK or NAK with MARKS
 */
inline uint32_t
GetTrailerBytes(FrameKind kind, uint8_t feedback)
{
    if (feedback == 0 || kind > FrameKind::NAK)
    {
        return 0;
    }
    const bool marks = kind != FrameKind::DATA && (feedback & AckFeedback::MARKS);
    return (feedback & AckFeedback::TELEMETRY ? TELEMETRY_BYTES
            : feedback & AckFeedback::HOPS    ? HOP_COUNT_BYTES
                                              : 0) +
           (marks ? MARK_COUNT_BYTES : 0);
}

/** BTH opcodes of the reliable connected service, and the CNP (InfiniBand architecture). */
enum class RoceOpcode : uint8_t
{
    SEND_FIRST = 0x00,
    SEND_MIDDLE = 0x01,
    SEND_LAST = 0x02,
    SEND_LAST_IMMEDIATE = 0x03,
    SEND_ONLY = 0x04,
    SEND_ONLY_IMMEDIATE = 0x05,
    WRITE_FIRST = 0x06,
    WRITE_MIDDLE = 0x07,
    WRITE_LAST = 0x08,
    WRITE_LAST_IMMEDIATE = 0x09,
    WRITE_ONLY = 0x0a,
    WRITE_ONLY_IMMEDIATE = 0x0b,
    READ_REQUEST = 0x0c,
    READ_RESPONSE_FIRST = 0x0d,
    READ_RESPONSE_MIDDLE = 0x0e,
    READ_RESPONSE_LAST = 0x0f,
    READ_RESPONSE_ONLY = 0x10,
    ACKNOWLEDGE = 0x11,
    CNP = 0x81
};

/** What an opcode says of its packet; headers follow the BTH in this order. */
struct OpcodeTraits
{
    bool first{false};     //!< begins a message
    bool last{false};      //!< ends a message
    bool reth{false};      //!< has a RETH
    bool aeth{false};      //!< has an AETH
    bool immediate{false}; //!< has immediate data
    bool send{false};      //!< of a Send
};

/// OpcodeTraits by opcode, from SEND_FIRST to ACKNOWLEDGE.
// clang-format off
static constexpr std::array<OpcodeTraits, 0x12> OPCODE_TRAITS{{
    // first, last, reth, aeth, immediate, send
    {true, false, false, false, false, true}, // SEND_FIRST
    {false, false, false, false, false, true}, // SEND_MIDDLE
    {false, true, false, false, false, true}, // SEND_LAST
    {false, true, false, false, true, true}, // SEND_LAST_IMMEDIATE
    {true, true, false, false, false, true}, // SEND_ONLY
    {true, true, false, false, true, true}, // SEND_ONLY_IMMEDIATE
    {true, false, true, false, false, false}, // WRITE_FIRST
    {false, false, false, false, false, false}, // WRITE_MIDDLE
    {false, true, false, false, false, false}, // WRITE_LAST
    {false, true, false, false, true, false}, // WRITE_LAST_IMMEDIATE
    {true, true, true, false, false, false}, // WRITE_ONLY
    {true, true, true, false, true, false}, // WRITE_ONLY_IMMEDIATE
    {true, true, true, false, false, false}, // READ_REQUEST
    {true, false, false, true, false, false}, // READ_RESPONSE_FIRST
    {false, false, false, false, false, false}, // READ_RESPONSE_MIDDLE
    {false, true, false, true, false, false}, // READ_RESPONSE_LAST
    {true, true, false, true, false, false}, // READ_RESPONSE_ONLY
    {false, false, false, true, false, false}, // ACKNOWLEDGE
}};

// clang-format on

/**
 * @param opcode an opcode
 * @return what it says of its packet
 */
inline OpcodeTraits
GetOpcodeTraits(RoceOpcode opcode)
{
    const auto place = static_cast<std::size_t>(opcode);
    return place < OPCODE_TRAITS.size() ? OPCODE_TRAITS[place] : OpcodeTraits();
}

/**
 * @param opcode an opcode
 * @return true if it is of a read's response
 */
inline bool
IsReadResponse(uint8_t opcode)
{
    return opcode >= static_cast<uint8_t>(RoceOpcode::READ_RESPONSE_FIRST) &&
           opcode <= static_cast<uint8_t>(RoceOpcode::READ_RESPONSE_ONLY);
}

/// AETH syndrome of an acknowledgment without credit limit.
static constexpr uint8_t SYNDROME_ACK = 0x1f;
/// AETH syndrome of a receiver-not-ready NAK; the low 5 bits are the code of the time to wait.
static constexpr uint8_t SYNDROME_RNR = 0x20;
/// AETH syndrome of a negative acknowledgment, PSN sequence error.
static constexpr uint8_t SYNDROME_NAK_SEQUENCE = 0x60;
/// AETH syndrome of a negative acknowledgment, invalid request (a Send longer than the receive).
static constexpr uint8_t SYNDROME_NAK_INVALID = 0x61;

/**
 * @param code code of an RNR NAK timer, below 32
 * @return the time to wait (InfiniBand architecture, table of RNR NAK timer field values), ticks
 */
int64_t GetRnrTicks(uint8_t code);

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
