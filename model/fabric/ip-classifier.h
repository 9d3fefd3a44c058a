/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IP_CLASSIFIER_H
#define IP_CLASSIFIER_H

#include "drop-reason.h"
#include "fabric-frame.h"

#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * The hash of a 5-tuple that path selectors start from.
 *
 * @param source IPv4 address
 * @param destination IPv4 address
 * @param protocol IP protocol
 * @param sourcePort UDP or TCP port
 * @param destinationPort UDP or TCP port
 * @return 64 mixed bits, without a seed; each switch mixes in its own
 */
uint64_t HashFiveTuple(uint32_t source,
                       uint32_t destination,
                       uint8_t protocol,
                       uint16_t sourcePort,
                       uint16_t destinationPort);

/**
 * Read addresses, 5-tuple and ECN field from the IPv4 header of a packet.
 *
 * @param packet a packet that starts with an IPv4 header
 * @param frame where to write them, with sizes and flow hash
 * @return NONE, or why the fabric can't carry the packet
 */
DropReason ClassifyIpv4(Ptr<const Packet> packet, Frame& frame);

} // namespace llmfabric
} // namespace ns3

#endif /* IP_CLASSIFIER_H */
