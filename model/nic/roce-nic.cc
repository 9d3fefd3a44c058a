/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-nic.h"

#include "roce-protocol.h"

#include "ns3/abort.h"
#include "ns3/node.h"
#include "ns3/subclass-factory.h"
#include "ns3/user-error.h"
#include "ns3/word-choice.h"

#include <algorithm>
#include <sstream>
#include <string>

namespace ns3
{
namespace llmfabric
{

namespace
{
const WordChoice<CnpScope> CNP_SCOPES("ns3::llmfabric::RoceNic::CnpScope",
                                      {{"queue-pair", CnpScope::QUEUE_PAIR},
                                       {"address", CnpScope::ADDRESS},
                                       {"port", CnpScope::PORT}});
constexpr uint8_t MAX_DSCP = 63;
} // namespace

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
    m_notification.Start(*this,
                         CNP_SCOPES.Find(m_cnpScope),
                         m_cnpInterval.GetTimeStep(),
                         m_cnpDelay.GetTimeStep());
    StartReceiveBuffer();
    m_port->SetReceiver(this);
    m_port->GetTransmitter().SetSource(this, m_priority);
}

std::array<uint8_t, PRIORITIES>
RoceNic::ReadDscp() const
{
    std::array<uint8_t, PRIORITIES> values{};
    std::istringstream text(m_dscp);
    std::string item;
    std::size_t count = 0;
    while (std::getline(text, item, ','))
    {
        const bool number = !item.empty() && item.size() < 3 &&
                            item.find_first_not_of("0123456789") == std::string::npos;
        if (!number || std::stoul(item) > MAX_DSCP || count >= PRIORITIES)
        {
            count = 0;
            break;
        }
        values[count++] = static_cast<uint8_t>(std::stoul(item));
    }
    if (count != PRIORITIES)
    {
        throw UserError("'" + m_dscp + "' is no list of eight numbers from 0 to 63",
                        "ns3::llmfabric::RoceNic::Dscp",
                        "give the DSCP of each priority, 0 first, as in 0,8,16,24,32,40,48,56");
    }
    return values;
}

void
RoceNic::DoDispose()
{
    m_arbiter.Clear(); // before the requesters that it links
    m_pairs.clear();
    m_receiveBuffer.reset();
    Object::DoDispose();
}

std::pair<Ptr<QueuePair>, Ptr<QueuePair>>
RoceNic::Connect(Ptr<RoceNic> a, Ptr<RoceNic> b, uint32_t index)
{
    NS_ABORT_MSG_IF(a == b, "a queue pair connects two different NICs");
    NS_ABORT_MSG_IF(index > MAX_QUEUE_PAIR_INDEX,
                    "two NICs have at most 65536 queue pairs between them");
    if (a->m_recoveryType != b->m_recoveryType)
    {
        throw UserError("two NICs repair losses in different ways, by " +
                            a->m_recoveryType.GetName() + " and by " + b->m_recoveryType.GetName(),
                        "ns3::llmfabric::RoceNic::LossRecovery",
                        "choose the same at both ends of a queue pair");
    }
    QueuePairConfig atA = a->NextConfig();
    QueuePairConfig atB = b->NextConfig();
    const uint32_t mtu = std::min(atA.mtu, atB.mtu);
    for (auto [mine, peer] : {std::make_pair(&atA, &atB), std::make_pair(&atB, &atA)})
    {
        mine->index = index;
        mine->peerAddress = peer->localAddress;
        mine->peerNumber = peer->localNumber;
        mine->mtu = mtu;
        mine->peerPsn = peer->initialPsn;
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
    config.initialPsn = m_initialPsn;
    config.mtu = m_mtu;
    config.ackInterval = m_ackInterval;
    config.priority = m_priority;
    config.cnpPriority = m_cnpPriority;
    const std::array<uint8_t, PRIORITIES> dscp = ReadDscp();
    config.dscp = dscp[m_priority];
    config.cnpDscp = dscp[m_cnpPriority];
    config.retryCount = m_retryCount;
    config.rnrRetryCount = m_rnrRetryCount;
    config.rnrTimer = m_rnrTimer;
    config.maxReads = m_maxReads;
    config.baseRtt = m_baseRtt.IsZero() ? m_networkRtt : m_baseRtt.GetTimeStep();
    const int64_t unit = NanoSeconds(4096).GetTimeStep();
    config.timeout = m_timeoutExponent ? unit << m_timeoutExponent : 0;
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
    Ptr<QueuePair> pair = Create<QueuePair>(*this,
                                            config,
                                            CreateSubclass<CongestionControl>(m_controlType),
                                            CreateSubclass<LossRecovery>(m_recoveryType));
    m_pairs.push_back(pair);
    return pair;
}

void
RoceNic::Activate(QueuePair& pair)
{
    m_arbiter.Add(pair);
    ScheduleKick();
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
    while (QueuePair* pair = m_arbiter.Take(now))
    {
        if (!pair->HasPacket())
        {
            continue; // it has been acknowledged, has failed or has lost its window meanwhile
        }
        if (pair->GetNextTime() > now)
        {
            m_arbiter.Add(*pair); // its receiver was not ready
            continue;
        }
        Frame* frame = pair->MakePacket(now);
        m_arbiter.Charge(*pair, frame->wireBytes);
        if (pair->HasPacket())
        {
            m_arbiter.Add(*pair);
        }
        return frame;
    }
    ScheduleKick();
    return nullptr;
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
    m_port->GetTransmitter().Enqueue(frame);
}

void
RoceNic::CallOut(std::function<void()> function)
{
    m_engine->CallOut(m_port->GetNode()->GetId(), std::move(function));
}

void
RoceNic::TraceMessageSent(const QueuePair& pair,
                          uint64_t number,
                          uint64_t bytes,
                          int64_t posted,
                          bool failed)
{
    const QueuePairConfig& config = pair.GetConfig();
    messageSent(
        m_engine->Now(),
        {pair.GetId(), number, config.localAddress, config.peerAddress, bytes, posted, failed});
}

void
RoceNic::TraceMessageReceived(const QueuePair& pair, uint64_t number, uint64_t bytes)
{
    const QueuePairConfig& config = pair.GetConfig();
    messageReceived(m_engine->Now(),
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
    counters.cnpSent = m_notification.GetSent();
    if (m_receiveBuffer)
    {
        counters.pausesSent = m_receiveBuffer->GetPauses();
        counters.resumesSent = m_receiveBuffer->GetResumes();
    }
    for (const Ptr<QueuePair>& pair : m_pairs)
    {
        const RequesterCounters& one = pair->GetRequester().GetCounters();
        counters.requesters.sentBytes += one.sentBytes + pair->GetReadResponder().GetSentBytes();
        counters.requesters.timeouts += one.timeouts;
        counters.requesters.retransmitted += one.retransmitted;
        counters.requesters.naks += one.naks;
        counters.requesters.rnrNaks += one.rnrNaks;
        counters.cnpReceived += pair->GetCnps();
    }
    return counters;
}

} // namespace llmfabric
} // namespace ns3
