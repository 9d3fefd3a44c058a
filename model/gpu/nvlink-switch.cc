/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvlink-switch.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(NvlinkSwitch);

TypeId
NvlinkSwitch::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llmfabric::NvlinkSwitch")
                            .SetParent<Object>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<NvlinkSwitch>()
                            .AddAttribute("Rate",
                                          "Rate of the link of one GPU, each way (H100: 450 GB/s).",
                                          StringValue("3600Gbps"),
                                          MakeDataRateAccessor(&NvlinkSwitch::m_rate),
                                          MakeDataRateChecker())
                            .AddAttribute("Delay",
                                          "From GPU to GPU.",
                                          StringValue("500ns"),
                                          MakeTimeAccessor(&NvlinkSwitch::m_delay),
                                          MakeTimeChecker(Time(0)))
                            .AddAttribute("SegmentSize",
                                          "Bytes that a connection sends before it is the turn of "
                                          "the next one of its GPU. Smaller ones share links more "
                                          "finely and cost more events; messages above 65536 of "
                                          "them have larger ones.",
                                          UintegerValue(128 * 1024),
                                          MakeUintegerAccessor(&NvlinkSwitch::m_segmentSize),
                                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

NvlinkSwitch::NvlinkSwitch() = default;

NvlinkSwitch::~NvlinkSwitch() = default;

void
NvlinkSwitch::DoDispose()
{
    // Connections hold the switch.
    m_links.assign(m_links.size(), Links());
    m_wake.Cancel();
    Object::DoDispose();
}

void
NvlinkSwitch::SetGpus(uint32_t gpus)
{
    m_links.assign(gpus, Links());
}

Ptr<GpuConnection>
NvlinkSwitch::Connect(uint32_t from, uint32_t to)
{
    NS_ABORT_MSG_IF(from == to || std::max(from, to) >= m_links.size(),
                    "an NVLink connection joins two different GPUs of the node");
    return Create<NvlinkConnection>(this, from, to);
}

void
NvlinkSwitch::UpdateRate()
{
    NS_ABORT_MSG_IF(m_rate.GetBitRate() == 0, "the Rate of an NvlinkSwitch has to be above 0");
    if (m_rate == m_timedRate)
    {
        return;
    }
    m_timedRate = m_rate;
    m_ticks.Set(m_rate.GetBitRate());
    for (Links& links : m_links)
    {
        links.up.EndRate();
        links.down.EndRate();
    }
}

void
NvlinkSwitch::CheckEnd(uint64_t bytes)
{
    UpdateRate();
    LinkClock::Add(Simulator::Now().GetTimeStep(),
                   LinkClock::Add(m_ticks.TimeOf(bytes), m_delay.GetTimeStep()));
}

void
NvlinkSwitch::Enqueue(uint32_t from, Ptr<NvlinkConnection> connection)
{
    Links& links = m_links[from];
    links.connections.push_back(connection);
    Wake(std::max(Simulator::Now().GetTimeStep(), links.up.GetFree()));
}

void
NvlinkSwitch::Wake(int64_t tick)
{
    if (tick >= m_wakeTick)
    {
        return;
    }
    m_wake.Cancel();
    m_wakeTick = tick;
    m_wake =
        Simulator::Schedule(TimeStep(tick) - Simulator::Now(), &NvlinkSwitch::StartSegments, this);
}

void
NvlinkSwitch::StartSegments()
{
    const int64_t now = m_wakeTick;
    m_wakeTick = NEVER;
    UpdateRate();
    int64_t next = NEVER;
    for (Links& links : m_links)
    {
        if (links.HasMore() && links.up.GetFree() <= now)
        {
            StartSegment(links, now);
        }
        if (links.HasMore())
        {
            next = std::min(next, links.up.GetFree());
        }
    }
    Wake(next);
}

void
NvlinkSwitch::StartSegment(Links& links, int64_t now)
{
    if (links.last)
    {
        links.connections.push_back(links.last);
    }
    const Ptr<NvlinkConnection> one = links.connections.front();
    links.connections.pop_front();
    LinkClock& down = m_links[one->GetTo()].down;
    uint64_t room = one->GetSegmentSize(m_segmentSize);
    while (room > 0 && one->HasMore())
    {
        const NvlinkConnection::Piece piece = one->Take(room);
        room -= piece.bytes;
        links.up.Occupy(now, piece.bytes, m_ticks);
        const int64_t end = down.Occupy(now, piece.bytes, m_ticks);
        if (piece.message > 0)
        {
            const int64_t arrival = LinkClock::Add(end, m_delay.GetTimeStep());
            Simulator::Schedule(TimeStep(arrival - now),
                                &NvlinkConnection::Deliver,
                                one,
                                piece.message);
        }
    }
    links.last = one->HasMore() ? one : nullptr;
}

} // namespace llmfabric
} // namespace ns3
