/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-application.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <limits>
#include <variant>
#include <vector>

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
            .AddAttribute("ComputeScale",
                          "How many times as long as planned each computation takes; above 1 for a "
                          "straggler.",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&RankApplication::m_computeScale),
                          MakeDoubleChecker<double>(std::numeric_limits<double>::min(), 1e6))
            .AddAttribute("Jitter",
                          "Drawn for each computation and multiplied with its duration; a value "
                          "below 0 counts as 0. None: 1.",
                          PointerValue(),
                          MakePointerAccessor(&RankApplication::m_jitter),
                          MakePointerChecker<RandomVariableStream>())
            .AddAttribute("Absent",
                          "The rank never begins its program, as one that failed to start.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RankApplication::m_absent),
                          MakeBooleanChecker())
            .AddTraceSource("Compute",
                            "A computation is over.",
                            MakeTraceSourceAccessor(&RankApplication::m_computeTrace),
                            "ns3::llmfabric::RankApplication::ComputeTracedCallback")
            .AddTraceSource("Collective",
                            "A collective is over on this rank.",
                            MakeTraceSourceAccessor(&RankApplication::m_collectiveTrace),
                            "ns3::llmfabric::RankApplication::CollectiveTracedCallback")
            .AddTraceSource("Transfer",
                            "A message to another rank was handed over, or one has come that the "
                            "program had reached.",
                            MakeTraceSourceAccessor(&RankApplication::m_transferTrace),
                            "ns3::llmfabric::RankApplication::TransferTracedCallback")
            .AddTraceSource("Step",
                            "A step is over on this rank.",
                            MakeTraceSourceAccessor(&RankApplication::m_stepTrace),
                            "ns3::llmfabric::RankApplication::StepTracedCallback");
    return tid;
}

RankApplication::RankApplication() = default;

RankApplication::~RankApplication() = default;

void
RankApplication::Configure(const RankConfig& config)
{
    NS_ABORT_MSG_UNLESS(config.program && config.plan && config.collectives,
                        "a RankApplication needs a program, a plan and a setup of collectives");
    const auto traceAndGoOn = [this](auto& source) {
        return [this, &source](uint64_t op, const auto& span) {
            source(span);
            OnOver(op);
        };
    };
    m_config = config;
    m_groups.clear();
    const CollectiveConfig& how = config.collectives->config;
    m_reducer.emplace(how.reductionRate, how.memoryBandwidth);
    for (const auto& [id, group] : config.groups)
    {
        m_groups.try_emplace(id,
                             config.rank,
                             group,
                             config.plan,
                             config.collectives,
                             *m_reducer,
                             traceAndGoOn(m_collectiveTrace));
    }
    m_computer.emplace(config.rank, traceAndGoOn(m_computeTrace));
    m_mailbox.emplace(config.rank, how, traceAndGoOn(m_transferTrace));
}

RankCommunicator&
RankApplication::GetCommunicator(uint32_t group)
{
    const auto found = m_groups.find(group);
    NS_ABORT_MSG_IF(found == m_groups.end(),
                    "rank " << m_config.rank << " is not configured with group " << group);
    return found->second;
}

void
RankApplication::SetSendConnection(uint32_t group,
                                   const LanePeer& peer,
                                   Ptr<GpuConnection> connection)
{
    GetCommunicator(group).SetSend(peer, connection);
    connection->SetErrorCallback(MakeCallback(&RankApplication::OnError, this));
}

void
RankApplication::SetReceiveConnection(uint32_t group,
                                      const LanePeer& peer,
                                      Ptr<GpuConnection> connection)
{
    GetCommunicator(group).SetReceive(peer, connection);
}

void
RankApplication::SetSendChannel(uint32_t peer, uint32_t channel, Ptr<GpuConnection> connection)
{
    NS_ABORT_MSG_UNLESS(m_mailbox, "a RankApplication has to be configured");
    m_mailbox->SetSend(peer, channel, connection);
    connection->SetErrorCallback(MakeCallback(&RankApplication::OnError, this));
}

void
RankApplication::SetReceiveChannel(uint32_t peer, uint32_t channel, Ptr<GpuConnection> connection)
{
    NS_ABORT_MSG_UNLESS(m_mailbox, "a RankApplication has to be configured");
    m_mailbox->SetReceive(peer, channel, connection);
}

int64_t
RankApplication::AssignStreams(int64_t stream)
{
    if (!m_jitter)
    {
        return 0;
    }
    m_jitter->SetStream(stream);
    return 1;
}

