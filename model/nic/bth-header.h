/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BTH_HEADER_H
#define BTH_HEADER_H

#include "roce-protocol.h"

#include "ns3/header.h"

#include <cstdint>
#include <ostream>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The base transport header, 12 bytes, the first after UDP in RoCE v2 (InfiniBand architecture,
 * volume 1, section 9.2): opcode 8 bits, solicited event 1, migration request 1, pad count 2,
 * transport version 4, partition key 16, FECN 1, BECN 1, reserved 6, destination queue pair 24,
 * acknowledge request 1, reserved 7, packet sequence number 24. Reserved bits are 0.
 *
 * To read a packet, remove Ethernet, IPv4 and UDP headers, then this one; GetOpcodeTraits() says
 * which come next. The last four bytes of what is left are the ICRC.
 */
class BthHeader : public Header
{
  public:
    /// Bytes of the header.
    static constexpr uint32_t SIZE = 12;

    /** @return the object TypeId */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

    /** @param opcode what the packet is; any byte may come from a wire */
    void SetOpcode(RoceOpcode opcode)
    {
        m_opcode = opcode;
    }

    /** @return what the packet is */
    RoceOpcode GetOpcode() const
    {
        return m_opcode;
    }

    /** @param solicited true if the responder is to raise a completion event */
    void SetSolicitedEvent(bool solicited)
    {
        m_solicited = solicited;
    }

    /** @return true if the responder is to raise a completion event */
    bool IsSolicitedEvent() const
    {
        return m_solicited;
    }

    /** @param migrated MigReq, of automatic path migration */
    void SetMigrationRequest(bool migrated)
    {
        m_migration = migrated;
    }

    /** @return MigReq, of automatic path migration */
    bool IsMigrationRequest() const
    {
        return m_migration;
    }

    /** @param bytes bytes of zeros after the payload, 0 to 3 */
    void SetPadCount(uint8_t bytes)
    {
        m_padCount = bytes & 3;
    }

    /** @return bytes of zeros after the payload, 0 to 3 */
    uint8_t GetPadCount() const
    {
        return m_padCount;
    }

    /** @param version version of the transport headers, 4 bits; 0 is the only one so far */
    void SetTransportVersion(uint8_t version)
    {
        m_version = version & 0xf;
    }

    /** @return version of the transport headers, 4 bits */
    uint8_t GetTransportVersion() const
    {
        return m_version;
    }

    /** @param key the partition key; 0xffff is the default one */
    void SetPartitionKey(uint16_t key)
    {
        m_partitionKey = key;
    }

    /** @return the partition key */
    uint16_t GetPartitionKey() const
    {
        return m_partitionKey;
    }

    /** @param fecn forward explicit congestion notification */
    void SetFecn(bool fecn)
    {
        m_fecn = fecn;
    }

    /** @return forward explicit congestion notification */
    bool IsFecn() const
    {
        return m_fecn;
    }

    /** @param becn backward explicit congestion notification, set in a CNP */
    void SetBecn(bool becn)
    {
        m_becn = becn;
    }

    /** @return backward explicit congestion notification */
    bool IsBecn() const
    {
        return m_becn;
    }

    /** @param number number of the queue pair that the packet is for, 24 bits */
    void SetQueuePair(uint32_t number)
    {
        m_queuePair = number & MASK_24;
    }

    /** @return number of the queue pair that the packet is for, 24 bits */
    uint32_t GetQueuePair() const
    {
        return m_queuePair;
    }

    /** @param request true to ask for an acknowledgment */
    void SetAckRequest(bool request)
    {
        m_ackRequest = request;
    }

    /** @return true if an acknowledgment is asked for */
    bool IsAckRequest() const
    {
        return m_ackRequest;
    }

    /** @param psn packet sequence number, 24 bits */
    void SetPsn(uint32_t psn)
    {
        m_psn = psn & MASK_24;
    }

    /** @return packet sequence number, 24 bits */
    uint32_t GetPsn() const
    {
        return m_psn;
    }

  private:
    RoceOpcode m_opcode{RoceOpcode::SEND_FIRST}; //!< what the packet is
    bool m_solicited{false};                     //!< solicited event
    bool m_migration{false};                     //!< MigReq
    uint8_t m_padCount{0};                       //!< bytes of zeros after the payload
    uint8_t m_version{0};                        //!< version of the transport headers
    uint16_t m_partitionKey{0xffff};             //!< partition key
    bool m_fecn{false};                          //!< forward congestion notification
    bool m_becn{false};                          //!< backward congestion notification
    uint32_t m_queuePair{0};                     //!< destination queue pair number
    bool m_ackRequest{false};                    //!< an acknowledgment is asked for
    uint32_t m_psn{0};                           //!< packet sequence number
};

} // namespace llmfabric
} // namespace ns3

#endif /* BTH_HEADER_H */
