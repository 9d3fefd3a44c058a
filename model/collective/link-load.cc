/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "link-load.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

LinkLoad::LinkLoad(const CollectiveLayout& layout, double slice)
    : m_layout(layout),
      m_slice(slice),
      m_gpus(layout.GetSize())
{
    for (uint32_t node = 0; node < layout.GetNodes(); ++node)
    {
        uint32_t nics = 0;
        for (uint32_t local = 0; local < layout.GetNodeSize(node); ++local)
        {
            nics = std::max(nics, layout.GetOwnNic(layout.GetMember(node, local)) + 1);
        }
        m_firstNic.push_back(m_nics.size());
        m_nics.resize(m_nics.size() + nics);
    }
}

void
LinkLoad::Add(uint32_t from, uint32_t to, double bytes)
{
    const bool far = m_layout.GetNode(from) != m_layout.GetNode(to);
    Count((far ? GetNic(from, m_layout.GetOwnNic(from)) : m_gpus[from]).out, 1, bytes);
    Count((far ? GetNic(to, m_layout.GetOwnNic(to)) : m_gpus[to]).in, 1, bytes);
}

void
LinkLoad::Add(uint32_t from, const LaneStep& step)
{
    for (uint32_t to : step.sendTo)
    {
        Add(from, to, static_cast<double>(step.sendBytes));
    }
}

void
LinkLoad::AddOnChannel(uint32_t channel, uint32_t from, uint32_t to, double bytes)
{
    if (m_layout.GetNode(from) == m_layout.GetNode(to))
    {
        Add(from, to, bytes);
        return;
    }
    Count(GetNic(from, m_layout.GetNic(from, channel)).out, 1, bytes);
    Count(GetNic(to, m_layout.GetNic(to, channel)).in, 1, bytes);
}

void
LinkLoad::AddAll(uint32_t member, double bytes)
{
    const uint32_t inNode = m_layout.GetNodeSize(m_layout.GetNode(member));
    Link& gpu = m_gpus[member];
    Link& nic = GetNic(member, m_layout.GetOwnNic(member));
    for (Flow* flow : {&gpu.out, &gpu.in})
    {
        Count(*flow, inNode - 1, bytes);
    }
    for (Flow* flow : {&nic.out, &nic.in})
    {
        Count(*flow, m_layout.GetSize() - inNode, bytes);
    }
}

double
LinkLoad::GetNear() const
{
    return GetBusiest(m_gpus).bytes;
}

double
LinkLoad::GetFar() const
{
    return GetBusiest(m_nics).bytes;
}

CostPhase
LinkLoad::GetPhase(double rounds, bool reduces) const
{
    const Flow near = GetBusiest(m_gpus);
    const Flow far = GetBusiest(m_nics);
    const bool isFar = far.bytes > 0;
    return {rounds, isFar, isFar ? far.first : near.first, near.bytes, far.bytes, reduces};
}

CollectiveCost
LinkLoad::GetRound(bool reduces) const
{
    const CostPhase phase = GetPhase(1, reduces);
    return phase.nearBytes > 0 || phase.farBytes > 0 ? CollectiveCost{phase} : CollectiveCost{};
}

void
LinkLoad::Count(Flow& flow, uint32_t messages, double bytes) const
{
    flow.bytes += messages * bytes;
    flow.first += messages * std::min(bytes, m_slice);
}

LinkLoad::Link&
LinkLoad::GetNic(uint32_t member, uint32_t nic)
{
    return m_nics[m_firstNic[m_layout.GetNode(member)] + nic];
}

LinkLoad::Flow
LinkLoad::GetBusiest(const std::vector<Link>& links)
{
    Flow busiest;
    for (const Link& link : links)
    {
        busiest.bytes = std::max({busiest.bytes, link.out.bytes, link.in.bytes});
        busiest.first = std::max({busiest.first, link.out.first, link.in.first});
    }
    return busiest;
}

} // namespace llmfabric
} // namespace ns3
