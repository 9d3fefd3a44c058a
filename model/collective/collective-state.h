/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_STATE_H
#define COLLECTIVE_STATE_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A message that may leave now.
 */
struct CollectiveSend
{
    uint32_t peer;   //!< index in the group of the rank that gets it
    uint64_t offset; //!< where it begins in the payload, bytes
    uint64_t bytes;  //!< size, bytes; never 0
    uint32_t step;   //!< the sender's step of the op, from 0
};

/**
 * @ingroup llm-fabric
 * A message that must come before the op can go on.
 */
struct CollectiveWait
{
    uint32_t peer; //!< index in the group of the rank that sends it
    uint32_t step; //!< the sender's step of the op, from 0
};

/**
 * @ingroup llm-fabric
 * The part of one rank in one collective op: a state machine.
 *
 * It knows its own rank only, takes O(1) memory (of an All-to-All: a bit per peer), and moves when
 * its host calls it:
 *
 *     program reaches the op -> Start()
 *     a message of a peer is received and reduced -> OnReceive(), once per message, in the order
 *         in which that peer sent them, while Expects() it (the host keeps what comes early: a peer
 *         may have gone on to the next op of the group)
 *
 * Each call appends the messages that may go now, to one peer in the order in which they must
 * arrive. Messages of 0 bytes do not exist: both sides know all sizes and skip their steps.
 *
 * The op is over on a rank when all messages for it were received and all of its own were handed
 * over; an acknowledgment only frees the sender's buffer and is no concern of the op.
 *
 * Peers are indices in the group, as CollectiveTask::rank is.
 */
class CollectiveState
{
  public:
    virtual ~CollectiveState() = default;

    /**
     * The rank's program has reached the op. To be called once.
     *
     * @param sends where the messages that may go now are appended
     */
    virtual void Start(std::vector<CollectiveSend>& sends) = 0;

    /**
     * The next message of a peer has been received and reduced.
     *
     * @param peer index in the group of the rank that sent it
     * @param sends where the messages that may go now are appended
     */
    virtual void OnReceive(uint32_t peer, std::vector<CollectiveSend>& sends) = 0;

    /**
     * @return whether the op is over on this rank
     */
    virtual bool IsDone() const = 0;

    /**
     * @param peer index in the group of a rank
     * @return whether the started op cannot go on without a message of this peer
     */
    virtual bool Expects(uint32_t peer) const;

    /**
     * @return to whom this rank sends in the course of the op
     */
    virtual std::vector<uint32_t> GetPeersToSend() const = 0;

    /**
     * @return from whom this rank receives in the course of the op
     */
    virtual std::vector<uint32_t> GetPeersToReceive() const = 0;

    /**
     * @return what this rank sends in the whole op, by formula, bytes
     */
    virtual uint64_t GetBytesToSend() const = 0;

    /**
     * @return the steps that the op takes one after the other, those of an empty chunk included; 0
     *         if nothing is sent at all
     */
    virtual uint32_t GetStepCount() const = 0;

    /**
     * @return the messages that the started op cannot go on without; none once it is over
     */
    virtual std::vector<CollectiveWait> GetWaits() const = 0;

    /**
     * @return GetWaits() as text, e.g. "waits for step 3 of 14 from index 6", or "waits for
     * nothing"
     */
    std::string DescribeWait() const;
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_STATE_H */
