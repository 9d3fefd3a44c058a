/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_MAILBOX_H
#define RANK_MAILBOX_H

#include "rank-spans.h"
#include "slice-receiver.h"
#include "slice-sender.h"

#include "ns3/collective-config.h"
#include "ns3/gpu-connection.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
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
 * A channel of a peer is a way of its own. Its messages are cut in slices, which take the slots
 * that the receiver grants once it has reached its receive; they come in the order in which they
 * were sent. A send is over when its last slice was handed over, a receive when it was taken. What
 * comes early, without slots, waits.
 */
class RankMailbox
{
  public:
    /// An op is over: how its caller named it, and how it went.
    using OverCallback = std::function<void(uint64_t op, const TransferSpan& span)>;

    /**
     * @param rank the rank
     * @param config slots and slices; messages take the protocol's, of "auto" that of Simple
     * @param over called when an op is over, maybe within Send() or Receive(); it may begin others
     */
    RankMailbox(uint32_t rank, const CollectiveConfig& config, OverCallback over);

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
     * Send a message.
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

    /** Give up all messages; what was handed over is still sent. */
    void Stop();

    /** @return bytes that the connections have sent */
    uint64_t GetSentBytes() const;

    /** @return the messages that it waits for, each as a part of a sentence */
    std::vector<std::string> DescribeWaits() const;

  private:
    /** A peer and the number of a channel. */
    using Channel = std::pair<uint32_t, uint32_t>;

    /** An op under way. */
    struct Request
    {
        uint64_t index;    //!< how the caller names it
        TransferSpan span; //!< without its end
        uint64_t left;     //!< bytes not yet handed over, or taken
    };

    /** The sending end of a channel. */
    struct Outbox
    {
        std::unique_ptr<SliceSender> sender; //!< the way there
        std::deque<Request> waiting;         //!< sends that are not over
    };

    /** The receiving end of a channel. */
    struct Inbox
    {
        std::unique_ptr<SliceReceiver> receiver; //!< the way from there, if there is one
        std::deque<Request> waiting;             //!< receives that are not over
        uint64_t ungranted{0};                   //!< slices of theirs without a granted slot
    };

    /** @param outbox from where slices may leave */
    void Push(Outbox& outbox);
    /** @param inbox where slots may be granted and slices taken */
    void Pull(Inbox& inbox);

    uint32_t m_rank;                      //!< the rank
    uint32_t m_slots;                     //!< slots of a connection
    CollectiveProtocol m_protocol;        //!< how slices are moved
    uint64_t m_slice;                     //!< bytes of a slice
    std::optional<Time> m_stepLatency;    //!< what a slice costs; absent: the protocol's
    OverCallback m_over;                  //!< called when an op is over
    std::map<Channel, Outbox> m_outboxes; //!< ways to peers
    std::map<Channel, Inbox> m_inboxes;   //!< ways from peers
};

} // namespace llmfabric
} // namespace ns3

#endif /* RANK_MAILBOX_H */
