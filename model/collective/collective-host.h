/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_HOST_H
#define COLLECTIVE_HOST_H

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A slice of a step, as it leaves or is taken.
 */
struct CollectiveSlice
{
    uint32_t lane;  //!< index of the lane
    uint32_t peer;  //!< index in the group of the rank that gets it, or sent it
    uint64_t step;  //!< this rank's step of the lane
    uint64_t begin; //!< where it begins in what the step sends, or receives, bytes
    uint64_t bytes; //!< size, bytes; never 0
};

/**
 * @ingroup llm-fabric
 * What a CollectiveState asks of its surroundings. One connection leads from one member to another
 * on one lane; slices on it keep their order.
 */
class CollectiveHost
{
  public:
    virtual ~CollectiveHost() = default;

    /**
     * @param lane index of a lane
     * @param peer a member
     * @return whether the receiver has granted a slot that is not used yet
     */
    virtual bool CanSend(uint32_t lane, uint32_t peer) const = 0;

    /**
     * Send a slice, into a slot.
     *
     * @param slice the slice
     */
    virtual void Send(const CollectiveSlice& slice) = 0;

    /**
     * @param lane index of a lane
     * @param peer a member
     * @return whether a slice has come that was not taken yet
     */
    virtual bool HasArrived(uint32_t lane, uint32_t peer) const = 0;

    /**
     * Take the oldest slice that has come; its slot is free from then on.
     *
     * @param slice the slice, as the state knows it
     */
    virtual void Take(const CollectiveSlice& slice) = 0;

    /**
     * Add to what the rank holds.
     *
     * @param lane index of a lane, which has no other reduction under way
     * @param bytes what is added
     * @return whether it is done at once; if not, CollectiveState::OnReduced() is called later
     */
    virtual bool Reduce(uint32_t lane, uint64_t bytes) = 0;

    /**
     * @param lane index of a lane
     * @param peer a member
     * @return whether a slot is free that was not granted
     */
    virtual bool CanGrant(uint32_t lane, uint32_t peer) const = 0;

    /**
     * Grant a slot to the sender.
     *
     * @param lane index of a lane
     * @param peer a member
     */
    virtual void Grant(uint32_t lane, uint32_t peer) = 0;
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_HOST_H */
