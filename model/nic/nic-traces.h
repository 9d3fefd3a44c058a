/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NIC_TRACES_H
#define NIC_TRACES_H

#include "ns3/congestion-control.h"
#include "ns3/hot-traced-callback.h"

#include <array>
#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/** Argument of the trace sources MessageSent and MessageReceived. */
struct MessageEvent
{
    uint64_t queuePair;   //!< see QueuePairId, of the sender
    uint64_t number;      //!< counts the messages of the queue pair from 0
    uint32_t source;      //!< IPv4 address of the sender
    uint32_t destination; //!< IPv4 address of the receiver
    uint64_t bytes;       //!< size of the message
    int64_t posted;       //!< MessageSent: when it was posted, ticks; else -1
    bool failed;          //!< MessageSent: the queue pair gave up
};

/**
 * @ingroup llm-fabric
 * The trace sources of a NIC. The first argument is the time in ticks, the second of all but
 * messages the id of the queue pair, see QueuePair::GetId.
 */
struct NicTraces
{
    /// Signature of MessageSent and MessageReceived.
    typedef void (*MessageTracedCallback)(int64_t tick, const MessageEvent& message);
    /// Signature of Rate and TargetRate (bit/s), Alpha, Window (bytes).
    typedef void (*StateTracedCallback)(int64_t tick, uint64_t queuePair, double value);
    /// Signature of CnpSent and CnpReceived.
    typedef void (*CnpTracedCallback)(int64_t tick, uint64_t queuePair);
    /// Signature of Retransmission: a packet that is sent again.
    typedef void (*RetransmissionTracedCallback)(int64_t tick, uint64_t queuePair, uint32_t psn);
    /// Signature of Rtt: a measured round-trip time, ticks.
    typedef void (*RttTracedCallback)(int64_t tick, uint64_t queuePair, int64_t rtt);
    /// Signature of BytesInFlight: payload sent and not acknowledged, bytes.
    typedef void (*BytesTracedCallback)(int64_t tick, uint64_t queuePair, uint64_t bytes);

    /// A source of a quantity of the congestion control.
    using StateSource = HotTracedCallback<uint64_t, double>;

    HotTracedCallback<const MessageEvent&> messageSent;     //!< acknowledged, or given up
    HotTracedCallback<const MessageEvent&> messageReceived; //!< its last packet has come
    StateSource rate;                                       //!< Rate
    StateSource targetRate;                                 //!< TargetRate
    StateSource alpha;                                      //!< Alpha
    StateSource window;                                     //!< Window
    HotTracedCallback<uint64_t> cnpSent;                    //!< CnpSent
    HotTracedCallback<uint64_t> cnpReceived;                //!< CnpReceived
    HotTracedCallback<uint64_t, uint32_t> retransmission;   //!< Retransmission
    HotTracedCallback<uint64_t, int64_t> rtt;               //!< Rtt
    HotTracedCallback<uint64_t, uint64_t> bytesInFlight;    //!< BytesInFlight

    /**
     * @param quantity a quantity of the congestion control
     * @return its source
     */
    StateSource& Of(CongestionQuantity quantity)
    {
        switch (quantity)
        {
        case CongestionQuantity::TARGET_RATE:
            return targetRate;
        case CongestionQuantity::ALPHA:
            return alpha;
        case CongestionQuantity::WINDOW:
            return window;
        default:
            return rate;
        }
    }

    /** @return true if somebody listens to what changes by timers */
    bool HasStateSinks() const
    {
        return !(rate.IsEmpty() && targetRate.IsEmpty() && alpha.IsEmpty() && window.IsEmpty());
    }
};

} // namespace llmfabric
} // namespace ns3

#endif /* NIC_TRACES_H */
