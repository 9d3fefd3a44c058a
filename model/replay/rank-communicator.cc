/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-communicator.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <iterator>
#include <sstream>

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
                                   const RankGroup& group,
                                   std::shared_ptr<const RankPlan> plan,
                                   OverCallback over)
    : m_rank(rank),
      m_group(group),
      m_plan(plan),
      m_name(plan->GetGroupName(group.GetId())),
      m_over(over)
{
}

void
RankCommunicator::SetSend(uint32_t peer, Ptr<GpuConnection> connection)
{
    m_sendTo[peer] = connection;
}

void
RankCommunicator::SetReceive(uint32_t peer, Ptr<GpuConnection> connection)
{
    m_receiveOf[peer] = connection;
    connection->SetReceiveCallback(MakeCallback(&RankCommunicator::OnReceive, this).Bind(peer));
}

void
RankCommunicator::Begin(uint64_t index,
                        uint64_t step,
                        const CollectiveOp& op,
                        std::shared_ptr<const CollectiveAlgorithm> algorithm)
{
    m_waiting.push_back({index, step, op, algorithm});
    StartWaiting();
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
    m_span = {m_rank,
              m_current.step,
              m_group.GetId(),
              m_name,
              m_started++,
              m_current.algorithm->GetOp(),
              m_current.algorithm->GetName(),
              m_group.GetSize(),
              m_current.op.payload,
              GetSentBytes(),
              Simulator::Now(),
              Time(0)};
    m_state = m_current.algorithm->CreateState(MakeTask());
    m_state->Start(m_sends);
    Continue();
}

CollectiveTask
RankCommunicator::MakeTask() const
{
    const CollectiveOp& op = m_current.op;
    CollectiveTask task{m_group.GetIndex(m_rank), m_group.GetSize(), op.payload};
    if (op.kind == CollectiveKind::ALL_TO_ALL && op.shares != AllToAllShares::EVEN)
    {
        task.bytes = [this, op](uint32_t from, uint32_t to) {
            return m_plan->GetAllToAllBytes(op, m_group, from, to);
        };
    }
    return task;
}

void
RankCommunicator::OnReceive(uint32_t peer, uint64_t /* bytes */)
{
    ++m_arrived[peer];
    if (m_state)
    {
        Continue();
        StartWaiting();
    }
}

void
RankCommunicator::GiveArrived()
{
    bool given = true;
    while (given) // what the state got may let it expect a peer that was passed over
    {
        given = false;
        for (auto one = m_arrived.begin(); one != m_arrived.end();)
        {
            auto& [peer, count] = *one;
            for (; count > 0 && m_state->Expects(peer); --count)
            {
                m_state->OnReceive(peer, m_sends);
                given = true;
            }
            one = count == 0 ? m_arrived.erase(one) : std::next(one);
        }
    }
}

void
RankCommunicator::Continue()
{
    GiveArrived();
    for (const CollectiveSend& send : m_sends)
    {
        const auto connection = m_sendTo.find(send.peer);
        NS_ABORT_MSG_IF(connection == m_sendTo.end(),
                        "rank " << m_rank << " has no connection to index " << send.peer
                                << " of group " << m_group.GetId());
        connection->second->Send(send.bytes);
    }
    m_sends.clear();
    if (m_state->IsDone())
    {
        m_state.reset();
        m_span.end = Simulator::Now();
        const CollectiveSpan span = m_span; // the callback may begin another op
        m_over(m_current.index, span);
    }
}

uint64_t
RankCommunicator::GetSentBytes() const
{
    uint64_t sum = 0;
    for (const auto& [peer, connection] : m_sendTo)
    {
        sum += connection->GetSentBytes();
    }
    return sum;
}

uint64_t
RankCommunicator::GetSentBytesOfEnded() const
{
    return m_state ? m_span.sentBefore : GetSentBytes();
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
        text << (i == 0 ? ", waits for " : ", ") << "what rank " << m_group.GetRank(waits[i].peer)
             << " sends in its " << m_span.algorithm << " step " << waits[i].step;
    }
    if (waits.size() > LISTED_WAITS)
    {
        text << " and " << waits.size() - LISTED_WAITS << " other messages";
    }
    return text.str();
}

} // namespace llmfabric
} // namespace ns3
