/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PORT_TRANSMITTER_H
#define PORT_TRANSMITTER_H

#include "fabric-link.h"
#include "transmit-queue.h"

#include "ns3/tick-rate.h"

#include <array>
#include <cstdint>

namespace ns3
{
namespace llmfabric
{

class FabricPort;

/**
 * @ingroup llm-fabric
 * Makes frames at the moment a port can send one (a NIC with its queue pairs).
 */
class FrameSource
{
  public:
    virtual ~FrameSource() = default;

    /**
     * The port can send now.
     *
     * @param now the time, ticks
     * @return a frame that the port then owns, or null if none may go now
     */
    virtual Frame* PullFrame(int64_t now) = 0;

    /**
     * The wire is free at that time. A source that says no calls FabricPort::Wake() itself later.
     *
     * @param tick a time, now or later
     * @return true if PullFrame() should be called then
     */
    virtual bool HasFrameAt(int64_t tick) = 0;
};

/**
 * @ingroup llm-fabric
 * Sees frames leave a queue: the switch that the port belongs to.
 */
class DequeueObserver
{
  public:
    virtual ~DequeueObserver() = default;

    /**
     * A frame leaves its queue and starts on the wire.
     *
     * @param frame the frame
     * @param queueBytes what was in its queue just before, with it
     */
    virtual void OnDequeue(Frame& frame, uint64_t queueBytes) = 0;
};

/**
 * @ingroup llm-fabric
 * The sending half of a port: eight priorities, received pauses, one frame on the wire at a time.
 *
 * A transmit-complete event exists only while something waits that may go. Frames of the source
 * count as the tail of their priority: frames in that priority's queue go first.
 */
class PortTransmitter
{
  public:
    /**
     * @param engine the engine
     * @param port the port it belongs to
     * @param direction the wire
     * @param bitsPerSecond line rate, bit/s
     */
    void Start(FabricEngine& engine,
               FabricPort* port,
               LinkDirection* direction,
               uint64_t bitsPerSecond);

    /**
     * Queue a frame and send it as soon as its turn comes.
     *
     * @param frame the frame; the port owns it from now on
     */
    void Enqueue(Frame* frame)
    {
        frame->enqueued = m_engine->Now();
        m_queue.Push(frame);
        Wake();
    }

    /** Something may be ready to go. */
    void Wake();

    /**
     * @param source what makes frames, or null
     * @param priority the priority of its frames
     */
    void SetSource(FrameSource* source, uint8_t priority)
    {
        m_source = source;
        m_sourcePriority = priority;
    }

    /** @param observer who sees frames leave the queues, or null */
    void SetObserver(DequeueObserver* observer)
    {
        m_observer = observer;
    }

    /**
     * A PFC frame came in.
     *
     * @param priority the priority it speaks of
     * @param quanta for how long to hold it back, pause quanta; 0 ends a pause
     */
    void Pause(uint8_t priority, uint16_t quanta);

    /** @return the frames that wait */
    const TransmitQueue& GetQueue() const
    {
        return m_queue;
    }

  private:
    /** The wire is free again. */
    void OnComplete();
    /** Some received pause has run out. */
    void OnPauseExpiry();
    /** Set the expiry event to the next pause that ends. */
    void SchedulePauseExpiry();
    /**
     * @param tick when the wire is free, ticks
     * @return true if something may go then
     */
    bool HasWorkAt(int64_t tick);
    /**
     * @param now the time, ticks
     * @return the next frame to go, or null
     */
    Frame* Take(int64_t now);
    /** @return the next frame of the queues with at least that rank, or null */
    Frame* TakeFromQueue(uint32_t minRank);
    /** @param frame a frame that leaves its queue; data may ask for in-band telemetry */
    void WriteTelemetry(Frame& frame) const;
    /**
     * @param frame the frame to put on the wire
     * @param now the time, ticks
     */
    void Transmit(Frame* frame, int64_t now);

    TransmitQueue m_queue;                           //!< what waits
    FabricEngine* m_engine{nullptr};                 //!< the engine
    FabricPort* m_port{nullptr};                     //!< the port
    LinkDirection* m_direction{nullptr};             //!< the wire
    FrameSource* m_source{nullptr};                  //!< makes frames on demand
    DequeueObserver* m_observer{nullptr};            //!< sees frames leave
    TickRate m_rate;                                 //!< line rate
    uint64_t m_bitsPerSecond{0};                     //!< the same, bit/s
    int64_t m_busyUntil{0};                          //!< end of the frame on the wire, ticks
    uint8_t m_sourcePriority{0};                     //!< priority of the source's frames
    bool m_taking{false};                            //!< a frame is being taken for the free wire
    FabricEvent m_complete;                          //!< the wire is free and something waits
    FabricEvent m_pauseExpiry;                       //!< the next pause ends
    std::array<int64_t, PRIORITIES> m_pausedUntil{}; //!< by priority, ticks
};

} // namespace llmfabric
} // namespace ns3

#endif /* PORT_TRANSMITTER_H */
