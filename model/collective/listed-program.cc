/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "listed-program.h"

#include "listed-chunks.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param step a step
 * @param ranks p
 * @return the lane that it lies on
 */
uint32_t
FindLane(const ListedStep& step, uint32_t ranks)
{
    const bool sends = step.action == ListedAction::SEND;
    const uint32_t distance =
        (sends ? step.peer + ranks - step.rank : step.rank + ranks - step.peer) % ranks;
    return distance - 1;
}

/**
 * @param least the least number
 * @param most the largest one
 * @return what a number must be
 */
std::string
Range(uint64_t least, uint64_t most)
{
    return "allowed: " + std::to_string(least) + " to " + std::to_string(most);
}

} // namespace

ListedProgram::ListedProgram(ListedSchedule schedule)
    : m_schedule(std::move(schedule))
{
    CheckHead();
    std::size_t handled = 0;
    for (const ListedStep& step : m_schedule.steps)
    {
        CheckStep(step);
        handled += step.count;
        if (handled > ListedSchedule::MAX_HANDLED)
        {
            throw UserError("the steps up to here handle too many chunks",
                            GetWhere(step),
                            "allowed: " + std::to_string(ListedSchedule::MAX_HANDLED) +
                                ", counted once for each step");
        }
    }
    Number();
    FindStrands();
    Pair();
}

void
ListedProgram::CheckHead() const
{
    const auto& [name, op, ranks, chunks, steps, source] = m_schedule;
    const auto refuse = [&](const std::string& what, const std::string& action) {
        throw UserError(what, source, action);
    };
    const auto& ops = ListedChunks::GetOps();
    if (std::find(ops.begin(), ops.end(), op) == ops.end())
    {
        std::string known;
        for (const std::string& one : ops)
        {
            known += (known.empty() ? "" : ", ") + one;
        }
        refuse("a list can't do op '" + op + "'", "allowed: " + known);
    }
    if (name.empty() || name == "auto")
    {
        refuse("'" + name + "' is no name for an algorithm", "choose another");
    }
    if (ranks < 2 || ranks > ListedSchedule::MAX_RANKS)
    {
        refuse("there are " + std::to_string(ranks) + " ranks",
               Range(2, ListedSchedule::MAX_RANKS));
    }
    const uint64_t unit = ListedChunks::GetUnit(op, ranks);
    if (chunks == 0 || chunks > ListedSchedule::MAX_CHUNKS || chunks % unit != 0)
    {
        refuse("there are " + std::to_string(chunks) + " chunks",
               "allowed: multiples of " + std::to_string(unit) + " up to " +
                   std::to_string(ListedSchedule::MAX_CHUNKS));
    }
    if (steps.size() > ListedSchedule::MAX_STEPS)
    {
        refuse("there are " + std::to_string(steps.size()) + " steps",
               Range(0, ListedSchedule::MAX_STEPS));
    }
}

void
ListedProgram::CheckStep(const ListedStep& step) const
{
    const auto check = [&](const std::string& what, uint64_t value, uint64_t most) {
        if (value > most)
        {
            throw UserError(what + " " + std::to_string(value) + " does not exist",
                            GetWhere(step),
                            Range(0, most));
        }
    };
    check("rank", step.rank, m_schedule.ranks - 1);
    check("step", step.step, ListedSchedule::MAX_STEPS_OF_RANK - 1);
    check("peer", step.peer, m_schedule.ranks - 1);
    check("chunk", step.first, m_schedule.chunks - 1);
    if (step.count == 0)
    {
        throw UserError("the step handles no chunk", GetWhere(step), "name at least one");
    }
    check("chunk", uint64_t{step.first} + step.count - 1, m_schedule.chunks - 1);
    if (step.peer == step.rank)
    {
        throw UserError("rank " + std::to_string(step.rank) + " is its own peer",
                        GetWhere(step),
                        "what a rank has need not be sent");
    }
    for (uint32_t after : step.after)
    {
        if (after >= step.step)
        {
            throw UserError("step " + std::to_string(step.step) + " is to wait for step " +
                                std::to_string(after),
                            GetWhere(step),
                            "name steps of the rank with lower numbers");
        }
    }
}

void
ListedProgram::Number()
{
    std::vector<ListedStep>& steps = m_schedule.steps;
    std::stable_sort(steps.begin(), steps.end(), [](const ListedStep& a, const ListedStep& b) {
        return std::tie(a.rank, a.step) < std::tie(b.rank, b.step);
    });
    m_first.assign(m_schedule.ranks + 1, GetSize());
    for (uint32_t id = GetSize(); id-- > 0;)
    {
        m_first[Get(id).rank] = id;
    }
    for (uint32_t rank = m_schedule.ranks; rank-- > 0;)
    {
        m_first[rank] = std::min(m_first[rank], m_first[rank + 1]);
    }
    for (uint32_t id = 0; id < GetSize(); ++id)
    {
        const uint32_t expected = id - m_first[Get(id).rank];
        if (Get(id).step < expected)
        {
            throw UserError(GetName(id) + " stands twice",
                            GetWhere(Get(id)),
                            "number the steps of a rank 0, 1, 2, ...");
        }
        if (Get(id).step > expected)
        {
            throw UserError("rank " + std::to_string(Get(id).rank) + " has a step " +
                                std::to_string(Get(id).step) + ", but no step " +
                                std::to_string(expected),
                            GetWhere(Get(id)),
                            "number the steps of a rank 0, 1, 2, ...");
        }
    }
}

