/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "plan-traffic.h"

#include "checked-math.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// For the messages of sums and products.
const char* const BYTES = "the bytes that are sent";

/// Names a row: stream, kind of collective, payload, shares.
using RowKey = std::tuple<uint32_t, uint8_t, uint64_t, uint8_t>;

/// A row while it is summed up.
struct OpenRow
{
    TrafficRow row;          //!< so far
    uint64_t calls{0};       //!< of all ranks
    uint64_t unevenBytes{0}; //!< of all ranks, of an All-to-All with unequal shares
};

/**
 * @param op an op
 * @return its row's key
 */
RowKey
GetKey(const ProgramOp& op)
{
    if (const auto* collective = std::get_if<CollectiveOp>(&op.what))
    {
        return {op.stream,
                static_cast<uint8_t>(collective->kind),
                collective->payload,
                static_cast<uint8_t>(collective->shares)};
    }
    return {op.stream, 0, std::get<SendOp>(op.what).bytes, 0};
}

/**
 * @param op an op that communicates, as a rank does it
 * @param job the job
 * @return what travels
 */
std::string
GetObject(const ProgramOp& op, const TrainingJob& job)
{
    if (const auto* send = std::get_if<SendOp>(&op.what))
    {
        const auto channel = static_cast<MessageChannel>(send->channel);
        const bool forward =
            channel == MessageChannel::FORWARD || channel == MessageChannel::FORWARD_MIRROR;
        return channel == MessageChannel::CONTEXT ? "keys and values, their gradients"
               : forward                          ? "activations"
                                                  : "activation gradients";
    }
    const auto& collective = std::get<CollectiveOp>(op.what);
    switch (job.GetGrid().GetKind(collective.group))
    {
    case GroupKind::DATA:
    case GroupKind::MIRROR:
        return "gradients";
    case GroupKind::EXPERT_DATA:
        return "expert gradients";
    case GroupKind::PARAMETER:
        return "parameters";
    case GroupKind::EXPERT_PARAMETER:
        return "expert parameters";
    case GroupKind::EMBEDDING:
        return "embedding gradients";
    case GroupKind::EXPERT:
        return collective.shares == AllToAllShares::BY_DESTINATION ? "tokens to experts"
               : collective.shares == AllToAllShares::BY_SOURCE    ? "tokens from experts"
                                                                   : "tokens to and from experts";
    case GroupKind::CONTEXT:
        return "attention inputs, outputs";
    case GroupKind::TENSOR:
        break;
    }
    return "activations";
}

/// Sums up the ops of a job.
class TrafficCount
{
  public:
    /**
     * @param job the job
     */
    explicit TrafficCount(const TrainingJob& job)
        : m_job(job)
    {
    }

    /**
     * @param one ranks with equal programs
     */
    void Add(const RankClass& one);

    /**
     * @return the rows
     */
    std::vector<TrafficRow> Finish() const;

  private:
    /// What one rank does of a row.
    struct Calls
    {
        ProgramOp op;      //!< the first of them
        uint64_t count{0}; //!< in one step
    };

    /**
     * @param one ranks with equal programs
     * @param key names the row
     * @param calls what each of them does
     */
    void AddCalls(const RankClass& one, const RowKey& key, const Calls& calls);

    const TrainingJob& m_job;         //!< the job
    std::map<RowKey, OpenRow> m_rows; //!< by stream, and so by group and channel
};

void
TrafficCount::Add(const RankClass& one)
{
    std::map<RowKey, Calls> own;
    m_job.GetProgram(one.first).GetList()->ForEachStored([&](const ProgramOp& op, uint64_t times) {
        if (op.GetKind() == ProgramOpKind::COLLECTIVE || op.GetKind() == ProgramOpKind::SEND)
        {
            Calls& calls = own[GetKey(op)];
            calls.op = calls.count == 0 ? op : calls.op;
            calls.count = CheckedSum({calls.count, times}, "the ops of a step");
        }
    });
    for (const auto& [key, calls] : own)
    {
        AddCalls(one, key, calls);
    }
}

