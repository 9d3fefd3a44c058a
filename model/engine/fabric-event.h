/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_EVENT_H
#define FABRIC_EVENT_H

#include <cstdint>
#include <tuple>

namespace ns3
{
namespace llmfabric
{

class FabricEventQueue;

/** What a fabric event does; part of its key. */
enum class FabricEventKind : uint8_t
{
    ARRIVAL = 0,           //!< the next frame of a link direction is there
    TRANSMIT_COMPLETE = 1, //!< a port's wire is free again
    PAUSE_EXPIRY = 2,      //!< a received pause runs out
    PAUSE_REFRESH = 3,     //!< a sent pause has to be renewed
    PIPELINE = 4,          //!< a frame leaves a constant-delay pipeline
    TRANSMIT_KICK = 5,     //!< a NIC has new work, or a queue pair's pacing time has come
    RETRANSMIT = 6,        //!< a queue pair's retransmission timer
    RATE_STEP = 7,         //!< a timer step of a queue pair's congestion control
    DRAIN = 8              //!< the host has taken a frame out of its NIC's receive buffer
};

/**
 * @ingroup llm-fabric
 * Who a fabric event belongs to: what orders events of one instant, and is unique.
 */
struct FabricEventKey
{
    uint32_t node{0};                               //!< fabric id of the node
    uint32_t port{0};                               //!< index of the port on the node
    FabricEventKind kind{FabricEventKind::ARRIVAL}; //!< what happens
    uint64_t index{0}; //!< queue pair or priority, where a port has many

    /**
     * @param other the key to compare with
     * @return true if this one orders first
     */
    bool operator<(const FabricEventKey& other) const
    {
        return std::tie(node, port, kind, index) <
               std::tie(other.node, other.port, other.kind, other.index);
    }
};

/**
 * @ingroup llm-fabric
 * An event of the fabric: a plain member of the object it wakes (a port, a link direction, a
 * queue pair), held in the engine's own queue while it is pending.
 *
 * It is no ns-3 event: scheduling it allocates nothing, cancelling it really removes it, and
 * events of one instant run in the order of their keys, whoever scheduled them first.
 */
class FabricEvent
{
  public:
    FabricEvent() = default;
    ~FabricEvent();
    FabricEvent(const FabricEvent&) = delete;
    FabricEvent& operator=(const FabricEvent&) = delete;

    /**
     * Make the event known to a queue. Aborts if the key is taken.
     *
     * @tparam Method the member function of the owner that the event calls
     * @param queue the queue of this simulation
     * @param owner the object that the event wakes; it outlives the event
     * @param key the unique key
     */
    template <auto Method, class Owner>
    void Bind(FabricEventQueue& queue, Owner* owner, const FabricEventKey& key)
    {
        Register(queue, key);
        m_owner = owner;
        m_invoke = [](void* o) { (static_cast<Owner*>(o)->*Method)(); };
    }

    /**
     * Schedule, or move to another time if pending.
     *
     * @param tick the absolute time, ticks, not before now
     */
    void ScheduleAt(int64_t tick);

    /** Take the event out of the queue, if it is in. */
    void Cancel();

    /** @return true while the event is in the queue */
    bool IsPending() const;

    /** @return true once Bind was called and the queue still lives */
    bool IsBound() const
    {
        return m_queue != nullptr;
    }

    /** @return the key */
    const FabricEventKey& GetKey() const
    {
        return m_key;
    }

  private:
    friend class FabricEventQueue;

    /**
     * @param queue the queue to enter
     * @param key the unique key
     */
    void Register(FabricEventQueue& queue, const FabricEventKey& key);

    FabricEventQueue* m_queue{nullptr}; //!< the queue, none before Bind and after its end
    void (*m_invoke)(void*){nullptr};   //!< calls the method on the owner
    void* m_owner{nullptr};             //!< whom it wakes
    uint64_t m_mix{0};                  //!< seeded mix of the key
    FabricEventKey m_key;               //!< who it is
    uint32_t m_slot{0};                 //!< its place in the queue's tables
};

} // namespace llmfabric
} // namespace ns3

#endif /* FABRIC_EVENT_H */
