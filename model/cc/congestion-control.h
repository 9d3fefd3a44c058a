/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CONGESTION_CONTROL_H
#define CONGESTION_CONTROL_H

#include "ns3/hop-telemetry.h"
#include "ns3/object.h"

#include <cstdint>
#include <limits>

namespace ns3
{
namespace llmfabric
{

/** What a queue pair tells its congestion control when it starts to live. */
struct PathInfo
{
    double lineRate;    //!< rate of the port, bit/s
    uint32_t mtu{4096}; //!< payload bytes of a full packet
    int64_t baseRtt{0}; //!< round-trip time of the network without queues, ticks; 0: unknown
};

/** What an acknowledgment, positive or negative, tells of the way and of the peer. */
struct AckFeedback
{
    static constexpr uint8_t HOPS = FEEDBACK_HOPS;           //!< see FEEDBACK_HOPS
    static constexpr uint8_t MARKS = FEEDBACK_MARKS;         //!< see FEEDBACK_MARKS
    static constexpr uint8_t TELEMETRY = FEEDBACK_TELEMETRY; //!< see FEEDBACK_TELEMETRY

    uint64_t packets{0};      //!< packets that it acknowledges for the first time
    uint64_t bytes{0};        //!< their payload
    uint64_t acknowledged{0}; //!< first sequence number that is not acknowledged
    uint64_t next{0};         //!< sequence number of the next new packet
    int64_t rtt{-1};          //!< of the packet that asked for it, ticks; -1: not measured
    uint32_t markedPackets{
        0};                  //!< with MARKS: came with Congestion Experienced since the last answer
    uint32_t markedBytes{0}; //!< with MARKS: their payload
    uint8_t hops{0};         //!< with HOPS: switches that the acknowledged packet has passed
    const TelemetryStack* telemetry{nullptr}; //!< with TELEMETRY: of the newest packet, or null
};

/** A quantity of a congestion control that can be traced. */
enum class CongestionQuantity : uint8_t
{
    RATE = 0,        //!< rate of wire bytes, bit/s
    TARGET_RATE = 1, //!< R_T of DCQCN, bit/s
    ALPHA = 2,       //!< estimate of congestion, 0 to 1
    WINDOW = 3,      //!< most payload under way, bytes
    COUNT = 4        //!< number of quantities
};

/**
 * @ingroup llm-fabric
 * Is told of every change of what a congestion control keeps: the NIC, for its trace sources.
 */
class CongestionObserver
{
  public:
    virtual ~CongestionObserver() = default;

    /**
     * @param tick when it changed, ticks
     * @param quantity what
     * @param value its new value
     */
    virtual void OnCongestionState(int64_t tick, CongestionQuantity quantity, double value) = 0;
};

/**
 * @ingroup llm-fabric
 * The rate at which one queue pair may send, and how much of it may be under way; one instance a
 * queue pair, chosen by RoceNic::CongestionControl.
 *
 * The queue pair calls every hook and never asks which algorithm it has. Times are absolute ticks.
 * An algorithm that changes its rate by timers needs no events: it says when the next step is due
 * (SetNextStep), and steps that are due are applied in order when the rate is next read.
 */
class CongestionControl : public Object
{
  public:
    /// No limit on what is under way.
    static constexpr uint64_t NO_WINDOW = std::numeric_limits<uint64_t>::max();
    /// A step that never comes.
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

    /** @return the object TypeId */
    static TypeId GetTypeId();

    /**
     * The queue pair starts to live.
     *
     * @param now the time, ticks
     * @param path what is known of the way
     * @throws UserError if an attribute does not go with it
     */
    void Start(int64_t now, const PathInfo& path);

    /**
     * @param now the time, ticks, never earlier than in the call before
     * @return the rate of wire bytes, bit/s, at most the line rate
     */
    double GetRate(int64_t now)
    {
        if (now >= m_nextStep)
        {
            ApplySteps(now);
        }
        return m_rate;
    }