void
TrafficCount::AddCalls(const RankClass& one, const RowKey& key, const Calls& calls)
{
    OpenRow& open = m_rows[key];
    TrafficRow& row = open.row;
    ProgramOp op = calls.op;
    RankProgram::Resolve(op, m_job.GetGrid(), one.first);
    row.object = GetObject(op, m_job);
    uint64_t bytes = 0;
    if (const auto* send = std::get_if<SendOp>(&op.what))
    {
        row.op = "send";
        row.group = "pipeline";
        row.group =
            send->channel == static_cast<uint32_t>(MessageChannel::CONTEXT) ? "context" : row.group;
        row.groupSize = 2;
        row.payload = send->bytes;
        bytes = CheckedProduct({send->bytes, calls.count}, BYTES);
    }
    else
    {
        const auto& collective = std::get<CollectiveOp>(op.what);
        const RankGroup group = m_job.GetGroup(collective.group);
        row.op = GetName(collective.kind);
        row.group = m_job.GetGroupName(collective.group);
        row.groupSize = group.GetSize();
        row.payload = collective.payload;
        if (collective.shares == AllToAllShares::EVEN)
        {
            const uint64_t all = GetGroupBytes(collective.kind, row.groupSize, row.payload);
            bytes = CheckedProduct({all, calls.count}, BYTES);
            bytes = CeilDivide(bytes, row.groupSize);
        }
        else
        {
            const uint32_t own = group.GetIndex(one.first);
            for (uint32_t peer = 0; peer < group.GetSize(); ++peer)
            {
                bytes += peer == own ? 0 : m_job.GetAllToAllBytes(collective, group, own, peer);
            }
            bytes = CheckedProduct({bytes, calls.count}, BYTES);
            open.unevenBytes =
                CheckedSum({open.unevenBytes, CheckedProduct({bytes, one.count}, BYTES)}, BYTES);
        }
    }
    row.callsPerRank = std::max(row.callsPerRank, calls.count);
    row.bytesPerRank = std::max(row.bytesPerRank, bytes);
    row.ranks = CheckedSum({row.ranks, one.count}, BYTES);
    row.shares.push_back({one, calls.op, calls.count});
    open.calls = CheckedSum({open.calls, CheckedProduct({calls.count, one.count}, BYTES)}, BYTES);
}

std::vector<TrafficRow>
TrafficCount::Finish() const
{
    std::vector<TrafficRow> rows;
    for (const auto& [key, open] : m_rows)
    {
        TrafficRow row = open.row;
        if (row.shares.front().op.GetKind() == ProgramOpKind::SEND)
        {
            row.totalBytes = CheckedProduct({open.calls, row.payload}, BYTES);
        }
        else if (std::get<3>(key) != static_cast<uint8_t>(AllToAllShares::EVEN))
        {
            row.totalBytes = open.unevenBytes;
        }
        else
        {
            // All members of a group call as often, so the calls are a multiple of its size.
            const auto kind = static_cast<CollectiveKind>(std::get<1>(key));
            row.totalBytes = CheckedProduct(
                {open.calls / row.groupSize, GetGroupBytes(kind, row.groupSize, row.payload)},
                BYTES);
        }
        rows.push_back(row);
    }
    return rows;
}

} // namespace

uint64_t
GetGroupBytes(CollectiveKind kind, uint32_t ranks, uint64_t payload)
{
    return CheckedProduct({GetRingSteps(kind, ranks), payload}, BYTES);
}

std::vector<TrafficRow>
GetTraffic(const TrainingJob& job)
{
    TrafficCount count(job);
    for (const RankClass& one : job.GetClasses())
    {
        count.Add(one);
    }
    return count.Finish();
}

} // namespace llmfabric
} // namespace ns3
