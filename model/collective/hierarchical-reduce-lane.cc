/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hierarchical-reduce-lane.h"

namespace ns3
{
namespace llmfabric
{

HierarchicalReduceLane::HierarchicalReduceLane(const CollectiveTask& task,
                                               uint32_t channel,
                                               Stage stage)
    : m_layout(task.layout),
      m_nodes(task.layout->GetNodes()),
      m_size(task.layout->GetNodeSize(0)),
      m_node(task.layout->GetNode(task.rank)),
      m_local(task.layout->GetLocal(task.rank)),
      m_channel(channel),
      m_place((m_local + m_size - channel % m_size) % m_size),
      m_stage(stage),
      m_grid(task.payload, m_size, task.cut.channels, task.cut.chunk * m_nodes)
{
}

uint32_t
HierarchicalReduceLane::GetChannel() const
{
    return m_channel;
}

uint64_t
HierarchicalReduceLane::GetStepCount() const
{
    if (m_stage == RAIL)
    {
        return m_nodes == 1 ? 0 : m_grid.GetLoops() * (2 * uint64_t{m_nodes} - 1);
    }
    return m_size == 1 ? 0 : m_grid.GetLoops() * m_size;
}

LaneStep
HierarchicalReduceLane::GetStep(uint64_t index) const
{
    return m_stage == RAIL ? GetRailStep(index) : GetNodeStep(index);
}

LaneStep
HierarchicalReduceLane::GetNodeStep(uint64_t index) const
{
    const uint64_t loop = index / m_size;
    const auto k = static_cast<uint32_t>(index % m_size);
    // As in RingLane: what is received in a step is sent in the same one.
    const uint32_t back = m_stage == SCATTER ? k + 1 : k;
    const uint32_t owner = (m_place + m_size - back) % m_size;
    const ByteRange chunk = m_grid.GetRange(owner, m_channel, loop);
    LaneStep step;
    if (k > 0)
    {
        step.SetReceive({GetMate(m_place + m_size - 1)}, chunk);
        step.reduces = m_stage == SCATTER;
        step.sendAfter = {{LaneNeed::SAME, index, 0, false}};
    }
    else if (m_stage == GATHER)
    {
        AddRail(loop, step.sendAfter);
    }
    if (k + 1 < m_size)
    {
        step.SetSend({GetMate(m_place + 1)}, chunk);
    }
    return step;
}

LaneStep
HierarchicalReduceLane::GetRailStep(uint64_t index) const
{
    const uint32_t sends = 2 * (m_nodes - 1);
    const uint64_t loop = index / (sends + 1);
    const auto k = static_cast<uint32_t>(index % (sends + 1));
    const ByteRange chunk = m_grid.GetRange(m_place, m_channel, loop);
    const ByteRange piece = Cut(chunk, m_nodes, (m_node + 2 * m_nodes - k) % m_nodes);
    const auto shift = static_cast<int64_t>(piece.offset - chunk.offset);
    LaneStep step;
    if (k > 0)
    {
        const uint32_t before = (m_node + m_nodes - 1) % m_nodes;
        step.SetReceive({m_layout->GetMember(before, m_local)}, piece);
        step.reduces = k < m_nodes;
        // The node's sum first, so that never two lanes add to the same bytes.
        if (step.reduces)
        {
            AddScatter(loop, shift, step.receiveAfter);
        }
        step.sendAfter = {{LaneNeed::SAME, index, 0, false}};
    }
    else
    {
        AddScatter(loop, shift, step.sendAfter);
    }
    if (k < sends)
    {
        step.SetSend({m_layout->GetMember((m_node + 1) % m_nodes, m_local)}, piece);
    }
    return step;
}

void
HierarchicalReduceLane::AddScatter(uint64_t loop, int64_t shift, LaneNeeds& needs) const
{
    if (m_size > 1)
    {
        needs.push_back({m_channel * STAGES + SCATTER, (loop + 1) * m_size - 1, shift, false});
    }
}

void
HierarchicalReduceLane::AddRail(uint64_t loop, LaneNeeds& needs) const
{
    if (m_nodes == 1)
    {
        AddScatter(loop, 0, needs);
        return;
    }
    const uint64_t last = (loop + 1) * (2 * uint64_t{m_nodes} - 1) - 1;
    needs.push_back({m_channel * STAGES + RAIL, last, LaneNeed::WHOLE, false});
}

uint32_t
HierarchicalReduceLane::GetMate(uint32_t place) const
{
    return m_layout->GetMember(m_node, (place + m_channel) % m_size);
}

} // namespace llmfabric
} // namespace ns3
