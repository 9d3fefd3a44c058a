/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "explain-table.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cctype>
#include <iomanip>
#include <sstream>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param value a number
 * @return it with commas between groups of three digits
 */
std::string
Group(uint64_t value)
{
    std::string digits = std::to_string(value);
    for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
    {
        digits.insert(static_cast<std::size_t>(at), ",");
    }
    return digits;
}

} // namespace

double
ToMs(const Time& time)
{
    return static_cast<double>(time.GetPicoSeconds()) / 1e9;
}

double
ToUs(const Time& time)
{
    return static_cast<double>(time.GetPicoSeconds()) / 1e6;
}

std::string
ToFixed(double value, int digits)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(digits) << value;
    return text.str();
}

ExplainTable::ExplainTable(const std::string& key,
                           const std::string& title,
                           const std::vector<std::string>& columns)
    : m_key(key),
      m_title(title),
      m_columns(columns)
{
}

void
ExplainTable::Add(const std::vector<Cell>& cells)
{
    NS_ABORT_MSG_UNLESS(cells.size() == m_columns.size(),
                        "ExplainTable: " << cells.size() << " cells in " << m_key);
    m_rows.push_back(cells);
}

void
ExplainTable::AddNote(const std::string& note)
{
    m_notes.push_back(note);
}

const std::string&
ExplainTable::GetKey() const
{
    return m_key;
}

const std::vector<std::vector<ExplainTable::Cell>>&
ExplainTable::GetRows() const
{
    return m_rows;
}

std::string
ExplainTable::ToText(const Cell& cell)
{
    if (const auto* count = std::get_if<uint64_t>(&cell))
    {
        return Group(*count);
    }
    if (const auto* number = std::get_if<double>(&cell))
    {
        std::ostringstream text;
        const bool plain = *number == 0 || (*number >= 0.001 && *number < 1e7);
        text << std::setprecision(plain ? 3 : 4);
        plain ? text << std::fixed << *number : text << std::scientific << *number;
        return text.str();
    }
    return std::get<std::string>(cell);
}

bool
ExplainTable::HasNumbers(std::size_t column) const
{
    return std::any_of(m_rows.begin(), m_rows.end(), [column](const auto& row) {
        return row[column].index() != 0;
    });
}

void
ExplainTable::WriteText(std::ostream& out) const
{
    if (m_rows.empty() && m_notes.empty())
    {
        return;
    }
    std::vector<std::size_t> widths;
    std::vector<bool> numbers;
    for (std::size_t i = 0; i < m_columns.size(); ++i)
    {
        std::size_t width = m_columns[i].size();
        for (const auto& row : m_rows)
        {
            width = std::max(width, ToText(row[i]).size());
        }
        widths.push_back(width);
        numbers.push_back(HasNumbers(i));
    }
    const auto line = [&](const std::vector<Cell>& row) {
        std::string text;
        for (std::size_t i = 0; i < row.size(); ++i)
        {
            const std::string cell = ToText(row[i]);
            const std::string space(widths[i] - cell.size(), ' ');
            text += "  " + (numbers[i] ? space + cell : cell + space);
        }
        text.erase(text.find_last_not_of(' ') + 1);
        out << text << "\n";
    };
    out << "\n" << m_title << "\n";
    line({m_columns.begin(), m_columns.end()});
    for (const auto& row : m_rows)
    {
        line(row);
    }
    for (const std::string& note : m_notes)
    {
        out << "  " << note << "\n";
    }
}

nlohmann::ordered_json
ExplainTable::ToJson() const
{
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const auto& row : m_rows)
    {
        nlohmann::ordered_json object;
        for (std::size_t i = 0; i < row.size(); ++i)
        {
            std::string key = m_columns[i];
            std::replace(key.begin(), key.end(), ' ', '_');
            std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) {
                return static_cast<char>(std::tolower(c));
            });
            const auto* text = std::get_if<std::string>(&row[i]);
            if (!text || !text->empty() || !HasNumbers(i)) // a number that is not there is left out
            {
                std::visit([&](const auto& value) { object[key] = value; }, row[i]);
            }
        }
        rows.push_back(object);
    }
    return rows;
}

ValueTable::ValueTable(const std::string& key, const std::string& title)
    : ExplainTable(key, title, {"name", "formula", "value", "unit"})
{
}

void
ValueTable::Row(const std::string& name,
                const std::string& formula,
                const Cell& value,
                const std::string& unit)
{
    Add({name, formula, value, unit});
}

} // namespace llmfabric
} // namespace ns3
