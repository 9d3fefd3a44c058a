/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_EXTENSION_HEADERS_H
#define ROCE_EXTENSION_HEADERS_H

#include "roce-protocol.h"

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{
namespace llmfabric
{

// What follows the base transport header (InfiniBand architecture, volume 1, sections 9.3 to 9.5,
// and annex A17 for the CNP). Which ones a packet has is said by GetOpcodeTraits().

/**
 * @ingroup llm-fabric
 * The RDMA extended transport header, 16 bytes: virtual address 64 bits, R_Key 32, DMA length 32.
 */
class RethHeader : public Header
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

    /** @param address where in the responder's memory the message begins, bytes */
    void SetVirtualAddress(uint64_t address)
    {
        m_address = address;
    }

    /** @return where in the responder's memory the message begins, bytes */
    uint64_t GetVirtualAddress() const
    {
        return m_address;
    }

    /** @param key the remote key of that memory */
    void SetRemoteKey(uint32_t key)
    {
        m_remoteKey = key;
    }

    /** @return the remote key of that memory */
    uint32_t GetRemoteKey() const
    {
        return m_remoteKey;
    }

    /** @param bytes size of the message, bytes */
    void SetDmaLength(uint32_t bytes)
    {
        m_length = bytes;
    }

    /** @return size of the message, bytes */
    uint32_t GetDmaLength() const
    {
        return m_length;
    }

  private:
    uint64_t m_address{0};   //!< virtual address, bytes
    uint32_t m_remoteKey{0}; //!< R_Key
    uint32_t m_length{0};    //!< size of the message, bytes
};

/**
 * @ingroup llm-fabric
 * The acknowledge extended transport header, 4 bytes: syndrome 8 bits, message sequence number 24.
 */
class AethHeader : public Header
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

    /** @param syndrome SYNDROME_ACK, SYNDROME_RNR with a timer code, or SYNDROME_NAK_... */
    void SetSyndrome(uint8_t syndrome)
    {
        m_syndrome = syndrome;
    }

    /** @return the syndrome: the upper 3 bits say ACK 0, RNR NAK 1 or NAK 3 */
    uint8_t GetSyndrome() const
    {
        return m_syndrome;
    }

    /** @param msn messages that the responder has completed, 24 bits */
    void SetMsn(uint32_t msn)
    {
        m_msn = msn & MASK_24;
    }

    /** @return messages that the responder has completed, 24 bits */
    uint32_t GetMsn() const
    {
        return m_msn;
    }

  private:
    uint8_t m_syndrome{SYNDROME_ACK}; //!< ACK or kind of the NAK
    uint32_t m_msn{0};                //!< message sequence number
};

/**
 * @ingroup llm-fabric
 * Immediate data, 4 bytes.
 */
class ImmDtHeader : public Header
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

    /** @param value what the receiver's completion is to hold */
    void SetImmediate(uint32_t value)
    {
        m_immediate = value;
    }

    /** @return what the receiver's completion is to hold */
    uint32_t GetImmediate() const
    {
        return m_immediate;
    }

  private:
    uint32_t m_immediate{0}; //!< immediate data
};

/**
 * @ingroup llm-fabric
 * What a congestion notification packet has after the BTH: 16 reserved bytes, which are zero.
 */
class CnpHeader : public Header
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;
};

} // namespace llmfabric
} // namespace ns3

#endif /* ROCE_EXTENSION_HEADERS_H */
