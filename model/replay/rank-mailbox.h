/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_MAILBOX_H
#define RANK_MAILBOX_H

#include "rank-spans.h"

#include "ns3/gpu-connection.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The messages of one rank to and from single other ranks.
 *
 * A channel of a peer is a way of its own; its messages come in the order in which they were sent,
 * and each ends the receive that has waited longest. What comes early waits.
 */
class RankMailbox
{
  public:
    /// An op is over: how its caller named it, and how it went.
    using OverCallback = std::function<void(uint64_t op, const TransferSpan& span)>;

    /**
     * @param rank the rank
     * @param over called when an op is over, maybe within Send() or Receive(); it may begin others
     */
    RankMailbox(uint32_t rank, OverCallback over);

    RankMailbox(const RankMailbox&) = delete;
    RankMailbox& operator=(const RankMailbox&) = delete;

    /**
     * @param peer whom to send to
     * @param channel the channel
     * @param connection the way there
     */
    void SetSend(uint32_t peer, uint32_t channel, Ptr<GpuConnection> connection);

    /**
     * @param peer whom to receive from
     * @param channel the channel
     * @param connection the way from there
     */
    void SetReceive(uint32_t peer, uint32_t channel, Ptr<GpuConnection> connection);

    /**
     * Hand a message over; with that the op is over.
     *
     * @param index how the caller names the op
     * @param step step of the training run
     * @param op the op
     */
    void Send(uint64_t index, uint64_t step, const SendOp& op);

    /**
     * Wait for a message.
     *
     * @param index how the caller names the op
     * @param step step of the training run
     * @param op the op
     */
    void Receive(uint64_t index, uint64_t step, const ReceiveOp& op);

    /** @return bytes that the connections have sent */
    uint64_t GetSentBytes() const;

    /** @return the messages that it waits for, each as a part of a sentence */
    std::vector<std::string> DescribeWaits() const;

  private:
    /** A peer and the number of a channel. */
    using Channel = std::pair<uint32_t, uint32_t>;

    /** A receive that waits. */
    struct Request
    {
        uint64_t index;    //!< how the caller names it
        TransferSpan span; //!< without its end
    };

    /** The receiving end of a channel; either count is 0 when nothing runs. */
    struct Inbox
    {
        Ptr<GpuConnection> connection; //!< the way from there
        uint64_t arrived{0};           //!< messages not yet taken
        std::deque<Request> waiting;   //!< receives whose message has not come
    };

    /**
     * @param channel the channel of a message that has come
     * @param bytes its size
     */
    void OnReceive(Channel channel, uint64_t bytes);
    /** @param inbox where messages may meet the receives that wait for them */
    void Match(Inbox& inbox);

    uint32_t m_rank;                                //!< the rank
    OverCallback m_over;                            //!< called when an op is over
    std::map<Channel, Ptr<GpuConnection>> m_sendTo; //!< ways to peers
    std::map<Channel, Inbox> m_inboxes;             //!< ways from peers
};

} // namespace llmfabric
} // namespace ns3

#endif /* RANK_MAILBOX_H */
