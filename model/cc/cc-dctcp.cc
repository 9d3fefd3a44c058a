/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "cc-dctcp.h"

#include "base-rtt.h"

#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/tick-rate.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(Dctcp);

TypeId
Dctcp::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llmfabric::Dctcp")
            .SetParent<CongestionControl>()
            .SetGroupName("LlmFabric")
            .AddConstructor<Dctcp>()
            .AddAttribute("Gain",
                          "g, weight of a round trip in alpha (paper: 1/16).",
                          DoubleValue(1.0 / 16),
                          MakeDoubleAccessor(&Dctcp::m_gain),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("InitialAlpha",
                          "alpha of a new queue pair (1: RFC 8257, section 3.3, and the HPCC "
                          "simulator).",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&Dctcp::m_initialAlpha),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("AdditiveIncrease",
                          "R_AI, increase in a round trip; 0: one MTU a round trip, as TCP (HPCC's "
                          "comparison: 615 Mb/s, 1000 bytes in 13 us).",
                          StringValue("0bps"),
                          MakeDataRateAccessor(&Dctcp::m_increase),
                          MakeDataRateChecker())
            .AddAttribute("BaseRtt",
                          "Round-trip time that AdditiveIncrease 0 counts with; 0: that of the way "
                          "without queues.",
                          StringValue("0us"),
                          MakeTimeAccessor(&Dctcp::m_rttAttribute),
                          MakeTimeChecker(TimeStep(0)))
            .AddAttribute("MinRate",
                          "Least rate (the paper gives none; 100 Mb/s in the HPCC simulator).",
                          StringValue("100Mbps"),
                          MakeDataRateAccessor(&Dctcp::m_minRate),
                          MakeDataRateChecker());
    return tid;
}

uint8_t
Dctcp::GetFeedback() const
{
    return AckFeedback::MARKS;
}

uint32_t
Dctcp::GetAckInterval() const
{
    return 1;
}

void
Dctcp::DoStart(int64_t now)
{
    m_step = static_cast<double>(m_increase.GetBitRate());
    if (m_step == 0)
    {
        const int64_t rtt =
            ChooseBaseRtt(m_rttAttribute, GetPath(), "ns3::llmfabric::Dctcp::BaseRtt");
        const double seconds = static_cast<double>(rtt) / static_cast<double>(TicksPerSecond());
        m_step = 8.0 * GetPath().mtu / seconds;
    }
    m_alpha = m_initialAlpha;
    m_measuring = m_cutting = false;
    m_bytes = m_markedBytes = m_acknowledged = m_next = 0;
    SetRate(now, GetLineRate());
    Report(now, CongestionQuantity::ALPHA, m_alpha);
}

void
Dctcp::OnAck(int64_t now, const AckFeedback& feedback)
{
    m_bytes += feedback.bytes;
    m_markedBytes += feedback.markedBytes;
    m_acknowledged = feedback.acknowledged;
    m_next = feedback.next;
    if (!m_measuring)
    {
        m_measuring = true;
        m_roundEnd = m_next;
    }
    const bool roundEnds = m_acknowledged > m_roundEnd;
    if (roundEnds)
    {
        EndRound(now);
    }
    if (IsCutting())
    {
        return;
    }
    if (feedback.markedPackets > 0)
    {
        Cut(now, 1 - m_alpha / 2);
    }
    else if (roundEnds)
    {
        SetRate(now, PeekRate() + m_step);
    }
}

void
Dctcp::EndRound(int64_t now)
{
    const double all = static_cast<double>(std::max(m_bytes, m_markedBytes));
    const double share = all > 0 ? static_cast<double>(m_markedBytes) / all : 0;
    m_alpha = (1 - m_gain) * m_alpha + m_gain * share;
    m_bytes = m_markedBytes = 0;
    m_roundEnd = m_next;
    Report(now, CongestionQuantity::ALPHA, m_alpha);
}

void
Dctcp::OnLoss(int64_t now, bool /* timedOut */)
{
    if (!IsCutting())
    {
        Cut(now, 0.5);
    }
}

void
Dctcp::Cut(int64_t now, double share)
{
    const double floor = std::min(static_cast<double>(m_minRate.GetBitRate()), GetLineRate());
    SetRate(now, std::max(floor, PeekRate() * share));
    m_cutting = true;
    m_cutEnd = m_next;
}

} // namespace llmfabric
} // namespace ns3
