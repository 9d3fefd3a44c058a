/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COMPLETION_QUEUE_H
#define COMPLETION_QUEUE_H

#include "work-request.h"

#include "ns3/callback.h"
#include "ns3/simple-ref-count.h"

#include <cstddef>
#include <deque>
#include <optional>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Where queue pairs tell of work that is done, as the verbs' completion queues: any number of queue
 * pairs share one. Its owner polls it, or is called for each completion in a true ns-3 event.
 */
class CompletionQueue : public SimpleRefCount<CompletionQueue>
{
  public:
    /// Takes a completion.
    using CompletionCallback = Callback<void, const WorkCompletion&>;

    /**
     * @param callback takes completions from now on, also those that wait; null: they wait for
     *                 Poll()
     */
    void SetCallback(CompletionCallback callback);

    /** @return the oldest completion, taken out, if there is one */
    std::optional<WorkCompletion> Poll();

    /** @return completions that wait */
    std::size_t GetSize() const
    {
        return m_waiting.size();
    }

    /** @param completion what is done; called in a true ns-3 event */
    void Push(const WorkCompletion& completion);

  private:
    CompletionCallback m_callback;        //!< who takes them
    std::deque<WorkCompletion> m_waiting; //!< not yet polled
};

} // namespace llmfabric
} // namespace ns3

#endif /* COMPLETION_QUEUE_H */
