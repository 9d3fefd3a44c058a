/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "cc-hpcc.h"

#include "base-rtt.h"

#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/tick-rate.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(Hpcc);

TypeId
Hpcc::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llmfabric::Hpcc")
            .SetParent<CongestionControl>()
            .SetGroupName("LlmFabric")
            .AddConstructor<Hpcc>()
            .AddAttribute("TargetUtilization",
                          "eta, share of a link that flows aim at (paper: 0.95).",
                          DoubleValue(0.95),
                          MakeDoubleAccessor(&Hpcc::m_eta),
                          MakeDoubleChecker<double>(0.01, 1.0))
            .AddAttribute("MaxStage",
                          "maxStage, round trips of additive increase before the window is set by "
                          "the utilization again (paper: 5).",
                          UintegerValue(5),
                          MakeUintegerAccessor(&Hpcc::m_maxStage),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute(
                "Flows",
                "N, flows that WindowIncrease 0 is reckoned for: W_AI = Winit (1 - eta) / "
                "N (paper, section 3.3; 100 gives its 80 bytes at 100 Gb/s and 13 us).",
                UintegerValue(100),
                MakeUintegerAccessor(&Hpcc::m_flows),
                MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("WindowIncrease",
                          "W_AI, bytes (paper: 80); 0: by Flows.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&Hpcc::m_increase),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("BaseRtt",
                          "T, round-trip time without queues (paper: the largest of the network); "
                          "0: that of the way.",
                          StringValue("0ns"),
                          MakeTimeAccessor(&Hpcc::m_rttAttribute),
                          MakeTimeChecker(TimeStep(0)));
    return tid;
}

uint8_t
Hpcc::GetFeedback() const
{
    return AckFeedback::TELEMETRY;
}

uint32_t
Hpcc::GetAckInterval() const
{
    return 1;
}

void
Hpcc::DoStart(int64_t now)
{
    m_rtt = ChooseBaseRtt(m_rttAttribute, GetPath(), "ns3::llmfabric::Hpcc::BaseRtt");
    m_ticksPerSecond = static_cast<double>(TicksPerSecond());
    m_most = GetLineRate() / 8 * static_cast<double>(m_rtt) / m_ticksPerSecond;
    m_step = m_increase > 0 ? static_cast<double>(m_increase) : m_most * (1 - m_eta) / m_flows;
    m_size = m_reference = m_most;
    m_utilization = 1;
    m_stage = 0;
    m_lastUpdate = 0;
    m_telemetry.count = 0;
    Apply(now);
}

void
Hpcc::OnAck(int64_t now, const AckFeedback& feedback)
{
    if (!feedback.telemetry || feedback.telemetry->count == 0)
    {
        return;
    }
    if (m_telemetry.count == 0)
    {
        m_lastUpdate = feedback.next;
    }
    else if (IsComparable(*feedback.telemetry))
    {
        const bool renew = feedback.acknowledged > m_lastUpdate;
        Measure(*feedback.telemetry);
        ComputeWindow(renew);
        Apply(now);
        m_lastUpdate = renew ? feedback.next : m_lastUpdate;
    }
    m_telemetry = *feedback.telemetry;
}

bool
Hpcc::IsComparable(const TelemetryStack& telemetry) const
{
    bool comparable = telemetry.count == m_telemetry.count;
    for (uint32_t i = 0; comparable && i < telemetry.count; ++i)
    {
        const HopTelemetry& hop = telemetry.hops[i];
        const HopTelemetry& before = m_telemetry.hops[i];
        comparable =
            hop.tick > before.tick && hop.sentBytes >= before.sentBytes && hop.rate == before.rate;
    }
    return comparable;
}

void
Hpcc::Measure(const TelemetryStack& telemetry)
{
    const double rtt = static_cast<double>(m_rtt);
    double most = -1;
    double tau = 0;
    for (uint32_t i = 0; i < telemetry.count; ++i)
    {
        const HopTelemetry& hop = telemetry.hops[i];
        const HopTelemetry& before = m_telemetry.hops[i];
        const double bytesPerTick = static_cast<double>(hop.rate) / 8 / m_ticksPerSecond;
        const double took = static_cast<double>(hop.tick - before.tick);
        const double sent = static_cast<double>(hop.sentBytes - before.sentBytes);
        const double queue = static_cast<double>(std::min(hop.queueBytes, before.queueBytes));
        const double share = queue / (bytesPerTick * rtt) + sent / took / bytesPerTick;
        if (share > most)
        {
            most = share;
            tau = took;
        }
    }
    const double weight = std::min(tau, rtt) / rtt;
    m_utilization = (1 - weight) * m_utilization + weight * most;
}

void
Hpcc::ComputeWindow(bool renew)
{
    const bool byUtilization = m_utilization >= m_eta || m_stage >= m_maxStage;
    const double base = byUtilization ? m_reference / (m_utilization / m_eta) : m_reference;
    m_size = std::min(base + m_step, m_most);
    if (renew)
    {
        m_stage = byUtilization ? 0 : m_stage + 1;
        m_reference = m_size;
    }
}

void
Hpcc::Apply(int64_t now)
{
    SetWindow(now, static_cast<uint64_t>(m_size));
    SetRate(now, m_size * 8 * m_ticksPerSecond / static_cast<double>(m_rtt));
}

} // namespace llmfabric
} // namespace ns3
