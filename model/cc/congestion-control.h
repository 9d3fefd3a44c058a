/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CONGESTION_CONTROL_H
#define CONGESTION_CONTROL_H

#include "ns3/object.h"

#include <cstdint>
#include <limits>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The rate at which one queue pair may send; one instance a queue pair, chosen by
 * RoceNic::CongestionControl.
 *
 * The queue pair calls every hook and never asks which algorithm it has. Times are absolute ticks.
 * An algorithm that changes its rate by timers needs no events: it says when the next step is due
 * (SetNextStep), and steps that are due are applied in order when the rate is next read.
 */
class CongestionControl : public Object
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    /**
     * The queue pair starts to live.
     *
     * @param now the time, ticks
     * @param lineRate rate of the port, bit/s
     */
    void Start(int64_t now, double lineRate);

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

    /** @return rate of the port, bit/s */
    double GetLineRate() const
    {
        return m_lineRate;
    }

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
     * An acknowledgment moved the oldest unacknowledged packet on.
     *
     * @param now the time, ticks
     * @param packets packets acknowledged by it
     */
    virtual void OnAck(int64_t now, uint64_t packets);

    /**
     * Packets were lost: a negative acknowledgment or a timeout.
     *
     * @param now the time, ticks
     */
    virtual void OnLoss(int64_t now);

  protected:
    /// A step that never comes.
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

    /**
     * Set the initial rate (SetRate) and whatever else the algorithm keeps.
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

    /** @param rate new rate, bit/s */
    void SetRate(double rate)
    {
        m_rate = rate;
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
    double m_rate{0};          //!< bit/s
    double m_lineRate{0};      //!< bit/s
    int64_t m_nextStep{NEVER}; //!< when the rate changes by itself, ticks
};

} // namespace llmfabric
} // namespace ns3

#endif /* CONGESTION_CONTROL_H */
