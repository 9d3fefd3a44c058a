/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Packets of all opcodes, made from frames by hand.

#include "frame-bytes.h"

#include "ns3/bth-header.h"
#include "ns3/ethernet-header.h"
#include "ns3/ipv4-header.h"
#include "ns3/roce-extension-headers.h"
#include "ns3/udp-header.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/**
 * Expect lengths, checksum, pad count and ICRC of a packet.
 *
 * @param frame its frame
 */
void
ExpectWholePacket(const Frame& frame)
{
    const FrameBytes bytes(frame);
    EXPECT_EQ(bytes.Size(), frame.wireBytes - 20 - 4);
    EXPECT_EQ(bytes.At(FrameBytes::IP + 2, 2), bytes.Size() - FrameBytes::IP);
    EXPECT_EQ(bytes.At(FrameBytes::UDP + 4, 2), bytes.Size() - FrameBytes::UDP);
    EXPECT_EQ(bytes.IpSum(), 0xffffu);
    EXPECT_EQ(bytes.At(FrameBytes::BTH, 1), frame.opcode);
    EXPECT_EQ(bytes.At(FrameBytes::BTH + 1, 1), (4 - frame.payloadBytes % 4) % 4 << 4);
    EXPECT_EQ(bytes.Icrc(), RoceCodec::ComputeIcrc(bytes.Invariant()));
}

/**
 * @param frame a frame
 * @return what follows its base transport header, without ICRC, in hexadecimal digits
 */
std::string
ExtensionOf(const Frame& frame)
{
    const FrameBytes bytes(frame);
    std::string text;
    for (uint8_t byte : bytes.Slice(FrameBytes::EXT, bytes.Size() - FrameBytes::EXT - 4))
    {
        static const std::string digits = "0123456789abcdef";
        text += {digits[byte >> 4], digits[byte & 15]};
    }
    return text;
}

/**
 * @tparam T the header
 * @param packet a packet that begins with it
 * @return the header, taken off
 */
template <typename T>
T
Take(const Ptr<Packet>& packet)
{
    T header;
    packet->RemoveHeader(header);
    return header;
}

} // namespace

TEST(RoceFrameTest, LengthsAreThoseThatTheFrameAndTheTableOfOpcodesSay)
{
    for (const OpcodeRow& row : OPCODE_ROWS)
    {
        const bool data = KindOf(row.opcode) == FrameKind::DATA && row.opcode != 0x0c;
        for (uint32_t payload : {4u, 5u, 6u, 7u, 1024u, 4095u, 4096u})
        {
            SCOPED_TRACE(row.name + " " + std::to_string(payload));
            ExpectWholePacket(MakeRoceFrame(KindOf(row.opcode),
                                            static_cast<RoceOpcode>(row.opcode),
                                            data ? payload : 0));
        }
    }
}

TEST(RoceFrameTest, AWriteWithImmediateHasRethThenImmediate)
{
    Frame frame = MakeRoceFrame(FrameKind::DATA, RoceOpcode::WRITE_ONLY_IMMEDIATE, 1);
    frame.offset = 0x80000000;
    frame.messageBytes = 1;
    frame.immediate = 0xcafe0001;
    EXPECT_EQ(ExtensionOf(frame),
              "0000000080000000" // virtual address
              "00000000"         // R_Key
              "00000001"         // DMA length
              "cafe0001"         // immediate
              "00000000");       // a byte, three of pad
}

TEST(RoceFrameTest, TheLastPacketOfAWriteOrSendHasOnlyTheImmediate)
{
    for (RoceOpcode opcode : {RoceOpcode::WRITE_LAST_IMMEDIATE,
                              RoceOpcode::SEND_LAST_IMMEDIATE,
                              RoceOpcode::SEND_ONLY_IMMEDIATE})
    {
        Frame frame = MakeRoceFrame(FrameKind::DATA, opcode, 4);
        frame.immediate = 0x01020304;
        EXPECT_EQ(ExtensionOf(frame), "0102030400000000");
    }
}

TEST(RoceFrameTest, AReadRequestSaysWhatIsToBeRead)
{
    Frame frame = MakeRoceFrame(FrameKind::DATA, RoceOpcode::READ_REQUEST);
    frame.offset = 0x1000;
    frame.messageBytes = 0x2345;
    EXPECT_EQ(ExtensionOf(frame),
              "0000000000001000"
              "00000000"
              "00002345");
}

TEST(RoceFrameTest, AReadResponseHasAnAethUnlessItIsAMiddleOne)
{
    for (RoceOpcode opcode : {RoceOpcode::READ_RESPONSE_FIRST,
                              RoceOpcode::READ_RESPONSE_MIDDLE,
                              RoceOpcode::READ_RESPONSE_LAST,
                              RoceOpcode::READ_RESPONSE_ONLY})
    {
        Frame frame = MakeRoceFrame(FrameKind::DATA, opcode, 4);
        frame.syndrome = SYNDROME_ACK;
        frame.msn = 0x000102;
        const bool middle = opcode == RoceOpcode::READ_RESPONSE_MIDDLE;
        EXPECT_EQ(ExtensionOf(frame), middle ? "00000000" : "1f00010200000000");
    }
}

