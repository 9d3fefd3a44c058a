/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "program-cursor.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// Computations that are kept ready. One would do for the compute stream; more let communication
/// start that a program lists long after what it waits for: with ZeRO-3 in a ring of c ranks a unit
/// is gathered c computations ahead.
constexpr uint64_t READ_AHEAD = 256;

/// Ops that are kept ready, so that a program that hardly computes is not read as a whole.
constexpr uint64_t MAX_WAITING = 4096;

} // namespace

ProgramCursor::ProgramCursor(const RankProgram& program)
    : m_program(&program)
{
}

void
ProgramCursor::ReadAhead()
{
    const uint64_t count = m_program->GetOpCount();
    while (m_read < count && m_computeWaiting < READ_AHEAD && m_waiting < MAX_WAITING)
    {
        const ProgramOp op = m_program->GetList()->GetOp(m_read);
        m_streams[op.stream].waiting.push_back(m_read);
        m_computeWaiting += op.GetKind() == ProgramOpKind::COMPUTE ? 1 : 0;
        m_over.push_back(false);
        ++m_waiting;
        ++m_read;
    }
}

bool
ProgramCursor::IsOver(uint64_t index) const
{
    return index < m_base || (index < m_read && m_over[index - m_base]);
}

bool
ProgramCursor::MayStart(uint64_t index) const
{
    const std::vector<uint64_t> after = m_program->GetAfter(index);
    return std::all_of(after.begin(), after.end(), [this](uint64_t one) { return IsOver(one); });
}

std::vector<ProgramCursor::Entry>
ProgramCursor::TakeReady()
{
    std::vector<Entry> ready;
    std::size_t before = 0;
    do // a started op lets more ops be read
    {
        before = ready.size();
        ReadAhead();
        for (auto& [number, stream] : m_streams)
        {
            if (!stream.busy && !stream.waiting.empty() && MayStart(stream.waiting.front()))
            {
                const uint64_t index = stream.waiting.front();
                stream.running = {index, m_program->GetOp(index)};
                stream.waiting.pop_front();
                stream.busy = true;
                --m_waiting;
                const bool computes = stream.running.op.GetKind() == ProgramOpKind::COMPUTE;
                m_computeWaiting -= computes ? 1 : 0;
                ready.push_back(stream.running);
            }
        }
    } while (ready.size() > before);
    std::sort(ready.begin(), ready.end(), [](const Entry& a, const Entry& b) {
        return a.index < b.index;
    });
    return ready;
}

void
ProgramCursor::Finish(uint64_t index)
{
    const auto found = std::find_if(m_streams.begin(), m_streams.end(), [index](const auto& one) {
        return one.second.busy && one.second.running.index == index;
    });
    NS_ABORT_MSG_IF(found == m_streams.end(), "ProgramCursor: op " << index << " does not run");
    found->second.busy = false;
    m_over[index - m_base] = true;
    while (!m_over.empty() && m_over.front())
    {
        m_over.pop_front();
        ++m_base;
    }
}

bool
ProgramCursor::IsDone() const
{
    return m_base == m_program->GetOpCount();
}

std::vector<ProgramCursor::Entry>
ProgramCursor::GetRunning() const
{
    std::vector<Entry> running;
    for (const auto& [number, stream] : m_streams)
    {
        if (stream.busy)
        {
            running.push_back(stream.running);
        }
    }
    std::sort(running.begin(), running.end(), [](const Entry& a, const Entry& b) {
        return a.index < b.index;
    });
    return running;
}

} // namespace llmfabric
} // namespace ns3
