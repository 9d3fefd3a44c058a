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
    const RankGroup& group = m_ranks.at(span.rank)->GetConfig().groups.at(span.group).ranks;
    OpenCollective& open = m_collectives[{span.group, span.sequence}];
    CollectiveResult& result = open.result;
    if (open.ended == 0)
    {
        result.group = span.group;
        result.groupName = span.groupName;
        result.firstRank = group.GetRank(0);
        result.op = span.op;
        result.algorithm = span.algorithm;
        result.ranks = span.ranks;
        result.payload = span.payload;
        result.start = span.start;
        open.sentBefore.resize(span.ranks);
    }
    result.start = std::min(result.start, span.start);
    result.end = std::max(result.end, span.end);
    open.sentBefore.at(group.GetIndex(span.rank)) = span.sentBefore;
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

std::vector<uint64_t>
TrainingObserver::GetSentBytes(const CollectiveKey& key) const
{
    const OpenCollective& open = m_collectives.at(key);
    const auto next = m_collectives.find({key.first, key.second + 1});
    const RankGroup& group =
        m_ranks.at(open.result.firstRank)->GetConfig().groups.at(open.result.group).ranks;
    std::vector<uint64_t> sent;
    for (uint32_t index = 0; index < group.GetSize(); ++index)
    {
        const bool last = next == m_collectives.end() || !next->second.sentBefore[index];
        const uint64_t after =
            last ? m_ranks.at(group.GetRank(index))->GetSentBytesOfEnded(key.first)
                 : *next->second.sentBefore[index];
        sent.push_back(after - *open.sentBefore[index]);
    }
    return sent;
}

std::vector<CollectiveResult>
TrainingObserver::GetCollectives() const
{
    std::vector<CollectiveResult> results;
    for (const auto& [key, open] : m_collectives)
    {
        if (open.ended == open.result.ranks)
        {
            results.push_back(open.result);
            results.back().sentBytesPerRank = GetSentBytes(key);
        }
    }
    // They are sorted by group and number, which stays so among those that start together.
    std::stable_sort(results.begin(), results.end(), [](const auto& a, const auto& b) {
        return a.start < b.start;
    });
    return results;
}

std::vector<std::string>
TrainingObserver::GetWaits() const
{
    std::vector<std::string> waits;
    if (IsFinished())
    {
        return waits;
    }
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
