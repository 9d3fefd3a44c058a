/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "feedback-trailer.h"

#include "roce-protocol.h"

#include "ns3/congestion-control.h" // AckFeedback
#include "ns3/nstime.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace ns3
{
namespace llmfabric
{

namespace
{
/** Appends a number of 1 to 8 bytes, most significant byte first. */
void
Put(std::vector<uint8_t>& out, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = bytes; i > 0; --i)
    {
        out.push_back(static_cast<uint8_t>(value >> (8 * (i - 1))));
    }
}

/** @return the 64 bits of a hop */
uint64_t
Pack(const HopTelemetry& hop)
{
    const auto ns = static_cast<uint64_t>(TimeStep(hop.tick).GetNanoSeconds());
    const uint64_t queue = hop.queueBytes / FeedbackTrailer::QUEUE_UNIT_BYTES;
    return static_cast<uint64_t>(FeedbackTrailer::GetRateCode(hop.rate)) << 60 |
           (ns & 0xffffff) << 36 |
           (hop.sentBytes / FeedbackTrailer::SENT_UNIT_BYTES & 0xfffff) << 16 |
           std::min<uint64_t>(queue, 0xffff);
}

void
PutHops(std::vector<uint8_t>& out, const FrameExtension* extension)
{
    const TelemetryStack none{};
    const TelemetryStack& stack = extension ? extension->telemetry : none;
    for (std::size_t i = 0; i < TelemetryStack::MAX_HOPS; ++i)
    {
        Put(out, i < stack.count ? Pack(stack.hops[i]) : 0, 8);
    }
}
} // namespace

uint8_t
FeedbackTrailer::GetRateCode(uint64_t rate)
{
    static constexpr std::array<uint64_t, 11>
        GBPS{1, 10, 25, 40, 50, 100, 200, 400, 800, 1600, 3200};
    const auto found = std::find(GBPS.begin(), GBPS.end(), rate / 1000000000);
    const bool known = found != GBPS.end() && rate % 1000000000 == 0;
    return known ? static_cast<uint8_t>(std::distance(GBPS.begin(), found) + 1) : 15;
}

std::vector<uint8_t>
FeedbackTrailer::Make(const Frame& frame)
{
    std::vector<uint8_t> out;
    if (GetTrailerBytes(frame.kind, frame.feedback) == 0)
    {
        return out;
    }
    if (frame.feedback & (AckFeedback::HOPS | AckFeedback::TELEMETRY))
    {
        Put(out, std::min<uint32_t>(frame.hops, 15) << 12, HOP_COUNT_BYTES);
    }
    if (frame.feedback & AckFeedback::TELEMETRY)
    {
        PutHops(out, frame.extension);
    }
    if (frame.kind != FrameKind::DATA && frame.feedback & AckFeedback::MARKS)
    {
        Put(out, frame.markedPackets, 4);
        Put(out, frame.markedBytes, 4);
    }
    return out;
}

} // namespace llmfabric
} // namespace ns3
