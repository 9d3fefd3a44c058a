/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-state.h"

#include "ns3/abort.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace llmfabric
{

CollectiveState::CollectiveState(std::vector<std::unique_ptr<CollectiveLane>> lanes,
                                 uint64_t slice,
                                 CollectiveHost& host)
    : m_strands(lanes.size()),
      m_slice(slice),
      m_host(host)
{
    static_assert(sizeof(Strand) <= LANE_BYTES, "CollectiveState: its comment is wrong");
    NS_ABORT_MSG_IF(slice == 0, "CollectiveState: empty slices");
    for (std::size_t i = 0; i < lanes.size(); ++i)
    {
        m_strands[i].steps = lanes[i]->GetStepCount();
        m_strands[i].lane = std::move(lanes[i]);
    }
    m_open = static_cast<uint32_t>(m_strands.size());
}

void
CollectiveState::Start()
{
    NS_ABORT_MSG_IF(m_started, "CollectiveState: started twice");
    m_started = true;
    for (uint32_t lane = 0; lane < m_strands.size(); ++lane)
    {
        Advance(lane);
    }
}

void
CollectiveState::OnProgress(uint32_t lane)
{
    if (m_started && lane < m_strands.size())
    {
        Advance(lane);
    }
}

void
CollectiveState::OnReduced(uint32_t lane)
{
    Strand& strand = m_strands.at(lane);
    NS_ABORT_MSG_UNLESS(strand.reducing, "CollectiveState: no reduction on lane " << lane);
    strand.reducing = false;
    Take(lane, strand.lane->GetStep(strand.received.step));
    m_ready.insert(m_ready.end(), strand.waiters.begin(), strand.waiters.end());
    strand.waiters.clear();
    Advance(lane);
}

void
CollectiveState::Advance(uint32_t lane)
{
    m_ready.push_back(lane);
    while (!m_ready.empty())
    {
        const uint32_t current = m_ready.back();
        m_ready.pop_back();
        Strand& strand = m_strands[current];
        bool moved = false;
        for (bool moves = true; moves; moved = moved || moves)
        {
            moves = Receive(current);
            moves = Send(current) || moves;
        }
        Grant(current);
        if (moved)
        {
            m_ready.insert(m_ready.end(), strand.waiters.begin(), strand.waiters.end());
            strand.waiters.clear();
        }
        if (!strand.over && strand.received.step == strand.steps &&
            strand.sent.step == strand.steps)
        {
            strand.over = true;
            --m_open;
        }
    }
}

bool
CollectiveState::Receive(uint32_t lane)
{
    Strand& strand = m_strands[lane];
    Pointer& at = strand.received;
    bool moved = false;
    while (at.step < strand.steps && !strand.reducing)
    {
        const LaneStep step = strand.lane->GetStep(at.step);
        if (!step.Receives())
        {
            at = {at.step + 1, 0, 0};
            moved = true;
            continue;
        }
        const uint64_t end = GetSliceEnd(at, step.receiveBytes);
        if (!HasArrived(step, lane) || !IsReady(lane, step.receiveAfter, end))
        {
            break;
        }
        if (step.reduces && !m_host.Reduce(lane, (end - at.bytes) * step.receiveFrom.size()))
        {
            strand.reducing = true;
            break;
        }
        Take(lane, step);
        moved = true;
    }
    return moved;
}

void
CollectiveState::Take(uint32_t lane, const LaneStep& step)
{
    Pointer& at = m_strands[lane].received;
    const uint64_t end = GetSliceEnd(at, step.receiveBytes);
    for (uint32_t peer : step.receiveFrom)
    {
        m_host.Take({lane, peer, at.step, at.bytes, end - at.bytes});
    }
    at = end == step.receiveBytes ? Pointer{at.step + 1, 0, 0} : Pointer{at.step, end, 0};
}

bool
CollectiveState::Send(uint32_t lane)
{
    Strand& strand = m_strands[lane];
    Pointer& at = strand.sent;
    bool moved = false;
    while (at.step < strand.steps)
    {
        const LaneStep step = strand.lane->GetStep(at.step);
        if (!step.Sends())
        {
            at = {at.step + 1, 0, 0};
            moved = true;
            continue;
        }
        const uint64_t end = GetSliceEnd(at, step.sendBytes);
        if (!IsReady(lane, step.sendAfter, end))
        {
            break;
        }
        while (at.peer < step.sendTo.size() && m_host.CanSend(lane, step.sendTo[at.peer]))
        {
            m_host.Send({lane, step.sendTo[at.peer], at.step, at.bytes, end - at.bytes});
            ++at.peer;
        }
        if (at.peer < step.sendTo.size())
        {
            break;
        }
        at = end == step.sendBytes ? Pointer{at.step + 1, 0, 0} : Pointer{at.step, end, 0};
        moved = true;
    }
    return moved;
}

void
CollectiveState::Grant(uint32_t lane)
{
    Strand& strand = m_strands[lane];
    Pointer& at = strand.granted;
    while (at.step < strand.steps)
    {
        const LaneStep step = strand.lane->GetStep(at.step);
        if (!step.Receives())
        {
            at = {at.step + 1, 0, 0};
            continue;
        }
        while (at.peer < step.receiveFrom.size() &&
               m_host.CanGrant(lane, step.receiveFrom[at.peer]))
        {
            m_host.Grant(lane, step.receiveFrom[at.peer]);
            ++at.peer;
        }
        if (at.peer < step.receiveFrom.size())
        {
            break;
        }
        const uint64_t end = GetSliceEnd(at, step.receiveBytes);
        at = end == step.receiveBytes ? Pointer{at.step + 1, 0, 0} : Pointer{at.step, end, 0};
    }
}

bool
CollectiveState::HasArrived(const LaneStep& step, uint32_t lane) const
{
    return std::all_of(step.receiveFrom.begin(), step.receiveFrom.end(), [&](uint32_t peer) {
        return m_host.HasArrived(lane, peer);
    });
}

const LaneNeed*
CollectiveState::FindMissing(uint32_t lane, const LaneNeeds& needs, uint64_t end) const
{
    for (const LaneNeed& need : needs)
    {
        const Strand& strand = m_strands.at(need.lane == LaneNeed::SAME ? lane : need.lane);
        const Pointer& at = need.sent ? strand.sent : strand.received;
        if (at.step > need.step)
        {
            continue;
        }
        if (at.step < need.step || need.shift == LaneNeed::WHOLE ||
            static_cast<int64_t>(end) + need.shift > static_cast<int64_t>(at.bytes))
        {
            return &need;
        }
    }
    return nullptr;
}

bool
CollectiveState::IsReady(uint32_t lane, const LaneNeeds& needs, uint64_t end)
{
    const LaneNeed* missing = FindMissing(lane, needs, end);
    if (missing && missing->lane != lane && missing->lane != LaneNeed::SAME)
    {
        std::vector<uint32_t>& waiters = m_strands[missing->lane].waiters;
        if (std::find(waiters.begin(), waiters.end(), lane) == waiters.end())
        {
            waiters.push_back(lane);
        }
    }
    return !missing;
}

uint64_t
CollectiveState::GetSliceEnd(const Pointer& pointer, uint64_t bytes) const
{
    return bytes - pointer.bytes > m_slice ? pointer.bytes + m_slice : bytes;
}

std::vector<CollectiveWait>
CollectiveState::GetWaits() const
{
    std::vector<CollectiveWait> waits;
    for (uint32_t lane = 0; m_started && lane < m_strands.size(); ++lane)
    {
        const Strand& strand = m_strands[lane];
        if (strand.received.step < strand.steps && !strand.reducing)
        {
            for (uint32_t peer : strand.lane->GetStep(strand.received.step).receiveFrom)
            {
                if (!m_host.HasArrived(lane, peer))
                {
                    waits.push_back({lane, peer, strand.received.step, false});
                }
            }
        }
        if (strand.sent.step < strand.steps)
        {
            const LaneStep step = strand.lane->GetStep(strand.sent.step);
            const bool ready =
                !FindMissing(lane, step.sendAfter, GetSliceEnd(strand.sent, step.sendBytes));
            for (uint32_t i = strand.sent.peer; ready && i < step.sendTo.size(); ++i)
            {
                if (!m_host.CanSend(lane, step.sendTo[i]))
                {
                    waits.push_back({lane, step.sendTo[i], strand.sent.step, true});
                }
            }
        }
    }
    return waits;
}

} // namespace llmfabric
} // namespace ns3
