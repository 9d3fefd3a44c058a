/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Captures as Wireshark's dissectors see them.

#include "capture-fixture.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// What tshark is asked for, and what Describe() gives; the last is looked at apart.
const std::vector<std::string> FIELDS{"frame.time_epoch",
                                      "frame.len",
                                      "eth.src",
                                      "eth.dst",
                                      "ip.src",
                                      "ip.dst",
                                      "ip.dsfield.dscp",
                                      "ip.dsfield.ecn",
                                      "ip.checksum.status",
                                      "udp.srcport",
                                      "udp.dstport",
                                      "infiniband.bth.opcode",
                                      "infiniband.bth.padcnt",
                                      "infiniband.bth.p_key",
                                      "infiniband.bth.destqp",
                                      "infiniband.bth.a",
                                      "infiniband.bth.psn",
                                      "infiniband.reth.va",
                                      "infiniband.reth.r_key",
                                      "infiniband.reth.dmalen",
                                      "infiniband.aeth.syndrome",
                                      "infiniband.aeth.msn",
                                      "infiniband.immdt",
                                      "macc.opcode",
                                      "macc.cbfc.enbv",
                                      "_ws.malformed",
                                      "_ws.col.Protocol",
                                      "_ws.col.Info"};

/// What the column Info begins with; a CNP has no name before Wireshark 4.2.
const std::map<uint8_t, std::string> NAMES{{0x00, "RC Send First "},
                                           {0x01, "RC Send Middle "},
                                           {0x02, "RC Send Last "},
                                           {0x03, "RC Send Last Immediate "},
                                           {0x04, "RC Send Only "},
                                           {0x05, "RC Send Only Immediate "},
                                           {0x06, "RC RDMA Write First "},
                                           {0x07, "RC RDMA Write Middle "},
                                           {0x08, "RC RDMA Write Last "},
                                           {0x09, "RC RDMA Write Last Immediate "},
                                           {0x0a, "RC RDMA Write Only "},
                                           {0x0b, "RC RDMA Write Only Immediate "},
                                           {0x0c, "RC RDMA Read Request "},
                                           {0x0d, "RC RDMA Read Response First "},
                                           {0x0e, "RC RDMA Read Response Middle "},
                                           {0x0f, "RC RDMA Read Response Last "},
                                           {0x10, "RC RDMA Read Response Only "},
                                           {0x11, "RC Acknowledge "},
                                           {0x81, ""}};

/**
 * @param format a format of printf() for one number
 * @param value the number
 * @return the text
 */
std::string
Format(const char* format, unsigned long value)
{
    char text[64];
    std::snprintf(text, sizeof(text), format, value);
    return text;
}

/// Fields of a packet by name.
using FieldValues = std::map<std::string, std::string>;

/** Reads captures with tshark. */
class DissectorTest : public CaptureFixture
{
  protected:
    /**
     * @param name name of a file
     * @return a line for each packet, and in it FIELDS, with tabs in between
     */
    std::vector<std::string> Dissect(const std::string& name)
    {
        return Tshark("-o ip.check_checksum:TRUE -E occurrence=f -r " + name, FIELDS);
    }

    /**
     * The dissector of RPC over RDMA is off: it takes the zeros of a Send's payload for its own and
     * finds them too short.
     *
     * @param arguments arguments of tshark
     * @param fields what to ask for
     * @return a line for each packet, its fields with tabs in between
     */
    std::vector<std::string> Tshark(const std::string& arguments,
                                    const std::vector<std::string>& fields)
    {
        if (m_folder.Run("command -v tshark") != 0)
        {
            ADD_FAILURE() << "tshark is missing; run: examples/install-packages.sh test";
            return {};
        }
        std::string command = "tshark -n --disable-protocol rpcordma -T fields " + arguments;
        for (const std::string& field : fields)
        {
            command += " -e " + field;
        }
        EXPECT_EQ(m_folder.Run(command), 0) << m_folder.GetErr();
        return m_folder.GetLines();
    }

    /**
     * @param line a line of Dissect()
     * @return its fields
     */
    static FieldValues Split(const std::string& line)
    {
        FieldValues values;
        std::istringstream in(line);
        for (const std::string& field : FIELDS)
        {
            std::getline(in, values[field], '\t');
        }
        return values;
    }

    /**
     * @param name name of a file
     * @return what tshark ought to say of its packets, but for the column Info
     */
    std::vector<std::string> DescribeAll(const std::string& name) const
    {
        std::vector<std::string> lines;
        for (const CapturedFrame& captured : GetFrames(name))
        {
            FieldValues values = captured.frame.kind == FrameKind::PFC
                                     ? DescribePfc(captured.frame)
                                     : DescribeRoce(captured.frame);
            values["frame.len"] = Format("%lu", captured.frame.wireBytes - 24);
            values["frame.time_epoch"] =
                Format("%lu.", static_cast<unsigned long>(captured.tick / 1000000000000)) +
                Format("%09lu", static_cast<unsigned long>(captured.tick / 1000 % 1000000000));
            lines.push_back(Join(values));
        }
        return lines;
    }

    /**
     * Expect that tshark finds in a capture what the trace source Hop told.
     *
     * @param name name of the file
     */
    void ExpectTrue(const std::string& name)
    {
        SCOPED_TRACE(name);
        std::vector<std::string> found;
        for (const std::string& line : Dissect(name))
        {
            FieldValues values = Split(line);
            ExpectName(values);
            found.push_back(Join(values));
        }
        ExpectSameLines(found, DescribeAll(name));
    }

  private:
    /**
     * @param values fields
     * @return all but the column Info in the order of FIELDS
     */
    static std::string Join(FieldValues values)
    {
        std::string line;
        for (std::size_t i = 0; i + 1 < FIELDS.size(); ++i)
        {
            line += values[FIELDS[i]] + "|";
        }
        return line;
    }

