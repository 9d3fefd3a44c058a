/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_CONNECTOR_H
#define RANK_CONNECTOR_H

#include "ns3/message-transport.h"
#include "ns3/program-op.h"
#include "ns3/rank-application.h"

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Makes the connections that one rank sends on, each once.
 */
class RankConnector
{
  public:
    /// The ranks of a job.
    using Applications = std::vector<Ptr<RankApplication>>;

    /**
     * @param transport makes connections; must outlive this
     * @param applications the ranks, configured; must outlive this
     * @param rank the rank that sends
     */
    RankConnector(MessageTransport& transport, const Applications& applications, uint32_t rank);

    /**
     * Make the connections of a collective: on each lane of its algorithm, to each peer by the NICs
     * of the lane.
     *
     * @param op the op
     * @throws UserError if its algorithm can't be done on the group
     */
    void Connect(const CollectiveOp& op);

    /**
     * Make the connection of a message.
     *
     * @param op the op
     */
    void Connect(const SendOp& op);

  private:
    /// Tells ops apart whose connections may differ: group, op, algorithm, root.
    using OpKey = std::tuple<uint32_t, std::string, std::string, uint32_t>;

    /**
     * @param group a group of the rank
     * @param peer where to, and on which lane
     */
    void Connect(const RankCommunicator::Group& group, const LanePeer& peer);

    MessageTransport& m_transport;                               //!< makes connections
    const Applications& m_applications;                          //!< the ranks
    uint32_t m_rank;                                             //!< who sends
    std::set<OpKey> m_ops;                                       //!< connected ops
    std::set<std::pair<uint32_t, RankCommunicator::Way>> m_ways; //!< with their group
    std::set<std::pair<uint32_t, uint32_t>> m_channels;          //!< peer, channel
};

} // namespace llmfabric
} // namespace ns3

#endif /* RANK_CONNECTOR_H */
