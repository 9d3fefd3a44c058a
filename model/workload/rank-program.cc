/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-program.h"

#include "ns3/abort.h"

#include <set>
#include <tuple>

namespace ns3
{
namespace llmfabric
{

RankProgram::RankProgram(std::shared_ptr<const OpList> ops)
    : m_ops(ops)
{
    NS_ABORT_MSG_UNLESS(m_ops, "RankProgram: no ops");
}

RankProgram::RankProgram(std::shared_ptr<const OpList> ops,
                         std::shared_ptr<const RankGrid> grid,
                         uint32_t rank)
    : m_ops(ops),
      m_grid(grid),
      m_rank(rank)
{
    NS_ABORT_MSG_UNLESS(m_ops && m_grid, "RankProgram: no ops or no grid");
    NS_ABORT_MSG_IF(rank >= grid->GetRanks(), "RankProgram: no rank " << rank);
}

uint64_t
RankProgram::GetOpCount() const
{
    return m_ops->GetOpCount();
}

ProgramOp
RankProgram::GetOp(uint64_t index) const
{
    ProgramOp op = m_ops->GetOp(index);
    if (m_grid)
    {
        Resolve(op, *m_grid, m_rank);
    }
    return op;
}

std::vector<uint64_t>
RankProgram::GetAfter(uint64_t index) const
{
    return m_ops->GetAfter(index);
}

const std::shared_ptr<const OpList>&
RankProgram::GetList() const
{
    return m_ops;
}

void
RankProgram::Resolve(ProgramOp& op, const RankGrid& grid, uint32_t rank)
{
    const auto move = [&](uint32_t channel, uint32_t place) {
        if (channel != static_cast<uint32_t>(MessageChannel::CONTEXT))
        {
            return grid.Move(rank, GridAxis::PIPELINE, place);
        }
        // Of a ring the list gives the distance to the peer, the same for all members.
        const uint32_t size = grid.GetDegree(GridAxis::CONTEXT);
        const uint32_t own = grid.GetCoordinate(rank, GridAxis::CONTEXT);
        return grid.Move(rank, GridAxis::CONTEXT, (own + place) % size);
    };
    if (auto* collective = std::get_if<CollectiveOp>(&op.what))
    {
        const auto kind = static_cast<GroupKind>(collective->group);
        collective->group = grid.GetGroup(kind, rank).GetId();
    }
    else if (auto* send = std::get_if<SendOp>(&op.what))
    {
        send->peer = move(send->channel, send->peer);
    }
    else if (auto* receive = std::get_if<ReceiveOp>(&op.what))
    {
        receive->peer = move(receive->channel, receive->peer);
    }
}

std::vector<ProgramUse>
RankProgram::GetUses() const
{
    std::vector<ProgramUse> uses;
    std::set<std::tuple<ProgramOpKind, CollectiveKind, uint32_t, uint32_t, uint32_t>> seen;
    ForEachStored([&](const ProgramOp& op, uint64_t) {
        ProgramUse use{op.GetKind(), CollectiveKind::ALL_REDUCE, 0, 0, 0};
        if (const auto* collective = std::get_if<CollectiveOp>(&op.what))
        {
            use.collective = collective->kind;
            use.group = collective->group;
        }
        else if (const auto* send = std::get_if<SendOp>(&op.what))
        {
            use.peer = send->peer;
            use.channel = send->channel;
        }
        else if (const auto* receive = std::get_if<ReceiveOp>(&op.what))
        {
            use.peer = receive->peer;
            use.channel = receive->channel;
        }
        else
        {
            return;
        }
        if (seen.emplace(use.kind, use.collective, use.group, use.peer, use.channel).second)
        {
            uses.push_back(use);
        }
    });
    return uses;
}

} // namespace llmfabric
} // namespace ns3
