/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "queue-pair.h"

#include "roce-codec.h"
#include "roce-nic.h"
#include "roce-protocol.h"

#include "ns3/hash-mix.h"
#include "ns3/ip-classifier.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

namespace
{
constexpr uint8_t UDP = 17; //!< IP protocol number

uint16_t
SourcePortOf(const QueuePairConfig& config)
{
    const uint64_t hash = HashValues(
        {RngSeedManager::GetSeed(), config.localAddress, config.peerAddress, config.index});
    return static_cast<uint16_t>(0xc000 | (hash & 0x3fff));
}
} // namespace

QueuePair::QueuePair(RoceNic& nic,
                     const QueuePairConfig& config,
                     Ptr<CongestionControl> control,
                     Ptr<LossRecovery> recovery)
    : m_config(config),
      m_nic(nic),
      m_control(control),
      m_recovery(recovery),
      m_sourcePort(SourcePortOf(config)),
      m_order(static_cast<uint64_t>(config.localAddress - config.peerAddress) << 16 | config.index),
      m_requester(nic, *this),
      m_responder(nic, *this),
      m_reads(nic, *this)
{
    m_step.Bind<&QueuePair::OnStep>(
        nic.GetEngine(),
        this,
        {nic.GetFabricId(), nic.GetPortIndex(), FabricEventKind::RATE_STEP, m_order});
    m_control->SetObserver(this);
    m_control->Start(nic.GetEngine().Now(), {nic.GetLineRate(), config.mtu, config.baseRtt});
}

QueuePair::~QueuePair()
{
    m_control->SetObserver(nullptr); // a user may hold it longer
}

uint64_t
QueuePair::GetId() const
{
    return QueuePairId(m_config.localAddress, m_config.peerAddress, m_config.index);
}

void
QueuePair::SetSourcePort(uint16_t port)
{
    m_sourcePort = port;
    m_requester.UpdateTemplate();
    m_responder.UpdateTemplate();
    m_reads.UpdateTemplate();
}

Frame
QueuePair::MakeTemplate() const
{
    Frame frame;
    frame.codec = &RoceCodec::Get();
    frame.source = m_config.localAddress;
    frame.destination = m_config.peerAddress;
    frame.sourcePort = m_sourcePort;
    frame.destinationPort = ROCE_UDP_PORT;
    frame.flowHash = HashFiveTuple(frame.source,
                                   frame.destination,
                                   UDP,
                                   frame.sourcePort,
                                   frame.destinationPort);
    frame.remoteQueuePair = m_config.peerNumber;
    frame.priority = m_config.priority;
    frame.dscp = m_config.dscp;
    frame.queuePair = GetId();
    return frame;
}

int64_t
QueuePair::GetNextTime()
{
    const int64_t ready = m_reads.HasPacket() ? 0 : m_requester.GetReadyTime();
    return std::max(m_nextTime, ready);
}

Frame*
QueuePair::MakePacket(int64_t now)
{
    const bool read = m_reads.HasPacket() &&
                      (m_readTurn || !m_requester.HasPacket() || m_requester.GetReadyTime() > now);
    m_readTurn = !read;
    Frame* frame = read ? m_reads.MakePacket() : m_requester.MakePacket(now);
    m_control->OnSend(now, frame->payloadBytes);
    Pace(*frame, now);
    UpdateSteps();
    return frame;
}

void
QueuePair::Pace(const Frame& frame, int64_t now)
{
    const double rate = m_control->GetRate(now);
    if (rate >= m_control->GetLineRate())
    {
        m_nextTime = now; // the port itself is the pacer
        return;
    }
    if (rate != m_pacedRate)
    {
        m_pacedRate = rate;
        m_pacer.Set(std::max<uint64_t>(1, static_cast<uint64_t>(rate)));
    }
    m_nextTime = now + m_pacer.Take(frame.wireBytes);
}

void
QueuePair::Activate()
{
    if (HasPacket())
    {
        m_nic.Activate(*this);
    }
}

void
QueuePair::UpdateIdle()
{
    const bool idle = m_requester.IsIdle() && !m_reads.IsPending();
    if (idle == m_idle)
    {
        return;
    }
    m_idle = idle;
    const int64_t now = m_nic.GetEngine().Now();
    if (idle)
    {
        m_control->OnIdle(now);
    }
    else
    {
        m_control->OnBusy(now);
    }
    UpdateSteps();
}

void
QueuePair::OnCnp()
{
    ++m_cnps;
    const int64_t now = m_nic.GetEngine().Now();
    m_nic.GetTraces().cnpReceived(now, GetId());
    m_control->OnCnp(now);
    UpdateSteps();
}

void
QueuePair::UpdateSteps()
{
    if (!m_nic.StepsAreEvents())
    {
        return;
    }
    // Idle ones need no events, else alpha's decay would outlast the traffic by far.
    const int64_t next = m_control->GetNextStep();
    if (next == CongestionControl::NEVER || m_idle)
    {
        m_step.Cancel();
        return;
    }
    m_step.ScheduleAt(std::max(next, m_nic.GetEngine().Now()));
}

void
QueuePair::OnStep()
{
    m_control->GetRate(m_nic.GetEngine().Now());
    UpdateSteps();
}

void
QueuePair::OnCongestionState(int64_t tick, CongestionQuantity quantity, double value)
{
    m_nic.GetTraces().Of(quantity)(tick, GetId(), value);
}

} // namespace llmfabric
} // namespace ns3
