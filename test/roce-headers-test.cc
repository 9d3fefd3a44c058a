/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "frame-bytes.h"

#include "ns3/bth-header.h"
#include "ns3/packet.h"
#include "ns3/roce-extension-headers.h"

#include <functional>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/**
 * @param header a header
 * @return its bytes
 */
std::vector<uint8_t>
Write(const Header& header)
{
    Ptr<Packet> packet = Create<Packet>();
    packet->AddHeader(header);
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    return bytes;
}

/**
 * @tparam T the header
 * @param bytes bytes that begin with it
 * @return the header
 */
template <typename T>
T
Read(const std::vector<uint8_t>& bytes)
{
    Ptr<Packet> packet = Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
    T header;
    EXPECT_EQ(packet->RemoveHeader(header), header.GetSerializedSize());
    EXPECT_EQ(packet->GetSize(), bytes.size() - header.GetSerializedSize());
    return header;
}

/**
 * @param header a header
 * @return what it prints
 */
std::string
Print(const Header& header)
{
    std::ostringstream text;
    header.Print(text);
    return text.str();
}

/// A setter of the base transport header that sets all bits of its field, and these bits.
struct BthField
{
    std::function<void(BthHeader&)> set; //!< sets the field
    std::string bytes;                   //!< the header then, all else being 0
};

const std::vector<BthField> BTH_FIELDS{
    {[](BthHeader& bth) { bth.SetOpcode(static_cast<RoceOpcode>(0xff)); },
     "ff0000000000000000000000"},
    {[](BthHeader& bth) { bth.SetSolicitedEvent(true); }, "008000000000000000000000"},
    {[](BthHeader& bth) { bth.SetMigrationRequest(true); }, "004000000000000000000000"},
    {[](BthHeader& bth) { bth.SetPadCount(0xff); }, "003000000000000000000000"},
    {[](BthHeader& bth) { bth.SetTransportVersion(0xff); }, "000f00000000000000000000"},
    {[](BthHeader& bth) { bth.SetPartitionKey(0xffff); }, "0000ffff0000000000000000"},
    {[](BthHeader& bth) { bth.SetFecn(true); }, "000000008000000000000000"},
    {[](BthHeader& bth) { bth.SetBecn(true); }, "000000004000000000000000"},
    {[](BthHeader& bth) { bth.SetQueuePair(0xffffffff); }, "0000000000ffffff00000000"},
    {[](BthHeader& bth) { bth.SetAckRequest(true); }, "000000000000000080000000"},
    {[](BthHeader& bth) { bth.SetPsn(0xffffffff); }, "000000000000000000ffffff"}};

} // namespace

TEST(RoceHeadersTest, EachFieldOfTheBthHasItsBits)
{
    for (const BthField& field : BTH_FIELDS)
    {
        BthHeader bth;
        bth.SetPartitionKey(0);
        field.set(bth);
        EXPECT_EQ(Write(bth), FromHex(field.bytes));
        EXPECT_EQ(Write(Read<BthHeader>(FromHex(field.bytes))), FromHex(field.bytes));
    }
}

TEST(RoceHeadersTest, TheBthOfACapturedCnpIsRead)
{
    const auto bth = Read<BthHeader>(FromHex("8100ffff4000011800000000"));
    EXPECT_EQ(bth.GetOpcode(), RoceOpcode::CNP);
    EXPECT_EQ(bth.GetPartitionKey(), 0xffff);
    EXPECT_TRUE(bth.IsBecn());
    EXPECT_FALSE(bth.IsFecn());
    EXPECT_EQ(bth.GetQueuePair(), 0x118u);
    EXPECT_FALSE(bth.IsAckRequest());
    EXPECT_EQ(bth.GetPsn(), 0u);
    EXPECT_EQ(Print(bth), "opcode=129 qp=280 psn=0 pad=0 pkey=65535 becn");
}

