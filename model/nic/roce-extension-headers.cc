/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-extension-headers.h"

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(RethHeader);

TypeId
RethHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llmfabric::RethHeader")
                            .SetParent<Header>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<RethHeader>();
    return tid;
}

TypeId
RethHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
RethHeader::GetSerializedSize() const
{
    return RETH_BYTES;
}

void
RethHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU64(m_address);
    start.WriteHtonU32(m_remoteKey);
    start.WriteHtonU32(m_length);
}

uint32_t
RethHeader::Deserialize(Buffer::Iterator start)
{
    m_address = start.ReadNtohU64();
    m_remoteKey = start.ReadNtohU32();
    m_length = start.ReadNtohU32();
    return RETH_BYTES;
}

void
RethHeader::Print(std::ostream& os) const
{
    os << "address=" << m_address << " rkey=" << m_remoteKey << " length=" << m_length;
}

NS_OBJECT_ENSURE_REGISTERED(AethHeader);

TypeId
AethHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llmfabric::AethHeader")
                            .SetParent<Header>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<AethHeader>();
    return tid;
}

TypeId
AethHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
AethHeader::GetSerializedSize() const
{
    return AETH_BYTES;
}

void
AethHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU32(static_cast<uint32_t>(m_syndrome) << 24 | m_msn);
}

uint32_t
AethHeader::Deserialize(Buffer::Iterator start)
{
    const uint32_t word = start.ReadNtohU32();
    m_syndrome = static_cast<uint8_t>(word >> 24);
    m_msn = word & MASK_24;
    return AETH_BYTES;
}

void
AethHeader::Print(std::ostream& os) const
{
    os << "syndrome=" << static_cast<uint32_t>(m_syndrome) << " msn=" << m_msn;
}

NS_OBJECT_ENSURE_REGISTERED(ImmDtHeader);

TypeId
ImmDtHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llmfabric::ImmDtHeader")
                            .SetParent<Header>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<ImmDtHeader>();
    return tid;
}

TypeId
ImmDtHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
ImmDtHeader::GetSerializedSize() const
{
    return IMMEDIATE_BYTES;
}

void
ImmDtHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU32(m_immediate);
}

uint32_t
ImmDtHeader::Deserialize(Buffer::Iterator start)
{
    m_immediate = start.ReadNtohU32();
    return IMMEDIATE_BYTES;
}

void
ImmDtHeader::Print(std::ostream& os) const
{
    os << "immediate=" << m_immediate;
}

NS_OBJECT_ENSURE_REGISTERED(CnpHeader);

TypeId
CnpHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llmfabric::CnpHeader")
                            .SetParent<Header>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<CnpHeader>();
    return tid;
}

TypeId
CnpHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
CnpHeader::GetSerializedSize() const
{
    return CNP_RESERVED_BYTES;
}

void
CnpHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteU8(0, CNP_RESERVED_BYTES);
}

uint32_t
CnpHeader::Deserialize(Buffer::Iterator start)
{
    start.Next(CNP_RESERVED_BYTES);
    return CNP_RESERVED_BYTES;
}

void
CnpHeader::Print(std::ostream& os) const
{
    os << "reserved=0";
}

} // namespace llmfabric
} // namespace ns3
