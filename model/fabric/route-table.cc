/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "route-table.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

void
RouteTable::Set(const std::map<uint32_t, std::vector<uint16_t>>& routes)
{
    *this = RouteTable();
    m_groups.push_back({0, 0});
    if (routes.empty())
    {
        return;
    }
    m_base = routes.begin()->first;
    const uint32_t width = routes.rbegin()->first - m_base + 1;
    NS_ABORT_MSG_IF(width > 1U << 24, "host addresses must lie in one /8, as 10.0.0.0/8");
    m_groupOf.assign(width, 0);
    std::map<std::vector<uint16_t>, uint32_t> known;
    for (const auto& route : routes)
    {
        std::vector<uint16_t> ports = route.second;
        std::sort(ports.begin(), ports.end());
        const auto found = known.emplace(ports, static_cast<uint32_t>(m_groups.size()));
        if (found.second)
        {
            m_groups.push_back(
                {static_cast<uint32_t>(m_ports.size()), static_cast<uint32_t>(ports.size())});
            m_ports.insert(m_ports.end(), ports.begin(), ports.end());
        }
        m_groupOf[route.first - m_base] = found.first->second;
    }
}

} // namespace llmfabric
} // namespace ns3
