/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_CONNECTION_H
#define ROCE_CONNECTION_H

#include "queue-pair.h"

#include "ns3/callback.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

class RoceNic;

/** How a RoceConnection spreads messages over its queue pairs. */
enum class MessageSpread
{
    ROUND_ROBIN, //!< whole messages in turn
    SPLIT        //!< each in equal parts over all queue pairs
};

/**
 * @ingroup llm-fabric
 * Several queue pairs between two NICs that are used as one: messages go whole in turn over them,
 * or each in equal parts over all of them, as NCCL does with NCCL_IB_QPS_PER_CONNECTION and
 * NCCL_IB_SPLIT_DATA_ON_QPS.
 *
 * @code
 *   auto connection = Create<RoceConnection>(nics[0], nics[1], 4, MessageSpread::SPLIT);
 *   connection->SetCompletionCallback(MakeCallback(&OnDone)); // void OnDone(const TransferResult&)
 *   connection->PostWrite(1 << 20);
 * @endcode
 *
 * A split message of b bytes over q queue pairs has parts of b / q bytes, the first b mod q of them
 * one more; parts may be empty. Immediate data goes with each part. The receiver is told of
 * messages in the order in which they were posted; one that comes early waits for those before it.
 * The connection has to live as long as its transfers.
 */
class RoceConnection : public SimpleRefCount<RoceConnection>
{
  public:
    /// Called in a true ns-3 event when a message is complete with all its parts, or has failed.
    using CompletionCallback = Callback<void, const TransferResult&>;
    /// Called in a true ns-3 event when the next message has come to the receiver: its bytes.
    using ReceiveCallback = Callback<void, uint64_t>;
    /// The ends of a queue pair at the posting NIC and at the other.
    using Ends = std::pair<Ptr<QueuePair>, Ptr<QueuePair>>;

    /**
     * @param from the NIC that posts
     * @param to the other
     * @param queuePairs new queue pairs between them, at least 1
     * @param spread how messages are spread
     * @throws UserError if the two NICs would have more than 65536 queue pairs between them
     */
    RoceConnection(Ptr<RoceNic> from, Ptr<RoceNic> to, uint32_t queuePairs, MessageSpread spread);
    ~RoceConnection();
    RoceConnection(const RoceConnection&) = delete;
    RoceConnection& operator=(const RoceConnection&) = delete;

    /**
     * @param request what to do
     * @return number of the message, counting from 0
     * @throws UserError if a part is a Send of more than 2^31 B
     */
    uint64_t Post(const WorkRequest& request);

    /**
     * @param bytes what to write to the peer's memory
     * @return number of the message, counting from 0
     */
    uint64_t PostWrite(uint64_t bytes)
    {
        return Post({RoceVerb::WRITE, bytes, {}});
    }

    /**
     * @param bytes what the peer takes in its next receive
     * @return number of the message, counting from 0
     */
    uint64_t PostSend(uint64_t bytes)
    {
        return Post({RoceVerb::SEND, bytes, {}});
    }

    /**
     * @param bytes what to fetch from the peer's memory
     * @return number of the message, counting from 0
     */
    uint64_t PostRead(uint64_t bytes)
    {
        return Post({RoceVerb::READ, bytes, {}});
    }

    /**
     * Let the receiver be ready for messages that take a receive: Sends and immediate data.
     *
     * @param bytes room of each message
     * @param count for how many messages
     */
    void PostReceive(uint64_t bytes, uint64_t count = 1);

    /** @param callback who is told of complete messages, at the posting NIC */
    void SetCompletionCallback(CompletionCallback callback)
    {
        m_completion = callback;
    }

    /** @param callback who is told of messages that have come to the other NIC, in order */
    void SetReceiveCallback(ReceiveCallback callback)
    {
        m_receive = callback;
    }

    /** @return the queue pairs */
    const std::vector<Ends>& GetPairs() const
    {
        return m_pairs;
    }

    /** @return messages that are posted and not complete */
    uint64_t GetPending() const
    {
        return m_pending.size();
    }

  private:
    /** A message that is posted and not complete. */
    struct Pending
    {
        uint64_t bytes;     //!< its size
        uint64_t parts;     //!< parts that are not complete
        RoceVerb verb;      //!< what it does
        std::string reason; //!< why a part has failed, or empty
    };

    /**
     * @param request a message
     * @return number of the queue pair that takes it whole
     */
    std::size_t ChoosePair(const WorkRequest& request);
    /**
     * @param pair number of a queue pair
     * @param result what became of a transfer there
     */
    void OnComplete(uint32_t pair, const TransferResult& result);
    /**
     * @param pair number of a queue pair
     * @param bytes what has come on it
     */
    void OnReceive(uint32_t pair, uint64_t bytes);
    /**
     * @param bytes set to the size of the next message, which is taken out
     * @return false if it has not come whole
     */
    bool TakeNext(uint64_t& bytes);

    std::vector<Ends> m_pairs;                //!< the queue pairs
    MessageSpread m_spread;                   //!< how messages are spread
    uint64_t m_posted{0};                     //!< messages posted
    uint64_t m_plain{0};                      //!< of them those that take no receive
    uint64_t m_receivesPosted{0};             //!< receives, one a message
    std::map<uint64_t, Pending> m_pending;    //!< by number of the message
    std::vector<std::deque<uint64_t>> m_sent; //!< by queue pair: messages whose part is under way
    std::vector<std::deque<uint64_t>> m_arrived; //!< by queue pair: sizes of what came early
    std::deque<std::size_t> m_order;             //!< round robin: queue pairs of messages to come
    CompletionCallback m_completion;             //!< who is told of completions
    ReceiveCallback m_receive;                   //!< who is told of arrivals
};

} // namespace llmfabric
} // namespace ns3

#endif /* ROCE_CONNECTION_H */