    /** @return most payload that may be under way, bytes; one packet always may */
    uint64_t GetWindow() const
    {
        return m_window;
    }

    /** @return what is known of the way */
    const PathInfo& GetPath() const
    {
        return m_path;
    }

    /** @return rate of the port, bit/s */
    double GetLineRate() const
    {
        return m_path.lineRate;
    }

    /** @return when the rate next changes by itself, ticks, or NEVER */
    int64_t GetNextStep() const
    {
        return m_nextStep;
    }

    /** @param observer who is told of changes, or null */
    void SetObserver(CongestionObserver* observer)
    {
        m_observer = observer;
    }

    /** @return what it wants to know of the way: an or of AckFeedback::HOPS, MARKS, TELEMETRY */
    virtual uint8_t GetFeedback() const;

    /** @return packets for which one ACK should be asked; 0: it does not matter */
    virtual uint32_t GetAckInterval() const;

    /**
     * A packet was handed to the port.
     *
     * @param now the time, ticks
     * @param bytes its payload, bytes
     */
    virtual void OnSend(int64_t now, uint32_t bytes);

    /**
     * A congestion notification packet came in.
     *
     * @param now the time, ticks
     */
    virtual void OnCnp(int64_t now);

    /**
     * An answer came in that tells something new.
     *
     * @param now the time, ticks
     * @param feedback what it tells
     */
    virtual void OnAck(int64_t now, const AckFeedback& feedback);

    /**
     * Packets were lost: a negative acknowledgment or a timeout.
     *
     * @param now the time, ticks
     * @param timedOut a timeout, so that no answer has come for long
     */
    virtual void OnLoss(int64_t now, bool timedOut);

    /**
     * Nothing is left to send or to be acknowledged.
     *
     * @param now the time, ticks
     */
    virtual void OnIdle(int64_t now);

    /**
     * Something was posted after an idle time.
     *
     * @param now the time, ticks
     */
    virtual void OnBusy(int64_t now);

  protected:
    /**
     * Set the initial rate (SetRate) and whatever else the algorithm keeps; rate and window are the
     * line rate and NO_WINDOW before.
     *
     * @param now the time, ticks
     */
    virtual void DoStart(int64_t now) = 0;

    /**
     * Apply the timer steps that are due, in order, and set the next (SetNextStep).
     *
     * @param now the time, ticks; steps of this instant are due
     */
    virtual void ApplySteps(int64_t now);

    /**
     * @param tick when it changes, ticks
     * @param rate new rate, bit/s; more than the line rate is the line rate
     */
    void SetRate(int64_t tick, double rate);

    /**
     * @param tick when it changes, ticks
     * @param bytes most payload that may be under way
     */
    void SetWindow(int64_t tick, uint64_t bytes);

    /**
     * Tell the observer of a quantity that the base class does not keep.
     *
     * @param tick when it changed, ticks
     * @param quantity what
     * @param value its new value
     */
    void Report(int64_t tick, CongestionQuantity quantity, double value) const
    {
        if (m_observer)
        {
            m_observer->OnCongestionState(tick, quantity, value);
        }
    }

    /** @return somebody is told of changes: steps that only an observer sees count as steps */
    bool IsObserved() const
    {
        return m_observer != nullptr;
    }

    /** @return the rate as of the last step, bit/s */
    double PeekRate() const
    {
        return m_rate;
    }

    /** @param tick when GetRate() has to call ApplySteps() */
    void SetNextStep(int64_t tick)
    {
        m_nextStep = tick;
    }

  private:
    double m_rate{0};                        //!< bit/s
    uint64_t m_window{NO_WINDOW};            //!< bytes
    int64_t m_nextStep{NEVER};               //!< when the rate changes by itself, ticks
    CongestionObserver* m_observer{nullptr}; //!< who is told of changes
    PathInfo m_path{};                       //!< what is known of the way
};

} // namespace llmfabric
} // namespace ns3

#endif /* CONGESTION_CONTROL_H */
