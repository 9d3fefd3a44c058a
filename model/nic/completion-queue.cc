/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "completion-queue.h"

#include <utility>

namespace ns3
{
namespace llmfabric
{

void
CompletionQueue::SetCallback(CompletionCallback callback)
{
    m_callback = callback;
    while (!m_callback.IsNull() && !m_waiting.empty())
    {
        m_callback(*Poll());
    }
}

std::optional<WorkCompletion>
CompletionQueue::Poll()
{
    if (m_waiting.empty())
    {
        return std::nullopt;
    }
    WorkCompletion oldest = std::move(m_waiting.front());
    m_waiting.pop_front();
    return oldest;
}

void
CompletionQueue::Push(const WorkCompletion& completion)
{
    if (m_callback.IsNull())
    {
        m_waiting.push_back(completion);
    }
    else
    {
        m_callback(completion);
    }
}

} // namespace llmfabric
} // namespace ns3
