/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "single-step-lane.h"

namespace ns3
{
namespace llmfabric
{

SingleStepLane::SingleStepLane(const Place& place, const LaneStep& step)
    : m_place(place),
      m_step(step)
{
}

uint32_t
SingleStepLane::GetChannel() const
{
    return m_place.channel;
}

bool
SingleStepLane::UsesChannelNic() const
{
    return m_place.channelNic;
}

uint64_t
SingleStepLane::GetStepCount() const
{
    return m_step.receiveFrom.empty() && m_step.sendTo.empty() ? 0 : 1;
}

LaneStep
SingleStepLane::GetStep(uint64_t /* index */) const
{
    return m_step;
}

std::vector<DataPiece>
SingleStepLane::GetPieces(uint64_t /* index */) const
{
    return {{m_place.origin, m_step.sendOffset, m_step.sendBytes}};
}

} // namespace llmfabric
} // namespace ns3
