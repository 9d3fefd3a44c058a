/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_CONFIG_H
#define COLLECTIVE_CONFIG_H

#include "collective-protocol.h"
#include "collective-task.h"

#include <cstdint>
#include <optional>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * How the ranks of a job do their collectives; all of them are told the same.
 */
struct CollectiveConfig
{
    uint32_t channels{0};          //!< channels of a group; 0: two for each NIC of its members
    std::optional<uint64_t> chunk; //!< bytes of a chunk; absent: the protocol's
    std::optional<uint64_t> slice; //!< bytes of a slice; absent: the protocol's
    uint32_t slots{4};             //!< slices of a connection's buffer; 0: no limit, no grants
    uint32_t queuePairs{1};        //!< queue pairs of a connection between nodes

    /// How slices are moved; absent: the choice takes what is fastest.
    std::optional<CollectiveProtocol> protocol{CollectiveProtocol::NONE};
    std::optional<Time> stepLatency; //!< what a step costs; absent: the protocol's
    double reductionRate{0};   //!< a channel's additions, bytes per second; 0: they take no time
    double memoryBandwidth{0}; //!< a GPU's additions on all channels, bytes/s; 0: no limit

    /// Fewest payload bytes of a channel: 64 for each of 512 threads (NCCL's threshold of Simple).
    static constexpr uint64_t CHANNEL_BYTES = 64 * 512;

    /**
     * @param layout where the members of a group are
     * @return channels that the group has
     */
    uint32_t GetChannels(const CollectiveLayout& layout) const;

    /**
     * @param layout where the members of a group are
     * @param payload M, bytes
     * @param used the protocol of the op
     * @return how the payload is cut: a channel gets at least CHANNEL_BYTES, unless it is the only
     *         one
     */
    CollectiveCut GetCut(const CollectiveLayout& layout,
                         uint64_t payload,
                         CollectiveProtocol used) const;

    /**
     * @param row whose costs
     * @param far the step goes from node to node
     * @param layout where the members of the group are
     * @param used the protocol of the op
     * @return what a step costs
     */
    Time GetStepLatency(LatencyRow row,
                        bool far,
                        const CollectiveLayout& layout,
                        CollectiveProtocol used) const;
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_CONFIG_H */
