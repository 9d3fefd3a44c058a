/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-application.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <sstream>

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(RankApplication);

TypeId
RankApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llmfabric::RankApplication")
            .SetParent<Application>()
            .SetGroupName("LlmFabric")
            .AddConstructor<RankApplication>()
            .AddTraceSource("Compute",
                            "A computation is over.",
                            MakeTraceSourceAccessor(&RankApplication::m_computeTrace),
                            "ns3::llmfabric::RankApplication::"
                            "ComputeTracedCallback")
            .AddTraceSource("Collective",
                            "A collective is over on this rank.",
                            MakeTraceSourceAccessor(&RankApplication::m_collectiveTrace),
                            "ns3::llmfabric::RankApplication::"
                            "CollectiveTracedCallback")
            .AddTraceSource("Step",
                            "A step is over on this rank.",
                            MakeTraceSourceAccessor(&RankApplication::m_stepTrace),
                            "ns3::llmfabric::RankApplication::"
                            "StepTracedCallback");
    return tid;
}

RankApplication::RankApplication() = default;

RankApplication::~RankApplication() = default;

void
RankApplication::Configure(const RankConfig& config)
{
    m_config = config;
}

void
RankApplication::SetSendConnection(uint32_t group, uint32_t peer, Ptr<GpuConnection> connection)
{
    m_sendTo[{group, peer}] = connection;
    connection->SetErrorCallback(MakeCallback(&RankApplication::OnError, this));
}

void
RankApplication::SetReceiveConnection(uint32_t group, uint32_t peer, Ptr<GpuConnection> connection)
{
    m_receiveFrom[{group, peer}] = connection;
    connection->SetReceiveCallback(
        MakeCallback(&RankApplication::OnReceive, this).Bind(Member{group, peer}));
}

void
RankApplication::StartApplication()
{
    NS_ABORT_MSG_UNLESS(m_config.program, "a RankApplication has to be configured");
    m_stepSpan = {m_config.rank, 0, Simulator::Now(), Time(0), Time(0)};
    Next();
}

void
RankApplication::StopApplication()
{
    m_computing.Cancel();
}

void
RankApplication::DoDispose()
{
    m_computing.Cancel();
    m_sendTo.clear();
    m_receiveFrom.clear();
    Application::DoDispose();
}

void
RankApplication::Next()
{
    if (IsFinished())
    {
        return;
    }
    if (m_op == m_config.program->GetOpCount())
    {
        EndStep();
        return;
    }
    const ProgramOp op = m_config.program->GetOp(m_op++);
    std::visit([this](const auto& one) { Begin(one); }, op);
}

void
RankApplication::EndStep()
{
    m_stepSpan.end = Simulator::Now();
    m_stepTrace(m_stepSpan);
    ++m_step;
    m_op = 0;
    m_collectivesOfStep = 0;
    m_stepSpan = {m_config.rank, m_step, Simulator::Now(), Time(0), Time(0)};
    // A new event, so that a program of empty ops does not pile up calls.
    m_computing = Simulator::ScheduleNow(&RankApplication::Next, this);
}

void
RankApplication::Begin(const ComputeOp& op)
{
    const Time now = Simulator::Now();
    m_computeSpan = {m_config.rank, m_step, op.phase, op.miniBatch, now, now + op.duration};
    m_computing = Simulator::Schedule(op.duration, &RankApplication::OnComputed, this);
}

void
RankApplication::OnComputed()
{
    m_stepSpan.compute += m_computeSpan.end - m_computeSpan.start;
    m_computeTrace(m_computeSpan);
    Next();
}

void
RankApplication::Begin(const CollectiveOp& op)
{
    const RankGroup& group = m_config.groups.at(op.group);
    m_collectiveOp = op;
    m_collectiveSpan = {m_config.rank,
                        m_step,
                        m_collectives++,
                        m_config.allReduce->GetOp(),
                        m_config.allReduce->GetName(),
                        group.GetSize(),
                        op.payload,
                        GetSentBytes(),
                        Simulator::Now(),
                        Time(0)};
    m_collective = m_config.allReduce->CreateState(
        {group.GetIndex(m_config.rank), group.GetSize(), op.payload});
    m_sends.clear();
    m_collective->Start(m_sends);
    Continue();
}

void
RankApplication::OnReceive(Member member, uint64_t /* bytes */)
{
    ++m_arrived[member];
    if (m_collective && member.first == m_collectiveOp.group)
    {
        Continue();
    }
}

void
RankApplication::Continue()
{
    for (auto& [member, count] : m_arrived)
    {
        while (member.first == m_collectiveOp.group && count > 0 && !m_collective->IsDone())
        {
            --count;
            m_collective->OnReceive(member.second, m_sends);
        }
    }
    for (const CollectiveSend& send : m_sends)
    {
        m_sendTo.at({m_collectiveOp.group, send.peer})->Send(send.bytes);
    }
    m_sends.clear();
    if (m_collective->IsDone())
    {
        m_collective.reset();
        ++m_collectivesOfStep;
        m_collectiveSpan.end = Simulator::Now();
        m_collectiveTrace(m_collectiveSpan);
        Next();
    }
}

void
RankApplication::OnError(const std::string& reason)
{
    m_error = reason;
}

uint64_t
RankApplication::GetSentBytes() const
{
    uint64_t sum = 0;
    for (const auto& entry : m_sendTo)
    {
        sum += entry.second->GetSentBytes();
    }
    return sum;
}

StepProgress
RankApplication::GetProgress() const
{
    StepProgress progress{m_step, m_stepSpan.compute, static_cast<double>(m_collectivesOfStep)};
    if (m_collective && m_collective->GetBytesToSend() > 0)
    {
        const double share = static_cast<double>(GetSentBytes() - m_collectiveSpan.sentBefore) /
                             static_cast<double>(m_collective->GetBytesToSend());
        progress.collectives += std::min(share, 1.0);
    }
    else if (!m_collective && !m_computing.IsExpired())
    {
        progress.computed += Simulator::Now() - m_computeSpan.start;
    }
    return progress;
}

std::string
RankApplication::DescribeWait() const
{
    if (IsFinished())
    {
        return "";
    }
    std::ostringstream text;
    text << "rank " << m_config.rank << ", step " << m_step << ": ";
    if (!m_error.empty())
    {
        text << m_error;
    }
    else if (m_collective)
    {
        text << m_collectiveSpan.op << " (" << m_collectiveSpan.algorithm << ") since "
             << m_collectiveSpan.start.As(Time::MS);
        const RankGroup& group = m_config.groups.at(m_collectiveOp.group);
        for (const CollectiveWait& wait : m_collective->GetWaits())
        {
            text << ", waits for what rank " << group.GetRank(wait.peer) << " sends in its "
                 << m_collectiveSpan.algorithm << " step " << wait.step;
        }
    }
    else
    {
        text << "computes since " << m_computeSpan.start.As(Time::MS);
    }
    return text.str();
}

} // namespace llmfabric
} // namespace ns3
