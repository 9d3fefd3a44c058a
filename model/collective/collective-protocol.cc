/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-protocol.h"

#include "ns3/user-error.h"

namespace ns3
{
namespace llmfabric
{

std::string
GetName(CollectiveProtocol protocol)
{
    static const std::array<std::string, COLLECTIVE_PROTOCOLS> NAMES{"none",
                                                                     "simple",
                                                                     "ll",
                                                                     "ll128"};
    return NAMES.at(static_cast<std::size_t>(protocol));
}

std::optional<CollectiveProtocol>
FindProtocol(const std::string& name)
{
    for (uint32_t i = 0; i < COLLECTIVE_PROTOCOLS; ++i)
    {
        const auto protocol = static_cast<CollectiveProtocol>(i);
        if (GetName(protocol) == name)
        {
            return protocol;
        }
    }
    if (name != "auto")
    {
        throw UserError("unknown protocol '" + name + "'",
                        "collective.protocol",
                        "known: none, simple, ll, ll128, auto");
    }
    return {};
}

ProtocolProfile::ProtocolProfile(uint64_t line,
                                 uint64_t useful,
                                 uint64_t slice,
                                 uint64_t chunk,
                                 const std::array<Latencies, 3>& latencies)
    : m_line(line),
      m_useful(useful),
      m_slice(slice),
      m_chunk(chunk),
      m_latencies(latencies)
{
}

const ProtocolProfile&
ProtocolProfile::Get(CollectiveProtocol protocol)
{
    constexpr uint64_t KIB = 1024;
    constexpr uint64_t MIB = 1024 * KIB;
    // LL128: 120 values of 8 bytes for each of 640 threads and 8 steps, of which 15 / 16 are
    // payload.
    constexpr uint64_t LL128_SLICE = 120 * 640 * 8 / 16 * 15;
    // Rows: ring, tree, PAT, which is done with Simple only.
    static const std::array<ProtocolProfile, COLLECTIVE_PROTOCOLS> PROFILES{{
        {0, 0, MIB, 2 * MIB, {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}},
        {0, 0, MIB, 2 * MIB, {{{8400, 3400, 14000}, {8400, 4000, 14000}, {8000, 4000, 4000}}}},
        {16, 8, 32 * KIB, 32 * KIB, {{{6600, 600, 2700}, {6800, 600, 5000}, {6600, 600, 2700}}}},
        {128,
         120,
         LL128_SLICE,
         LL128_SLICE,
         {{{14000, 1900, 4000}, {14000, 1250, 8500}, {14000, 1900, 4000}}}},
    }};
    return PROFILES.at(static_cast<std::size_t>(protocol));
}

uint64_t
ProtocolProfile::GetSentBytes(uint64_t bytes) const
{
    if (m_line == 0)
    {
        return bytes;
    }
    return (bytes / m_useful + (bytes % m_useful != 0 ? 1 : 0)) * m_line;
}

Time
ProtocolProfile::GetBaseLatency(LatencyRow row) const
{
    return NanoSeconds(m_latencies[static_cast<std::size_t>(row)].base);
}

Time
ProtocolProfile::GetStepLatency(LatencyRow row, bool far, bool alone) const
{
    const bool asTree = far && alone && row == LatencyRow::RING;
    const Latencies& own = m_latencies[static_cast<std::size_t>(asTree ? LatencyRow::TREE : row)];
    return NanoSeconds(far ? own.far : own.near);
}

} // namespace llmfabric
} // namespace ns3
