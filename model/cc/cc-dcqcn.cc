/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "cc-dcqcn.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

void
Dcqcn::DoStart(int64_t now)
{
    const double most = static_cast<double>(m_maxRate.GetBitRate());
    m_ceiling = most > 0 ? std::min(most, GetLineRate()) : GetLineRate();
    m_floor = std::min(static_cast<double>(m_minRate.GetBitRate()), m_ceiling);
    m_target = m_ceiling;
    m_alpha = m_initialAlpha;
    Renew(now);
    Report(now, CongestionQuantity::TARGET_RATE, m_target);
    Report(now, CongestionQuantity::ALPHA, m_alpha);
}

void
Dcqcn::Renew(int64_t tick)
{
    SetRate(tick, m_ceiling);
    SetTarget(tick, m_ceiling);
    SetAlpha(tick, m_initialAlpha);
    m_active = m_cnpSeen = false;
    m_nextAlpha = m_nextIncrease = m_nextCut = m_nextRenewal = NEVER;
}

double
Dcqcn::GetAlpha(int64_t now)
{
    GetRate(now);
    StepAlpha(GetClock(now));
    return m_alpha;
}

int64_t
Dcqcn::GetFirstStep() const
{
    const int64_t first = std::min({m_nextIncrease, m_nextCut, m_nextRenewal});
    return IsObserved() ? std::min(first, m_nextAlpha) : first;
}

int64_t
Dcqcn::GetPeriodEnd(int64_t clock, const Time& period) const
{
    const int64_t length = period.GetTimeStep();
    return clock + length - (clock - m_firstCnp) % length;
}

void
Dcqcn::Arm()
{
    const int64_t first = GetFirstStep();
    SetNextStep(m_held || first == NEVER ? NEVER : first + m_heldTicks);
}

void
Dcqcn::ApplySteps(int64_t now)
{
    const int64_t clock = GetClock(now);
    for (int64_t due = GetFirstStep(); due <= clock; due = GetFirstStep())
    {
        StepAlpha(due);
        if (m_nextIncrease == due)
        {
            StepIncrease(due);
        }
        if (m_nextCut == due)
        {
            m_nextCut = NEVER;
            Cut(due + m_heldTicks);
        }
        if (m_nextRenewal == due)
        {
            Renew(due + m_heldTicks);
        }
    }
    Arm();
}

void
Dcqcn::StepAlpha(int64_t clock)
{
    while (m_nextAlpha <= clock)
    {
        const bool seen = m_cnpSeen;
        const double before = m_alpha;
        m_cnpSeen = false;
        SetAlpha(m_nextAlpha + m_heldTicks, (1 - m_gain) * m_alpha + (seen ? m_gain : 0));
        m_nextAlpha += m_alphaTimer.GetTimeStep();
        if (!seen && m_alpha == before)
        {
            m_nextAlpha = NEVER; // 0, or as near as a double comes: no step changes it any more
        }
    }
}

void
Dcqcn::StepIncrease(int64_t clock)
{
    const double rate = PeekRate();
    const double target = m_target;
    ++m_timerStages;
    m_nextIncrease += m_increaseTimer.GetTimeStep();
    Increase(clock + m_heldTicks);
    const bool canRise = m_target < m_ceiling && m_additive.GetBitRate() + m_hyper.GetBitRate() > 0;
    if (PeekRate() == rate && m_target == target && !canRise)
    {
        m_nextIncrease = NEVER; // later stages change nothing before the next cut starts anew
    }
}

void
Dcqcn::OnCnp(int64_t now)
{
    ApplySteps(now);
    const int64_t clock = GetClock(now);
    StepAlpha(clock);
    if (!m_active)
    {
        Activate(now);
    }
    StartRenewal(clock);
    if (m_mode == Mode::PERIODIC)
    {
        m_cnpSeen = true;
        m_nextAlpha = GetPeriodEnd(clock, m_alphaTimer);
        m_nextCut = GetPeriodEnd(clock, m_decreaseInterval);
    }
    else
    {
        const double raised = (1 - m_gain) * m_alpha + m_gain;
        if (m_cutOrder == CutOrder::ALPHA_FIRST)
        {
            SetAlpha(now, raised);
        }
        Cut(now);
        SetAlpha(now, raised);
        m_nextAlpha = clock + m_alphaTimer.GetTimeStep();
    }
    Arm();
}

void
Dcqcn::Activate(int64_t now)
{
    m_active = true;
    m_firstCnp = GetClock(now);
    m_timerStages = m_byteStages = m_bytes = 0;
    if (m_firstRate.GetBitRate() > 0)
    {
        const double first = std::max(m_floor, static_cast<double>(m_firstRate.GetBitRate()));
        SetRate(now, std::min(PeekRate(), first));
        SetTarget(now, PeekRate());
    }
}

void
Dcqcn::Cut(int64_t now)
{
    if (IsTargetClamped())
    {
        SetTarget(now, PeekRate());
    }
    const double kept = std::max(1 - m_alpha / 2, m_minDecreaseFactor);
    SetRate(now, std::max(m_floor, PeekRate() * kept));
    m_timerStages = m_byteStages = m_bytes = 0;
    m_nextIncrease = GetClock(now) + m_increaseTimer.GetTimeStep();
}

bool
Dcqcn::IsTargetClamped() const
{
    return m_clamp || m_byteStages > 0 || (m_clampAfterTime && m_timerStages > 0);
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
        Increase(now);
    }
}

void
Dcqcn::OnIdle(int64_t now)
{
    if (m_idleSince != NEVER)
    {
        return;
    }
    GetRate(now);
    m_idleSince = now;
    m_held = m_idleBehavior == IdleBehavior::HOLD;
    StartRenewal(GetClock(now));
    Arm();
}

void
Dcqcn::StartRenewal(int64_t clock)
{
    if (m_idleBehavior == IdleBehavior::LINE_RATE && m_active && m_idleSince != NEVER)
    {
        m_nextRenewal = clock + m_idleTime.GetTimeStep();
    }
}

void
Dcqcn::OnBusy(int64_t now)
{
    GetRate(now);
    if (m_held)
    {
        m_held = false;
        m_heldTicks += now - m_idleSince;
    }
    m_idleSince = m_nextRenewal = NEVER;
    Arm();
}

void
Dcqcn::Increase(int64_t tick)
{
    SetTarget(tick, std::min(GetRaisedTarget(), m_ceiling));
    SetRate(tick, (m_target + PeekRate()) / 2);
}

double
Dcqcn::GetRaisedTarget() const
{
    const uint64_t most = std::max(m_timerStages, m_byteStages);
    const uint64_t least = std::min(m_timerStages, m_byteStages);
    if (m_cutFarTarget && (m_timerStages == 1 || m_byteStages == 1) && m_target > 10 * PeekRate())
    {
        return m_target / 8;
    }
    if (least > m_fastStages)
    {
        const double stages = static_cast<double>(least - m_fastStages);
        return m_target + stages * static_cast<double>(m_hyper.GetBitRate());
    }
    if (most > m_fastStages)
    {
        return m_target + static_cast<double>(m_additive.GetBitRate());
    }
    return m_target;
}

void
Dcqcn::SetTarget(int64_t tick, double target)
{
    if (target != m_target)
    {
        m_target = target;
        Report(tick, CongestionQuantity::TARGET_RATE, target);
    }
}

void
Dcqcn::SetAlpha(int64_t tick, double alpha)
{
    if (alpha != m_alpha)
    {
        m_alpha = alpha;
        Report(tick, CongestionQuantity::ALPHA, alpha);
    }
}

} // namespace llmfabric
} // namespace ns3
