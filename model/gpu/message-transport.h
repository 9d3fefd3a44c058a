/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MESSAGE_TRANSPORT_H
#define MESSAGE_TRANSPORT_H

#include "gpu-connection.h"
#include "gpu-node.h"

#include "ns3/node-container.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/** How a connection between nodes is made. */
struct ConnectionOptions
{
    std::optional<uint32_t> senderNic;   //!< index of the sending NIC; absent: that of the GPU
    std::optional<uint32_t> receiverNic; //!< index of the receiving NIC; absent: that of the GPU
    uint32_t queuePairs{1};              //!< queue pairs that share the messages, at least 1
};

/**
 * @ingroup llm-fabric
 * Makes connections between the GPUs of a cluster: over NVLink within a node, else through NICs.
 *
 * GPU numbers run node by node. Used at set-up only.
 */
class MessageTransport
{
  public:
    /** @param nodes the servers; each has a GpuNode, all with the same number of GPUs */
    explicit MessageTransport(const NodeContainer& nodes);

    /** @return number of GPUs of the cluster */
    uint32_t GetGpus() const
    {
        return static_cast<uint32_t>(m_nodes.size()) * m_gpusPerNode;
    }

    /**
     * Connect two GPUs one way. The queue pairs between two NICs are numbered in the order of these
     * calls.
     *
     * @param from the sending GPU
     * @param to the receiving GPU, another one
     * @param options what matters if they are not in one node
     * @return the connection
     */
    Ptr<GpuConnection> Connect(uint32_t from, uint32_t to, const ConnectionOptions& options = {});

    /**
     * @param gpu a GPU
     * @return index in its node of the NIC near to it
     */
    uint32_t GetNicIndexOf(uint32_t gpu) const;

    /**
     * @param gpu a GPU
     * @return the ns-3 node it is in
     */
    Ptr<Node> GetNodeOf(uint32_t gpu) const;

  private:
    std::vector<Ptr<GpuNode>> m_nodes; //!< by node
    uint32_t m_gpusPerNode{0};         //!< GPUs of a node
};

} // namespace llmfabric
} // namespace ns3

#endif /* MESSAGE_TRANSPORT_H */
