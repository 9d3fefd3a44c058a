/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_CODEC_H
#define ROCE_CODEC_H

#include "ns3/frame-codec.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The bytes of RoCE v2 frames: Ethernet, IPv4, UDP, BTH, the headers that the opcode asks for
 * (RETH, AETH, immediate data, the reserved bytes of a CNP), payload of zeros and pad, the trailer
 * of congestion control, ICRC.
 *
 * - IPv4: no options, don't fragment, identification 0. Time to live is 64 all along the way, since
 *   the fabric is one layer-2 domain whose switches route by address and rewrite no header. DSCP
 * and ECN are the frame's as they are now.
 * - UDP: destination port 4791, no checksum. IPv4 and UDP lengths have 16 bits; those of a packet
 *   that does not fit, with an MTU far beyond the standard's 4096, are modulo 2^16.
 * - RETH: the virtual address is where in its message the packet begins: 0 but for a READ request
 *   that asks for the rest. The R_Key is 0. Memory is not modeled.
 * - A NAK of selective repeat has the bitmap of what has come right behind its AETH: bit i says
 * that packet PSN + 1 + i has, least significant bit of the first byte first. RoCE has no such
 * thing.
 * - The trailer is described at FeedbackTrailer.
 * - The shortest Ethernet frame has 60 bytes without its check sequence; zeros behind the ICRC fill
 *   it up.
 *
 * BthHeader, RethHeader, AethHeader, ImmDtHeader and CnpHeader read these packets.
 */
class RoceCodec : public FrameCodec
{
  public:
    /** @return the one instance */
    static const RoceCodec& Get();

    Ptr<Packet> MakePacket(const Frame& frame) const override;

    /**
     * The invariant CRC (InfiniBand architecture, annex A17): CRC-32 of the packet with eight bytes
     * of ones in front and the fields that change on the way set to ones. The trailer of congestion
     * control changes on the way, too, and is no part of it.
     *
     * @param ip the packet from the IPv4 header (20 B) to the end of the pad, without trailer and
     *        ICRC
     * @return the CRC; its bytes go least significant first
     */
    static uint32_t ComputeIcrc(std::vector<uint8_t> ip);
};

} // namespace llmfabric
} // namespace ns3

#endif /* ROCE_CODEC_H */
