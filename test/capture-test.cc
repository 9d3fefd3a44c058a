/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Captures, read by a program that shares no code with the module.

#include "capture-fixture.h"

#include "ns3/user-error.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/**
 * @param frame a RoCE frame
 * @return what verify-capture.py --list says of it, without time and size
 */
std::string
DescribeRoce(const Frame& frame)
{
    const OpcodeRow& row = RowOf(frame.opcode);
    const bool answer = frame.kind != FrameKind::DATA;
    const uint32_t trailer = GetTrailerBytes(frame.kind, frame.feedback);
    std::ostringstream text;
    text << row.name << ' ' << Dotted(frame.source) << ' ' << frame.sourcePort
         << " tos=" << frame.dscp * 4 + static_cast<int>(frame.ecn)
         << " qp=" << frame.remoteQueuePair << " psn=" << frame.psn << " ack=" << frame.ackRequest
         << " payload=" << (answer ? 0 : frame.payloadBytes);
    for (char header : row.headers)
    {
        if (header == 'R')
        {
            text << " length=" << frame.messageBytes;
        }
        else if (header == 'A')
        {
            text << " syndrome=" << static_cast<int>(frame.syndrome) << " msn=" << frame.msn;
        }
        else if (header == 'I')
        {
            text << " immediate=" << frame.immediate;
        }
    }
    text << " bitmap="
         << (frame.kind == FrameKind::NAK ? frame.wireBytes - ACK_WIRE_BYTES - trailer : 0)
         << " trailer=" << trailer;
    return text.str();
}

/**
 * @param captured a frame
 * @return what verify-capture.py --list says of it
 */
std::string
Describe(const CapturedFrame& captured)
{
    const Frame& frame = captured.frame;
    const std::string head =
        std::to_string(captured.tick / 1000) + " " + std::to_string(frame.wireBytes - 24) + " ";
    if (frame.kind == FrameKind::PFC)
    {
        return head + "PFC " + std::to_string(frame.pausePriority) + ":" +
               std::to_string(frame.pauseQuanta);
    }
    return head + DescribeRoce(frame);
}

/** Checks captures with verify-capture.py. */
class CaptureTest : public CaptureFixture
{
  protected:
    /**
     * @param arguments arguments of verify-capture.py
     * @return its exit status
     */
    int Verify(const std::string& arguments)
    {
        return m_folder.Run(LLM_FABRIC_VERIFY_CAPTURE " " + arguments);
    }

    /**
     * Expect that a capture has what the trace source Hop told, and that all its bytes are right.
     *
     * @param name name of the file
     */
    void ExpectTrue(const std::string& name)
    {
        SCOPED_TRACE(name);
        std::vector<std::string> expected;
        for (const CapturedFrame& frame : GetFrames(name))
        {
            expected.push_back(Describe(frame));
        }
        EXPECT_EQ(Verify("--list " + name), 0) << m_folder.GetErr();
        ExpectSameLines(m_folder.GetLines(), expected);
    }

    /**
     * Expect that a file is refused.
     *
     * @param bytes its content
     * @param status exit status of verify-capture.py
     * @param complaint what it has to say
     */
    void ExpectComplaint(const std::string& bytes, int status, const std::string& complaint)
    {
        m_folder.Write("bad.pcap", bytes);
        EXPECT_EQ(Verify("bad.pcap"), status) << complaint;
        EXPECT_NE(m_folder.GetErr().find(complaint), std::string::npos) << m_folder.GetErr();
    }
};

} // namespace

TEST_F(CaptureTest, EveryByteOfAnIncastWithLossAndPausesIsRight)
{
    RunIncast();
    for (const auto& entry : m_captured)
    {
        ExpectTrue(entry.first);
    }
}

TEST_F(CaptureTest, TheIncastHasPacketsOfEachKind)
{
    RunIncast();
    for (FrameKind kind : {FrameKind::DATA, FrameKind::ACK, FrameKind::NAK, FrameKind::CNP})
    {
        EXPECT_GT(Count(GetFrames("receiver.pcap"), kind), 5u) << static_cast<int>(kind);
        EXPECT_GT(Count(GetFrames("switch.pcap"), kind), 5u) << static_cast<int>(kind);
    }
    EXPECT_GT(Count(GetFrames("sender.pcap"), FrameKind::PFC), 2u);
    EXPECT_GT(Count(GetFrames("switch.pcap"), FrameKind::DATA),
              Count(GetFrames("receiver.pcap"), FrameKind::DATA)); // some get lost in between
}

TEST_F(CaptureTest, EveryByteOfAllVerbsWithFeedbackAndLossIsRight)
{
    RunVerbs();
    ExpectTrue("verbs.pcap");
    const std::string listed = m_folder.GetOut();
    for (const OpcodeRow& row : OPCODE_ROWS)
    {
        EXPECT_NE(listed.find(" " + row.name + " "), std::string::npos) << row.name;
    }
    for (const std::string part : {" syndrome=44 ",  // receiver not ready, 0.64 ms
                                   " bitmap=4 ",     // of selective repeat
                                   " trailer=42\n",  // telemetry
                                   " trailer=50\n"}) // the same and marks
    {
        EXPECT_NE(listed.find(part), std::string::npos) << part;
    }
    ASSERT_EQ(Verify("verbs.pcap"), 0);
    EXPECT_EQ(m_folder.GetOut().find(" 0 whole"), std::string::npos) << m_folder.GetOut();
}

