/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "program-writer.h"

#include "ns3/user-error.h"

namespace ns3
{
namespace llmfabric
{

namespace
{

/// Ops of one rank that are kept in memory at most; about 2 GB.
constexpr uint64_t MAX_OPS = 20000000;

} // namespace

ProgramWriter::ProgramWriter(const RankGrid& grid)
    : m_grid(&grid),
      m_list(std::make_shared<OpList>())
{
}

template <typename Op>
uint32_t
ProgramWriter::Add(uint32_t stream, const Op& what, const std::vector<uint32_t>& after)
{
    ProgramOp op;
    op.stream = stream;
    op.what = what;
    const uint32_t place = m_list->Add(op, after);
    if (place >= MAX_OPS)
    {
        throw UserError("a rank would do more than " + std::to_string(MAX_OPS) +
                            " ops for a mini-batch",
                        "batch.micro_sequences",
                        "make the micro-batches larger, or the mini-batch smaller");
    }
    return place;
}

void
ProgramWriter::BeginBlock(uint64_t repeats, uint64_t miniBatch)
{
    m_list->BeginBlock(repeats);
    m_miniBatch = miniBatch;
    m_wait.clear();
    m_lastCompute.reset();
}

void
ProgramWriter::BeginTask(ComputePhase phase, uint32_t microBatch, uint32_t part)
{
    m_task.phase = phase;
    m_task.miniBatch = m_miniBatch;
    m_task.microBatch = microBatch;
    m_task.part = part;
    m_task.duration = Time(0);
    m_empty = true;
    m_pending = false;
}

void
ProgramWriter::EndTask()
{
    m_pending = m_pending || m_empty;
    Flush();
}

void
ProgramWriter::Compute(Time duration)
{
    m_task.duration += duration;
    m_pending = m_pending || duration.IsStrictlyPositive();
}

std::optional<uint32_t>
ProgramWriter::Flush()
{
    if (m_pending)
    {
        m_lastCompute = Add(COMPUTE_STREAM, m_task, m_wait);
        m_wait.clear();
        m_task.duration = Time(0);
        m_pending = false;
        m_empty = false;
    }
    return m_lastCompute;
}

std::vector<uint32_t>
ProgramWriter::GetEnd()
{
    Flush();
    std::vector<uint32_t> after = m_wait;
    if (m_lastCompute)
    {
        after.push_back(*m_lastCompute);
    }
    return after;
}

void
ProgramWriter::WaitFor(std::optional<uint32_t> op)
{
    if (op)
    {
        Flush();
        m_wait.push_back(*op);
    }
}

std::optional<uint32_t>
ProgramWriter::CollectAside(GroupKind group,
                            CollectiveKind kind,
                            uint64_t payload,
                            const std::vector<uint32_t>& after)
{
    if (payload == 0 || m_grid->GetGroupSize(group) == 1)
    {
        return std::nullopt;
    }
    CollectiveOp op;
    op.kind = kind;
    op.group = static_cast<uint32_t>(group);
    op.payload = payload;
    return Add(GetStream(group), op, after);
}

void
ProgramWriter::Collect(GroupKind group,
                       CollectiveKind kind,
                       uint64_t payload,
                       AllToAllShares shares)
{
    if (payload == 0 || m_grid->GetGroupSize(group) == 1)
    {
        return;
    }
    CollectiveOp op;
    op.kind = kind;
    op.group = static_cast<uint32_t>(group);
    op.payload = payload;
    op.shares = shares;
    const uint32_t place = Add(GetStream(group), op, GetEnd());
    m_wait = {place};
}

uint32_t
ProgramWriter::ReceiveAside(MessageChannel channel, uint32_t peer, uint64_t bytes)
{
    return Add(GetReceiveStream(channel),
               ReceiveOp{peer, static_cast<uint32_t>(channel), bytes},
               {});
}

void
ProgramWriter::SendAside(MessageChannel channel,
                         uint32_t peer,
                         uint64_t bytes,
                         const std::vector<uint32_t>& after)
{
    Add(GetSendStream(channel), SendOp{peer, static_cast<uint32_t>(channel), bytes}, after);
}

void
ProgramWriter::Receive(MessageChannel channel, uint32_t peer, uint64_t bytes)
{
    WaitFor(ReceiveAside(channel, peer, bytes));
}

void
ProgramWriter::Send(MessageChannel channel, uint32_t peer, uint64_t bytes)
{
    SendAside(channel, peer, bytes, GetEnd());
}

std::shared_ptr<const OpList>
ProgramWriter::Take()
{
    std::shared_ptr<const OpList> list = m_list;
    m_list = std::make_shared<OpList>();
    return list;
}

} // namespace llmfabric
} // namespace ns3