    /**
     * @param frame a PFC frame
     * @return the fields that it has
     */
    static FieldValues DescribePfc(const Frame& frame)
    {
        const std::string fromHost = Format("02:00:0a:00:00:%02lx", frame.source & 0xff);
        const std::string fromSwitch = Format("02:01:00:00:%02lx", frame.GetMakerId() << 4) +
                                       Format(":%02lx", frame.GetMakerPort());
        return {{"eth.src", frame.source ? fromHost : fromSwitch},
                {"eth.dst", "01:80:c2:00:00:01"},
                {"macc.opcode", "0x0101"},
                {"macc.cbfc.enbv", Format("0x%04lx", 1UL << frame.pausePriority)},
                {"_ws.col.Protocol", "MAC CTRL"}};
    }

    /**
     * @param frame a RoCE frame
     * @return the fields that it has
     */
    static FieldValues DescribeRoce(const Frame& frame)
    {
        FieldValues values{
            {"eth.src", Format("02:00:0a:00:00:%02lx", frame.source & 0xff)},
            {"eth.dst", Format("02:00:0a:00:00:%02lx", frame.destination & 0xff)},
            {"ip.src", Dotted(frame.source)},
            {"ip.dst", Dotted(frame.destination)},
            {"ip.dsfield.dscp", Format("%lu", frame.dscp)},
            {"ip.dsfield.ecn", Format("%lu", static_cast<unsigned long>(frame.ecn))},
            {"ip.checksum.status", "1"},
            {"udp.srcport", Format("%lu", frame.sourcePort)},
            {"udp.dstport", "4791"},
            {"infiniband.bth.opcode", Format("%lu", frame.opcode)},
            {"infiniband.bth.padcnt", Format("%lu", (4 - frame.payloadBytes % 4) % 4)},
            {"infiniband.bth.p_key", "65535"},
            {"infiniband.bth.destqp", Format("0x%06lx", frame.remoteQueuePair)},
            {"infiniband.bth.a", frame.ackRequest ? "1" : "0"},
            {"infiniband.bth.psn", Format("%lu", frame.psn)},
            {"_ws.col.Protocol", "RRoCE"}};
        for (char header : RowOf(frame.opcode).headers)
        {
            if (header == 'R')
            {
                values["infiniband.reth.va"] = Format("0x%016lx", frame.offset);
                values["infiniband.reth.r_key"] = "0x00000000";
                values["infiniband.reth.dmalen"] = Format("%lu", frame.messageBytes);
            }
            else if (header == 'A')
            {
                values["infiniband.aeth.syndrome"] = Format("%lu", frame.syndrome);
                values["infiniband.aeth.msn"] = Format("%lu", frame.msn);
            }
            else if (header == 'I')
            {
                values["infiniband.immdt"] = Format("%08lx", frame.immediate);
            }
        }
        return values;
    }

    /**
     * Expect that tshark has a name for a packet.
     *
     * @param values its fields
     */
    static void ExpectName(FieldValues& values)
    {
        const std::string& info = values["_ws.col.Info"];
        const std::string opcode = values["infiniband.bth.opcode"];
        if (opcode.empty())
        {
            EXPECT_EQ(info, "Class Based Flow Control [CBFC] Pause");
            return;
        }
        const std::string& name = NAMES.at(static_cast<uint8_t>(std::stoul(opcode)));
        EXPECT_EQ(info.substr(0, name.size()), name) << opcode;
        const bool nak = values["infiniband.aeth.syndrome"] == "96";
        EXPECT_EQ(info.find("[PSN Sequence Error]") != std::string::npos, nak) << info;
    }
};

} // namespace

TEST_F(DissectorTest, TsharkSeesTheIncastAsItWas)
{
    RunIncast();
    for (const auto& entry : m_captured)
    {
        ExpectTrue(entry.first);
    }
}

TEST_F(DissectorTest, TsharkSeesAllVerbsAsTheyWere)
{
    RunVerbs();
    ExpectTrue("verbs.pcap");
}

TEST_F(DissectorTest, TsharkNamesAllOpcodes)
{
    RunAllOpcodes();
    ExpectTrue("opcodes.pcap");
}

TEST_F(DissectorTest, TsharkReadsThePauseTimesOfEachPriority)
{
    Build(2);
    Capture(Port(1), "pauses.pcap");
    Port(1)->Prepare();
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        Port(1)->SendPause(priority, static_cast<uint16_t>(1000 + priority));
    }
    Simulator::Run();
    CloseFiles();
    ExpectTrue("pauses.pcap");
    const std::string nic = "02:00:0a:00:00:02"; // and not the one of a switch's port
    EXPECT_EQ(Tshark("-r pauses.pcap", {"eth.src"}), std::vector<std::string>(8, nic));
    std::vector<std::string> fields;
    for (int i = 0; i < 8; ++i)
    {
        fields.push_back("macc.cbfc.pause_time.c" + std::to_string(i));
    }
    EXPECT_EQ(Tshark("-r pauses.pcap", fields),
              (std::vector<std::string>{"1000\t0\t0\t0\t0\t0\t0\t0",
                                        "0\t1001\t0\t0\t0\t0\t0\t0",
                                        "0\t0\t1002\t0\t0\t0\t0\t0",
                                        "0\t0\t0\t1003\t0\t0\t0\t0",
                                        "0\t0\t0\t0\t1004\t0\t0\t0",
                                        "0\t0\t0\t0\t0\t1005\t0\t0",
                                        "0\t0\t0\t0\t0\t0\t1006\t0",
                                        "0\t0\t0\t0\t0\t0\t0\t1007"}));
}
