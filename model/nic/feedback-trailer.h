/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FEEDBACK_TRAILER_H
#define FEEDBACK_TRAILER_H

#include "ns3/fabric-frame.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Makes the bytes of what a frame carries for congestion control between its pad and its ICRC. RoCE
 * has no such thing; it lies where dissectors that know nothing of it still read all else.
 *
 * With AckFeedback::HOPS or TELEMETRY it begins with the header of in-band telemetry of Li et al.,
 * "HPCC: High Precision Congestion Control", SIGCOMM 2019, section 4.1, 16 bits: number of hops 4
 * (switches that the packet, or the packet that an answer answers, has passed), path id 12 (always
 * 0). With TELEMETRY, TelemetryStack::MAX_HOPS records of 64 bits follow, unwritten ones of zeros:
 *
 * | field   | bits | unit                                                                      |
 * |---------|------|---------------------------------------------------------------------------|
 * | B       | 4    | GetRateCode()                                                             |
 * | TS      | 24   | ns when the packet left the queue; wraps every 16.8 ms                    |
 * | txBytes | 20   | 128 wire bytes that the port had sent by then; wraps every 134 MB         |
 * | qLen    | 16   | 80 bytes left in the queue; what is more than 65535 of them is 65535      |
 *
 * An ACK or NAK with AckFeedback::MARKS ends with the number of marked packets since the answer
 * before, and with their payload in bytes, 32 bits each.
 *
 * Simulated switches and NICs exchange the exact values of TelemetryStack, which these bytes round
 * as the paper's hardware does.
 */
class FeedbackTrailer
{
  public:
    /// Bytes of a unit of txBytes.
    static constexpr uint64_t SENT_UNIT_BYTES = 128;
    /// Bytes of a unit of qLen.
    static constexpr uint64_t QUEUE_UNIT_BYTES = 80;

    /**
     * @param frame a frame
     * @return GetTrailerBytes() bytes
     */
    static std::vector<uint8_t> Make(const Frame& frame);

    /**
     * The paper says that B is the type of the egress port, and leaves its codes open; these are
     * ours.
     *
     * @param rate line rate, bit/s
     * @return 1 to 11 for 1, 10, 25, 40, 50, 100, 200, 400, 800, 1600, 3200 Gb/s; 15 for others
     */
    static uint8_t GetRateCode(uint64_t rate);
};

} // namespace llmfabric
} // namespace ns3

#endif /* FEEDBACK_TRAILER_H */
