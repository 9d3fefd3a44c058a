/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "bth-header.h"

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(BthHeader);

namespace
{
// Bits of bytes 1, 4 and 8.
constexpr uint8_t SOLICITED_BIT = 0x80;
constexpr uint8_t MIGRATION_BIT = 0x40;
constexpr uint32_t PAD_SHIFT = 4;
constexpr uint8_t FECN_BIT = 0x80;
constexpr uint8_t BECN_BIT = 0x40;
constexpr uint32_t ACK_REQUEST_BIT = 0x80000000;

/** @return the bit if it is set, else 0 */
uint8_t
BitIf(bool set, uint8_t bit)
{
    return set ? bit : 0;
}
} // namespace

TypeId
BthHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llmfabric::BthHeader")
                            .SetParent<Header>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<BthHeader>();
    return tid;
}

TypeId
BthHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
BthHeader::GetSerializedSize() const
{
    return SIZE;
}

void
BthHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteU8(static_cast<uint8_t>(m_opcode));
    start.WriteU8(static_cast<uint8_t>(BitIf(m_solicited, SOLICITED_BIT) |
                                       BitIf(m_migration, MIGRATION_BIT) | m_padCount << PAD_SHIFT |
                                       m_version));
    start.WriteHtonU16(m_partitionKey);
    start.WriteHtonU32(static_cast<uint32_t>(BitIf(m_fecn, FECN_BIT) | BitIf(m_becn, BECN_BIT))
                           << 24 |
                       m_queuePair);
    start.WriteHtonU32((m_ackRequest ? ACK_REQUEST_BIT : 0) | m_psn);
}

uint32_t
BthHeader::Deserialize(Buffer::Iterator start)
{
    m_opcode = static_cast<RoceOpcode>(start.ReadU8());
    const uint8_t flags = start.ReadU8();
    m_solicited = flags & SOLICITED_BIT;
    m_migration = flags & MIGRATION_BIT;
    m_padCount = flags >> PAD_SHIFT & 3;
    m_version = flags & 0xf;
    m_partitionKey = start.ReadNtohU16();
    const uint32_t destination = start.ReadNtohU32();
    m_fecn = destination >> 24 & FECN_BIT;
    m_becn = destination >> 24 & BECN_BIT;
    m_queuePair = destination & MASK_24;
    const uint32_t sequence = start.ReadNtohU32();
    m_ackRequest = sequence & ACK_REQUEST_BIT;
    m_psn = sequence & MASK_24;
    return SIZE;
}

void
BthHeader::Print(std::ostream& os) const
{
    os << "opcode=" << static_cast<uint32_t>(m_opcode) << " qp=" << m_queuePair << " psn=" << m_psn
       << " pad=" << static_cast<uint32_t>(m_padCount) << " pkey=" << m_partitionKey
       << (m_ackRequest ? " ackreq" : "") << (m_solicited ? " solicited" : "")
       << (m_migration ? " migreq" : "") << (m_fecn ? " fecn" : "") << (m_becn ? " becn" : "");
}

} // namespace llmfabric
} // namespace ns3
