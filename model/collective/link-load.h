/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LINK_LOAD_H
#define LINK_LOAD_H

#include "collective-cost.h"
#include "collective-layout.h"
#include "lane-step.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Adds up the messages of a round, to find the busiest GPU and the busiest NIC of a group. Messages
 * within a node load GPUs, messages between nodes load NICs; members of a node that use the same
 * NIC share it. Both have two directions, and the busier one counts.
 */
class LinkLoad
{
  public:
    /// Value of a slice: messages go on as a whole only.
    static constexpr double WHOLE = std::numeric_limits<double>::infinity();

    /**
     * @param layout where the members are; must outlive this
     * @param slice what of each message goes ahead as its first slice, bytes; where channels share
     *        the messages, the slices of all of them
     */
    explicit LinkLoad(const CollectiveLayout& layout, double slice = WHOLE);

    /**
     * Add a message, between nodes by the NICs near to the GPUs.
     *
     * @param from who sends it
     * @param to who receives it
     * @param bytes size
     */
    void Add(uint32_t from, uint32_t to, double bytes);

    /**
     * Add the messages of a step, between nodes by the NICs near to the GPUs.
     *
     * @param from who sends them
     * @param step a step of its lane
     */
    void Add(uint32_t from, const LaneStep& step);

    /**
     * Add a message, between nodes by the NICs of a channel.
     *
     * @param channel the channel
     * @param from who sends it
     * @param to who receives it
     * @param bytes size
     */
    void AddOnChannel(uint32_t channel, uint32_t from, uint32_t to, double bytes);

    /**
     * Add a message of a member to each other one, and one back, between nodes by the NIC near to
     * the GPU. Only what they load at the member is counted.
     *
     * @param member the member
     * @param bytes size of each
     */
    void AddAll(uint32_t member, double bytes);

    /// @return what the busiest GPU sends or receives within its node, bytes
    double GetNear() const;

    /// @return what the busiest NIC sends or receives, bytes
    double GetFar() const;

    /**
     * @param rounds how many such rounds there are
     * @param reduces what comes is added to what the receiver holds
     * @return the rounds; messages that share a link send their first slices in turn
     */
    CostPhase GetPhase(double rounds, bool reduces) const;

    /**
     * @param reduces what comes is added to what the receiver holds
     * @return one round of all that was added; nothing if there are no bytes
     */
    CollectiveCost GetRound(bool reduces) const;

  private:
    /// What goes one way.
    struct Flow
    {
        double bytes{0}; //!< all of it
        double first{0}; //!< of it, the first slices of the messages
    };

    /// A GPU or NIC.
    struct Link
    {
        Flow out; //!< what it sends
        Flow in;  //!< what it receives
    };

    /**
     * @param flow where they are added
     * @param messages how many
     * @param bytes size of each
     */
    void Count(Flow& flow, uint32_t messages, double bytes) const;
    /**
     * @param member a member
     * @param nic a NIC, by index in its node
     * @return the NIC
     */
    Link& GetNic(uint32_t member, uint32_t nic);
    /**
     * @param links some links
     * @return of the bytes and first slices that go one way on a link, the most
     */
    static Flow GetBusiest(const std::vector<Link>& links);

    const CollectiveLayout& m_layout;    //!< where the members are
    double m_slice;                      //!< the first slice of a message, bytes
    std::vector<Link> m_gpus;            //!< by member
    std::vector<Link> m_nics;            //!< node by node, and in a node by index
    std::vector<std::size_t> m_firstNic; //!< of each node, where its NICs begin in m_nics
};

} // namespace llmfabric
} // namespace ns3

#endif /* LINK_LOAD_H */
