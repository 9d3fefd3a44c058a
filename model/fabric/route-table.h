/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROUTE_TABLE_H
#define ROUTE_TABLE_H

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/** The ports of a switch that lead to a destination by equally short paths. */
struct PortGroup
{
    const uint16_t* ports{nullptr}; //!< switch port numbers, ascending
    uint32_t count{0};              //!< how many; 0: no route
};

/**
 * @ingroup llm-fabric
 * From a destination's address to the ports that lead there: two array look-ups.
 *
 * Host addresses come from the topology's coordinates and are dense, so the table is an array over
 * the range of addresses; that range is at most 2^24 wide (10.0.0.0/8).
 */
class RouteTable
{
  public:
    /**
     * @param routes ports by IPv4 address (host order); replaces all there was
     */
    void Set(const std::map<uint32_t, std::vector<uint16_t>>& routes);

    /**
     * @param address IPv4 address, host order
     * @return the ports; count 0 if there is no route
     */
    PortGroup Find(uint32_t address) const
    {
        const uint32_t offset = address - m_base;
        if (offset >= m_groupOf.size())
        {
            return {};
        }
        const Group& group = m_groups[m_groupOf[offset]];
        return {m_ports.data() + group.first, group.count};
    }

  private:
    /** Where the ports of a group stand. */
    struct Group
    {
        uint32_t first; //!< index in m_ports
        uint32_t count; //!< how many
    };

    uint32_t m_base{0};              //!< the least address
    std::vector<uint32_t> m_groupOf; //!< by address - m_base: index in m_groups
    std::vector<Group> m_groups;     //!< distinct groups; the first is empty
    std::vector<uint16_t> m_ports;   //!< ports of all groups
};

} // namespace llmfabric
} // namespace ns3

#endif /* ROUTE_TABLE_H */
