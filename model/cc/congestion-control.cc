/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "congestion-control.h"

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(CongestionControl);

TypeId
CongestionControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llmfabric::CongestionControl").SetParent<Object>().SetGroupName("LlmFabric");
    return tid;
}

void
CongestionControl::Start(int64_t now, double lineRate)
{
    m_lineRate = lineRate;
    m_rate = lineRate;
    DoStart(now);
}

void
CongestionControl::OnSend(int64_t /* now */, uint32_t /* bytes */)
{
}

void
CongestionControl::OnCnp(int64_t /* now */)
{
}

void
CongestionControl::OnAck(int64_t /* now */, uint64_t /* packets */)
{
}

void
CongestionControl::OnLoss(int64_t /* now */)
{
}

void
CongestionControl::ApplySteps(int64_t /* now */)
{
}

} // namespace llmfabric
} // namespace ns3
