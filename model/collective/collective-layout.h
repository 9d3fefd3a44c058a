/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_LAYOUT_H
#define COLLECTIVE_LAYOUT_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Where the members of a group are: what algorithms know of the cluster. It never changes, so all
 * members share it.
 *
 * Nodes are numbered from 0 in the order of their first members, the members of a node from 0 in
 * their order (local index), and so are the NICs that they are near to (rails). Channel c has a
 * ring of its own: node by node, and in a node the members in their order, beginning with the first
 * one near rail c. So its bytes come into each node where its NIC is:
 *
 *     2 nodes of 4 GPUs, 2 NICs   channel 0: 0 1 2 3 | 4 5 6 7   by rail 0
 *                                 channel 1: 2 3 0 1 | 6 7 4 5   by rail 1
 */
class CollectiveLayout
{
  public:
    /// Where a member is.
    struct Place
    {
        uint32_t node{0}; //!< number of the node, any
        uint32_t nic{0};  //!< the NIC near to it, by index in the node
    };

    /**
     * @param places by index of the member, at least one
     */
    explicit CollectiveLayout(const std::vector<Place>& places);

    /**
     * @param ranks members, at least 1
     * @return a layout with each member in a node of its own
     */
    static CollectiveLayout Spread(uint32_t ranks);

    /// @return members
    uint32_t GetSize() const;

    /// @return nodes that have members
    uint32_t GetNodes() const;

    /**
     * @param index index of a member
     * @return number of its node, from 0
     */
    uint32_t GetNode(uint32_t index) const;

    /**
     * @param index index of a member
     * @return its local index
     */
    uint32_t GetLocal(uint32_t index) const;

    /**
     * @param node number of a node
     * @return members in it
     */
    uint32_t GetNodeSize(uint32_t node) const;

    /**
     * @param node number of a node
     * @param local local index, below GetNodeSize()
     * @return index of the member
     */
    uint32_t GetMember(uint32_t node, uint32_t local) const;

    /// @return whether all nodes have the same number of members
    bool IsUniform() const;

    /// @return NICs that the members of a node are near to, in the node that has the fewest
    uint32_t GetRails() const;

    /**
     * @param index index of a member
     * @param channel a channel
     * @return the NIC of the member's node that the channel uses, by index in the node
     */
    uint32_t GetNic(uint32_t index, uint32_t channel) const;

    /**
     * @param index index of a member
     * @return the NIC near to it, by index in the node
     */
    uint32_t GetOwnNic(uint32_t index) const;

    /**
     * @param channel a channel
     * @param index index of a member
     * @return its position in the channel's ring, from 0
     */
    uint32_t GetPosition(uint32_t channel, uint32_t index) const;

    /**
     * @param channel a channel
     * @param position a position in the channel's ring, below GetSize()
     * @return index of the member
     */
    uint32_t GetMemberAt(uint32_t channel, uint32_t position) const;

  private:
    /// A node.
    struct Node
    {
        uint32_t first;                  //!< where its members begin in m_byNode
        uint32_t size;                   //!< its members
        std::vector<uint32_t> rails;     //!< its NICs
        std::vector<uint32_t> railStart; //!< of each of them, the first member near to it (local)
    };

    /**
     * @param node a node
     * @param channel a channel
     * @return the local index that comes first in the channel's ring
     */
    static uint32_t GetStart(const Node& node, uint32_t channel);

    std::vector<Node> m_nodes;       //!< by number
    std::vector<uint32_t> m_node;    //!< number of the node of each member
    std::vector<uint32_t> m_local;   //!< local index of each member
    std::vector<uint32_t> m_nic;     //!< NIC near to each member
    std::vector<uint32_t> m_byNode;  //!< the members node by node
    std::vector<uint32_t> m_ofPlace; //!< node by place in m_byNode
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_LAYOUT_H */
