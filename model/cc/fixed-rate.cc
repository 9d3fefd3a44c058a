/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fixed-rate.h"

#include "ns3/string.h"

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(FixedRate);

TypeId
FixedRate::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llmfabric::FixedRate")
                            .SetParent<CongestionControl>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<FixedRate>()
                            .AddAttribute("Rate",
                                          "Rate of wire bytes; 0 is the line rate.",
                                          StringValue("0bps"),
                                          MakeDataRateAccessor(&FixedRate::m_fixedRate),
                                          MakeDataRateChecker());
    return tid;
}

void
FixedRate::DoStart(int64_t now)
{
    const double rate = static_cast<double>(m_fixedRate.GetBitRate());
    SetRate(now, rate > 0 ? rate : GetLineRate());
}

} // namespace llmfabric
} // namespace ns3