TEST(RoceHeadersTest, TheBthOfACapturedSendIsRead)
{
    const auto bth = Read<BthHeader>(FromHex("2460ffff000000d300cf1710"));
    EXPECT_EQ(static_cast<int>(bth.GetOpcode()), 0x24); // Send only of an unreliable connection
    EXPECT_TRUE(bth.IsMigrationRequest());
    EXPECT_FALSE(bth.IsSolicitedEvent());
    EXPECT_EQ(bth.GetPadCount(), 2);
    EXPECT_EQ(bth.GetTransportVersion(), 0);
    EXPECT_EQ(bth.GetQueuePair(), 0xd3u);
    EXPECT_EQ(bth.GetPsn(), 0xcf1710u);
}

TEST(RoceHeadersTest, AnEmptyBthHasTheDefaultPartitionKey)
{
    EXPECT_EQ(Write(BthHeader()), FromHex("0000ffff0000000000000000"));
}

TEST(RoceHeadersTest, AllFlagsOfTheBthArePrinted)
{
    const auto bth = Read<BthHeader>(FromHex("0af00001c000000280000003"));
    EXPECT_EQ(Print(bth), "opcode=10 qp=2 psn=3 pad=3 pkey=1 ackreq solicited migreq fecn becn");
}

TEST(RoceHeadersTest, TheRethHasAddressKeyAndLength)
{
    RethHeader reth;
    reth.SetVirtualAddress(0x0123456789abcdef);
    reth.SetRemoteKey(0x02468ace);
    reth.SetDmaLength(0x80000000); // the largest message
    const auto bytes = FromHex("0123456789abcdef02468ace80000000");
    EXPECT_EQ(Write(reth), bytes);
    const auto read = Read<RethHeader>(bytes);
    EXPECT_EQ(read.GetVirtualAddress(), 0x0123456789abcdefu);
    EXPECT_EQ(read.GetRemoteKey(), 0x02468aceu);
    EXPECT_EQ(read.GetDmaLength(), 0x80000000u);
    EXPECT_EQ(Print(Read<RethHeader>(FromHex("00000000000000010000000200000003"))),
              "address=1 rkey=2 length=3");
}

TEST(RoceHeadersTest, TheAethHasSyndromeAndMessageSequenceNumber)
{
    AethHeader aeth;
    EXPECT_EQ(Write(aeth), FromHex("1f000000")); // ACK without credit limit
    aeth.SetSyndrome(SYNDROME_RNR | 12);
    aeth.SetMsn(0xff123456);
    EXPECT_EQ(Write(aeth), FromHex("2c123456"));
    const auto read = Read<AethHeader>(FromHex("60fffffe"));
    EXPECT_EQ(read.GetSyndrome(), SYNDROME_NAK_SEQUENCE);
    EXPECT_EQ(read.GetMsn(), 0xfffffeu);
    EXPECT_EQ(Print(read), "syndrome=96 msn=16777214");
}

TEST(RoceHeadersTest, ImmediateDataIsOneWord)
{
    ImmDtHeader immediate;
    immediate.SetImmediate(0xdeadbeef);
    EXPECT_EQ(Write(immediate), FromHex("deadbeef"));
    EXPECT_EQ(Read<ImmDtHeader>(FromHex("deadbeef")).GetImmediate(), 0xdeadbeef);
    EXPECT_EQ(Print(Read<ImmDtHeader>(FromHex("00000007"))), "immediate=7");
}

TEST(RoceHeadersTest, ACnpHasSixteenZeroBytes)
{
    EXPECT_EQ(Write(CnpHeader()), std::vector<uint8_t>(16, 0));
    Read<CnpHeader>(std::vector<uint8_t>(20, 0));
}

TEST(RoceHeadersTest, TheTypesAreKnownByTheirNames)
{
    for (const std::string name :
         {"BthHeader", "RethHeader", "AethHeader", "ImmDtHeader", "CnpHeader"})
    {
        TypeId type;
        ASSERT_TRUE(TypeId::LookupByNameFailSafe("ns3::llmfabric::" + name, &type)) << name;
        EXPECT_TRUE(type.IsChildOf(Header::GetTypeId())) << name;
        EXPECT_TRUE(type.HasConstructor()) << name;
    }
    EXPECT_EQ(BthHeader().GetInstanceTypeId(), BthHeader::GetTypeId());
}
