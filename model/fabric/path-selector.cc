/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-selector.h"

#include "ns3/hash-mix.h"
#include "ns3/rng-seed-manager.h"

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(PathSelector);
NS_OBJECT_ENSURE_REGISTERED(EcmpSelector);

TypeId
PathSelector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llmfabric::PathSelector").SetParent<Object>().SetGroupName("LlmFabric");
    return tid;
}

TypeId
EcmpSelector::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llmfabric::EcmpSelector")
                            .SetParent<PathSelector>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<EcmpSelector>();
    return tid;
}

void
EcmpSelector::Start(uint32_t fabricId)
{
    m_salt = HashValues({RngSeedManager::GetSeed(), fabricId});
}

uint16_t
EcmpSelector::Select(const Frame& frame, const PortGroup& group)
{
    // The upper 32 bits times the count, instead of a division.
    const uint64_t hash = MixBits(frame.flowHash ^ m_salt) >> 32;
    return group.ports[(hash * group.count) >> 32];
}

} // namespace llmfabric
} // namespace ns3
