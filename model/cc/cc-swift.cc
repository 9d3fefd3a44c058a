/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "cc-swift.h"

#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/tick-rate.h"
#include "ns3/uinteger.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(Swift);

TypeId
Swift::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llmfabric::Swift")
            .SetParent<CongestionControl>()
            .SetGroupName("LlmFabric")
            .AddConstructor<Swift>()
            .AddAttribute("BaseTarget",
                          "Target delay without hops and flow scaling (the paper gives none; htsim "
                          "guesses 20 us).",
                          StringValue("20us"),
                          MakeTimeAccessor(&Swift::m_baseTarget),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute(
                "HopScale",
                "h, target delay of a hop (the paper gives none; htsim guesses BaseTarget "
                "/ 6.55).",
                StringValue("3053ns"),
                MakeTimeAccessor(&Swift::m_hopScale),
                MakeTimeChecker(TimeStep(0)))
            .AddAttribute("FsRange",
                          "Most target delay by flow scaling (htsim: 5 BaseTarget).",
                          StringValue("100us"),
                          MakeTimeAccessor(&Swift::m_range),
                          MakeTimeChecker(TimeStep(0)))
            .AddAttribute("FsMinCwnd",
                          "cwnd at which flow scaling reaches FsRange, packets (htsim: 0.1).",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&Swift::m_minScaled),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("FsMaxCwnd",
                          "cwnd from which on nothing is added by flow scaling, packets (htsim: "
                          "100).",
                          DoubleValue(100),
                          MakeDoubleAccessor(&Swift::m_maxScaled),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("AdditiveIncrease",
                          "ai, increase in a round trip, packets (htsim: 1).",
                          DoubleValue(1),
                          MakeDoubleAccessor(&Swift::m_increase),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("Beta",
                          "beta, weight of a decrease (htsim: 0.8).",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&Swift::m_beta),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("MaxDecrease",
                          "max_mdf, most that a decrease takes (htsim: 0.5).",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&Swift::m_maxDecrease),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("MinCwnd",
                          "Least cwnd, packets (0.001, which other simulators, too, "
                          "take from the paper).",
                          DoubleValue(0.001),
                          MakeDoubleAccessor(&Swift::m_minCwnd),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("InitialCwnd",
                          "cwnd of a new queue pair, packets; 0: what the line carries in "
                          "BaseTarget.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&Swift::m_initialCwnd),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("ResetThreshold",
                          "Timeouts in a row after which cwnd is MinCwnd (htsim: 5).",
                          UintegerValue(5),
                          MakeUintegerAccessor(&Swift::m_resetThreshold),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

uint8_t
Swift::GetFeedback() const
{
    return AckFeedback::HOPS;
}

uint32_t
Swift::GetAckInterval() const
{
    return 1;
}

void
Swift::DoStart(int64_t now)
{
    const double smallest = 1 / std::sqrt(m_minScaled);
    const double largest = 1 / std::sqrt(m_maxScaled);
    if (largest >= smallest)
    {
        throw UserError("it must be above FsMinCwnd",
                        "ns3::llmfabric::Swift::FsMaxCwnd",
                        "set it higher");
    }
    m_slope = static_cast<double>(m_range.GetTimeStep()) / (smallest - largest);
    m_offset = -m_slope * largest;
    m_ticksPerSecond = static_cast<double>(TicksPerSecond());
    BoundCwnd(0);
    m_packets = 0;
    m_timeouts = 0;
    m_rtt = 0;
    SetCwnd(now, m_initialCwnd > 0 ? m_initialCwnd : GetPackets(m_baseTarget));
    m_lastDecrease = -NEVER;
}

double
Swift::GetPackets(const Time& delay) const
{
    const double bits = GetLineRate() * static_cast<double>(delay.GetTimeStep());
    return bits / (8.0 * GetPath().mtu * m_ticksPerSecond);
}

void
Swift::BoundCwnd(uint8_t hops)
{
    m_hops = hops;
    const Time largest = m_baseTarget + TimeStep(hops * m_hopScale.GetTimeStep()) + m_range;
    m_maxCwnd = std::max(1.0, GetPackets(largest));
}

double
Swift::GetTargetDelay(uint8_t hops) const
{
    const double range = static_cast<double>(m_range.GetTimeStep());
    const double scaled = m_slope / std::sqrt(m_cwnd) + m_offset;
    return static_cast<double>(m_baseTarget.GetTimeStep()) +
           hops * static_cast<double>(m_hopScale.GetTimeStep()) +
           std::max(0.0, std::min(scaled, range));
}

bool
Swift::CanDecrease(int64_t now) const
{
    return m_lastDecrease < 0 || now - m_lastDecrease >= m_rtt;
}

void
Swift::OnAck(int64_t now, const AckFeedback& feedback)
{
    m_packets += feedback.packets;
    m_timeouts = feedback.packets > 0 ? 0 : m_timeouts;
    if (feedback.rtt <= 0)
    {
        return;
    }
    m_rtt = feedback.rtt;
    if (feedback.hops != m_hops)
    {
        BoundCwnd(feedback.hops);
    }
    const double delay = static_cast<double>(m_rtt);
    const double target = GetTargetDelay(feedback.hops);
    double cwnd = m_cwnd;
    if (delay < target)
    {
        const double step = m_increase * static_cast<double>(m_packets);
        cwnd += m_cwnd >= 1 ? step / m_cwnd : step;
    }
    else if (CanDecrease(now))
    {
        cwnd *= std::max(1 - m_beta * (delay - target) / delay, 1 - m_maxDecrease);
    }
    SetCwnd(now, cwnd); // with the same cwnd, too: its rate follows the round-trip time
    m_packets = 0;
}

void
Swift::OnLoss(int64_t now, bool timedOut)
{
    m_timeouts = timedOut ? m_timeouts + 1 : 0;
    if (m_timeouts >= m_resetThreshold)
    {
        SetCwnd(now, m_minCwnd);
    }
    else if (CanDecrease(now))
    {
        SetCwnd(now, m_cwnd * (1 - m_maxDecrease));
    }
}

void
Swift::SetCwnd(int64_t now, double cwnd)
{
    const double before = m_cwnd;
    m_cwnd = std::max(m_minCwnd, std::min(cwnd, m_maxCwnd));
    m_lastDecrease = m_cwnd < before ? now : m_lastDecrease;
    const double mtu = GetPath().mtu;
    SetWindow(now, static_cast<uint64_t>(std::max(1.0, m_cwnd) * mtu));
    if (m_cwnd < 1 && m_rtt > 0)
    {
        SetRate(now, m_cwnd * mtu * 8 * m_ticksPerSecond / static_cast<double>(m_rtt));
    }
    else
    {
        SetRate(now, GetLineRate());
    }
}

} // namespace llmfabric
} // namespace ns3
