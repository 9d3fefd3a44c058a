/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HOP_TELEMETRY_H
#define HOP_TELEMETRY_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/// What a sender may want to know of the way, bits of Frame::feedback: switches passed are counted,
static constexpr uint8_t FEEDBACK_HOPS = 1;
/// answers count the marked packets and their bytes,
static constexpr uint8_t FEEDBACK_MARKS = 2;
/// switches write in-band telemetry, and answers bring the newest back.
static constexpr uint8_t FEEDBACK_TELEMETRY = 4;

/**
 * @ingroup llm-fabric
 * In-band telemetry of one hop: what an egress port of a switch wrote when the packet left it (Li
 * et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, section 4.1).
 */
struct HopTelemetry
{
    int64_t tick;        //!< when the packet left its queue, ticks
    uint64_t sentBytes;  //!< wire bytes that the port had sent by then, without the packet
    uint64_t queueBytes; //!< bytes left in its queue
    uint64_t rate;       //!< line rate of the port, bit/s
};

/** In-band telemetry of a way: hops in their order. */
struct TelemetryStack
{
    /// Most hops that have room (HPCC: 5, a fat-tree's longest way); later ones are not written.
    static constexpr std::size_t MAX_HOPS = 5;

    std::array<HopTelemetry, MAX_HOPS> hops; //!< the first `count` are valid
    uint32_t count{0};                       //!< hops written
};

} // namespace llmfabric
} // namespace ns3

#endif /* HOP_TELEMETRY_H */
