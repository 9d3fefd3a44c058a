/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-connector.h"

namespace ns3
{
namespace llmfabric
{

RankConnector::RankConnector(MessageTransport& transport,
                             const Applications& applications,
                             uint32_t rank)
    : m_transport(transport),
      m_applications(applications),
      m_rank(rank)
{
}

void
RankConnector::Connect(const CollectiveOp& op)
{
    const RankConfig& config = m_applications[m_rank]->GetConfig();
    const RankCommunicator::Group& group = config.groups.at(op.group);
    const std::string name = GetName(op.kind);
    CollectiveTask task = RankCommunicator::MakeTask(op, group, m_rank, config.plan);
    const CollectiveChoice choice = config.collectives->tuner->Choose(name, task);
    if (!m_ops.emplace(op.group, name, choice.algorithm->GetName(), op.root).second)
    {
        return;
    }
    // With bytes for each channel of each part every message exists that such an op may ever need.
    task.cut = choice.cut;
    task.cut.channels = config.collectives->config.GetChannels(*group.layout);
    task.payload = uint64_t{task.GetRanks()} * task.GetRanks() * task.cut.channels * 4;
    task.bytes = nullptr;
    for (const LanePeer& peer : GetPeersToSend(*choice.algorithm, task))
    {
        Connect(group, peer);
    }
}

void
RankConnector::Connect(const RankCommunicator::Group& group, const LanePeer& peer)
{
    const Ptr<RankApplication>& from = m_applications[m_rank];
    const uint32_t id = group.ranks.GetId();
    const uint32_t index = group.ranks.GetIndex(m_rank);
    const uint32_t to = group.ranks.GetRank(peer.peer);
    const RankCommunicator::Way way = RankCommunicator::GetWay(*group.layout, index, peer);
    if (!m_ways.emplace(id, way).second)
    {
        return;
    }
    ConnectionOptions options;
    options.queuePairs = from->GetConfig().collectives->config.queuePairs;
    options.senderNic = std::get<2>(way);
    options.receiverNic = std::get<3>(way);
    Ptr<GpuConnection> connection = m_transport.Connect(m_rank, to, options);
    LanePeer back = peer;
    back.peer = index;
    from->SetSendConnection(id, peer, connection);
    if (m_applications[to]->GetConfig().groups.count(id) > 0) // else its program has no such op
    {
        m_applications[to]->SetReceiveConnection(id, back, connection);
    }
}

void
RankConnector::Connect(const SendOp& op)
{
    if (m_channels.emplace(op.peer, op.channel).second)
    {
        const Ptr<RankApplication>& from = m_applications[m_rank];
        ConnectionOptions options;
        options.queuePairs = from->GetConfig().collectives->config.queuePairs;
        Ptr<GpuConnection> connection = m_transport.Connect(m_rank, op.peer, options);
        from->SetSendChannel(op.peer, op.channel, connection);
        m_applications[op.peer]->SetReceiveChannel(m_rank, op.channel, connection);
    }
}

} // namespace llmfabric
} // namespace ns3
