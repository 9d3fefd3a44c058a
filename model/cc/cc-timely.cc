/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "cc-timely.h"

#include "base-rtt.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(Timely);

TypeId
Timely::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llmfabric::Timely")
            .SetParent<CongestionControl>()
            .SetGroupName("LlmFabric")
            .AddConstructor<Timely>()
            .AddAttribute("Patched",
                          "Between TLow and THigh follow the patched rule of Zhu et al., CoNEXT "
                          "2016, algorithm 2.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&Timely::m_patched),
                          MakeBooleanChecker())
            .AddAttribute("Alpha",
                          "Weight of a new difference of round-trip times (0.875: CoNEXT 2016 and "
                          "the HPCC simulator).",
                          DoubleValue(0.875),
                          MakeDoubleAccessor(&Timely::m_weight),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("Beta",
                          "Weight of a decrease (paper: 0.8; patched: 0.008).",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&Timely::m_beta),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("TLow",
                          "Below this round-trip time the rate only rises (paper: 50 us).",
                          StringValue("50us"),
                          MakeTimeAccessor(&Timely::m_low),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("THigh",
                          "Above this round-trip time the rate only falls (paper: 500 us).",
                          StringValue("500us"),
                          MakeTimeAccessor(&Timely::m_high),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("MinRtt",
                          "minRTT, by which the gradient is divided (paper: 20 us); 0: round-trip "
                          "time of the way without queues.",
                          StringValue("20us"),
                          MakeTimeAccessor(&Timely::m_minRtt),
                          MakeTimeChecker(TimeStep(0)))
            .AddAttribute("ReferenceRtt",
                          "With Patched: round-trip time that errors are measured from; 0: TLow "
                          "(CoNEXT 2016).",
                          StringValue("0us"),
                          MakeTimeAccessor(&Timely::m_reference),
                          MakeTimeChecker(TimeStep(0)))
            .AddAttribute("Delta",
                          "delta, additive increase (paper: 10 Mb/s on lines of 10 Gb/s).",
                          StringValue("10Mbps"),
                          MakeDataRateAccessor(&Timely::m_delta),
                          MakeDataRateChecker())
            .AddAttribute("HyperFactor",
                          "N, deltas of a hyperactive increase (paper: 5).",
                          UintegerValue(5),
                          MakeUintegerAccessor(&Timely::m_hyperFactor),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("HyperSegments",
                          "Segments with a gradient of at most 0 before increases are hyperactive "
                          "(paper: 5).",
                          UintegerValue(5),
                          MakeUintegerAccessor(&Timely::m_hyperSegments),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("SegmentSize",
                          "Payload bytes of a segment, for each of which the rate changes once; 0: "
                          "at each ACK (paper: 64 KB, the most that its NIC sends at once).",
                          UintegerValue(64000),
                          MakeUintegerAccessor(&Timely::m_segmentSize),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("InitialRate",
                          "Rate of a new queue pair; 0: the line rate.",
                          StringValue("0bps"),
                          MakeDataRateAccessor(&Timely::m_initialRate),
                          MakeDataRateChecker())
            .AddAttribute("MinRate",
                          "Least rate (the paper gives none; 100 Mb/s in the HPCC simulator).",
                          StringValue("100Mbps"),
                          MakeDataRateAccessor(&Timely::m_minRate),
                          MakeDataRateChecker());
    return tid;
}

uint32_t
Timely::GetAckInterval() const
{
    return 1;
}

void
Timely::DoStart(int64_t now)
{
    m_baseRtt =
        static_cast<double>(ChooseBaseRtt(m_minRtt, GetPath(), "ns3::llmfabric::Timely::MinRtt"));
    m_diff = 0;
    m_previous = -1;
    m_bytes = 0;
    m_calm = 0;
    const double rate = static_cast<double>(m_initialRate.GetBitRate());
    SetRate(now, rate > 0 ? rate : GetLineRate());
}

void
Timely::OnAck(int64_t now, const AckFeedback& feedback)
{
    m_bytes += feedback.bytes;
    if (feedback.rtt < 0 || m_bytes < m_segmentSize)
    {
        return;
    }
    m_bytes = 0;
    const double rtt = static_cast<double>(feedback.rtt);
    if (m_previous >= 0)
    {
        m_diff = (1 - m_weight) * m_diff + m_weight * (rtt - m_previous);
        const double floor = std::min(static_cast<double>(m_minRate.GetBitRate()), GetLineRate());
        SetRate(now, std::max(GetNextRate(rtt), floor));
        m_calm = m_diff <= 0 ? m_calm + 1 : 0;
    }
    m_previous = rtt;
}

double
Timely::GetNextRate(double rtt) const
{
    const double high = static_cast<double>(m_high.GetTimeStep());
    if (rtt < static_cast<double>(m_low.GetTimeStep()))
    {
        return PeekRate() + static_cast<double>(m_delta.GetBitRate());
    }
    if (rtt > high)
    {
        return PeekRate() * (1 - m_beta * (1 - high / rtt));
    }
    return m_patched ? GetPatchedRate(rtt) : GetGradientRate();
}

double
Timely::GetGradientRate() const
{
    if (m_diff <= 0)
    {
        const uint32_t deltas = m_calm >= m_hyperSegments ? m_hyperFactor : 1;
        return PeekRate() + deltas * static_cast<double>(m_delta.GetBitRate());
    }
    return PeekRate() * (1 - m_beta * GetGradient());
}

double
Timely::GetPatchedRate(double rtt) const
{
    const Time& chosen = m_reference.IsZero() ? m_low : m_reference;
    const double reference = static_cast<double>(chosen.GetTimeStep());
    const double weight = std::min(1.0, std::max(0.0, 2 * GetGradient() + 0.5));
    const double error = (rtt - reference) / reference;
    return static_cast<double>(m_delta.GetBitRate()) * (1 - weight) +
           PeekRate() * (1 - m_beta * weight * error);
}

} // namespace llmfabric
} // namespace ns3
