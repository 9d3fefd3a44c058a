/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "cc-dcqcn.h"

#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(Dcqcn);

TypeId
Dcqcn::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llmfabric::Dcqcn")
            .SetParent<CongestionControl>()
            .SetGroupName("LlmFabric")
            .AddConstructor<Dcqcn>()
            .AddAttribute("Gain",
                          "g, weight of a CNP in alpha (paper: 1/256).",
                          DoubleValue(1.0 / 256),
                          MakeDoubleAccessor(&Dcqcn::m_gain),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("InitialAlpha",
                          "alpha of a new queue pair (paper: 1).",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&Dcqcn::m_initialAlpha),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("AlphaTimer",
                          "K, time without a CNP after which alpha falls (paper: 55 us).",
                          StringValue("55us"),
                          MakeTimeAccessor(&Dcqcn::m_alphaTimer),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("IncreaseTimer",
                          "Time of a timer stage (paper: 55 us).",
                          StringValue("55us"),
                          MakeTimeAccessor(&Dcqcn::m_increaseTimer),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("ByteCounter",
                          "B, payload bytes of a byte stage (paper: 10 MB).",
                          UintegerValue(10000000),
                          MakeUintegerAccessor(&Dcqcn::m_byteCounter),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("FastRecoveryStages",
                          "F, stages of a kind that only halve the gap to the target (paper: 5).",
                          UintegerValue(5),
                          MakeUintegerAccessor(&Dcqcn::m_fastStages),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("AdditiveIncrease",
                          "R_AI (paper: 40 Mb/s).",
                          StringValue("40Mbps"),
                          MakeDataRateAccessor(&Dcqcn::m_additive),
                          MakeDataRateChecker())
            .AddAttribute("HyperIncrease",
                          "R_HAI (the paper gives none; 200 Mb/s in its authors' simulator).",
                          StringValue("200Mbps"),
                          MakeDataRateAccessor(&Dcqcn::m_hyper),
                          MakeDataRateChecker())
            .AddAttribute("MinRate",
                          "Rmin (the paper gives none; 100 Mb/s in its authors' simulator).",
                          StringValue("100Mbps"),
                          MakeDataRateAccessor(&Dcqcn::m_minRate),
                          MakeDataRateChecker());
    return tid;
}

void
Dcqcn::DoStart(int64_t /* now */)
{
    m_alpha = m_initialAlpha;
    m_target = GetLineRate();
}

double
Dcqcn::GetAlpha(int64_t now)
{
    for (; m_nextAlpha <= now; m_nextAlpha += m_alphaTimer.GetTimeStep())
    {
        m_alpha *= 1 - m_gain;
    }
    return m_alpha;
}

void
Dcqcn::OnCnp(int64_t now)
{
    const double alpha = GetAlpha(now);
    const double rate = GetRate(now);
    const double least = std::min(static_cast<double>(m_minRate.GetBitRate()), GetLineRate());
    m_target = rate;
    SetRate(std::max(least, rate * (1 - alpha / 2)));
    m_alpha = (1 - m_gain) * alpha + m_gain;
    m_timerStages = 0;
    m_byteStages = 0;
    m_bytes = 0;
    m_active = true;
    m_nextAlpha = now + m_alphaTimer.GetTimeStep();
    m_nextIncrease = now + m_increaseTimer.GetTimeStep();
    SetNextStep(m_nextIncrease);
}

void
Dcqcn::OnSend(int64_t now, uint32_t bytes)
{
    if (!m_active)
    {
        return;
    }
    GetRate(now); // timer stages that are due come first
    m_bytes += bytes;
    for (; m_bytes >= m_byteCounter; m_bytes -= m_byteCounter)
    {
        ++m_byteStages;
        Increase();
    }
}

void
Dcqcn::ApplySteps(int64_t now)
{
    const int64_t period = m_increaseTimer.GetTimeStep();
    while (m_nextIncrease <= now)
    {
        ++m_timerStages;
        m_nextIncrease += period;
        Increase();
        if (PeekRate() >= GetLineRate() && m_target >= GetLineRate() && m_nextIncrease <= now)
        {
            // Nothing changes any more but the count: (line + line) / 2 is line.
            const int64_t more = (now - m_nextIncrease) / period + 1;
            m_timerStages += static_cast<uint64_t>(more);
            m_nextIncrease += more * period;
        }
    }
    SetNextStep(m_nextIncrease);
}

void
Dcqcn::Increase()
{
    const uint64_t most = std::max(m_timerStages, m_byteStages);
    const uint64_t least = std::min(m_timerStages, m_byteStages);
    if (least > m_fastStages)
    {
        m_target +=
            static_cast<double>(least - m_fastStages) * static_cast<double>(m_hyper.GetBitRate());
    }
    else if (most > m_fastStages)
    {
        m_target += static_cast<double>(m_additive.GetBitRate());
    }
    m_target = std::min(m_target, GetLineRate());
    SetRate((m_target + PeekRate()) / 2);
}

} // namespace llmfabric
} // namespace ns3
