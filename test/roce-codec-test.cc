/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "frame-bytes.h"
#include "nic-fixture.h"

#include "ns3/roce-codec.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/** A transfer of three packets, all marked, the second lost once. */
class RoceCodecTest : public StarFixture
{
  protected:
    static constexpr uint32_t HOST_0 = 0x0a000001; //!< 10.0.0.1
    static constexpr uint32_t HOST_1 = 0x0a000002; //!< 10.0.0.2

    /** @param bytes size of a transfer from host 0 to host 1 */
    void Send(uint64_t bytes)
    {
        MarkAll();
        Build(3, 1024);
        m_sent = &Watch(Port(0));
        m_arrived = &Watch(Port(1)->GetPeer());
        m_answers = &Watch(Port(1));
        Connect(1, 2); // so that the two ends of the other have different numbers
        LoseAt(1, [](uint32_t arrival, uint32_t) { return arrival == 1; });
        const Connection& flow = RunOne(bytes);
        ExpectWhole(flow, bytes);
        m_senderNumber = flow.sender->GetConfig().localNumber;
        m_receiverNumber = flow.receiver->GetConfig().localNumber;
        ASSERT_NE(m_senderNumber, m_receiverNumber);
    }

    /**
     * @param kind kind of an answer
     * @return the first of that kind
     */
    Frame FirstAnswer(FrameKind kind) const
    {
        for (const SeenFrame& one : *m_answers)
        {
            if (one.frame.kind == kind)
            {
                return one.frame;
            }
        }
        ADD_FAILURE() << "there is none";
        return {};
    }

    /**
     * Expect what all frames have in common.
     *
     * @param frame a frame
     * @param from IPv4 address of its sender
     * @param to IPv4 address of its receiver
     * @return its bytes
     */
    FrameBytes ExpectFraming(const Frame& frame, uint32_t from, uint32_t to) const
    {
        const FrameBytes bytes(frame);
        EXPECT_EQ(bytes.Size(), frame.wireBytes - 20 - 4); // preamble and gap, FCS
        EXPECT_EQ(bytes.At(0, 6), 0x020000000000 | to);
        EXPECT_EQ(bytes.At(6, 6), 0x020000000000 | from);
        EXPECT_EQ(bytes.At(12, 2), 0x0800u);
        EXPECT_EQ(bytes.At(FrameBytes::IP, 1), 0x45u);
        EXPECT_EQ(bytes.At(FrameBytes::IP + 2, 2), bytes.Size() - FrameBytes::IP);
        EXPECT_EQ(bytes.At(FrameBytes::IP + 9, 1), 17u);
        EXPECT_EQ(bytes.IpSum(), 0xffffu);
        EXPECT_EQ(bytes.At(FrameBytes::IP + 12, 4), from);
        EXPECT_EQ(bytes.At(FrameBytes::IP + 16, 4), to);
        EXPECT_EQ(bytes.At(FrameBytes::UDP, 2), frame.sourcePort);
        EXPECT_EQ(bytes.At(FrameBytes::UDP + 2, 2), 4791u);
        EXPECT_EQ(bytes.At(FrameBytes::UDP + 4, 2), bytes.Size() - FrameBytes::UDP);
        EXPECT_EQ(bytes.At(FrameBytes::UDP + 6, 2), 0u);
        EXPECT_EQ(bytes.At(FrameBytes::BTH + 2, 2), 0xffffu);
        EXPECT_EQ(bytes.Icrc(), RoceCodec::ComputeIcrc(bytes.Invariant()));
        return bytes;
    }

    uint32_t m_senderNumber{0};                      //!< queue pair number at host 0
    uint32_t m_receiverNumber{0};                    //!< queue pair number at host 1
    const std::deque<SeenFrame>* m_sent{nullptr};    //!< by host 0
    const std::deque<SeenFrame>* m_arrived{nullptr}; //!< at host 1
    const std::deque<SeenFrame>* m_answers{nullptr}; //!< by host 1
};

TEST_F(RoceCodecTest, TheIcrcOfACapturedCnpIsReproduced)
{
    const auto cnp = FromHex("45c2003c718c4000401191610a0011010a001201"
                             "000012b700280000"
                             "8100ffff4000011800000000"
                             "00000000000000000000000000000000");
    EXPECT_EQ(RoceCodec::ComputeIcrc(cnp), 0x2a00fd82u); // on the wire 82 fd 00 2a
}

TEST_F(RoceCodecTest, TheIcrcOfACapturedSendIsReproduced)
{
    const auto send = FromHex("45010040047840004011b4d5c0a80007c0a80007"
                              "c00012b7002caca2"
                              "2460ffff000000d300cf1710"
                              "4630818be28935d90e9a95505401be885e500000");
    EXPECT_EQ(RoceCodec::ComputeIcrc(send), 0xf353f378u); // on the wire 78 f3 53 f3
}

TEST_F(RoceCodecTest, TheFirstPacketOfAWriteHasARethWithTheLength)
{
    Send(2051);
    const FrameBytes bytes = ExpectFraming(m_sent->at(0).frame, HOST_0, HOST_1);
    EXPECT_EQ(bytes.Size(), 14u + 20 + 8 + 12 + 16 + 1024 + 4);
    EXPECT_EQ(bytes.At(FrameBytes::IP + 1, 1), 0x62u); // class selector 3, ECT(0)
    EXPECT_EQ(bytes.At(FrameBytes::BTH, 2), 0x0600u);  // WRITE first, no pad
    EXPECT_EQ(bytes.At(FrameBytes::BTH + 4, 4), m_receiverNumber);
    EXPECT_EQ(bytes.At(FrameBytes::BTH + 8, 4), 0u);      // no AckReq, PSN 0
    EXPECT_EQ(bytes.At(FrameBytes::EXT + 12, 4), 2051u);  // DMA length
    EXPECT_EQ(bytes.At(FrameBytes::UDP, 2) >> 14, 0b11u); // dynamic port
}

