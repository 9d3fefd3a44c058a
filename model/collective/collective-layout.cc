/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-layout.h"

#include "ns3/abort.h"

#include <algorithm>
#include <map>

namespace ns3
{
namespace llmfabric
{

CollectiveLayout::CollectiveLayout(const std::vector<Place>& places)
{
    NS_ABORT_MSG_IF(places.empty(), "CollectiveLayout: no members");
    std::map<uint32_t, uint32_t> numbers; // of nodes, by the caller's number
    std::vector<std::vector<uint32_t>> members;
    for (uint32_t index = 0; index < places.size(); ++index)
    {
        const auto [found, isNew] =
            numbers.emplace(places[index].node, static_cast<uint32_t>(numbers.size()));
        if (isNew)
        {
            members.emplace_back();
        }
        m_node.push_back(found->second);
        m_local.push_back(static_cast<uint32_t>(members[found->second].size()));
        m_nic.push_back(places[index].nic);
        members[found->second].push_back(index);
    }
    for (uint32_t number = 0; number < members.size(); ++number)
    {
        Node node{static_cast<uint32_t>(m_byNode.size()),
                  static_cast<uint32_t>(members[number].size()),
                  {},
                  {}};
        for (uint32_t local = 0; local < node.size; ++local)
        {
            const uint32_t index = members[number][local];
            if (std::find(node.rails.begin(), node.rails.end(), m_nic[index]) == node.rails.end())
            {
                node.rails.push_back(m_nic[index]);
                node.railStart.push_back(local);
            }
            m_byNode.push_back(index);
            m_ofPlace.push_back(number);
        }
        m_nodes.push_back(node);
    }
}

CollectiveLayout
CollectiveLayout::Spread(uint32_t ranks)
{
    std::vector<Place> places(ranks);
    for (uint32_t index = 0; index < ranks; ++index)
    {
        places[index].node = index;
    }
    return CollectiveLayout(places);
}

uint32_t
CollectiveLayout::GetSize() const
{
    return static_cast<uint32_t>(m_node.size());
}

uint32_t
CollectiveLayout::GetNodes() const
{
    return static_cast<uint32_t>(m_nodes.size());
}

uint32_t
CollectiveLayout::GetNode(uint32_t index) const
{
    return m_node.at(index);
}

uint32_t
CollectiveLayout::GetLocal(uint32_t index) const
{
    return m_local.at(index);
}

uint32_t
CollectiveLayout::GetNodeSize(uint32_t node) const
{
    return m_nodes.at(node).size;
}

uint32_t
CollectiveLayout::GetMember(uint32_t node, uint32_t local) const
{
    return m_byNode.at(m_nodes.at(node).first + local);
}

bool
CollectiveLayout::IsUniform() const
{
    return std::all_of(m_nodes.begin(), m_nodes.end(), [this](const Node& node) {
        return node.size == m_nodes.front().size;
    });
}

uint32_t
CollectiveLayout::GetRails() const
{
    const auto fewest =
        std::min_element(m_nodes.begin(), m_nodes.end(), [](const Node& a, const Node& b) {
            return a.rails.size() < b.rails.size();
        });
    return static_cast<uint32_t>(fewest->rails.size());
}

uint32_t
CollectiveLayout::GetNic(uint32_t index, uint32_t channel) const
{
    const std::vector<uint32_t>& rails = m_nodes[m_node.at(index)].rails;
    return rails[channel % rails.size()];
}

uint32_t
CollectiveLayout::GetOwnNic(uint32_t index) const
{
    return m_nic.at(index);
}

uint32_t
CollectiveLayout::GetStart(const Node& node, uint32_t channel)
{
    return node.railStart[channel % node.railStart.size()];
}

uint32_t
CollectiveLayout::GetPosition(uint32_t channel, uint32_t index) const
{
    const Node& node = m_nodes[m_node.at(index)];
    return node.first + (m_local[index] + node.size - GetStart(node, channel)) % node.size;
}

uint32_t
CollectiveLayout::GetMemberAt(uint32_t channel, uint32_t position) const
{
    const Node& node = m_nodes[m_ofPlace.at(position)];
    return m_byNode[node.first + (position - node.first + GetStart(node, channel)) % node.size];
}

} // namespace llmfabric
} // namespace ns3
