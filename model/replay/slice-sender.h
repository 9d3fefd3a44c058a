/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SLICE_SENDER_H
#define SLICE_SENDER_H

#include "ns3/gpu-connection.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The sending end of a connection whose receiver grants slots: each message takes one.
 */
class SliceSender
{
  public:
    /// A slot was granted.
    using GrantCallback = std::function<void()>;

    /**
     * @param connection the way to the receiver
     * @param slots slots of the receiver; 0: no limit
     * @param granted called when a slot was granted
     */
    SliceSender(Ptr<GpuConnection> connection, uint32_t slots, GrantCallback granted);
    ~SliceSender();

    SliceSender(const SliceSender&) = delete;
    SliceSender& operator=(const SliceSender&) = delete;

    /** @return whether a granted slot is free */
    bool CanSend() const
    {
        return m_slots == 0 || m_granted > 0;
    }

    /**
     * Send a message into a free slot.
     *
     * @param bytes its size
     * @param latency time until it is handed to the connection; messages keep their order
     */
    void Send(uint64_t bytes, Time latency);

    /** @return whether it leads from node to node */
    bool IsFar() const
    {
        return m_connection->IsFar();
    }

    /** @return bytes that the connection has sent */
    uint64_t GetSentBytes() const
    {
        return m_connection->GetSentBytes();
    }

  private:
    /** A slot was granted. */
    void OnGrant();

    Ptr<GpuConnection> m_connection; //!< the way to the receiver
    uint32_t m_slots;                //!< slots of the receiver, or 0
    uint64_t m_granted{0};           //!< slots that are free
    GrantCallback m_callback;        //!< called when a slot was granted
    Time m_last;                     //!< when the last message was, or will be, handed over
};

} // namespace llmfabric
} // namespace ns3

#endif /* SLICE_SENDER_H */
