/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SHARED_BOTTLENECK_H
#define SHARED_BOTTLENECK_H

#include "ns3/congestion-control.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * Flows that always have something to send share one queue, without a network and without ns-3
 * events: packets reach the queue when they are sent, and each is acknowledged a base round trip
 * after it leaves. Packets have no headers. Ticks are picoseconds.
 */
class SharedBottleneck
{
  public:
    static constexpr uint32_t MTU = 1000; //!< bytes of a packet

    /**
     * @param rate of the queue and the lines of the hosts, bit/s
     * @param baseRtt round-trip time without queue, ticks
     * @param threshold packets that leave a longer queue are marked, bytes
     */
    SharedBottleneck(double rate, int64_t baseRtt, uint64_t threshold = UINT64_MAX)
        : m_rate(rate),
          m_baseRtt(baseRtt),
          m_threshold(threshold)
    {
    }

    /**
     * @param control of the flow, not started
     * @param start when it starts, ticks
     */
    void Add(const Ptr<CongestionControl>& control, int64_t start = 0)
    {
        m_flows.push_back({control});
        Flow& flow = m_flows.back();
        flow.control->Start(start, {m_rate, MTU, m_baseRtt});
        Schedule(start, {EventKind::SEND, m_flows.size() - 1, {}, {}});
    }

    /** @param until when to stop, ticks; what is counted counts from the call on */
    void Run(int64_t until)
    {
        for (Flow& flow : m_flows)
        {
            flow.delivered = 0;
        }
        m_from = m_now;
        m_queueTime = 0;
        while (!m_events.empty() && m_events.top().tick <= until)
        {
            const Event event = m_events.top();
            m_events.pop();
            m_queueTime += double(m_queue.size()) * double(event.tick - m_now);
            m_now = event.tick;
            Handle(event);
        }
    }

    /** @return what each flow got in the last Run(), bit/s */
    std::vector<double> GetRates() const
    {
        std::vector<double> rates;
        for (const Flow& flow : m_flows)
        {
            rates.push_back(double(flow.delivered) * MTU * 8 / (double(m_now - m_from) / 1e12));
        }
        return rates;
    }

    /** @return share of the queue's rate that was used in the last Run() */
    double GetUtilization() const
    {
        const std::vector<double> rates = GetRates();
        return std::accumulate(rates.begin(), rates.end(), 0.0) / m_rate;
    }

    /** @return mean queue in the last Run(), bytes */
    double GetMeanQueue() const
    {
        return m_queueTime * MTU / double(m_now - m_from);
    }

  private:
    enum class EventKind
    {
        SEND,
        DEPART,
        ACK
    };

    struct Event
    {
        EventKind kind;
        std::size_t flow;
        TelemetryStack telemetry;
        AckFeedback feedback;
        int64_t tick{0};
        uint64_t number{0};

        bool operator<(const Event& other) const
        {
            return std::make_pair(tick, number) > std::make_pair(other.tick, other.number);
        }
    };

    struct Flow
    {
        Ptr<CongestionControl> control;
        uint64_t next{0};
        uint64_t acknowledged{0};
        uint64_t delivered{0};
        int64_t mayStart{0};
        bool waiting{false};
    };

    struct Packet
    {
        std::size_t flow;
        int64_t sent;
    };

    void Schedule(int64_t tick, Event event)
    {
        event.tick = tick;
        event.number = m_number++;
        m_events.push(event);
    }

    int64_t TimeOf(double rate) const
    {
        return int64_t(MTU * 8 / rate * 1e12);
    }

    void Handle(const Event& event)
    {
        switch (event.kind)
        {
        case EventKind::SEND:
            Send(event.flow);
            break;
        case EventKind::DEPART:
            Depart();
            break;
        default:
            Acknowledge(event);
        }
    }

    void Send(std::size_t index)
    {
        Flow& flow = m_flows[index];
        const uint64_t under = (flow.next - flow.acknowledged) * MTU;
        flow.waiting = under > 0 && under + MTU > flow.control->GetWindow();
        if (flow.waiting)
        {
            return;
        }
        ++flow.next;
        flow.control->OnSend(m_now, MTU);
        m_queue.push_back({index, m_now});
        if (m_queue.size() == 1)
        {
            Schedule(m_now + TimeOf(m_rate), {EventKind::DEPART, 0, {}, {}});
        }
        flow.mayStart = m_now + TimeOf(flow.control->GetRate(m_now));
        Schedule(flow.mayStart, {EventKind::SEND, index, {}, {}});
    }

    void Depart()
    {
        const Packet packet = m_queue.front();
        m_queue.pop_front();
        const uint64_t left = m_queue.size() * MTU;
        Event ack{EventKind::ACK, packet.flow, {}, {}};
        ack.telemetry.count = 1;
        ack.telemetry.hops[0] = {m_now, m_sentBytes, left, uint64_t(m_rate)};
        m_sentBytes += MTU;
        ack.feedback.packets = 1;
        ack.feedback.bytes = MTU;
        ack.feedback.rtt = m_now + m_baseRtt - packet.sent;
        ack.feedback.hops = 1;
        ack.feedback.markedPackets = left > m_threshold ? 1 : 0;
        ack.feedback.markedBytes = ack.feedback.markedPackets * MTU;
        Schedule(m_now + m_baseRtt, ack);
        if (!m_queue.empty())
        {
            Schedule(m_now + TimeOf(m_rate), {EventKind::DEPART, 0, {}, {}});
        }
    }

    void Acknowledge(const Event& event)
    {
        Flow& flow = m_flows[event.flow];
        AckFeedback feedback = event.feedback;
        feedback.acknowledged = ++flow.acknowledged;
        feedback.next = flow.next;
        feedback.telemetry = &event.telemetry;
        ++flow.delivered;
        flow.control->OnAck(m_now, feedback);
        if (flow.waiting)
        {
            flow.waiting = false;
            Schedule(std::max(m_now, flow.mayStart), {EventKind::SEND, event.flow, {}, {}});
        }
    }

    double m_rate;
    int64_t m_baseRtt;
    uint64_t m_threshold;
    std::vector<Flow> m_flows;
    std::deque<Packet> m_queue;
    std::priority_queue<Event> m_events;
    int64_t m_now{0};
    int64_t m_from{0};
    uint64_t m_number{0};
    uint64_t m_sentBytes{0};
    double m_queueTime{0};
};

} // namespace llmfabric
} // namespace ns3

#endif /* SHARED_BOTTLENECK_H */
