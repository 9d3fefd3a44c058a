/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "congestion-control.h"

#include <algorithm>

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
CongestionControl::Start(int64_t now, const PathInfo& path)
{
    m_path = path;
    m_rate = path.lineRate;
    m_window = NO_WINDOW;
    DoStart(now);
}

void
CongestionControl::SetRate(int64_t tick, double rate)
{
    rate = std::min(rate, m_path.lineRate);
    if (rate != m_rate)
    {
        m_rate = rate;
        Report(tick, CongestionQuantity::RATE, rate);
    }
}

void
CongestionControl::SetWindow(int64_t tick, uint64_t bytes)
{
    if (bytes != m_window)
    {
        m_window = bytes;
        Report(tick, CongestionQuantity::WINDOW, static_cast<double>(bytes));
    }
}

uint8_t
CongestionControl::GetFeedback() const
{
    return 0;
}

uint32_t
CongestionControl::GetAckInterval() const
{
    return 0;
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
CongestionControl::OnAck(int64_t /* now */, const AckFeedback& /* feedback */)
{
}

void
CongestionControl::OnLoss(int64_t /* now */, bool /* timedOut */)
{
}

void
CongestionControl::OnIdle(int64_t /* now */)
{
}

void
CongestionControl::OnBusy(int64_t /* now */)
{
}

void
CongestionControl::ApplySteps(int64_t /* now */)
{
}

} // namespace llmfabric
} // namespace ns3
