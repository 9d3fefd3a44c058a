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
 * The bytes of RoCE v2 frames: Ethernet, IPv4, UDP, BTH, RETH or AETH, payload of zeros, ICRC.
 */
class RoceCodec : public FrameCodec
{
  public:
    /** @return the one instance */
    static const RoceCodec& Get();

    Ptr<Packet> MakePacket(const Frame& frame) const override;

    /**
     * The invariant CRC (InfiniBand architecture, annex A17): CRC-32 of the packet with eight bytes
     * of ones in front and the fields that change on the way set to ones.
     *
     * @param ip the packet from the IPv4 header (20 B) to the end of the pad, without ICRC
     * @return the CRC; its bytes go least significant first
     */
    static uint32_t ComputeIcrc(std::vector<uint8_t> ip);
};

} // namespace llmfabric
} // namespace ns3

#endif /* ROCE_CODEC_H */
