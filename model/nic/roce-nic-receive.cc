/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What a RoceNic does with frames that arrive.

#include "roce-nic.h"
#include "roce-protocol.h"

#include "ns3/fabric-switch.h"
#include "ns3/node.h"
#include "ns3/user-error.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

ReceiveBufferConfig
RoceNic::MakeReceiveConfig() const
{
    // The packet that crosses XOFF comes whole, too: with RETH, ImmDt and without gap it is MTU
    // + 82.
    const uint64_t packet = uint64_t{m_mtu} + DATA_OVERHEAD_BYTES;
    const uint64_t above =
        m_receivePfc ? packet + FabricSwitch::HeadroomOf(*m_port, Time(0), m_mtu, 0) : 0;
    const std::string where = "NIC at node " + std::to_string(m_port->GetNode()->GetId()) +
                              ", port " + std::to_string(GetPortIndex());
    const uint64_t least = std::max(m_receiveXoff, packet) + above;
    if (m_receiveBytes < least)
    {
        throw UserError("a receive buffer of " + std::to_string(m_receiveBytes) +
                            " B is too small: it needs " + std::to_string(least) + " B, of which " +
                            std::to_string(above) + " B are headroom above XOFF",
                        where,
                        "enlarge ReceiveBuffer, or lower ReceiveXoff, the delay or the MTU");
    }
    ReceiveBufferConfig config;
    config.drainRate = m_drainRate.GetBitRate();
    config.bytes = m_receiveBytes;
    config.pfc = m_receivePfc;
    config.xoff = m_receiveXoff ? m_receiveXoff : m_receiveBytes - above;
    const uint64_t gap = std::min(config.xoff, uint64_t{2} * m_mtu);
    config.xon = m_receiveXon ? m_receiveXon : config.xoff - gap;
    if (config.xon > config.xoff)
    {
        throw UserError("ReceiveXon of " + std::to_string(config.xon) + " B is above XOFF, " +
                            std::to_string(config.xoff) + " B",
                        where,
                        "lower ReceiveXon, or raise ReceiveXoff");
    }
    return config;
}

void
RoceNic::CheckReceiveBuffer() const
{
    if (m_drainRate.GetBitRate() > 0)
    {
        MakeReceiveConfig();
    }
}

void
RoceNic::StartReceiveBuffer()
{
    if (m_drainRate.GetBitRate() > 0)
    {
        m_receiveBuffer = std::make_unique<ReceiveBuffer>(*this, MakeReceiveConfig());
    }
}

void
RoceNic::ReceiveFrame(Frame* frame, FabricPort& /* port */)
{
    if (m_receiveBuffer && frame->kind != FrameKind::OTHER)
    {
        m_receiveBuffer->Enter(frame);
        return;
    }
    OnDrained(frame);
}

void
RoceNic::OnDrained(Frame* frame)
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
        if (frame->ecn == Ecn::CE)
        {
            m_notification.OnMark(pair);
        }
        if (IsReadResponse(frame->opcode))
        {
            pair.GetRequester().OnResponse(*frame);
        }
        else
        {
            pair.GetResponder().OnData(*frame);
        }
        break;
    case FrameKind::CNP:
        pair.OnCnp();
        break;
    default:
        pair.GetRequester().OnAcknowledge(*frame);
        break;
    }
    FramePool::Free(frame);
}

} // namespace llmfabric
} // namespace ns3