TEST_F(RoceCodecTest, MiddleAndLastPacketsHaveNoReth)
{
    Send(2051);
    const FrameBytes middle = ExpectFraming(m_sent->at(1).frame, HOST_0, HOST_1);
    EXPECT_EQ(middle.Size(), 14u + 20 + 8 + 12 + 1024 + 4);
    EXPECT_EQ(middle.At(FrameBytes::BTH, 2), 0x0700u);
    EXPECT_EQ(middle.At(FrameBytes::BTH + 8, 4), 1u);
    const FrameBytes last = ExpectFraming(m_sent->at(2).frame, HOST_0, HOST_1);
    EXPECT_EQ(last.Size(), 14u + 20 + 8 + 12 + 4 + 4);
    EXPECT_EQ(last.At(FrameBytes::BTH, 2), 0x0810u);         // one byte of pad
    EXPECT_EQ(last.At(FrameBytes::BTH + 8, 4), 0x80000002u); // AckReq
}

TEST_F(RoceCodecTest, APacketThatIsAWholeWriteHasARethAndAsksForAnAck)
{
    Build(2);
    const auto& sent = Watch(Port(0));
    RunOne(0);
    const FrameBytes bytes = ExpectFraming(sent.at(0).frame, HOST_0, HOST_1);
    EXPECT_EQ(bytes.Size(), 14u + 20 + 8 + 12 + 16 + 4);
    EXPECT_EQ(bytes.At(FrameBytes::BTH, 2), 0x0a00u);
    EXPECT_EQ(bytes.At(FrameBytes::BTH + 8, 4), 0x80000000u);
    EXPECT_EQ(bytes.At(FrameBytes::EXT + 12, 4), 0u);
}

TEST_F(RoceCodecTest, AMarkOnTheWayChangesTheEcnFieldAndNotTheIcrc)
{
    Send(2051);
    const FrameBytes before = ExpectFraming(m_sent->at(0).frame, HOST_0, HOST_1);
    const FrameBytes after = ExpectFraming(m_arrived->at(0).frame, HOST_0, HOST_1);
    EXPECT_EQ(after.At(FrameBytes::IP + 1, 1), 0x63u); // Congestion Experienced
    EXPECT_EQ(after.Icrc(), before.Icrc());
}

TEST_F(RoceCodecTest, AnAckNamesTheLastPacketAndCountsTheMessage)
{
    Send(2051);
    const FrameBytes bytes = ExpectFraming(FirstAnswer(FrameKind::ACK), HOST_1, HOST_0);
    EXPECT_EQ(bytes.Size(), 62u);
    EXPECT_EQ(bytes.At(FrameBytes::BTH, 2), 0x1100u);
    EXPECT_EQ(bytes.At(FrameBytes::BTH + 4, 4), m_senderNumber);
    EXPECT_EQ(bytes.At(FrameBytes::BTH + 8, 4), 2u);
    EXPECT_EQ(bytes.At(FrameBytes::EXT, 4), 0x1f000001u); // no credit limit, MSN 1
}

TEST_F(RoceCodecTest, ANakNamesTheMissingPacket)
{
    Send(2051);
    const FrameBytes bytes = ExpectFraming(FirstAnswer(FrameKind::NAK), HOST_1, HOST_0);
    EXPECT_EQ(bytes.Size(), 62u);
    EXPECT_EQ(bytes.At(FrameBytes::BTH, 2), 0x1100u);
    EXPECT_EQ(bytes.At(FrameBytes::BTH + 8, 4), 1u);
    EXPECT_EQ(bytes.At(FrameBytes::EXT, 4), 0x60000000u); // PSN sequence error, MSN 0
}

TEST_F(RoceCodecTest, ACnpHasBecnAndSixteenZeroBytes)
{
    Send(2051);
    const FrameBytes bytes = ExpectFraming(FirstAnswer(FrameKind::CNP), HOST_1, HOST_0);
    EXPECT_EQ(bytes.Size(), 74u);
    EXPECT_EQ(bytes.At(FrameBytes::IP + 1, 1) >> 2, 48u); // DSCP
    EXPECT_EQ(bytes.At(FrameBytes::BTH, 2), 0x8100u);
    EXPECT_EQ(bytes.At(FrameBytes::BTH + 4, 4), 0x40000000 | m_senderNumber); // BECN
    EXPECT_EQ(bytes.At(FrameBytes::BTH + 8, 4), 0u);
    EXPECT_EQ(bytes.At(FrameBytes::EXT, 8), 0u);
    EXPECT_EQ(bytes.At(FrameBytes::EXT + 8, 8), 0u);
}

TEST_F(RoceCodecTest, QueuePairNumbersLeaveOutTheTwoOfManagement)
{
    Build(2); // dissectors take what goes to queue pair 0 or 1 for a management datagram
    const Connection& first = Connect(0, 1);
    EXPECT_GE(first.sender->GetConfig().localNumber, 2u);
    EXPECT_GE(first.receiver->GetConfig().localNumber, 2u);
}

} // namespace
