/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "frame-bytes.h"
#include "simulation-fixture.h"

#include "ns3/congestion-control.h"
#include "ns3/feedback-trailer.h"
#include "ns3/nstime.h"

#include <gtest/gtest.h>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

constexpr uint8_t HOPS = AckFeedback::HOPS;
constexpr uint8_t MARKS = AckFeedback::MARKS;
constexpr uint8_t TELEMETRY = AckFeedback::TELEMETRY;

/// Trailers of frames by hand; a fixture of simulations only for its picoseconds.
class FeedbackTrailerTest : public SimulationTest
{
  protected:
    /**
     * @param feedback what its sender wants to know
     * @return a data frame that has passed three switches
     */
    static Frame MakeData(uint8_t feedback)
    {
        Frame frame = MakeRoceFrame(FrameKind::DATA, RoceOpcode::WRITE_MIDDLE, 5);
        frame.feedback = feedback;
        frame.hops = 3;
        return frame;
    }

    /**
     * @param feedback what the sender of the request wants to know
     * @return an acknowledgment of a packet that has passed three switches
     */
    static Frame MakeAck(uint8_t feedback)
    {
        Frame frame = MakeRoceFrame(FrameKind::ACK, RoceOpcode::ACKNOWLEDGE);
        frame.feedback = feedback;
        frame.hops = 3;
        frame.syndrome = SYNDROME_ACK;
        frame.markedPackets = 0x102;
        frame.markedBytes = 0x30405;
        return frame;
    }

    /**
     * @param hop what the one hop of a frame wrote
     * @return the 64 bits of it
     */
    static uint64_t Write(const HopTelemetry& hop)
    {
        FrameExtension extension;
        extension.telemetry.hops[0] = hop;
        extension.telemetry.count = 1;
        Frame frame = MakeData(TELEMETRY);
        frame.extension = &extension;
        const std::vector<uint8_t> bytes = FeedbackTrailer::Make(frame);
        uint64_t value = 0;
        for (std::size_t i = 2; i < 10; ++i)
        {
            value = value << 8 | bytes.at(i);
        }
        return value;
    }

    /**
     * Expect a trailer between pad and ICRC that lengths count and the ICRC does not.
     *
     * @param bare a frame without trailer in its size
     * @param trailer its trailer
     */
    static void ExpectTrailer(const Frame& bare, const std::vector<uint8_t>& trailer)
    {
        Frame frame = bare;
        EXPECT_EQ(GetTrailerBytes(frame.kind, frame.feedback), trailer.size());
        frame.wireBytes += static_cast<uint32_t>(trailer.size());
        const FrameBytes bytes(frame);
        ASSERT_EQ(bytes.Size(), frame.wireBytes - 20 - 4);
        EXPECT_EQ(bytes.At(FrameBytes::IP + 2, 2), bytes.Size() - FrameBytes::IP);
        EXPECT_EQ(bytes.At(FrameBytes::UDP + 4, 2), bytes.Size() - FrameBytes::UDP);
        EXPECT_EQ(bytes.Slice(bytes.Size() - 4 - trailer.size(), trailer.size()), trailer);
        EXPECT_EQ(bytes.Icrc(), RoceCodec::ComputeIcrc(bytes.Invariant(trailer.size())));
    }
};

} // namespace

TEST_F(FeedbackTrailerTest, ACountOfHopsStandsInFourBits)
{
    ExpectTrailer(MakeData(HOPS), FromHex("3000"));
    ExpectTrailer(MakeAck(HOPS), FromHex("3000"));
    Frame far = MakeData(HOPS);
    far.hops = 16;
    ExpectTrailer(far, FromHex("f000"));
}

TEST_F(FeedbackTrailerTest, NobodyWhoAsksForNothingGetsATrailer)
{
    ExpectTrailer(MakeData(0), {});
    ExpectTrailer(MakeAck(0), {});
}

TEST_F(FeedbackTrailerTest, MarksAreCountedInAnswersOnly)
{
    ExpectTrailer(MakeData(MARKS), {});
    ExpectTrailer(MakeAck(MARKS), FromHex("0000010200030405"));
    ExpectTrailer(MakeAck(HOPS | MARKS), FromHex("30000000010200030405"));
    Frame nak = MakeAck(MARKS);
    nak.kind = FrameKind::NAK;
    ExpectTrailer(nak, FromHex("0000010200030405"));
    ExpectTrailer(MakeData(HOPS | MARKS), FromHex("3000"));
}

TEST_F(FeedbackTrailerTest, ACnpHasNone)
{
    Frame cnp = MakeRoceFrame(FrameKind::CNP, RoceOpcode::CNP);
    cnp.feedback = HOPS | MARKS | TELEMETRY;
    ExpectTrailer(cnp, {});
}

TEST_F(FeedbackTrailerTest, TelemetryHasRoomForFiveHops)
{
    FrameExtension extension;
    extension.telemetry.count = 2;
    extension.telemetry.hops[0] = {NanoSeconds(0x123456).GetTimeStep(),
                                   128 * 0xabcdeULL + 127,
                                   80 * 0x1234ULL + 79,
                                   100000000000};
    extension.telemetry.hops[1] = {NanoSeconds(1).GetTimeStep(), 128, 80, 400000000000};
    std::vector<uint8_t> expected = FromHex("3000"
                                            "6123456abcde1234"
                                            "8000001000010001");
    expected.resize(42);
    Frame data = MakeData(TELEMETRY | HOPS);
    data.extension = &extension;
    ExpectTrailer(data, expected);
    Frame ack = MakeAck(TELEMETRY | MARKS);
    ack.extension = &extension;
    const std::vector<uint8_t> marks = FromHex("0000010200030405");
    expected.insert(expected.end(), marks.begin(), marks.end());
    ExpectTrailer(ack, expected);
}

TEST_F(FeedbackTrailerTest, TelemetryThatNoSwitchHasWrittenIsZeros)
{
    std::vector<uint8_t> expected = FromHex("3000");
    expected.resize(42);
    ExpectTrailer(MakeData(TELEMETRY), expected);
}

TEST_F(FeedbackTrailerTest, TimesAndCountersWrapAndTheQueueDoesNot)
{
    EXPECT_EQ(Write({NanoSeconds(0x1000002).GetTimeStep(),
                     128 * 0x100003ULL,
                     80 * 0x10004ULL,
                     1600000000000}),
              0xa00000200003ffffu);
}

TEST_F(FeedbackTrailerTest, OnlyRatesOfTheTableHaveACode)
{
    EXPECT_EQ(Write({0, 0, 0, 1000000000}), 0x1000000000000000u);
    EXPECT_EQ(Write({0, 0, 0, 3200000000000}), 0xb000000000000000u);
    EXPECT_EQ(Write({0, 0, 0, 100000000001}), 0xf000000000000000u);
    EXPECT_EQ(FeedbackTrailer::GetRateCode(25000000000), 3);
}

TEST_F(FeedbackTrailerTest, ASelectiveNakHasItsTrailerBehindTheBitmap)
{
    FrameExtension extension;
    extension.bitmapBytes = 4;
    extension.received.set(1);
    Frame nak = MakeAck(HOPS);
    nak.kind = FrameKind::NAK;
    nak.extension = &extension;
    nak.wireBytes += 4;
    ExpectTrailer(nak, FromHex("3000"));
    EXPECT_EQ(FrameBytes(nak).At(FrameBytes::EXT + 4, 4), 0x02000000u);
}
