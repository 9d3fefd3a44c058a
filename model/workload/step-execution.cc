/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "step-execution.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param op an op
 * @return it, in words
 */
std::string
Describe(const ProgramOp& op)
{
    if (const auto* compute = std::get_if<ComputeOp>(&op.what))
    {
        return GetName(compute->phase);
    }
    if (const auto* collective = std::get_if<CollectiveOp>(&op.what))
    {
        return GetName(collective->kind) + " of " + std::to_string(collective->payload) +
               " B in group " + std::to_string(collective->group) +
               (collective->root > 0 ? ", root at index " + std::to_string(collective->root) : "");
    }
    if (const auto* send = std::get_if<SendOp>(&op.what))
    {
        return "message of " + std::to_string(send->bytes) + " B to rank " +
               std::to_string(send->peer) + " on channel " + std::to_string(send->channel);
    }
    const auto& receive = std::get<ReceiveOp>(op.what);
    return "message of " + std::to_string(receive.bytes) + " B from rank " +
           std::to_string(receive.peer) + " on channel " + std::to_string(receive.channel);
}

} // namespace

StepExecution::StepExecution(const RankPlan& plan,
                             const std::vector<uint32_t>& ranks,
                             const TimelineCosts& costs)
    : m_plan(plan),
      m_costs(costs)
{
    for (uint32_t rank : ranks)
    {
        m_states.push_back({rank, plan.GetProgram(rank), nullptr, {}});
    }
    for (RankState& state : m_states)
    {
        state.cursor = std::make_unique<ProgramCursor>(state.program);
    }
}

void
StepExecution::Run()
{
    for (std::size_t rank = 0; rank < m_states.size(); ++rank)
    {
        Continue(rank);
    }
    while (!m_endings.empty())
    {
        const Ending ending = m_endings.top();
        m_endings.pop();
        m_now = ending.at;
        const Running& running = ending.running;
        RankState& state = m_states[running.rank];
        spans.push_back({state.rank, running.entry.index, running.entry.op, running.start, m_now});
        state.cursor->Finish(running.entry.index);
        Continue(running.rank);
    }
    ListUnfinished();
}

void
StepExecution::Continue(std::size_t rank)
{
    for (const ProgramCursor::Entry& entry : m_states[rank].cursor->TakeReady())
    {
        Start({rank, entry, m_now});
    }
}

void
StepExecution::Start(const Running& running)
{
    const ProgramOp& op = running.entry.op;
    if (const auto* compute = std::get_if<ComputeOp>(&op.what))
    {
        EndAt(running, m_now + compute->duration);
    }
    else if (const auto* collective = std::get_if<CollectiveOp>(&op.what))
    {
        Join(running, *collective);
    }
    else if (const auto* send = std::get_if<SendOp>(&op.what))
    {
        Send(running, *send);
    }
    else
    {
        const auto& receive = std::get<ReceiveOp>(op.what);
        Lane& lane = m_lanes[LaneKey{receive.peer, m_states[running.rank].rank, receive.channel}];
        lane.receivers.push_back(running);
        Match(lane);
    }
}

void
StepExecution::Join(const Running& running, const CollectiveOp& op)
{
    RankState& state = m_states[running.rank];
    const Members& members = GetMembers(op.group);
    if (!members.group.Contains(state.rank))
    {
        problems.push_back("rank " + std::to_string(state.rank) + " calls " +
                           Describe(running.entry.op) + ", of which it is no member");
        EndAt(running, m_now);
        return;
    }
    const auto key = std::make_pair(op.group, state.calls[op.group]++);
    Meeting& meeting = m_meetings[key];
    meeting.members.push_back(running);
    const Running& first = meeting.members.front();
    const auto& other = std::get<CollectiveOp>(first.entry.op.what);
    if (other.kind != op.kind || other.payload != op.payload || other.shares != op.shares ||
        other.root != op.root)
    {
        problems.push_back("rank " + std::to_string(state.rank) + " calls " +
                           Describe(running.entry.op) + ", but rank " +
                           std::to_string(m_states[first.rank].rank) + " " +
                           Describe(first.entry.op) + " as number " + std::to_string(key.second));
    }
    if (meeting.members.size() == members.present)
    {
        const Time cost = m_costs.collective ? m_costs.collective(op, members.group) : Time(0);
        for (const Running& member : meeting.members)
        {
            EndAt(member, m_now + cost);
        }
        m_meetings.erase(key);
    }
}

void
StepExecution::Send(const Running& running, const SendOp& op)
{
    const uint32_t from = m_states[running.rank].rank;
    Lane& lane = m_lanes[LaneKey{from, op.peer, op.channel}];
    const Time cost = m_costs.message ? m_costs.message(from, op.peer, op.bytes) : Time(0);
    lane.free = std::max(lane.free, m_now) + cost;
    lane.arrived.emplace_back(lane.free, op.bytes);
    EndAt(running, m_now);
    Match(lane);
}

void
StepExecution::Match(Lane& lane)
{
    while (!lane.arrived.empty() && !lane.receivers.empty())
    {
        const auto [at, bytes] = lane.arrived.front();
        const Running receiver = lane.receivers.front();
        lane.arrived.pop_front();
        lane.receivers.pop_front();
        const uint64_t expected = std::get<ReceiveOp>(receiver.entry.op.what).bytes;
        if (expected != bytes)
        {
            problems.push_back("rank " + std::to_string(m_states[receiver.rank].rank) +
                               " waits for a " + Describe(receiver.entry.op) + ", but " +
                               std::to_string(bytes) + " B were sent");
        }
        EndAt(receiver, std::max(at, m_now));
    }
}

void
StepExecution::EndAt(const Running& running, Time at)
{
    m_endings.push({at, m_number++, running});
}

const StepExecution::Members&
StepExecution::GetMembers(uint32_t id)
{
    const auto found = m_members.find(id);
    if (found != m_members.end())
    {
        return found->second;
    }
    const RankGroup group = m_plan.GetGroup(id);
    const auto present =
        std::count_if(m_states.begin(), m_states.end(), [&](const RankState& state) {
            return group.Contains(state.rank);
        });
    return m_members.emplace(id, Members{group, static_cast<std::size_t>(present)}).first->second;
}

void
StepExecution::ListUnfinished()
{
    for (const RankState& state : m_states)
    {
        const auto running = state.cursor->GetRunning();
        for (const ProgramCursor::Entry& entry : running)
        {
            problems.push_back("rank " + std::to_string(state.rank) + " waits for ever in op " +
                               std::to_string(entry.index) + ", " + Describe(entry.op));
        }
        if (running.empty() && !state.cursor->IsDone())
        {
            problems.push_back("rank " + std::to_string(state.rank) + " has ops that never start");
        }
    }
    for (const auto& [key, lane] : m_lanes)
    {
        if (lane.arrived.empty())
        {
            continue;
        }
        const auto [from, to, channel] = key;
        const bool seen = std::any_of(m_states.begin(), m_states.end(), [to = to](const auto& one) {
            return one.rank == to;
        });
        if (seen)
        {
            problems.push_back("rank " + std::to_string(from) + " sends " +
                               std::to_string(lane.arrived.size()) + " messages to rank " +
                               std::to_string(to) + " on channel " + std::to_string(channel) +
                               " that nobody receives");
        }
    }
}

} // namespace llmfabric
} // namespace ns3
