/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "node-exchange-lane.h"

#include <utility>

namespace ns3
{
namespace llmfabric
{

NodeExchangeLane::NodeExchangeLane(const CollectiveTask& task,
                                   uint32_t channel,
                                   std::shared_ptr<const AllToAllParts> parts)
    : m_layout(task.layout),
      m_parts(std::move(parts)),
      m_rank(task.rank),
      m_local(task.layout->GetLocal(task.rank)),
      m_size(task.layout->GetNodeSize(0)),
      m_channel(channel)
{
}

uint32_t
NodeExchangeLane::GetChannel() const
{
    return m_channel;
}

uint64_t
NodeExchangeLane::GetStepCount() const
{
    return uint64_t{m_layout->GetNodes()} * (m_size - 1);
}

uint32_t
NodeExchangeLane::GetTarget(uint64_t index, uint32_t local) const
{
    const auto distance = static_cast<uint32_t>(index / (m_size - 1)) + 1;
    const uint32_t node = (m_layout->GetNode(m_rank) + distance) % m_layout->GetNodes();
    return m_layout->GetMember(node, local);
}

uint32_t
NodeExchangeLane::GetMate(uint64_t index) const
{
    return (m_local + static_cast<uint32_t>(index % (m_size - 1)) + 1) % m_size;
}

LaneStep
NodeExchangeLane::GetStep(uint64_t index) const
{
    const uint32_t node = m_layout->GetNode(m_rank);
    const uint32_t mate = GetMate(index);
    const uint32_t from = m_layout->GetMember(node, (2 * m_local + m_size - mate) % m_size);
    LaneStep step;
    step.SetReceive({from}, {0, m_parts->GetBytes(m_channel, from, GetTarget(index, m_local))});
    step.SetSend({m_layout->GetMember(node, mate)},
                 {0, m_parts->GetBytes(m_channel, m_rank, GetTarget(index, mate))});
    return step;
}

std::vector<DataPiece>
NodeExchangeLane::GetPieces(uint64_t index) const
{
    return {m_parts->GetPiece(m_channel, m_rank, GetTarget(index, GetMate(index)))};
}

} // namespace llmfabric
} // namespace ns3
