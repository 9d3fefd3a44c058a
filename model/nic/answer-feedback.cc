/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "answer-feedback.h"

#include "roce-protocol.h"

#include "ns3/congestion-control.h" // AckFeedback

namespace ns3
{
namespace llmfabric
{

void
AnswerFeedback::NoteWanted(const Frame& frame)
{
    m_wanted = frame.feedback;
    m_hops = frame.hops;
    if (frame.ecn == Ecn::CE)
    {
        ++m_markedPackets;
        m_markedBytes += frame.payloadBytes;
    }
    if (m_wanted & AckFeedback::TELEMETRY)
    {
        if (!m_telemetry)
        {
            m_telemetry = std::make_unique<TelemetryStack>();
        }
        *m_telemetry = frame.extension->telemetry;
    }
}

void
AnswerFeedback::FillWanted(Frame& answer)
{
    answer.feedback = m_wanted;
    answer.wireBytes += GetTrailerBytes(answer.kind, m_wanted);
    if (m_wanted & (AckFeedback::HOPS | AckFeedback::TELEMETRY))
    {
        answer.hops = m_hops;
    }
    if (m_wanted & AckFeedback::MARKS)
    {
        answer.markedPackets = m_markedPackets;
        answer.markedBytes = m_markedBytes;
        m_markedPackets = 0;
        m_markedBytes = 0;
    }
    if (m_wanted & AckFeedback::TELEMETRY)
    {
        FramePool::Extend(&answer).telemetry = *m_telemetry;
    }
}

} // namespace llmfabric
} // namespace ns3
