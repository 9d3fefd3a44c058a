/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "message-transport.h"

#include "nic-connection.h"

#include "ns3/abort.h"
#include "ns3/node.h"

namespace ns3
{
namespace llmfabric
{

MessageTransport::MessageTransport(const NodeContainer& nodes)
{
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        Ptr<GpuNode> gpus = (*node)->GetObject<GpuNode>();
        NS_ABORT_MSG_UNLESS(gpus, "node " << (*node)->GetId() << " has no GpuNode");
        NS_ABORT_MSG_IF(m_gpusPerNode != 0 && m_gpusPerNode != gpus->GetGpus(),
                        "all nodes of a cluster have the same number of GPUs");
        m_gpusPerNode = gpus->GetGpus();
        m_nodes.push_back(gpus);
    }
}

Ptr<Node>
MessageTransport::GetNodeOf(uint32_t gpu) const
{
    return m_nodes.at(gpu / m_gpusPerNode)->GetObject<Node>();
}

uint32_t
MessageTransport::GetNicIndexOf(uint32_t gpu) const
{
    return m_nodes.at(gpu / m_gpusPerNode)->GetNicIndexOf(gpu % m_gpusPerNode);
}

Ptr<GpuConnection>
MessageTransport::Connect(uint32_t from, uint32_t to, const ConnectionOptions& options)
{
    Ptr<GpuNode> sender = m_nodes.at(from / m_gpusPerNode);
    Ptr<GpuNode> receiver = m_nodes.at(to / m_gpusPerNode);
    if (sender == receiver)
    {
        return sender->GetNvlink()->Connect(from % m_gpusPerNode, to % m_gpusPerNode);
    }
    Ptr<RoceNic> a = sender->GetNic(options.senderNic.value_or(GetNicIndexOf(from)));
    Ptr<RoceNic> b = receiver->GetNic(options.receiverNic.value_or(GetNicIndexOf(to)));
    std::vector<NicConnection::Ends> pairs;
    for (uint32_t i = 0; i < options.queuePairs; ++i)
    {
        pairs.push_back(RoceNic::Connect(a, b, RoceNic::NextIndex(a, b)));
    }
    return Create<NicConnection>(pairs, sender->GetPcieLatency(), receiver->GetPcieLatency());
}

} // namespace llmfabric
} // namespace ns3
