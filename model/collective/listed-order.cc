/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "listed-order.h"

#include <algorithm>
#include <deque>

namespace ns3
{
namespace llmfabric
{

namespace
{
/// Steps of a circle that a message tells.
constexpr std::size_t TOLD_STEPS = 8;
} // namespace

std::vector<uint32_t>
ListedOrder::Sort(const ListedProgram& program)
{
    const ListedOrder order(program, false);
    order.Check(false,
                "steps wait for each other for ever: ",
                "take one of the waits away, or number the steps of a rank in another order");
    ListedOrder(program, true)
        .Check(true,
               "steps wait for each other for ever when buffers are full: ",
               "a send goes on only when what was sent before it was taken: take it earlier, or "
               "take a wait away");
    return order.m_order;
}

ListedOrder::ListedOrder(const ListedProgram& program, bool slots)
    : m_program(program),
      m_component(program.GetSize(), ListedProgram::NONE),
      m_number(program.GetSize(), ListedProgram::NONE),
      m_low(program.GetSize(), 0)
{
    for (uint32_t id = 0; id < program.GetSize(); ++id)
    {
        m_begin.push_back(static_cast<uint32_t>(m_waits.size()));
        AddWaits(id, slots);
    }
    m_begin.push_back(static_cast<uint32_t>(m_waits.size()));
    FindComponents();
}

void
ListedOrder::AddWaits(uint32_t id, bool slots)
{
    const ListedStep& step = m_program.Get(id);
    const uint32_t previous = m_program.GetPrevious(id);
    if (previous != ListedProgram::NONE)
    {
        m_waits.push_back({previous, true});
    }
    for (uint32_t after : step.after)
    {
        const uint32_t before = m_program.GetFirst(step.rank) + after;
        m_waits.push_back({before, !m_program.HaveSameChunks(before, id)});
    }
    if (step.action != ListedAction::SEND || slots)
    {
        m_waits.push_back({m_program.GetMate(id), false});
    }
    if (step.action == ListedAction::SEND && slots && previous != ListedProgram::NONE)
    {
        m_waits.push_back({m_program.GetMate(previous), true});
    }
}

void
ListedOrder::FindComponents()
{
    for (uint32_t root = 0; root < m_program.GetSize(); ++root)
    {
        if (m_number[root] != ListedProgram::NONE)
        {
            continue;
        }
        Enter(root);
        while (!m_path.empty())
        {
            const uint32_t id = m_path.back().id;
            const uint32_t index = m_path.back().index++;
            if (index == m_begin[id + 1])
            {
                m_path.pop_back();
                Leave(id);
                continue;
            }
            const uint32_t before = m_waits[index].id;
            if (m_number[before] == ListedProgram::NONE)
            {
                Enter(before);
            }
            else if (m_component[before] == ListedProgram::NONE)
            {
                m_low[id] = std::min(m_low[id], m_number[before]);
            }
        }
    }
}

void
ListedOrder::Enter(uint32_t id)
{
    m_number[id] = m_low[id] = m_visited++;
    m_unassigned.push_back(id);
    m_path.push_back({id, m_begin[id]});
}

void
ListedOrder::Leave(uint32_t id)
{
    if (!m_path.empty())
    {
        uint32_t& low = m_low[m_path.back().id];
        low = std::min(low, m_low[id]);
    }
    if (m_low[id] != m_number[id])
    {
        return;
    }
    while (m_component[id] == ListedProgram::NONE)
    {
        m_component[m_unassigned.back()] = m_components;
        m_order.push_back(m_unassigned.back());
        m_unassigned.pop_back();
    }
    ++m_components;
}

void
ListedOrder::Check(bool onlyWhole, const std::string& what, const std::string& action) const
{
    for (uint32_t id = 0; id < m_program.GetSize(); ++id)
    {
        for (uint32_t index = m_begin[id]; index < m_begin[id + 1]; ++index)
        {
            const auto& [before, whole] = m_waits[index];
            if (m_component[before] != m_component[id] || (onlyWhole && !whole))
            {
                continue;
            }
            std::string told = m_program.GetName(id);
            const std::vector<uint32_t> circle = FindCircle(id, before);
            for (std::size_t i = 1; i < std::min(circle.size(), TOLD_STEPS); ++i)
            {
                told += " for " + m_program.GetName(circle[i]) + ", that";
            }
            told += circle.size() > TOLD_STEPS ? " for others, the last" : "";
            throw UserError(what + told + " for " + m_program.GetName(id),
                            m_program.GetWhere(m_program.Get(id)),
                            action);
        }
    }
}

std::vector<uint32_t>
ListedOrder::FindCircle(uint32_t id, uint32_t before) const
{
    std::vector<uint32_t> from(m_program.GetSize(), ListedProgram::NONE); // that waits for it
    from[before] = id;
    std::deque<uint32_t> next{before};
    while (from[id] == ListedProgram::NONE)
    {
        const uint32_t at = next.front();
        next.pop_front();
        for (uint32_t index = m_begin[at]; index < m_begin[at + 1]; ++index)
        {
            const uint32_t to = m_waits[index].id;
            if (m_component[to] == m_component[id] && from[to] == ListedProgram::NONE)
            {
                from[to] = at;
                next.push_back(to);
            }
        }
    }
    std::vector<uint32_t> circle;
    uint32_t at = id;
    do
    {
        circle.push_back(at);
        at = from[at];
    } while (at != id);
    circle.push_back(id);
    std::reverse(circle.begin(), circle.end());
    circle.pop_back();
    return circle;
}

} // namespace llmfabric
} // namespace ns3
