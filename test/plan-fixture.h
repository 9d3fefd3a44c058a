/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PLAN_FIXTURE_H
#define PLAN_FIXTURE_H

#include "ns3/plan-traffic.h"
#include "ns3/step-timeline.h"
#include "ns3/training-job.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

// ---------- plans of the paper ----------

/**
 * @return the reference configuration of the paper on one GPU: GPT-2 small, sequences of 1024
 *         tokens, mini-batches of 32, 2-byte values, no compute time
 */
inline TrainingSpec
Gpt2Plan()
{
    TrainingSpec spec;
    spec.corpus = Corpus::FromWords(100000);
    spec.model = Transformer(Transformer::GetPreset("gpt2-small"));
    spec.batch.localSequences = 32;
    spec.compute.forward = Time(0);
    spec.compute.backward = Time(0);
    return spec;
}

/**
 * @param spec a training run
 * @return the error with which it is refused, or nothing
 */
inline std::optional<UserError>
RefusalOf(const TrainingSpec& spec)
{
    try
    {
        TrainingJob job(spec);
    }
    catch (const UserError& error)
    {
        return error;
    }
    return std::nullopt;
}

// ---------- steps ----------

/**
 * @param plan a job
 * @return all its ranks
 */
inline std::vector<uint32_t>
ListRanks(const RankPlan& plan)
{
    std::vector<uint32_t> ranks(plan.GetRanks());
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

/**
 * @param job a job
 * @return one rank of each pipeline stage, which are one pipeline
 */
inline std::vector<uint32_t>
ListPipeline(const TrainingJob& job)
{
    std::vector<uint32_t> ranks;
    for (uint32_t stage = 0; stage < job.GetSpec().parallel.pipeline; ++stage)
    {
        ranks.push_back(job.GetGrid().Move(0, GridAxis::PIPELINE, stage));
    }
    return ranks;
}

/**
 * @param plan a job
 * @param ranks the ranks to look at
 * @return the step, with communication that takes no time
 */
inline StepTimeline
RunFree(const RankPlan& plan, const std::vector<uint32_t>& ranks)
{
    return StepTimeline(plan, ranks, TimelineCosts());
}

/**
 * @tparam Op kind of op
 * @tparam Predicate takes a span and its op
 * @param timeline a step
 * @param wanted which spans are wanted
 * @return those spans, by start, then end
 */
template <typename Op, typename Predicate>
std::vector<TimelineSpan>
FindSpans(const StepTimeline& timeline, Predicate wanted)
{
    std::vector<TimelineSpan> found;
    for (const TimelineSpan& span : timeline.GetSpans())
    {
        const Op* op = std::get_if<Op>(&span.op.what);
        if (op && wanted(span, *op))
        {
            found.push_back(span);
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return std::tie(a.start, a.end) < std::tie(b.start, b.end);
    });
    return found;
}

/**
 * @param timeline a step
 * @param rank a rank
 * @param kind kind of group
 * @return when the rank reaches its collectives in that group
 */
inline std::vector<Time>
ListStarts(const StepTimeline& timeline, uint32_t rank, GroupKind kind)
{
    std::vector<Time> starts;
    const auto spans = FindSpans<CollectiveOp>(timeline, [&](const auto& span, const auto&) {
        return span.rank == rank && span.op.stream == GetStream(kind);
    });
    for (const TimelineSpan& span : spans)
    {
        starts.push_back(span.start);
    }
    return starts;
}

/**
 * @param timeline a step
 * @param phase a phase
 * @param miniBatch a mini-batch
 * @return how long it lasts, from the begin of its first computation to the end of its last one
 */
inline Time
GetLatency(const StepTimeline& timeline, ComputePhase phase, uint64_t miniBatch)
{
    const auto spans = FindSpans<ComputeOp>(timeline, [=](const auto&, const ComputeOp& op) {
        return op.phase == phase && op.miniBatch == miniBatch;
    });
    Time end;
    for (const TimelineSpan& span : spans)
    {
        end = std::max(end, span.end);
    }
    return spans.empty() ? Time(-1) : end - spans.front().start;
}

// ---------- programs ----------

/**
 * @tparam Visitor takes an op and its index
 * @param program a program
 * @param visit called for each op of the step in order, repetitions included
 */
template <typename Visitor>
void
ForEachOp(const RankProgram& program, Visitor visit)
{
    for (uint64_t i = 0; i < program.GetOpCount(); ++i)
    {
        visit(program.GetOp(i), i);
    }
}

/**
 * @param program a program
 * @return how long it computes
 */
inline Time
SumCompute(const RankProgram& program)
{
    Time sum;
    ForEachOp(program, [&sum](const ProgramOp& op, uint64_t) {
        const auto* compute = std::get_if<ComputeOp>(&op.what);
        sum += compute ? compute->duration : Time(0);
    });
    return sum;
}

/// Bytes that one rank sends to another: from, to, channel.
using LaneBytes = std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint64_t>;

/**
 * @param plan a job
 * @param received whether the programs of the receivers are asked, not those of the senders
 * @return bytes of the messages of a step
 */
inline LaneBytes
CountMessages(const RankPlan& plan, bool received)
{
    LaneBytes lanes;
    for (uint32_t rank = 0; rank < plan.GetRanks(); ++rank)
    {
        ForEachOp(plan.GetProgram(rank), [&](const ProgramOp& op, uint64_t) {
            const auto* send = std::get_if<SendOp>(&op.what);
            const auto* receive = std::get_if<ReceiveOp>(&op.what);
            if (send && !received)
            {
                lanes[{rank, send->peer, send->channel}] += send->bytes;
            }
            if (receive && received)
            {
                lanes[{receive->peer, rank, receive->channel}] += receive->bytes;
            }
        });
    }
    return lanes;
}

// ---------- what is sent ----------

/// Bytes by group and op, e.g. "tensor" and "allreduce".
using TrafficTotals = std::map<std::pair<std::string, std::string>, uint64_t>;

/**
 * @param job a job
 * @return what it says that it sends in a step
 */
inline TrafficTotals
SumTraffic(const TrainingJob& job)
{
    TrafficTotals totals;
    for (const TrafficRow& row : GetTraffic(job))
    {
        totals[{row.group, row.op}] += row.totalBytes;
    }
    return totals;
}

/**
 * @param job a job
 * @param rank a rank
 * @param op what it calls
 * @return bytes that it sends with a ring or a direct All-to-All; with equal parts the first member
 *         counts what all members send
 */
inline uint64_t
CountSent(const TrainingJob& job, uint32_t rank, const CollectiveOp& op)
{
    const RankGroup group = job.GetGroup(op.group);
    const uint32_t own = group.GetIndex(rank);
    uint64_t sum = 0;
    if (op.shares != AllToAllShares::EVEN)
    {
        for (uint32_t peer = 0; peer < group.GetSize(); ++peer)
        {
            sum += peer == own ? 0 : job.GetAllToAllBytes(op, group, own, peer);
        }
        return sum;
    }
    const uint64_t rounds = (op.kind == CollectiveKind::ALL_REDUCE ? 2 : 1) * (group.GetSize() - 1);
    return own == 0 ? rounds * op.payload : 0;
}

/**
 * @param job a job
 * @return what the programs of all ranks send in a step
 */
inline TrafficTotals
WalkTraffic(const TrainingJob& job)
{
    TrafficTotals totals;
    for (uint32_t rank = 0; rank < job.GetRanks(); ++rank)
    {
        ForEachOp(job.GetProgram(rank), [&](const ProgramOp& op, uint64_t) {
            if (const auto* collective = std::get_if<CollectiveOp>(&op.what))
            {
                const auto name = job.GetGroupName(collective->group);
                totals[{name, GetName(collective->kind)}] += CountSent(job, rank, *collective);
            }
            else if (const auto* send = std::get_if<SendOp>(&op.what))
            {
                const auto context = static_cast<uint32_t>(MessageChannel::CONTEXT);
                totals[{send->channel == context ? "context" : "pipeline", "send"}] += send->bytes;
            }
        });
    }
    return totals;
}

/**
 * @param job a job
 * @param group name of a kind of group; "pipeline" for the messages between stages
 * @param op name of an op; empty: all
 * @return bytes that it says it sends so in a step
 */
inline uint64_t
TotalOf(const TrainingJob& job, const std::string& group, const std::string& op = "")
{
    uint64_t sum = 0;
    for (const auto& [key, bytes] : SumTraffic(job))
    {
        sum += key.first == group && (op.empty() || key.second == op) ? bytes : 0;
    }
    return sum;
}

} // namespace llmfabric
} // namespace ns3

#endif /* PLAN_FIXTURE_H */
