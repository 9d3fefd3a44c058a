/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SLICE_RECEIVER_H
#define SLICE_RECEIVER_H

#include "ns3/gpu-connection.h"

#include <cstdint>
#include <functional>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The receiving end of a connection: it has slots for messages and grants them to the sender.
 *
 * A slot is granted, filled by a message and free again when the message is taken.
 */
class SliceReceiver
{
  public:
    /// A message has come.
    using ArrivalCallback = std::function<void()>;

    /**
     * @param connection the way from the sender
     * @param slots slots; 0: no limit, and nothing is granted
     * @param arrived called when a message has come
     */
    SliceReceiver(Ptr<GpuConnection> connection, uint32_t slots, ArrivalCallback arrived);
    ~SliceReceiver();

    SliceReceiver(const SliceReceiver&) = delete;
    SliceReceiver& operator=(const SliceReceiver&) = delete;

    /** @return whether a slot is free that was not granted */
    bool CanGrant() const
    {
        return m_used < m_slots;
    }

    /** Grant a free slot. */
    void Grant();

    /** @return whether a message has come that was not taken */
    bool HasArrived() const
    {
        return m_arrived > 0;
    }

    /** Take a message that has come. */
    void Take();

  private:
    /** @param bytes size of a message that has come */
    void OnReceive(uint64_t bytes);

    Ptr<GpuConnection> m_connection; //!< the way from the sender
    uint32_t m_slots;                //!< slots, or 0
    uint32_t m_used{0};              //!< slots that are granted or filled
    uint64_t m_arrived{0};           //!< messages that have come and were not taken
    ArrivalCallback m_callback;      //!< called when a message has come
};

} // namespace llmfabric
} // namespace ns3

#endif /* SLICE_RECEIVER_H */