TEST_F(CaptureTest, AnswersCountTheSwitchesOfTheWayThere)
{
    UseControl("CuriousControl");
    Build(2);
    Capture(Port(0), "hops.pcap");
    const Connection& flow = RunOne(100000);
    const auto control = DynamicCast<CuriousControl>(flow.sender->GetCongestionControl());
    EXPECT_EQ(control->hops, std::set<uint32_t>{1});
    std::set<int> heads;
    CloseFiles();
    for (const CapturedFrame& captured : GetFrames("hops.pcap"))
    {
        heads.insert(captured.frame.hops);
    }
    EXPECT_EQ(heads, (std::set<int>{0, 1})); // when sent, and in an ACK
}

TEST_F(CaptureTest, AnEmptySendIsTheShortestFrame)
{
    Build(2);
    Capture(Port(0), "send.pcap");
    const Connection& flow = Connect(0, 1);
    flow.receiver->PostReceive(0);
    flow.sender->PostSend(0);
    Simulator::Run();
    CloseFiles();
    EXPECT_EQ(GetFrames("send.pcap").at(0).frame.wireBytes, MIN_WIRE_BYTES);
    ExpectTrue("send.pcap");
}

TEST_F(CaptureTest, ASummaryCountsPacketsByOpcode)
{
    RunIncast();
    ASSERT_EQ(Verify("sender.pcap"), 0) << m_folder.GetErr();
    const auto frames = GetFrames("sender.pcap");
    const std::string head = "sender.pcap: " + std::to_string(frames.size()) + " packets, ";
    const std::string cnps = "0x81 CNP: " + std::to_string(Count(frames, FrameKind::CNP)) + ", ";
    EXPECT_NE(m_folder.GetOut().find(head), std::string::npos) << m_folder.GetOut();
    EXPECT_NE(m_folder.GetOut().find(cnps), std::string::npos) << m_folder.GetOut();
}

TEST_F(CaptureTest, PacketsOfAllOpcodesAreRight)
{
    RunAllOpcodes();
    ASSERT_EQ(GetFrames("opcodes.pcap").size(), 6 * OPCODE_ROWS.size() + 9);
    ExpectTrue("opcodes.pcap");
}

TEST_F(CaptureTest, TimesAreInNanoseconds)
{
    RunAllOpcodes();
    const std::string bytes = m_folder.Read("opcodes.pcap");
    EXPECT_EQ(bytes.substr(0, 4), "\x4d\x3c\xb2\xa1"); // magic number a1b23c4d
    ASSERT_EQ(Verify("--list opcodes.pcap"), 0);
    const auto lines = m_folder.GetLines();
    EXPECT_EQ(lines.at(0).substr(0, 2), "0 ");
    EXPECT_EQ(lines.at(1).substr(0, 2), "6 "); // 84 B at 100 Gb/s: 6.72 ns
}

TEST_F(CaptureTest, TheReaderSeesWhatIsWrong)
{
    RunAllOpcodes();
    const std::string good = m_folder.Read("opcodes.pcap");
    constexpr std::size_t second = 24 + 16 + 60 + 16; // after a packet of the shortest size
    std::string bad = good;
    bad[second + FrameBytes::EXT] ^= 1;
    ExpectComplaint(bad, 1, "packet 2: ICRC");
    bad = good;
    bad[second + FrameBytes::IP + 1] ^= 1;
    ExpectComplaint(bad, 1, "packet 2: IPv4 checksum");
    ExpectComplaint(good.substr(0, good.size() - 1), 2, "cut");
    ExpectComplaint("no capture, but a text of some length", 2, "is no pcap file");
}

TEST_F(CaptureTest, AFileThatCanNotBeWrittenIsAMistakeOfTheUser)
{
    Build(2);
    EXPECT_THROW(m_helper.EnablePcap(m_folder.PathOf("no/such/folder"), m_fabric.nics[0]),
                 UserError);
}

TEST_F(CaptureTest, TheNameOfAFileHasNodeAndDevice)
{
    Build(2);
    m_helper.EnablePcap(m_folder.PathOf("run"), m_fabric.nics[1]);
    m_helper.EnablePcap(m_folder.PathOf("run"), Ptr<NetDevice>(Port(0)->GetPeer()));
    RunOne(1);
    CloseFiles();
    for (const std::string name : {"run-1-0.pcap", "run-2-0.pcap"})
    {
        ASSERT_EQ(Verify(name), 0) << m_folder.GetErr();
        EXPECT_NE(m_folder.GetOut().find(" 2 packets, 2 RoCE v2"), std::string::npos)
            << m_folder.GetOut();
    }
}
