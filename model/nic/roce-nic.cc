/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-nic.h"

#include "roce-protocol.h"

#include "ns3/abort.h"
#include "ns3/node.h"
#include "ns3/string.h"
#include "ns3/subclass-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(RoceNic);

TypeId
RoceNic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llmfabric::RoceNic")
            .SetParent<Object>()
            .SetGroupName("LlmFabric")
            .AddConstructor<RoceNic>()
            .AddAttribute("Mtu",
                          "Path MTU: payload bytes of a full packet (standard: 256, 512, 1024, "
                          "2048, 4096).",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&RoceNic::m_mtu),
                          MakeUintegerChecker<uint32_t>(1, MAX_ROCE_MTU))
            .AddAttribute(
                "AckInterval",
                "An acknowledgment is asked for each so many packets, and for the last of "
                "a message.",
                UintegerValue(16),
                MakeUintegerAccessor(&RoceNic::m_ackInterval),
                MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("TimeoutExponent",
                          "Retransmission timeout is 4.096 us * 2^n; 0: none (InfiniBand local ACK "
                          "timeout).",
                          UintegerValue(14),
                          MakeUintegerAccessor(&RoceNic::m_timeoutExponent),
                          MakeUintegerChecker<uint8_t>(0, 31))
            .AddAttribute("RetryCount",
                          "Timeouts and sequence NAKs without progress before a queue pair gives "
                          "up (InfiniBand: at most 7).",
                          UintegerValue(7),
                          MakeUintegerAccessor(&RoceNic::m_retryCount),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("Priority",
                          "Priority of data and acknowledgments.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&RoceNic::m_priority),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("CnpPriority",
                          "Priority of congestion notification packets (ConnectX: 6).",
                          UintegerValue(6),
                          MakeUintegerAccessor(&RoceNic::m_cnpPriority),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("CnpInterval",
                          "Least time between two CNPs of a queue pair (DCQCN paper: 50 us).",
                          StringValue("50us"),
                          MakeTimeAccessor(&RoceNic::m_cnpInterval),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("TransmitLatency",
                          "From posting a transfer to its first packet.",
                          StringValue("0ns"),
                          MakeTimeAccessor(&RoceNic::m_transmitLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ReceiveLatency",
                          "From the last bit of a frame to its processing.",
                          StringValue("0ns"),
                          MakeTimeAccessor(&RoceNic::m_receiveLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("CongestionControl",
                          "Congestion control of new queue pairs: a subclass of CongestionControl.",
                          StringValue("ns3::llmfabric::Dcqcn"),
                          MakeTypeIdAccessor(&RoceNic::m_controlType),
                          MakeTypeIdChecker())
            .AddTraceSource("MessageSent",
                            "A message is acknowledged, or the queue pair gave up.",
                            MakeTraceSourceAccessor(&RoceNic::m_messageSent),
                            "ns3::llmfabric::RoceNic::MessageTracedCallback")
            .AddTraceSource("MessageReceived",
                            "The last packet of a message has come.",
                            MakeTraceSourceAccessor(&RoceNic::m_messageReceived),
                            "ns3::llmfabric::RoceNic::MessageTracedCallback");
    return tid;
}

RoceNic::RoceNic() = default;

RoceNic::~RoceNic() = default;

void
RoceNic::NotifyNewAggregate()
{
    if (!m_port)
    {
        m_port = PeekPointer(GetObject<FabricPort>());
    }
    Object::NotifyNewAggregate();
}

Ptr<FabricPort>
RoceNic::GetPort() const
{
    return m_port;
}

void
RoceNic::DoInitialize()
{
    Object::DoInitialize();
    Prepare();
}

void
RoceNic::Prepare()
{
    if (m_engine)
    {
        return;
    }
    NS_ABORT_MSG_UNLESS(m_port, "a RoceNic has to be aggregated to a FabricPort");
    NS_ABORT_MSG_UNLESS(m_port->GetLink(), "the port of a RoceNic needs a FabricLink");
    m_port->Prepare();
    m_engine = FabricEngine::Get();
    m_kick.Bind<&RoceNic::OnKick>(
        *m_engine,
        this,
        {GetFabricId(), GetPortIndex(), FabricEventKind::TRANSMIT_KICK, 0});
    m_pipeline.Start(*m_engine,
                     this,
                     m_receiveLatency.GetTimeStep(),
                     {GetFabricId(), GetPortIndex(), FabricEventKind::PIPELINE, 1});
    m_port->SetReceiver(this);
    m_port->GetTransmitter().SetSource(this, m_priority);
}

void
RoceNic::DoDispose()
{
    m_arbiter.Clear(); // before the requesters that it links
    m_pairs.clear();
    Object::DoDispose();
}

std::pair<Ptr<QueuePair>, Ptr<QueuePair>>
RoceNic::Connect(Ptr<RoceNic> a, Ptr<RoceNic> b, uint32_t index)
{
    NS_ABORT_MSG_IF(a == b, "a queue pair connects two different NICs");
    NS_ABORT_MSG_IF(index > MAX_QUEUE_PAIR_INDEX,
                    "two NICs have at most 65536 queue pairs between them");
    QueuePairConfig atA = a->NextConfig();
    QueuePairConfig atB = b->NextConfig();
    for (auto [mine, peer] : {std::make_pair(&atA, &atB), std::make_pair(&atB, &atA)})
    {
        mine->index = index;
        mine->peerAddress = peer->localAddress;
        mine->peerNumber = peer->localNumber;
    }
    return {a->AddQueuePair(atA), b->AddQueuePair(atB)};
}

uint32_t
RoceNic::NextIndex(Ptr<RoceNic> a, Ptr<RoceNic> b)
{
    const auto found = a->m_nextIndex.find(b->m_port->GetIpv4Address().Get());
    return found == a->m_nextIndex.end() ? 0 : found->second;
}

QueuePairConfig
RoceNic::NextConfig() const
{
    QueuePairConfig config{};
    config.localAddress = m_port->GetIpv4Address().Get();
    config.localNumber = FIRST_QUEUE_PAIR + static_cast<uint32_t>(m_pairs.size());
    config.mtu = m_mtu;
    config.ackInterval = m_ackInterval;
    config.priority = m_priority;
    config.cnpPriority = m_cnpPriority;
    config.retryCount = m_retryCount;
    const int64_t unit = NanoSeconds(4096).GetTimeStep();
    config.timeout = m_timeoutExponent ? unit << m_timeoutExponent : 0;
    config.cnpInterval = m_cnpInterval.GetTimeStep();
    config.sendLatency = m_transmitLatency.GetTimeStep();
    NS_ABORT_MSG_IF(config.localAddress == 0, "the port of a RoceNic needs an Address");
    return config;
}

Ptr<QueuePair>
RoceNic::AddQueuePair(const QueuePairConfig& config)
{
    Prepare();
    uint32_t& next = m_nextIndex[config.peerAddress];
    next = std::max(next, config.index + 1);
    Ptr<CongestionControl> control = CreateSubclass<CongestionControl>(m_controlType);
    Ptr<QueuePair> pair = Create<QueuePair>(*this, config, control);
    m_pairs.push_back(pair);
    return pair;
}

void
RoceNic::Activate(Requester& requester)
{
    if (requester.HasPacket())
    {
        m_arbiter.Add(requester);
        ScheduleKick();
    }
}

void
RoceNic::ScheduleKick()
{
    const int64_t next = m_arbiter.GetNextTime();
    if (next == NicArbiter::NEVER)
    {
        return;
    }
    const int64_t tick = std::max(next, m_engine->Now());
    if (!m_kick.IsPending() || m_kickTick > tick)
    {
        m_kickTick = tick;
        m_kick.ScheduleAt(tick);
    }
}

void
RoceNic::OnKick()
{
    m_port->GetTransmitter().Wake();
}

Frame*
RoceNic::PullFrame(int64_t now)
{
    Requester* requester = m_arbiter.Take(now);
    while (requester && !requester->HasPacket())
    {
        requester = m_arbiter.Take(now); // that one has been acknowledged or has failed meanwhile
    }
    if (!requester)
    {
        ScheduleKick();
        return nullptr;
    }
    Frame* frame = requester->MakePacket(now);
    if (requester->HasPacket())
    {
        m_arbiter.Add(*requester);
    }
    return frame;
}

bool
RoceNic::HasFrameAt(int64_t tick)
{
    const int64_t next = m_arbiter.GetNextTime();
    if (next <= tick)
    {
        return true;
    }
    ScheduleKick();
    return false;
}

void
RoceNic::SendFrame(Frame* frame)
{
    m_cnpSent += frame->kind == FrameKind::CNP ? 1 : 0;
    m_port->GetTransmitter().Enqueue(frame);
}

void
RoceNic::CallOut(std::function<void()> function)
{
    m_engine->CallOut(m_port->GetNode()->GetId(), std::move(function));
}

void
RoceNic::ReceiveFrame(Frame* frame, FabricPort& /* port */)
{
    if (m_pipeline.IsBypassed())
    {
        Handle(frame);
    }
    else
    {
        m_pipeline.Enter(frame);
    }
}

void
RoceNic::Handle(Frame* frame)
{
    if (frame->kind == FrameKind::OTHER)
    {
        m_port->DeliverToStack(frame);
        return;
    }
    const uint32_t place = frame->remoteQueuePair - FIRST_QUEUE_PAIR;
    if (place >= m_pairs.size() || frame->destination != m_port->GetIpv4Address().Get())
    {
        m_port->Drop(frame, DropReason::NO_RECEIVER);
        return;
    }
    QueuePair& pair = *m_pairs[place];
    switch (frame->kind)
    {
    case FrameKind::DATA:
        pair.GetResponder().OnData(*frame);
        break;
    case FrameKind::CNP:
        pair.GetRequester().OnCnp();
        break;
    default:
        pair.GetRequester().OnAcknowledge(*frame);
        break;
    }
    FramePool::Free(frame);
}

void
RoceNic::TraceMessageSent(const QueuePair& pair,
                          uint64_t number,
                          uint64_t bytes,
                          int64_t posted,
                          bool failed)
{
    const QueuePairConfig& config = pair.GetConfig();
    m_messageSent(
        m_engine->Now(),
        {pair.GetId(), number, config.localAddress, config.peerAddress, bytes, posted, failed});
}

void
RoceNic::TraceMessageReceived(const QueuePair& pair, uint64_t number, uint64_t bytes)
{
    const QueuePairConfig& config = pair.GetConfig();
    m_messageReceived(m_engine->Now(),
                      {QueuePairId(config.peerAddress, config.localAddress, config.index),
                       number,
                       config.peerAddress,
                       config.localAddress,
                       bytes,
                       -1,
                       false});
}

NicCounters
RoceNic::GetCounters() const
{
    NicCounters counters;
    counters.cnpSent = m_cnpSent;
    for (const Ptr<QueuePair>& pair : m_pairs)
    {
        const RequesterCounters& one = pair->GetRequester().GetCounters();
        counters.requesters.sentBytes += one.sentBytes;
        counters.requesters.timeouts += one.timeouts;
        counters.requesters.retransmitted += one.retransmitted;
        counters.requesters.naks += one.naks;
        counters.requesters.cnps += one.cnps;
    }
    return counters;
}

} // namespace llmfabric
} // namespace ns3
