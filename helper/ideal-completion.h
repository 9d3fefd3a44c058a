/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IDEAL_COMPLETION_H
#define IDEAL_COMPLETION_H

#include "shortest-ways.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * How long a flow takes that has the network for itself and sends at line rate: from posting it to
 * its last byte at the receiver.
 *
 * @verbatim
     host   |111|2|3|                 1: the first packet, the longest by its RETH
     switch  d   |111|2|3|            d: delay of the link, and latency of the switch
     switch       d   |111|2|3|
     host              d       ^ the last byte
   @endverbatim
 *
 * Each switch sends a packet on when it has come whole. Over n links of one rate R with delays d_i,
 * with W wire bytes of all packets and w of the first,
 *
 *     T = sum d_i + 8 (W + (n - 1) w) / R
 *
 * where a packet has 82 B around its payload, which is padded to 4, and the first of a message 16
 * more. It is reckoned packet by packet, so rates may differ. The latencies of NICs and switches
 * count. What a congestion control adds to packets (telemetry) does not, so that the ideal is the
 * same for all; HPCC's authors do so, too (their simulator: "with header but no INT").
 */
class IdealCompletion
{
  public:
    /** @param fabric the network, with all its attributes set */
    explicit IdealCompletion(const Fabric& fabric);

    /**
     * @param from sending host
     * @param to receiving host
     * @param bytes payload, at least 1
     * @return the time, ticks; -1 if there is no way from the one to the other. Quickest if one
     *         sender is asked about after the other.
     */
    int64_t GetTicks(uint32_t from, uint32_t to, uint64_t bytes);

    /**
     * The round-trip time without queues that congestion controls count with: a full packet one way
     * and its ACK back, between the hosts that are farthest apart. These are looked for from host
     * 0, then from the farthest found, which finds them in every network of the topology builders.
     *
     * @return the time, ticks; 0 with fewer than two hosts
     */
    int64_t GetBaseRtt();

    /**
     * @param links the way, at least one link
     * @param bytes payload, at least 1
     * @param mtu payload of a full packet
     * @return the time from the first bit at the sender to the last at the receiver, ticks
     */
    static int64_t GetTicksOver(const std::vector<WayLink>& links, uint64_t bytes, uint64_t mtu);

  private:
    /**
     * @param from a host
     * @param to another
     * @return from the first bit of a full packet to its ACK, ticks; 0 if there is no way
     */
    int64_t GetRtt(uint32_t from, uint32_t to);

    /** What a NIC adds. */
    struct NicTimes
    {
        uint64_t mtu;     //!< payload of a full packet
        int64_t transmit; //!< from posting to the first packet, ticks
        int64_t receive;  //!< from the last bit of a packet to its processing, ticks
    };

    /**
     * @param fabric the network
     * @return the times of each host's NIC
     */
    static std::vector<NicTimes> GetNicTimes(const Fabric& fabric);
    /**
     * @param nics times of NICs
     * @return wire bytes of the largest packet
     */
    static uint64_t GetLargestPacket(const std::vector<NicTimes>& nics);

    std::vector<NicTimes> m_nics; //!< by host
    ShortestWays m_ways;          //!< from host to host
};

} // namespace llmfabric
} // namespace ns3

#endif /* IDEAL_COMPLETION_H */