bool
ListedProgram::IsBefore(uint32_t a, uint32_t b) const
{
    const auto key = [this](uint32_t id) {
        const ListedStep& step = Get(id);
        return std::make_tuple(step.rank, GetLane(id), step.action == ListedAction::SEND, id);
    };
    return key(a) < key(b);
}

void
ListedProgram::FindStrands()
{
    m_byStrand.resize(GetSize());
    std::iota(m_byStrand.begin(), m_byStrand.end(), 0);
    std::sort(m_byStrand.begin(), m_byStrand.end(), [this](uint32_t a, uint32_t b) {
        return IsBefore(a, b);
    });
    m_place.assign(GetSize(), 0);
    m_previous.assign(GetSize(), NONE);
    m_mate.assign(GetSize(), NONE);
    for (uint32_t i = 1; i < GetSize(); ++i)
    {
        const uint32_t before = m_byStrand[i - 1];
        const uint32_t id = m_byStrand[i];
        const bool sends = Get(id).action == ListedAction::SEND;
        if (Get(before).rank == Get(id).rank && Get(before).peer == Get(id).peer &&
            (Get(before).action == ListedAction::SEND) == sends)
        {
            m_previous[id] = before;
            m_place[id] = m_place[before] + 1;
        }
    }
}

ListedProgram::Strand
ListedProgram::GetStrand(uint32_t rank, uint32_t lane, bool sends) const
{
    const auto wanted = std::make_tuple(rank, lane, sends);
    const auto key = [this](uint32_t id) {
        const ListedStep& step = Get(id);
        return std::make_tuple(step.rank, GetLane(id), step.action == ListedAction::SEND);
    };
    const uint32_t* begin = m_byStrand.data();
    const uint32_t* end = begin + m_byStrand.size();
    const uint32_t* first = std::lower_bound(begin, end, wanted, [&](uint32_t id, const auto& to) {
        return key(id) < to;
    });
    const uint32_t* last = std::upper_bound(first, end, wanted, [&](const auto& to, uint32_t id) {
        return to < key(id);
    });
    return {first, last};
}

void
ListedProgram::Pair()
{
    const uint32_t ranks = m_schedule.ranks;
    // A strand begins where there is no step before; each pair has two, so both are looked at.
    for (uint32_t id = 0; id < GetSize(); ++id)
    {
        if (m_previous[id] == NONE)
        {
            const ListedStep& step = Get(id);
            const bool sends = step.action == ListedAction::SEND;
            const uint32_t lane = FindLane(step, ranks);
            Pair(GetStrand(sends ? step.rank : step.peer, lane, true),
                 GetStrand(sends ? step.peer : step.rank, lane, false));
        }
    }
}

void
ListedProgram::Pair(const Strand& sends, const Strand& receives)
{
    const uint32_t both = std::min(sends.GetSize(), receives.GetSize());
    for (uint32_t i = 0; i < both; ++i)
    {
        const uint32_t send = sends.begin[i];
        const uint32_t receive = receives.begin[i];
        if (!HaveSameChunks(send, receive))
        {
            throw UserError(GetName(send) + " sends " + GetChunks(send) + ", but " +
                                GetName(receive) + ", which comes next to it, takes " +
                                GetChunks(receive),
                            GetWhere(Get(send)),
                            "a rank takes what another sends it in the same order and chunks");
        }
        m_mate[send] = receive;
        m_mate[receive] = send;
    }
    if (sends.GetSize() != receives.GetSize())
    {
        const bool sent = sends.GetSize() > both;
        const uint32_t id = sent ? sends.begin[both] : receives.begin[both];
        throw UserError("rank " + std::to_string(Get(id).peer) +
                            (sent ? " never receives what " : " never sends what ") + GetName(id) +
                            (sent ? " sends it" : " receives from it"),
                        GetWhere(Get(id)),
                        "each send needs a receive, and each receive a send");
    }
}

uint32_t
ListedProgram::GetLane(uint32_t id) const
{
    return FindLane(Get(id), m_schedule.ranks);
}

bool
ListedProgram::HaveSameChunks(uint32_t a, uint32_t b) const
{
    return Get(a).first == Get(b).first && Get(a).count == Get(b).count;
}

std::string
ListedProgram::GetName(uint32_t id) const
{
    return "step " + std::to_string(Get(id).step) + " of rank " + std::to_string(Get(id).rank);
}

std::string
ListedProgram::GetChunks(uint32_t id) const
{
    const ListedStep& step = Get(id);
    const std::string first = std::to_string(step.first);
    return step.count == 1 ? "chunk " + first
                           : "chunks " + first + "-" + std::to_string(step.first + step.count - 1);
}

std::string
ListedProgram::GetWhere(const ListedStep& step) const
{
    return step.line == 0 ? m_schedule.source : m_schedule.source + ":" + std::to_string(step.line);
}

} // namespace llmfabric
} // namespace ns3
