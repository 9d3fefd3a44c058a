/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "trace-recorder.h"

#include "ns3/fabric-link.h"
#include "ns3/nstime.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

static_assert(static_cast<int>(FrameKind::DATA) == static_cast<int>(TraceFrameKind::DATA) &&
                  static_cast<int>(FrameKind::ACK) == static_cast<int>(TraceFrameKind::ACK) &&
                  static_cast<int>(FrameKind::NAK) == static_cast<int>(TraceFrameKind::NAK) &&
                  static_cast<int>(FrameKind::CNP) == static_cast<int>(TraceFrameKind::CNP) &&
                  static_cast<int>(FrameKind::PFC) == static_cast<int>(TraceFrameKind::PFC) &&
                  static_cast<int>(FrameKind::OTHER) == static_cast<int>(TraceFrameKind::OTHER),
              "frames and rows number their kinds alike");

namespace
{

/**
 * @param text UTF-8
 * @param bytes the most that may be left of it
 * @return its beginning, of whole characters
 */
std::string
CutTo(const std::string& text, std::size_t bytes)
{
    std::size_t end = std::min(text.size(), bytes);
    while (end < text.size() && end > 0 && (static_cast<uint8_t>(text[end]) & 0xC0) == 0x80)
    {
        --end;
    }
    return text.substr(0, end);
}

} // namespace

TraceRecorder::TraceRecorder(std::shared_ptr<TraceSink> sink)
    : m_sink(sink)
{
    const int64_t psPerSecond = 1000000000000;
    m_psPerTick = psPerSecond / Seconds(1).GetTimeStep();
}

std::vector<std::string>
TraceRecorder::GetDropReasons()
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < static_cast<std::size_t>(DropReason::COUNT); ++i)
    {
        names.push_back(DropReasonName(static_cast<DropReason>(i)));
    }
    return names;
}

uint32_t
TraceRecorder::HostOf(uint32_t address)
{
    return address - FabricHelper::AddressOf(0).Get();
}

void
TraceRecorder::Connect(const Fabric& fabric)
{
    WriteTopology(fabric);
    m_ports = fabric.GetPorts();
    m_nics = fabric.nics;
    for (const Ptr<FabricPort>& port : m_ports)
    {
        const FabricPort* sender = PeekPointer(port);
        port->GetHopSource().ConnectTickSink(
            MakeCallback(&TraceRecorder::OnHop, this).Bind(sender));
    }
    for (const Ptr<RoceNic>& nic : m_nics)
    {
        nic->GetTraces().messageSent.ConnectTickSink(
            MakeCallback(&TraceRecorder::OnMessageSent, this));
        nic->GetTraces().messageReceived.ConnectTickSink(
            MakeCallback(&TraceRecorder::OnMessageReceived, this));
    }
}

void
TraceRecorder::Connect(const std::vector<Ptr<RankApplication>>& ranks)
{
    m_ranks = ranks;
    for (const Ptr<RankApplication>& rank : ranks)
    {
        rank->TraceConnectWithoutContext("Compute", MakeCallback(&TraceRecorder::OnCompute, this));
        rank->TraceConnectWithoutContext("Collective",
                                         MakeCallback(&TraceRecorder::OnCollective, this));
        rank->TraceConnectWithoutContext("Transfer",
                                         MakeCallback(&TraceRecorder::OnTransfer, this));
    }
}

void
TraceRecorder::WriteTopology(const Fabric& fabric)
{
    for (const PlannedNode& node : fabric.plan.nodes)
    {
        const uint32_t address =
            node.isSwitch ? 0
                          : FabricHelper::AddressOf(node.fabricId * fabric.plan.nicsPerNode).Get();
        m_sink->Node({node.fabricId, node.name, node.isSwitch ? "switch" : "host", address});
    }
    // From the objects: attributes may have been set by path since the plan was drawn.
    for (const Ptr<FabricLink>& link : fabric.GetLinks())
    {
        const Ptr<FabricPort> a = link->GetPort(0);
        const Ptr<FabricPort> b = link->GetPort(1);
        m_sink->Link({a->GetFabricId(),
                      a->GetPortIndex(),
                      b->GetFabricId(),
                      b->GetPortIndex(),
                      a->GetDataRate().GetBitRate(),
                      ToPs(link->GetDelay().GetTimeStep())});
    }
    m_rows += fabric.plan.nodes.size() + fabric.plan.links.size();
}

