/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-communicator.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// Messages that a sentence lists one by one.
constexpr std::size_t LISTED_WAITS = 4;

} // namespace

RankCommunicator::RankCommunicator(uint32_t rank,
                                   const Group& group,
                                   std::shared_ptr<const RankPlan> plan,
                                   std::shared_ptr<const CollectiveSetup> setup,
                                   RankReducer& reducer,
                                   OverCallback over)
    : m_rank(rank),
      m_group(group),
      m_index(group.ranks.GetIndex(rank)),
      m_plan(plan),
      m_setup(setup),
      m_reducer(reducer),
      m_name(plan->GetGroupName(group.ranks.GetId())),
      m_over(over)
{
}

RankCommunicator::~RankCommunicator()
{
    Stop();
}

void
RankCommunicator::SetSend(const LanePeer& peer, Ptr<GpuConnection> connection)
{
    m_sendTo[GetWay(*m_group.layout, m_index, peer)] =
        std::make_unique<SliceSender>(connection,
                                      m_setup->config.slots,
                                      [this, lane = peer.lane]() { OnProgress(lane); });
}

void
RankCommunicator::SetReceive(const LanePeer& peer, Ptr<GpuConnection> connection)
{
    m_receiveOf[GetWay(*m_group.layout, m_index, peer)] =
        std::make_unique<SliceReceiver>(connection,
                                        m_setup->config.slots,
                                        [this, lane = peer.lane]() { OnProgress(lane); });
}

RankCommunicator::Way
RankCommunicator::GetWay(const CollectiveLayout& layout, uint32_t own, const LanePeer& peer)
{
    if (layout.GetNode(own) == layout.GetNode(peer.peer))
    {
        return {peer.lane, peer.peer, 0, 0};
    }
    const auto getNic = [&](uint32_t member) {
        return peer.channelNic ? layout.GetNic(member, peer.channel) : layout.GetOwnNic(member);
    };
    return {peer.lane, peer.peer, getNic(own), getNic(peer.peer)};
}

RankCommunicator::Way
RankCommunicator::GetWay(uint32_t lane, uint32_t peer) const
{
    LanePeer way = m_lanes[lane];
    way.peer = peer;
    return GetWay(*m_group.layout, m_index, way);
}

void
RankCommunicator::Begin(uint64_t index, uint64_t step, const CollectiveOp& op)
{
    m_waiting.push_back({index, step, op});
    StartWaiting();
}

void
RankCommunicator::Stop()
{
    m_begin.Cancel();
    for (auto& [lane, event] : m_reductions)
    {
        event.Cancel();
    }
    m_reductions.clear();
    m_waiting.clear();
    m_state.reset();
}

void
RankCommunicator::StartWaiting()
{
    if (m_starting) // an op that was over when it started: the loop below goes on with the next
    {
        return;
    }
    m_starting = true;
    while (!m_state && !m_waiting.empty())
    {
        m_current = m_waiting.front();
        m_waiting.pop_front();
        Start();
    }
    m_starting = false;
}

void
RankCommunicator::Start()
{
    const std::string op = GetName(m_current.op.kind);
    CollectiveTask task = MakeTask(m_current.op, m_group, m_rank, m_plan);
    m_choice = m_setup->tuner->Choose(op, task);
    task.cut = m_choice.cut;
    m_span = {m_rank,
              m_current.step,
              m_group.ranks.GetId(),
              m_name,
              m_started++,
              op,
              m_choice.algorithm->GetName(),
              m_group.ranks.GetSize(),
              m_current.op.payload,
              m_handedOver,
              Simulator::Now(),
              Time(0)};
    auto lanes = m_choice.algorithm->CreateLanes(task);
    m_lanes.clear();
    for (uint32_t i = 0; i < lanes.size(); ++i)
    {
        m_lanes.push_back({i, lanes[i]->GetChannel(), lanes[i]->UsesChannelNic(), 0});
    }
    CollectiveHost& host = *this;
    m_state = std::make_unique<CollectiveState>(std::move(lanes), task.cut.slice, host);
    const Time base =
        ProtocolProfile::Get(m_choice.protocol).GetBaseLatency(m_choice.algorithm->GetLatencyRow());
    const bool empty = m_current.op.kind != CollectiveKind::BARRIER && m_current.op.payload == 0;
    if (base.IsZero() || empty || m_group.ranks.GetSize() == 1)
    {
        StartState();
        return;
    }
    m_begin = Simulator::Schedule(base, &RankCommunicator::OnBegin, this);
}

void
RankCommunicator::OnBegin()
{
    StartState();
    StartWaiting();
}

void
RankCommunicator::StartState()
{
    m_state->Start();
    EndIfDone();
}

