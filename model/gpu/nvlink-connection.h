/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVLINK_CONNECTION_H
#define NVLINK_CONNECTION_H

#include "gpu-connection.h"

#include "ns3/ptr.h"

#include <cstdint>
#include <deque>

namespace ns3
{
namespace llmfabric
{

class NvlinkSwitch;

/**
 * @ingroup llm-fabric
 * A connection through an NvlinkSwitch, and its messages that wait for the sender's link.
 */
class NvlinkConnection : public GpuConnection
{
  public:
    /** Bytes of one message that leave together. */
    struct Piece
    {
        uint64_t bytes;   //!< how many
        uint64_t message; //!< size of the message that they complete; 0 if more of it follows
    };

    /**
     * @param nvlink the switch
     * @param from index of the sending GPU
     * @param to index of the receiving GPU
     */
    NvlinkConnection(Ptr<NvlinkSwitch> nvlink, uint32_t from, uint32_t to);
    ~NvlinkConnection() override;

    void Send(uint64_t bytes) override;
    void Grant() override;
    bool IsFar() const override;
    uint64_t GetSentBytes() const override;

    /** @return index of the receiving GPU */
    uint32_t GetTo() const
    {
        return m_to;
    }

    /** @return whether something waits for the sender's link */
    bool HasMore() const
    {
        return !m_messages.empty();
    }

    /**
     * @param least size of a segment unless a message is huge, bytes
     * @return how many bytes may leave in this turn; something has to wait
     */
    uint64_t GetSegmentSize(uint64_t least) const;

    /**
     * Take what leaves next; something has to wait.
     *
     * @param most limit, bytes
     * @return what leaves, of one message
     */
    Piece Take(uint64_t most);

    /** @param bytes size of the message that has come to the receiving GPU */
    void Deliver(uint64_t bytes);

  private:
    /** A message that waits. */
    struct Message
    {
        uint64_t bytes; //!< its size
        uint64_t left;  //!< what has not yet left of it
    };

    /** A clear-to-send has come to the sending GPU. */
    void DeliverGrant();

    Ptr<NvlinkSwitch> m_nvlink;     //!< the switch
    uint32_t m_from;                //!< index of the sending GPU
    uint32_t m_to;                  //!< index of the receiving GPU
    uint64_t m_sentBytes{0};        //!< of all messages
    std::deque<Message> m_messages; //!< in order
};

} // namespace llmfabric
} // namespace ns3

#endif /* NVLINK_CONNECTION_H */
