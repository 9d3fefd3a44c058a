/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "buffer-policy.h"

#include "ns3/double.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(BufferPolicy);
NS_OBJECT_ENSURE_REGISTERED(DynamicThreshold);

namespace
{
uint64_t
Share(double alpha, uint64_t free)
{
    constexpr double MOST = 1e18; // more than any buffer, and within uint64_t
    return static_cast<uint64_t>(std::min(alpha * static_cast<double>(free), MOST));
}
} // namespace

TypeId
BufferPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llmfabric::BufferPolicy").SetParent<Object>().SetGroupName("LlmFabric");
    return tid;
}

TypeId
DynamicThreshold::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llmfabric::DynamicThreshold")
            .SetParent<BufferPolicy>()
            .SetGroupName("LlmFabric")
            .AddConstructor<DynamicThreshold>()
            .AddAttribute("Alpha",
                          "Share of the free buffer that an (ingress port, lossless priority) may "
                          "take (SONiC: dynamic_th 0, which is 1).",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&DynamicThreshold::m_ingressAlpha),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("EgressAlpha",
                          "Share of the free buffer that a lossy egress queue may take (SONiC: "
                          "dynamic_th 3, which is 8).",
                          DoubleValue(8.0),
                          MakeDoubleAccessor(&DynamicThreshold::m_egressAlpha),
                          MakeDoubleChecker<double>(0.0));
    return tid;
}

uint64_t
DynamicThreshold::GetIngressLimit(uint64_t free) const
{
    return Share(m_ingressAlpha, free);
}

uint64_t
DynamicThreshold::GetEgressLimit(uint64_t free) const
{
    return Share(m_egressAlpha, free);
}

} // namespace llmfabric
} // namespace ns3
