/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SHORTEST_WAYS_H
#define SHORTEST_WAYS_H

#include "fabric-helper.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/** A link in one direction, with what comes behind it. */
struct WayLink
{
    uint64_t rate; //!< bit/s
    int64_t delay; //!< of the link, and of the switch at its far end if there is one, ticks
};

/**
 * @ingroup llm-fabric
 * Finds the shortest way from one host to another: the fewest links, as routes have, and of equally
 * short ones the way on which a full packet is fastest.
 *
 * Rates, delays and latencies are those that ports, links and switches have when it is made.
 */
class ShortestWays
{
  public:
    /**
     * @param fabric the network
     * @param packet wire bytes of a full packet
     */
    ShortestWays(const Fabric& fabric, uint64_t packet);

    /**
     * @param from a host
     * @param to another
     * @return the links from the one to the other; empty if there is no way. Ways from the host of
     *         the last call are at hand.
     */
    std::vector<WayLink> Find(uint32_t from, uint32_t to);

  private:
    /** A link between two vertices: hosts, then switches. */
    struct Edge
    {
        std::size_t to; //!< vertex at the far end
        WayLink link;   //!< the link
        double ticks;   //!< what a full packet takes over it
    };

    /** The best way to a vertex. */
    struct Reach
    {
        bool known{false};         //!< whether there is one
        uint64_t links{0};         //!< on it
        double ticks{0};           //!< what a full packet takes
        std::size_t before{0};     //!< vertex before
        const Edge* edge{nullptr}; //!< last link
    };

    /**
     * @param port a port with a link
     * @return the link that begins there
     */
    Edge MakeEdge(const Ptr<FabricPort>& port) const;
    /** @param from the host whose ways to all vertices are looked for */
    void Spread(uint32_t from);
    /**
     * @param vertex a vertex whose way is known
     * @param edge a link from there
     * @param next vertices that are one link farther
     */
    void Extend(std::size_t vertex, const Edge& edge, std::vector<std::size_t>& next);

    uint64_t m_packet;                                   //!< wire bytes of a full packet
    std::map<const FabricPort*, std::size_t> m_vertexOf; //!< of each port
    std::vector<int64_t> m_latency;                      //!< by vertex: of a switch, ticks
    std::vector<std::vector<Edge>> m_edges;              //!< by vertex
    std::vector<Reach> m_reach;                          //!< by vertex: from m_from
    uint32_t m_from{0};                                  //!< the host of m_reach
};

} // namespace llmfabric
} // namespace ns3

#endif /* SHORTEST_WAYS_H */
