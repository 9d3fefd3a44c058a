/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-link.h"

#include "fabric-port.h"

#include "ns3/abort.h"
#include "ns3/string.h"

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(FabricLink);

LinkDirection::~LinkDirection()
{
    FramePool::FreeAll(m_inFlight);
}

void
LinkDirection::Start(FabricEngine& engine, int64_t delay, FabricPort* to)
{
    m_delay = delay;
    m_to = to;
    m_arrival.Bind<&LinkDirection::Arrive>(
        engine,
        this,
        {to->GetFabricId(), to->GetPortIndex(), FabricEventKind::ARRIVAL, 0});
}

void
LinkDirection::Arrive()
{
    Frame* frame = m_inFlight.Pop();
    if (!m_inFlight.IsEmpty())
    {
        m_arrival.ScheduleAt(m_inFlight.Front()->due);
    }
    m_to->Receive(frame);
}

TypeId
FabricLink::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llmfabric::FabricLink")
                            .SetParent<Channel>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<FabricLink>()
                            .AddAttribute("Delay",
                                          "Propagation delay of the cable, one way; read when one "
                                          "of its ports is first used, see FabricPort::DataRate.",
                                          StringValue("1us"),
                                          MakeTimeAccessor(&FabricLink::m_delay),
                                          MakeTimeChecker(Time(0)));
    return tid;
}

FabricLink::FabricLink() = default;

FabricLink::~FabricLink() = default;

Ptr<FabricLink>
FabricLink::Connect(Ptr<FabricPort> a, Ptr<FabricPort> b, Time delay)
{
    Ptr<FabricLink> link = CreateObject<FabricLink>();
    link->SetAttribute("Delay", TimeValue(delay));
    link->m_ports = {a, b};
    a->Attach(link, 0);
    b->Attach(link, 1);
    return link;
}

Ptr<FabricPort>
FabricLink::GetPort(std::size_t end) const
{
    return m_ports.at(end);
}

std::size_t
FabricLink::GetNDevices() const
{
    return m_ports.size();
}

Ptr<NetDevice>
FabricLink::GetDevice(std::size_t i) const
{
    return m_ports.at(i);
}

void
FabricLink::DoInitialize()
{
    Channel::DoInitialize();
    m_engine = FabricEngine::Get();
    m_directions[0].Start(*m_engine, m_delay.GetTimeStep(), PeekPointer(m_ports[1]));
    m_directions[1].Start(*m_engine, m_delay.GetTimeStep(), PeekPointer(m_ports[0]));
}

void
FabricLink::DoDispose()
{
    m_ports = {};
    Channel::DoDispose();
}

} // namespace llmfabric
} // namespace ns3