void
TraceRecorder::OnHop(const FabricPort* port,
                     int64_t /* tick */,
                     const Frame& frame,
                     const HopOutcome& outcome)
{
    HopRecord row;
    row.enqueued = ToPs(outcome.enqueued);
    row.started = ToPs(outcome.started);
    row.ended = ToPs(outcome.ended);
    row.node = port->GetFabricId();
    row.port = static_cast<int32_t>(port->GetPortIndex());
    row.frame = frame.id;
    row.qp = frame.queuePair;
    row.psn = frame.psn;
    row.kind = static_cast<TraceFrameKind>(frame.kind);
    row.priority = frame.priority;
    row.payloadBytes = frame.payloadBytes;
    row.wireBytes = frame.wireBytes;
    row.queueBytes = frame.queueBytes;
    row.marked = frame.ecn == Ecn::CE ? 1 : 0;
    row.lastHop = outcome.lastHop ? 1 : 0;
    row.dropReason = static_cast<uint8_t>(outcome.reason);
    m_sink->Hop(row);
    ++m_rows;
}

void
TraceRecorder::OnMessageReceived(int64_t tick, const MessageEvent& message)
{
    m_received[{message.queuePair, message.number}] = tick;
}

void
TraceRecorder::OnMessageSent(int64_t tick, const MessageEvent& message)
{
    MessageRecord row;
    row.qp = message.queuePair;
    row.index = static_cast<uint32_t>(message.number);
    row.source = HostOf(message.source);
    row.destination = HostOf(message.destination);
    row.bytes = message.bytes;
    row.posted = ToPs(message.posted);
    row.completed = tick < 0 || message.failed ? TRACE_NEVER : ToPs(tick);
    row.failed = message.failed ? 1 : 0;
    const auto received = m_received.find({message.queuePair, message.number});
    if (received != m_received.end())
    {
        row.received = ToPs(received->second);
        m_received.erase(received);
    }
    m_sink->Message(row);
    ++m_rows;
}

void
TraceRecorder::OnCompute(const ComputeSpan& span)
{
    m_sink->Compute({static_cast<uint32_t>(span.step),
                     span.rank,
                     GetName(span.phase),
                     static_cast<uint32_t>(span.miniBatch),
                     ToPs(span.start.GetTimeStep()),
                     ToPs(span.end.GetTimeStep()),
                     span.microBatch,
                     span.part});
    ++m_rows;
}

void
TraceRecorder::OnCollective(const CollectiveSpan& span)
{
    // The rank's last messages are still under way: the count is that of when its next one began.
    const auto [last, first] = m_collectives.try_emplace({span.rank, span.group}, span);
    if (!first)
    {
        WriteCollective(last->second, span.sentBefore - last->second.sentBefore);
        last->second = span;
    }
}

void
TraceRecorder::WriteCollective(const CollectiveSpan& span, uint64_t sentBytes)
{
    m_sink->Collective({static_cast<uint32_t>(span.step),
                        span.op,
                        span.algorithm,
                        span.rank,
                        span.ranks,
                        span.payload,
                        sentBytes,
                        ToPs(span.start.GetTimeStep()),
                        ToPs(span.end.GetTimeStep()),
                        CutTo(span.groupName, TRACE_GROUP_WIDTH)});
    ++m_rows;
}

void
TraceRecorder::OnTransfer(const TransferSpan& span)
{
    const std::string way =
        "rank " + std::to_string(span.peer) + " channel " + std::to_string(span.channel);
    m_sink->Collective({static_cast<uint32_t>(span.step),
                        span.sent ? "send" : "receive",
                        "p2p",
                        span.rank,
                        2,
                        span.bytes,
                        span.sent ? span.bytes : 0,
                        ToPs(span.start.GetTimeStep()),
                        ToPs(span.end.GetTimeStep()),
                        CutTo(way, TRACE_GROUP_WIDTH)});
    ++m_rows;
}

void
TraceRecorder::Finish()
{
    for (const auto& [rankAndGroup, span] : m_collectives)
    {
        const auto& [rank, group] = rankAndGroup;
        WriteCollective(span, m_ranks.at(rank)->GetSentBytesOfEnded(group) - span.sentBefore);
    }
    m_collectives.clear();
    for (const Ptr<FabricPort>& port : m_ports)
    {
        FinishHops(*port);
    }
    for (const Ptr<RoceNic>& nic : m_nics)
    {
        for (const Ptr<QueuePair>& pair : nic->GetQueuePairs())
        {
            FinishMessages(*pair);
        }
    }
}

void
TraceRecorder::FinishHops(const FabricPort& port)
{
    const bool lastHop = port.GetPeer() && !port.GetPeer()->IsSwitchPort();
    port.ForEachUnderWay([&](const Frame& frame, int64_t started, int64_t ended) {
        OnHop(&port, ended, frame, {frame.enqueued, started, ended, lastHop, DropReason::NONE});
    });
}

void
TraceRecorder::FinishMessages(QueuePair& pair)
{
    const QueuePairConfig& config = pair.GetConfig();
    pair.GetRequester().ForEachPending([&](uint64_t number, uint64_t bytes, int64_t posted) {
        OnMessageSent(
            -1,
            {pair.GetId(), number, config.localAddress, config.peerAddress, bytes, posted, false});
    });
}

} // namespace llmfabric
} // namespace ns3
