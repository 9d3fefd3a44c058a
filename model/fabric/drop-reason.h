/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DROP_REASON_H
#define DROP_REASON_H

#include <array>
#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/** Why a frame was lost; each is counted apart. */
enum class DropReason : uint8_t
{
    NONE = 0,          //!< not lost
    LINK_ERROR,        //!< the receiving port's error model
    HEADROOM_OVERFLOW, //!< lossless frame, ingress headroom full
    BUFFER_FULL,       //!< lossy frame, no room in the shared buffer
    EGRESS_THRESHOLD,  //!< lossy frame, its egress queue is over its share
    NO_ROUTE,          //!< no port leads to the destination
    QUEUE_FULL,        //!< a host's transmit queue is full
    BROADCAST,         //!< broadcast or multicast, which the fabric does not carry
    NOT_IPV4,          //!< the Internet stack sent something else than IPv4
    TOO_LARGE,         //!< larger than the MTU of the port
    NO_RECEIVER,       //!< a RoCE frame for a host or queue pair that is not there
    LINK_DOWN,         //!< the port has no link
    NIC_BUFFER_FULL,   //!< the receive buffer of a NIC, whose host drains too slowly, is full
    COUNT              //!< number of reasons
};

/** Lost frames by reason. */
using DropCounters = std::array<uint64_t, static_cast<std::size_t>(DropReason::COUNT)>;

/**
 * @param reason a reason
 * @return its name in results and traces
 */
inline const char*
DropReasonName(DropReason reason)
{
    static constexpr const char* NAMES[] = {"none",
                                            "link_error",
                                            "headroom_overflow",
                                            "buffer_full",
                                            "egress_threshold",
                                            "no_route",
                                            "queue_full",
                                            "broadcast",
                                            "not_ipv4",
                                            "too_large",
                                            "no_receiver",
                                            "link_down",
                                            "nic_buffer_full"};
    static_assert(sizeof(NAMES) / sizeof(NAMES[0]) == static_cast<std::size_t>(DropReason::COUNT),
                  "each reason has a name");
    return NAMES[static_cast<std::size_t>(reason)];
}

} // namespace llmfabric
} // namespace ns3

#endif /* DROP_REASON_H */
