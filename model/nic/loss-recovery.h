/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LOSS_RECOVERY_H
#define LOSS_RECOVERY_H

#include "roce-protocol.h"

#include "ns3/fabric-frame.h"
#include "ns3/object.h"

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * What the two halves of a queue pair do about lost packets; one instance a queue pair, chosen by
 * RoceNic::LossRecovery. Both ends have to choose the same.
 *
 * The receiving half decides what becomes of packets that come out of order and what a negative
 * acknowledgment says; the sending half decides what is sent again. Sequence numbers are 64 bit
 * here; m_unacked <= m_sent as in Requester.
 */
class LossRecovery : public Object
{
  public:
    /** What the sending half does about a loss. */
    enum class Repair
    {
        REWIND, //!< send all again from the oldest unacknowledged packet on
        REPEAT, //!< send the packets again that TakeRepeat() gives
        NONE    //!< nothing new is lost
    };

    /** @return the object TypeId */
    static TypeId GetTypeId();

    /**
     * @return true if it repeats or keeps single packets: only then OnSent(), OnAdvance(),
     *         GetTimeout(), OnInOrder() and GetKept() are called
     */
    bool IsSelective() const
    {
        return m_selective;
    }

    // The sending half.

    /** @return most sequence numbers from the oldest unacknowledged one to the next to send */
    virtual uint64_t GetWindow() const;

    /** @return true if a packet has to be sent again out of order */
    bool HasRepeat() const
    {
        return m_repeats > 0;
    }

    /** @return packets after the oldest unacknowledged one that have come */
    uint64_t GetReceivedAhead() const
    {
        return m_receivedAhead;
    }

    /** @return the sequence number of the first packet to send again; HasRepeat() must be true */
    virtual uint64_t TakeRepeat();

    /**
     * A packet was handed to the port.
     *
     * @param psn its sequence number
     */
    virtual void OnSent(uint64_t psn);

    /**
     * All packets before one are acknowledged.
     *
     * @param unacked the oldest unacknowledged sequence number
     * @param sent the first that was never sent
     * @return what to do
     */
    virtual Repair OnAdvance(uint64_t unacked, uint64_t sent);

    /**
     * A negative acknowledgment has come; OnAdvance() was called before.
     *
     * @param nak the frame; its sequence number is the oldest unacknowledged one
     * @param unacked that number
     * @param sent the first that was never sent
     * @return what to do
     */
    virtual Repair OnNak(const Frame& nak, uint64_t unacked, uint64_t sent) = 0;

    /**
     * The retransmission timer has run out, or a part of a read's response is missing.
     *
     * @param unacked the oldest unacknowledged sequence number
     * @param sent the first that was never sent
     * @param all true if all that is not known to have come counts as lost, false: only unacked
     * @return what to do
     */
    virtual Repair OnMissing(uint64_t unacked, uint64_t sent, bool all) = 0;

    /**
     * @param packets packets under way
     * @param standard retransmission timeout of the NIC, ticks; 0: none
     * @return the retransmission timeout, ticks; 0: none
     */
    virtual int64_t GetTimeout(uint64_t packets, int64_t standard) const;

    // The receiving half.

    /**
     * A packet has come before others that are missing.
     *
     * @param frame the packet
     * @param distance how far after the expected one, at least 1
     * @param told true if a negative acknowledgment was sent for this expected packet
     * @return true to send a negative acknowledgment
     */
    virtual bool OnOutOfOrder(const Frame& frame, uint64_t distance, bool told) = 0;

    /**
     * The expected packet was taken.
     *
     * @param count sequence numbers that it takes, at least 1
     */
    virtual void OnInOrder(uint64_t count);

    /** @return the packet that is expected now, if it has come early; null if it has not */
    virtual const Frame* GetKept() const;

    /**
     * @param nak a negative acknowledgment to which to add what has come, or nothing
     */
    virtual void FillNak(Frame& nak) const;

  protected:
    /** @param selective see IsSelective() */
    explicit LossRecovery(bool selective)
        : m_selective(selective)
    {
    }

    uint64_t m_repeats{0};       //!< packets that TakeRepeat() will give
    uint64_t m_receivedAhead{0}; //!< packets after the oldest unacknowledged one that have come

  private:
    bool m_selective; //!< see IsSelective()
};

} // namespace llmfabric
} // namespace ns3

#endif /* LOSS_RECOVERY_H */
