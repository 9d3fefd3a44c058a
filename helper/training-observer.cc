/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "training-observer.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

void
TrainingObserver::Watch(const std::vector<Ptr<RankApplication>>& ranks, uint64_t tokensPerStep)
{
    m_ranks = ranks;
    m_tokensPerStep = tokensPerStep;
    for (const Ptr<RankApplication>& rank : ranks)
    {
        rank->TraceConnectWithoutContext("Step", MakeCallback(&TrainingObserver::OnStep, this));
        rank->TraceConnectWithoutContext("Collective",
                                         MakeCallback(&TrainingObserver::OnCollective, this));
    }
}

void
TrainingObserver::OnStep(const StepSpan& span)
{
    OpenStep& open = m_steps[span.step];
    StepResult& result = open.result;
    result.step = span.step;
    result.start = open.ended == 0 ? span.start : std::min(result.start, span.start);
    result.end = std::max(result.end, span.end);
    result.compute = std::max(result.compute, span.compute);
    ++open.ended;
    if (span.step + 1 == m_ranks.at(span.rank)->GetConfig().steps)
    {
        ++m_finishedRanks;
    }
    if (IsFinished() && !m_finished.IsNull())
    {
        m_finished();
    }
}

void
TrainingObserver::OnCollective(const CollectiveSpan& span)
{
    OpenCollective& open = m_collectives[span.sequence];
    CollectiveResult& result = open.result;
    if (open.ended == 0)
    {
        result.op = span.op;
        result.algorithm = span.algorithm;
        result.ranks = span.ranks;
        result.payload = span.payload;
        result.start = span.start;
        open.sentBefore.resize(span.ranks);
    }
    result.start = std::min(result.start, span.start);
    result.end = std::max(result.end, span.end);
    open.sentBefore.at(span.rank) = span.sentBefore;
    ++open.ended;
}

std::vector<StepResult>
TrainingObserver::GetSteps() const
{
    std::vector<StepResult> steps;
    for (const auto& entry : m_steps)
    {
        if (entry.second.ended == m_ranks.size())
        {
            StepResult result = entry.second.result;
            const double seconds = (result.end - result.start).GetSeconds();
            result.tokensPerSecond =
                seconds > 0 ? static_cast<double>(m_tokensPerStep) / seconds : 0;
            steps.push_back(result);
        }
    }
    return steps;
}

std::vector<CollectiveResult>
TrainingObserver::GetCollectives() const
{
    std::vector<CollectiveResult> results;
    for (auto entry = m_collectives.begin(); entry != m_collectives.end(); ++entry)
    {
        const OpenCollective& open = entry->second;
        if (open.ended < open.result.ranks)
        {
            continue;
        }
        // What a rank's connections sent from this op to the next, or to the end of the run.
        CollectiveResult result = open.result;
        const auto next = std::next(entry);
        const bool last = next == m_collectives.end() || next->second.ended < result.ranks;
        for (std::size_t rank = 0; rank < open.sentBefore.size(); ++rank)
        {
            const uint64_t after =
                last ? m_ranks[rank]->GetSentBytes() : next->second.sentBefore[rank];
            result.sentBytesPerRank.push_back(after - open.sentBefore[rank]);
        }
        results.push_back(result);
    }
    return results;
}

std::vector<std::string>
TrainingObserver::GetWaits() const
{
    std::vector<std::string> waits;
    for (const Ptr<RankApplication>& rank : m_ranks)
    {
        const std::string wait = rank->DescribeWait();
        if (!wait.empty())
        {
            waits.push_back(wait);
        }
    }
    return waits;
}

} // namespace llmfabric
} // namespace ns3
