/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "listed-races.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// Bits of a word of a row.
constexpr uint32_t WORD = 64;

/**
 * @param row bits
 * @param bit number of a bit
 * @return whether it is set
 */
bool
Has(const std::vector<uint64_t>& row, uint32_t bit)
{
    return (row[bit / WORD] >> (bit % WORD) & 1) != 0;
}

/**
 * @param row gets bits
 * @param bit a bit to set
 * @param others bits to set
 */
void
Add(std::vector<uint64_t>& row, uint32_t bit, const std::vector<uint64_t>& others)
{
    row[bit / WORD] |= uint64_t{1} << (bit % WORD);
    for (std::size_t i = 0; i < row.size(); ++i)
    {
        row[i] |= others[i];
    }
}

} // namespace

ListedRaces::ListedRaces(const ListedProgram& program,
                         const std::vector<uint32_t>& order,
                         const ListedUses& uses)
    : m_program(program),
      m_uses(uses),
      m_position(order.size()),
      m_marks(order.size(), 0),
      m_before(uses.GetSize())
{
    for (uint32_t i = 0; i < order.size(); ++i)
    {
        m_position[order[i]] = i;
    }
}

void
ListedRaces::Check()
{
    for (uint32_t rank = 0; rank < m_program.GetSchedule().ranks; ++rank)
    {
        FindLocalOrder(rank);
    }
    for (uint32_t chunk = 0; chunk < m_program.GetSchedule().chunks; ++chunk)
    {
        std::vector<uint32_t> steps = m_uses.GetSteps(chunk);
        std::stable_sort(steps.begin(), steps.end(), [this](uint32_t a, uint32_t b) {
            return m_program.Get(a).rank < m_program.Get(b).rank;
        });
        for (auto begin = steps.begin(); begin != steps.end();)
        {
            const auto end = std::find_if(begin, steps.end(), [&](uint32_t id) {
                return m_program.Get(id).rank != m_program.Get(*begin).rank;
            });
            CheckRank(chunk, {begin, end});
            begin = end;
        }
    }
}

void
ListedRaces::FindLocalOrder(uint32_t rank)
{
    const uint32_t first = m_program.GetFirst(rank);
    const uint32_t end = m_program.GetFirst(rank + 1);
    std::vector<std::pair<uint32_t, uint32_t>> uses; // chunk and step
    for (uint32_t id = first; id < end; ++id)
    {
        const ListedStep& step = m_program.Get(id);
        for (uint32_t chunk = step.first; chunk < step.first + step.count; ++chunk)
        {
            uses.emplace_back(chunk, step.step);
        }
    }
    std::sort(uses.begin(), uses.end());
    const std::vector<Row> before = FindBefore(rank);
    for (auto at = uses.begin(); at != uses.end();)
    {
        const uint32_t chunk = at->first;
        std::vector<uint32_t> steps;
        for (; at != uses.end() && at->first == chunk; ++at)
        {
            steps.push_back(at->second);
        }
        AddLocalOrder(rank, chunk, steps, before);
    }
}

std::vector<ListedRaces::Row>
ListedRaces::FindBefore(uint32_t rank) const
{
    const uint32_t first = m_program.GetFirst(rank);
    const uint32_t count = m_program.GetFirst(rank + 1) - first;
    std::vector<Row> before(count, Row((count + WORD - 1) / WORD));
    for (uint32_t step = 0; step < count; ++step)
    {
        const uint32_t previous = m_program.GetPrevious(first + step);
        if (previous != ListedProgram::NONE)
        {
            Add(before[step], previous - first, before[previous - first]);
        }
        for (uint32_t after : m_program.Get(first + step).after)
        {
            Add(before[step], after, before[after]);
        }
    }
    return before;
}

void
ListedRaces::AddLocalOrder(uint32_t rank,
                           uint32_t chunk,
                           const std::vector<uint32_t>& steps,
                           const std::vector<Row>& before)
{
    const uint32_t first = m_program.GetFirst(rank);
    for (std::size_t i = 0; i < steps.size(); ++i)
    {
        Row known(before[steps[i]].size()); // what those say that were added
        auto& added = m_before[m_uses.GetNumber(first + steps[i], chunk)];
        for (std::size_t j = i; j-- > 0;)
        {
            if (Has(before[steps[i]], steps[j]) && !Has(known, steps[j]))
            {
                added.push_back(first + steps[j]);
                Add(known, steps[j], before[steps[j]]);
            }
        }
    }
}

void
ListedRaces::CheckRank(uint32_t chunk, const std::vector<uint32_t>& steps)
{
    // Runs of sends, or of additions, have no order of their own, but must come after all of the
    // run before; then they come after those before that, too.
    std::vector<uint32_t> last;
    std::vector<uint32_t> current;
    for (uint32_t id : steps)
    {
        const ListedAction action = m_program.Get(id).action;
        if (!current.empty() &&
            (action == ListedAction::RECEIVE || m_program.Get(current.front()).action != action))
        {
            last = std::move(current);
            current.clear();
        }
        current.push_back(id);
        if (!last.empty())
        {
            CheckAfter(chunk, id, last);
        }
    }
}

void
ListedRaces::CheckAfter(uint32_t chunk, uint32_t id, const std::vector<uint32_t>& earlier)
{
    MarkBefore(chunk, id, earlier);
    for (uint32_t other : earlier)
    {
        if (m_marks[other] != m_searches)
        {
            const auto& [low, high] = std::minmax(id, other);
            throw UserError(m_program.GetName(low) + " and " + m_program.GetName(high) +
                                " both handle chunk " + std::to_string(chunk) +
                                ", and it is left open which comes first",
                            m_program.GetWhere(m_program.Get(high)),
                            "let one be after the other");
        }
    }
}

void
ListedRaces::MarkBefore(uint32_t chunk, uint32_t id, const std::vector<uint32_t>& earlier)
{
    uint32_t least = m_position[id];
    for (uint32_t other : earlier)
    {
        least = std::min(least, m_position[other]);
    }
    ++m_searches;
    m_next.assign(1, id);
    const auto reach = [&](uint32_t before) {
        if (m_marks[before] != m_searches && m_position[before] >= least)
        {
            m_marks[before] = m_searches;
            m_next.push_back(before);
        }
    };
    for (std::size_t i = 0; i < m_next.size(); ++i)
    {
        const uint32_t at = m_next[i];
        for (uint32_t before : m_before[m_uses.GetNumber(at, chunk)])
        {
            reach(before);
        }
        if (m_program.Get(at).action != ListedAction::SEND)
        {
            reach(m_program.GetMate(at));
        }
    }
}

} // namespace llmfabric
} // namespace ns3
