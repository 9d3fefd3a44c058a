/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rail-exchange-lane.h"

#include <utility>

namespace ns3
{
namespace llmfabric
{

RailExchangeLane::RailExchangeLane(const CollectiveTask& task,
                                   uint32_t channel,
                                   std::shared_ptr<const AllToAllParts> parts,
                                   uint32_t nodeLane)
    : m_layout(task.layout),
      m_parts(std::move(parts)),
      m_rank(task.rank),
      m_node(task.layout->GetNode(task.rank)),
      m_local(task.layout->GetLocal(task.rank)),
      m_size(task.layout->GetNodeSize(0)),
      m_channel(channel),
      m_nodeLane(nodeLane)
{
}

uint32_t
RailExchangeLane::GetChannel() const
{
    return m_channel;
}

uint64_t
RailExchangeLane::GetStepCount() const
{
    return m_layout->GetNodes() - 1;
}

uint64_t
RailExchangeLane::GetBytes(uint32_t from, uint32_t to) const
{
    if (m_parts->IsEven())
    {
        return m_size * m_parts->GetBytes(m_channel, m_rank, to);
    }
    uint64_t bytes = 0;
    for (uint32_t local = 0; local < m_size; ++local)
    {
        bytes += m_parts->GetBytes(m_channel, m_layout->GetMember(from, local), to);
    }
    return bytes;
}

LaneStep
RailExchangeLane::GetStep(uint64_t index) const
{
    const uint32_t nodes = m_layout->GetNodes();
    const auto distance = static_cast<uint32_t>(index + 1);
    const uint32_t before = (m_node + nodes - distance) % nodes;
    const uint32_t to = m_layout->GetMember((m_node + distance) % nodes, m_local);
    LaneStep step;
    step.SetReceive({m_layout->GetMember(before, m_local)}, {0, GetBytes(before, m_rank)});
    step.SetSend({to}, {0, GetBytes(m_node, to)});
    if (m_size > 1)
    {
        const uint64_t last = uint64_t{distance} * (m_size - 1) - 1;
        step.sendAfter = {{m_nodeLane, last, LaneNeed::WHOLE, false}};
    }
    return step;
}

std::vector<DataPiece>
RailExchangeLane::GetPieces(uint64_t index) const
{
    const auto node = static_cast<uint32_t>((m_node + index + 1) % m_layout->GetNodes());
    const uint32_t to = m_layout->GetMember(node, m_local);
    std::vector<DataPiece> pieces;
    for (uint32_t local = 0; local < m_size; ++local)
    {
        pieces.push_back(m_parts->GetPiece(m_channel, m_layout->GetMember(m_node, local), to));
    }
    return pieces;
}

} // namespace llmfabric
} // namespace ns3
