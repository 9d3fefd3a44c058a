/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-settings.h"

#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/user-error.h"

#include <limits>

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(CollectiveSettings);

namespace
{

/// Largest size of a chunk or slice: 1 TiB, so that sums of them fit 64 bits.
constexpr uint64_t LARGEST = 1ULL << 40;

} // namespace

TypeId
CollectiveSettings::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llmfabric::CollectiveSettings")
            .SetParent<Object>()
            .SetGroupName("LlmFabric")
            .AddConstructor<CollectiveSettings>()
            .AddAttribute("Channels",
                          "Channels of a group, each with a ring or tree of its own; 0: two for "
                          "each NIC that its members in a node are near to.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&CollectiveSettings::m_channels),
                          MakeUintegerChecker<uint32_t>(0, 64))
            .AddAttribute("ChunkSize",
                          "Bytes of a chunk, which a loop of a channel takes; 0: the protocol's (2 "
                          "MiB with Simple, as NCCL).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&CollectiveSettings::m_chunk),
                          MakeUintegerChecker<uint64_t>(0, LARGEST))
            .AddAttribute("SliceSize",
                          "Bytes of a slice, which is one message; 0: the protocol's (1 MiB with "
                          "Simple, as NCCL).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&CollectiveSettings::m_slice),
                          MakeUintegerChecker<uint64_t>(0, LARGEST))
            .AddAttribute("Slots",
                          "Slices that the receiver of a connection has room for and grants by "
                          "clear-to-sends; 0: no limit and no clear-to-sends.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&CollectiveSettings::m_slots),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("QueuePairs",
                          "Queue pairs of a connection between nodes, which send its messages in "
                          "turn (NCCL_IB_QPS_PER_CONNECTION).",
                          UintegerValue(1),
                          MakeUintegerAccessor(&CollectiveSettings::m_queuePairs),
                          MakeUintegerChecker<uint32_t>(1, 128))
            .AddAttribute("Protocol",
                          "What software costs: none, simple, ll, ll128, or auto for the fastest "
                          "of the last three.",
                          StringValue("none"),
                          MakeStringAccessor(&CollectiveSettings::m_protocol),
                          MakeStringChecker())
            .AddAttribute("StepLatency",
                          "From the time a slice may leave until it is handed to the NIC or "
                          "NVLink; below 0: the protocol's.",
                          StringValue("-1ns"),
                          MakeTimeAccessor(&CollectiveSettings::m_stepLatency),
                          MakeTimeChecker())
            .AddAttribute("ReductionRate",
                          "At which a channel adds what it receives; 0: it takes no time.",
                          StringValue("0bps"),
                          MakeDataRateAccessor(&CollectiveSettings::m_reductionRate),
                          MakeDataRateChecker())
            .AddAttribute("MemoryBandwidth",
                          "At which all channels of a GPU add together; 0: no limit.",
                          StringValue("0bps"),
                          MakeDataRateAccessor(&CollectiveSettings::m_memoryBandwidth),
                          MakeDataRateChecker());
    return tid;
}

CollectiveSettings::CollectiveSettings() = default;

CollectiveSettings::~CollectiveSettings() = default;

CollectiveConfig
CollectiveSettings::GetConfig() const
{
    CollectiveConfig config;
    config.channels = m_channels;
    config.slots = m_slots;
    config.queuePairs = m_queuePairs;
    config.protocol = FindProtocol(m_protocol);
    config.reductionRate = static_cast<double>(m_reductionRate.GetBitRate()) / 8;
    config.memoryBandwidth = static_cast<double>(m_memoryBandwidth.GetBitRate()) / 8;
    if (m_chunk > 0)
    {
        config.chunk = m_chunk;
    }
    if (m_slice > 0)
    {
        config.slice = m_slice;
    }
    if (!m_stepLatency.IsStrictlyNegative())
    {
        config.stepLatency = m_stepLatency;
    }
    return config;
}

} // namespace llmfabric
} // namespace ns3
