/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FRAME_BYTES_H
#define FRAME_BYTES_H

#include "ns3/frame-codec.h"
#include "ns3/roce-codec.h"
#include "ns3/roce-protocol.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @param hex hexadecimal digits, two a byte
 * @return the bytes
 */
inline std::vector<uint8_t>
FromHex(const std::string& hex)
{
    std::vector<uint8_t> bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2)
    {
        bytes.push_back(static_cast<uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

/** The bytes of a frame, without frame check sequence. */
class FrameBytes
{
  public:
    static constexpr std::size_t IP = 14;  //!< offset of the IPv4 header
    static constexpr std::size_t UDP = 34; //!< offset of the UDP header
    static constexpr std::size_t BTH = 42; //!< offset of the base transport header
    static constexpr std::size_t EXT = 54; //!< offset of what follows it

    /** @param frame a frame */
    explicit FrameBytes(const Frame& frame)
    {
        const Ptr<Packet> packet = frame.codec->MakePacket(frame);
        m_bytes.resize(packet->GetSize());
        packet->CopyData(m_bytes.data(), packet->GetSize());
    }

    /** @return how many */
    std::size_t Size() const
    {
        return m_bytes.size();
    }

    /**
     * @param offset where a number starts
     * @param count how many bytes it has, at most 8
     * @return the number; the most significant byte comes first
     */
    uint64_t At(std::size_t offset, std::size_t count) const
    {
        uint64_t value = 0;
        for (std::size_t i = 0; i < count; ++i)
        {
            value = value << 8 | m_bytes.at(offset + i);
        }
        return value;
    }

    /** @return sum of the 16-bit words of the IPv4 header; 0xffff if the checksum is right */
    uint64_t IpSum() const
    {
        uint64_t sum = 0;
        for (std::size_t i = 0; i < 20; i += 2)
        {
            sum += At(IP + i, 2);
        }
        return (sum & 0xffff) + (sum >> 16);
    }

    /**
     * @param trailer bytes between pad and ICRC
     * @return the packet from the IPv4 header to the pad
     */
    std::vector<uint8_t> Invariant(std::size_t trailer = 0) const
    {
        return Slice(IP, Size() - IP - trailer - 4);
    }

    /**
     * @param offset where to begin
     * @param count how many
     * @return some of the bytes
     */
    std::vector<uint8_t> Slice(std::size_t offset, std::size_t count) const
    {
        const auto begin = m_bytes.begin() + static_cast<std::ptrdiff_t>(offset);
        return {begin, begin + static_cast<std::ptrdiff_t>(count)};
    }

    /** @return the ICRC, whose least significant byte comes first */
    uint32_t Icrc() const
    {
        return __builtin_bswap32(static_cast<uint32_t>(At(Size() - 4, 4)));
    }

  private:
    std::vector<uint8_t> m_bytes; //!< from the Ethernet header on
};

/// An opcode: its name, and the headers between BTH and payload.
struct OpcodeRow
{
    uint8_t opcode;      //!< as in the BTH
    std::string name;    //!< as RoceOpcode has it
    std::string headers; //!< R RETH 16 bytes, A AETH 4, I immediate data 4, C zeros of a CNP 16
};

/// All of them (InfiniBand architecture, table of opcodes).
inline const std::vector<OpcodeRow> OPCODE_ROWS{{0x00, "SEND_FIRST", ""},
                                                {0x01, "SEND_MIDDLE", ""},
                                                {0x02, "SEND_LAST", ""},
                                                {0x03, "SEND_LAST_IMMEDIATE", "I"},
                                                {0x04, "SEND_ONLY", ""},
                                                {0x05, "SEND_ONLY_IMMEDIATE", "I"},
                                                {0x06, "WRITE_FIRST", "R"},
                                                {0x07, "WRITE_MIDDLE", ""},
                                                {0x08, "WRITE_LAST", ""},
                                                {0x09, "WRITE_LAST_IMMEDIATE", "I"},
                                                {0x0a, "WRITE_ONLY", "R"},
                                                {0x0b, "WRITE_ONLY_IMMEDIATE", "RI"},
                                                {0x0c, "READ_REQUEST", "R"},
                                                {0x0d, "READ_RESPONSE_FIRST", "A"},
                                                {0x0e, "READ_RESPONSE_MIDDLE", ""},
                                                {0x0f, "READ_RESPONSE_LAST", "A"},
                                                {0x10, "READ_RESPONSE_ONLY", "A"},
                                                {0x11, "ACKNOWLEDGE", "A"},
                                                {0x81, "CNP", "C"}};

/**
 * @param opcode an opcode
 * @return what is known of it
 */
inline const OpcodeRow&
RowOf(uint8_t opcode)
{
    return *std::find_if(OPCODE_ROWS.begin(), OPCODE_ROWS.end(), [opcode](const OpcodeRow& row) {
        return row.opcode == opcode;
    });
}

/**
 * @param opcode an opcode
 * @return kind of its frames
 */
inline FrameKind
KindOf(uint8_t opcode)
{
    return opcode == 0x81 ? FrameKind::CNP : opcode == 0x11 ? FrameKind::ACK : FrameKind::DATA;
}

/**
 * @param opcode an opcode
 * @return bytes of the headers between BTH and payload
 */
inline uint32_t
ExtensionBytes(uint8_t opcode)
{
    uint32_t bytes = 0;
    for (char header : RowOf(opcode).headers)
    {
        bytes += header == 'R' || header == 'C' ? 16 : 4;
    }
    return bytes;
}

/**
 * @param kind what it is
 * @param opcode its opcode
 * @param payload its payload, bytes
 * @return a frame from 10.0.0.1 to 10.0.0.2 without trailer
 */
inline Frame
MakeRoceFrame(FrameKind kind, RoceOpcode opcode, uint32_t payload = 0)
{
    Frame frame;
    frame.kind = kind;
    frame.codec = &RoceCodec::Get();
    frame.opcode = static_cast<uint8_t>(opcode);
    frame.source = 0x0a000001;
    frame.destination = 0x0a000002;
    frame.sourcePort = 0xc123;
    frame.remoteQueuePair = 0x123456;
    frame.psn = 0xfedcba;
    frame.payloadBytes = payload;
    frame.wireBytes = 20 + 14 + 20 + 8 + 12 + ExtensionBytes(frame.opcode) + // to the payload
                      (payload + 3) / 4 * 4 + 4 + 4;                         // pad, ICRC, FCS
    return frame;
}

} // namespace llmfabric
} // namespace ns3

#endif /* FRAME_BYTES_H */