void
RankApplication::StartApplication()
{
    NS_ABORT_MSG_UNLESS(m_config.program, "a RankApplication has to be configured");
    if (!m_absent)
    {
        m_running = true;
        BeginStep();
    }
}

void
RankApplication::StopApplication()
{
    m_running = false;
    m_nextStep.Cancel();
    if (m_computer)
    {
        m_computer->Stop();
    }
    if (m_mailbox)
    {
        m_mailbox->Stop();
    }
    for (auto& [id, communicator] : m_groups)
    {
        communicator.Stop();
    }
}

void
RankApplication::DoDispose()
{
    StopApplication();
    m_computer.reset();
    m_cursor.reset();
    m_groups.clear();
    m_mailbox.reset();
    m_jitter = nullptr;
    Application::DoDispose();
}

void
RankApplication::BeginStep()
{
    if (!IsFinished())
    {
        m_cursor.emplace(*m_config.program);
        MarkStep();
        Advance();
    }
}

void
RankApplication::MarkStep()
{
    m_stepStart = Simulator::Now();
    m_busyBefore = m_computer->GetBusy();
    m_sentBefore = GetSentBytes();
}

void
RankApplication::EndStep()
{
    m_stepTrace({m_config.rank,
                 m_step,
                 m_stepStart,
                 Simulator::Now(),
                 m_computer->GetBusy() - m_busyBefore});
    ++m_step;
    MarkStep();
    // A new event, so that steps of empty ops do not pile up calls.
    m_nextStep = Simulator::ScheduleNow(&RankApplication::BeginStep, this);
}

void
RankApplication::Advance()
{
    if (m_advancing) // an op that was over when it began: the loop below goes on after it
    {
        return;
    }
    m_advancing = true;
    bool begun = true;
    while (begun && m_running && m_error.empty())
    {
        begun = false;
        for (const ProgramCursor::Entry& entry : m_cursor->TakeReady())
        {
            Begin(entry);
            begun = true;
        }
    }
    m_advancing = false;
    if (m_running && m_error.empty() && m_cursor->IsDone())
    {
        EndStep();
    }
}

void
RankApplication::OnOver(uint64_t index)
{
    m_cursor->Finish(index);
    Advance();
}

void
RankApplication::Begin(const ProgramCursor::Entry& entry)
{
    if (const auto* compute = std::get_if<ComputeOp>(&entry.op.what))
    {
        const double jitter = m_jitter ? std::max(0.0, m_jitter->GetValue()) : 1;
        m_computer->Begin(entry.index, m_step, *compute, m_computeScale * jitter);
    }
    else if (const auto* collective = std::get_if<CollectiveOp>(&entry.op.what))
    {
        GetCommunicator(collective->group).Begin(entry.index, m_step, *collective);
    }
    else if (const auto* send = std::get_if<SendOp>(&entry.op.what))
    {
        m_mailbox->Send(entry.index, m_step, *send);
    }
    else
    {
        m_mailbox->Receive(entry.index, m_step, std::get<ReceiveOp>(entry.op.what));
    }
}

uint64_t
RankApplication::GetSentBytes() const
{
    uint64_t sum = m_mailbox ? m_mailbox->GetSentBytes() : 0;
    for (const auto& [id, communicator] : m_groups)
    {
        sum += communicator.GetSentBytes();
    }
    return sum;
}

StepProgress
RankApplication::GetProgress() const
{
    NS_ABORT_MSG_UNLESS(m_computer, "a RankApplication has to be configured");
    return {m_step, m_computer->GetBusy() - m_busyBefore, GetSentBytes() - m_sentBefore};
}

std::string
RankApplication::DescribeWait() const
{
    if (IsFinished() && m_error.empty())
    {
        return "";
    }
    std::string text = m_error;
    if (m_error.empty() && m_running)
    {
        std::vector<std::string> parts = m_computer->DescribeWaits();
        for (const auto& [id, communicator] : m_groups)
        {
            parts.push_back(communicator.DescribeWait());
        }
        const std::vector<std::string> messages = m_mailbox->DescribeWaits();
        parts.insert(parts.end(), messages.begin(), messages.end());
        for (const std::string& part : parts)
        {
            text += part.empty() || text.empty() ? part : "; " + part;
        }
    }
    return "rank " + std::to_string(m_config.rank) + ", step " + std::to_string(m_step) + ": " +
           (!text.empty()            ? text
            : m_cursor && !m_running ? "was stopped"
                                     : "has not begun");
}

} // namespace llmfabric
} // namespace ns3
