/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-chart.h"

#include "collective-sizes.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// Characters of a size.
constexpr int LABEL_WIDTH = 10;

/// Most marks of the scale.
constexpr double MOST_STEPS = 8;

/// Stands where several series meet.
constexpr char SEVERAL = '*';

/**
 * @param value a value
 * @param top value at the end of the longest bar
 * @return how long its bar is, characters
 */
std::size_t
GetLength(double value, double top)
{
    return static_cast<std::size_t>(
        std::llround(value / top * static_cast<double>(CollectiveChart::BAR)));
}

} // namespace

CollectiveChart::CollectiveChart(const std::string& title, const std::vector<std::string>& series)
    : m_title(title),
      m_series(series)
{
    NS_ABORT_MSG_IF(series.empty() || series.size() > MAX_SERIES,
                    "CollectiveChart: " << series.size() << " series");
}

void
CollectiveChart::Add(uint64_t size, std::size_t series, double value)
{
    if (m_lines.empty() || m_lines.back().size != size)
    {
        m_lines.push_back({size, std::vector<double>(m_series.size(), 0)});
    }
    m_lines.back().values.at(series) = value;
}

double
CollectiveChart::GetLargest() const
{
    double largest = 0;
    for (const Line& line : m_lines)
    {
        largest = std::max(largest, *std::max_element(line.values.begin(), line.values.end()));
    }
    return largest;
}

double
CollectiveChart::GetStep(double largest)
{
    const double power = std::pow(10, std::floor(std::log10(largest / MOST_STEPS)));
    for (const double step : {power, 2 * power, 5 * power})
    {
        if (largest / step <= MOST_STEPS)
        {
            return step;
        }
    }
    return 10 * power;
}

char
CollectiveChart::GetMark(std::size_t series) const
{
    return m_series.size() == 1 ? '=' : static_cast<char>('A' + series);
}

void
CollectiveChart::Draw(std::ostream& out) const
{
    const double largest = GetLargest();
    if (!(largest > 0))
    {
        return;
    }
    out << "# " << m_title << ", GB/s against size\n";
    for (std::size_t i = 0; m_series.size() > 1 && i < m_series.size(); ++i)
    {
        out << "#   " << GetMark(i) << " " << m_series[i] << "\n";
    }
    if (m_series.size() > 1)
    {
        out << "#   " << SEVERAL << " several of them\n";
    }
    const double step = GetStep(largest);
    const double top = step * std::ceil(largest / step);
    DrawScale(out, step, top);
    for (const Line& line : m_lines)
    {
        DrawLine(out, line, top);
    }
    out << "#" << std::endl;
}

void
CollectiveChart::DrawScale(std::ostream& out, double step, double top)
{
    // 0 stands above the '|' of the lines, and each value above the last character of its bar.
    std::string numbers(BAR + 8, ' ');
    std::string marks(BAR + 1, '-');
    for (double value = 0; value <= top + step / 2; value += step)
    {
        std::ostringstream text;
        text << std::setprecision(4) << (value < step / 2 ? 0 : value);
        const std::size_t at = GetLength(value, top);
        numbers.replace(at, text.str().size(), text.str());
        marks[at] = '+';
    }
    numbers.erase(numbers.find_last_not_of(' ') + 1);
    out << "# " << std::setw(LABEL_WIDTH) << ""
        << " " << numbers << "\n";
    out << "# " << std::setw(LABEL_WIDTH) << ""
        << " " << marks << "\n";
}

void
CollectiveChart::DrawLine(std::ostream& out, const Line& line, double top) const
{
    const auto best = std::max_element(line.values.begin(), line.values.end());
    std::string bar(GetLength(*best, top), m_series.size() == 1 ? '=' : '-');
    for (std::size_t i = 0; m_series.size() > 1 && i < line.values.size(); ++i)
    {
        const std::size_t length = GetLength(line.values[i], top);
        bar.resize(std::max(bar.size(), std::max<std::size_t>(length, 1)), '-');
        char& end = bar[std::max<std::size_t>(length, 1) - 1];
        end = end == '-' ? GetMark(i) : SEVERAL;
    }
    std::ostringstream value;
    value << std::fixed << std::setprecision(2) << *best;
    if (m_series.size() > 1)
    {
        value << " " << GetMark(static_cast<std::size_t>(best - line.values.begin()));
    }
    out << "# " << std::setw(LABEL_WIDTH) << CollectiveSizes::ToText(line.size) << " |" << bar
        << " " << value.str() << "\n";
}

} // namespace llmfabric
} // namespace ns3