TEST(RoceFrameTest, ANegativeAcknowledgmentHasItsSyndrome)
{
    Frame frame = MakeRoceFrame(FrameKind::NAK, RoceOpcode::ACKNOWLEDGE);
    frame.msn = 7;
    for (const auto& [syndrome, bytes] :
         std::vector<std::pair<int, std::string>>{{SYNDROME_NAK_SEQUENCE, "60000007"},
                                                  {SYNDROME_NAK_INVALID, "61000007"},
                                                  {SYNDROME_RNR | 12, "2c000007"}})
    {
        frame.syndrome = static_cast<uint8_t>(syndrome);
        EXPECT_EQ(ExtensionOf(frame), bytes);
        ExpectWholePacket(frame);
    }
}

TEST(RoceFrameTest, ASelectiveNakHasItsBitmapBehindTheAeth)
{
    FrameExtension extension;
    extension.bitmapBytes = 8;
    for (std::size_t bit : {0, 3, 8, 31, 63})
    {
        extension.received.set(bit);
    }
    Frame frame = MakeRoceFrame(FrameKind::NAK, RoceOpcode::ACKNOWLEDGE);
    frame.syndrome = SYNDROME_NAK_SEQUENCE;
    frame.extension = &extension;
    frame.wireBytes += extension.bitmapBytes;
    EXPECT_EQ(ExtensionOf(frame),
              "60000000"
              "0901008000000080");
    ExpectWholePacket(frame);
}

TEST(RoceFrameTest, ACnpHasTheCapturedLengths)
{
    const FrameBytes bytes(MakeRoceFrame(FrameKind::CNP, RoceOpcode::CNP));
    EXPECT_EQ(bytes.Size(), 74u);
    EXPECT_EQ(bytes.At(FrameBytes::IP + 2, 2), 60u);
    EXPECT_EQ(bytes.At(FrameBytes::UDP + 4, 2), 40u);
}

TEST(RoceFrameTest, AnEmptySendIsFilledUpToTheShortestEthernetFrame)
{
    Frame frame = MakeRoceFrame(FrameKind::DATA, RoceOpcode::SEND_ONLY);
    EXPECT_EQ(frame.wireBytes, 82u);
    frame.wireBytes = MIN_WIRE_BYTES;
    const FrameBytes bytes(frame);
    EXPECT_EQ(bytes.Size(), 60u);
    EXPECT_EQ(bytes.At(FrameBytes::IP + 2, 2), 44u); // ends with the ICRC
    EXPECT_EQ(bytes.At(FrameBytes::UDP + 4, 2), 24u);
    EXPECT_EQ(bytes.At(58, 2), 0u);
    EXPECT_EQ(__builtin_bswap32(static_cast<uint32_t>(bytes.At(54, 4))),
              RoceCodec::ComputeIcrc(bytes.Slice(FrameBytes::IP, 40)));
}

TEST(RoceFrameTest, EveryCodePointAndEcnFieldIsWritten)
{
    Frame frame = MakeRoceFrame(FrameKind::DATA, RoceOpcode::SEND_ONLY, 4);
    const uint32_t icrc = FrameBytes(frame).Icrc();
    for (int dscp : {0, 26, 48, 63})
    {
        for (Ecn ecn : {Ecn::NOT_ECT, Ecn::ECT1, Ecn::ECT0, Ecn::CE})
        {
            frame.dscp = static_cast<uint8_t>(dscp);
            frame.ecn = ecn;
            const FrameBytes bytes(frame);
            EXPECT_EQ(bytes.At(FrameBytes::IP + 1, 1), dscp * 4 + static_cast<uint64_t>(ecn));
            EXPECT_EQ(bytes.IpSum(), 0xffffu);
            EXPECT_EQ(bytes.Icrc(), icrc);
        }
    }
}

TEST(RoceFrameTest, Ns3HeadersReadWhatTheCodecWrites)
{
    Frame frame = MakeRoceFrame(FrameKind::DATA, RoceOpcode::WRITE_ONLY_IMMEDIATE, 10);
    frame.dscp = 26;
    frame.ecn = Ecn::ECT0;
    frame.messageBytes = 10;
    frame.immediate = 99;
    frame.ackRequest = true;
    const Ptr<Packet> packet = RoceCodec::Get().MakePacket(frame);
    EXPECT_EQ(Take<EthernetHeader>(packet).GetLengthType(), 0x0800);
    const auto ip = Take<Ipv4Header>(packet);
    EXPECT_EQ(ip.GetTtl(), 64);
    EXPECT_EQ(ip.GetTos(), 26 << 2 | 2);
    EXPECT_TRUE(ip.IsDontFragment());
    const auto udp = Take<UdpHeader>(packet);
    EXPECT_EQ(udp.GetSourcePort(), 0xc123);
    EXPECT_EQ(udp.GetDestinationPort(), 4791);
    const auto bth = Take<BthHeader>(packet);
    EXPECT_EQ(bth.GetOpcode(), RoceOpcode::WRITE_ONLY_IMMEDIATE);
    EXPECT_EQ(bth.GetPadCount(), 2);
    EXPECT_EQ(bth.GetQueuePair(), 0x123456u);
    EXPECT_EQ(bth.GetPsn(), 0xfedcbau);
    EXPECT_TRUE(bth.IsAckRequest());
    EXPECT_EQ(Take<RethHeader>(packet).GetDmaLength(), 10u);
    EXPECT_EQ(Take<ImmDtHeader>(packet).GetImmediate(), 99u);
    EXPECT_EQ(packet->GetSize(), 10u + 2 + 4);
}