CollectiveTask
RankCommunicator::MakeTask(const CollectiveOp& op,
                           const Group& group,
                           uint32_t rank,
                           const std::shared_ptr<const RankPlan>& plan)
{
    CollectiveTask task;
    task.rank = group.ranks.GetIndex(rank);
    task.layout = group.layout;
    task.payload = op.payload;
    task.root = op.root;
    if (op.kind == CollectiveKind::ALL_TO_ALL && op.shares != AllToAllShares::EVEN)
    {
        task.bytes = [plan, op, ranks = group.ranks](uint32_t from, uint32_t to) {
            return plan->GetAllToAllBytes(op, ranks, from, to);
        };
        task.bytesId = static_cast<uint32_t>(op.shares);
    }
    return task;
}

bool
RankCommunicator::CanSend(uint32_t lane, uint32_t peer) const
{
    return GetSender(lane, peer).CanSend();
}

void
RankCommunicator::Send(const CollectiveSlice& slice)
{
    SliceSender& sender = GetSender(slice.lane, slice.peer);
    const Time latency = m_setup->config.GetStepLatency(m_choice.algorithm->GetLatencyRow(),
                                                        sender.IsFar(),
                                                        *m_group.layout,
                                                        m_choice.protocol);
    const uint64_t bytes = ProtocolProfile::Get(m_choice.protocol).GetSentBytes(slice.bytes);
    sender.Send(bytes, latency);
    m_handedOver += bytes;
}

bool
RankCommunicator::HasArrived(uint32_t lane, uint32_t peer) const
{
    const auto found = m_receiveOf.find(GetWay(lane, peer));
    return found != m_receiveOf.end() && found->second->HasArrived();
}

void
RankCommunicator::Take(const CollectiveSlice& slice)
{
    m_receiveOf.at(GetWay(slice.lane, slice.peer))->Take();
}

bool
RankCommunicator::Reduce(uint32_t lane, uint64_t bytes)
{
    const Time duration = m_reducer.Begin(bytes, m_channelFree[m_lanes[lane].channel]);
    if (duration.IsZero())
    {
        return true;
    }
    m_reductions[lane] = Simulator::Schedule(duration, &RankCommunicator::OnReduced, this, lane);
    return false;
}

bool
RankCommunicator::CanGrant(uint32_t lane, uint32_t peer) const
{
    const auto found = m_receiveOf.find(GetWay(lane, peer));
    return found != m_receiveOf.end() && found->second->CanGrant();
}

void
RankCommunicator::Grant(uint32_t lane, uint32_t peer)
{
    m_receiveOf.at(GetWay(lane, peer))->Grant();
}

void
RankCommunicator::OnProgress(uint32_t lane)
{
    if (m_state)
    {
        m_state->OnProgress(lane);
        EndIfDone();
        StartWaiting();
    }
}

void
RankCommunicator::OnReduced(uint32_t lane)
{
    m_reductions.erase(lane);
    m_state->OnReduced(lane);
    EndIfDone();
    StartWaiting();
}

void
RankCommunicator::EndIfDone()
{
    if (m_state->IsDone())
    {
        m_state.reset();
        m_span.end = Simulator::Now();
        const CollectiveSpan span = m_span; // the callback may begin another op
        m_over(m_current.index, span);
    }
}

SliceSender&
RankCommunicator::GetSender(uint32_t lane, uint32_t peer) const
{
    const auto found = m_sendTo.find(GetWay(lane, peer));
    NS_ABORT_MSG_IF(found == m_sendTo.end(),
                    "rank " << m_rank << " has no connection to index " << peer << " of group "
                            << m_group.ranks.GetId() << " on lane " << lane);
    return *found->second;
}

uint64_t
RankCommunicator::GetSentBytes() const
{
    uint64_t sum = 0;
    for (const auto& [way, sender] : m_sendTo)
    {
        sum += sender->GetSentBytes();
    }
    return sum;
}

uint64_t
RankCommunicator::GetSentBytesOfEnded() const
{
    return m_state ? m_span.sentBefore : m_handedOver;
}

std::string
RankCommunicator::DescribeWait() const
{
    if (!m_state)
    {
        return "";
    }
    std::ostringstream text;
    text << m_span.op << " (" << m_span.algorithm << ") in group " << m_span.groupName << " since "
         << m_span.start.As(Time::MS);
    const std::vector<CollectiveWait> waits = m_state->GetWaits();
    for (std::size_t i = 0; i < std::min(waits.size(), LISTED_WAITS); ++i)
    {
        text << (i == 0 ? ", waits for " : ", ") << (waits[i].isForSlot ? "a slot at" : "data of")
             << " rank " << m_group.ranks.GetRank(waits[i].peer) << " (step " << waits[i].step
             << " of lane " << waits[i].lane << ")";
    }
    if (waits.size() > LISTED_WAITS)
    {
        text << " and " << waits.size() - LISTED_WAITS << " others";
    }
    return text.str();
}

} // namespace llmfabric
} // namespace ns3
