/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-config.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

uint32_t
CollectiveConfig::GetChannels(const CollectiveLayout& layout) const
{
    return channels > 0 ? channels : 2 * layout.GetRails();
}

CollectiveCut
CollectiveConfig::GetCut(const CollectiveLayout& layout,
                         uint64_t payload,
                         CollectiveProtocol used) const
{
    const ProtocolProfile& profile = ProtocolProfile::Get(used);
    const uint64_t most = std::max<uint64_t>(payload / CHANNEL_BYTES, 1);
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(GetChannels(layout), most));
    const uint64_t ofSlice = slice.value_or(profile.GetSlice());
    const uint64_t ofChunk = chunk.value_or(std::max(profile.GetChunk(), ofSlice));
    return {count, ofChunk, ofSlice};
}

Time
CollectiveConfig::GetStepLatency(LatencyRow row,
                                 bool far,
                                 const CollectiveLayout& layout,
                                 CollectiveProtocol used) const
{
    const bool alone = layout.GetNodes() == layout.GetSize();
    return stepLatency.value_or(ProtocolProfile::Get(used).GetStepLatency(row, far, alone));
}

} // namespace llmfabric
} // namespace ns3
