/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FRAME_CODEC_H
#define FRAME_CODEC_H

#include "fabric-frame.h"

#include "ns3/mac48-address.h"
#include "ns3/packet.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Makes the bytes of a frame when a capture, a packet trace sink or an error model asks for them.
 *
 * Who makes frames of a kind gives them a codec, so ports and switches need not know the kind. A
 * codec has no state and lives for ever.
 */
class FrameCodec
{
  public:
    virtual ~FrameCodec() = default;

    /**
     * @param frame the frame
     * @return its bytes from the Ethernet header on, without the frame check sequence
     */
    virtual Ptr<Packet> MakePacket(const Frame& frame) const = 0;
};

/**
 * @ingroup llm-fabric
 * The codec of what the Internet stack sends: its packet with an Ethernet header in front.
 */
class InternetCodec : public FrameCodec
{
  public:
    /** @return the one instance */
    static const InternetCodec& Get();

    Ptr<Packet> MakePacket(const Frame& frame) const override;

    /**
     * @param frame a frame with a packet
     * @return the packet from the IPv4 header on, with the ECN field as the frame has it now
     */
    static Ptr<Packet> MakeIpPacket(const Frame& frame);
};

/**
 * @ingroup llm-fabric
 * The codec of PFC frames (IEEE 802.1Qbb, 802.3 Annex 31D).
 */
class PfcCodec : public FrameCodec
{
  public:
    /** @return the one instance */
    static const PfcCodec& Get();

    Ptr<Packet> MakePacket(const Frame& frame) const override;
};

/**
 * The MAC address of the host port with an IPv4 address: 02:00 and the address (locally
 * administered, so that it needs no registry and no resolution).
 *
 * @param ipv4 the IPv4 address, host order
 * @return the MAC address
 */
Mac48Address MacOfAddress(uint32_t ipv4);

/**
 * The MAC address of a port that has no IPv4 address: 02:01, the fabric id in 20 bits, the index in
 * 12.
 *
 * @param fabricId fabric id of the node
 * @param index index of the port
 * @return the MAC address
 */
Mac48Address MacOfPort(uint32_t fabricId, uint32_t index);

/**
 * Put an Ethernet header in front.
 *
 * @param packet the packet
 * @param source source MAC address
 * @param destination destination MAC address
 * @param etherType the EtherType, e.g. 0x0800
 */
void AddEthernetHeader(Ptr<Packet> packet,
                       Mac48Address source,
                       Mac48Address destination,
                       uint16_t etherType);

} // namespace llmfabric
} // namespace ns3

#endif /* FRAME_CODEC_H */
