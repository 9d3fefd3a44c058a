/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-size-distribution.h"

#include "algorithm-line.h"
#include "scenario-value.h"
#include "scenario-words.h"

#include "ns3/user-error.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>

namespace ns3
{
namespace llmfabric
{

namespace
{
using Points = std::vector<FlowSizeDistribution::Point>;

const std::vector<std::pair<std::string, Points>> PRESETS{
    {"web-search",
     {{0, 0},
      {10000, 15},
      {20000, 20},
      {30000, 30},
      {50000, 40},
      {80000, 53},
      {200000, 60},
      {1000000, 70},
      {2000000, 80},
      {5000000, 90},
      {10000000, 97},
      {30000000, 100}}},
    {"storage",
     {{0, 0},
      {4000, 22.93},
      {8000, 69.21},
      {16000, 80.61},
      {32000, 90.47},
      {64000, 93.53},
      {128000, 96.77},
      {256000, 97.53},
      {2000000, 100}}},
    {"hadoop", {{0, 0},       {100, 1},     {200, 2},        {300, 5},      {350, 15},
                {400, 20},    {500, 30},    {600, 40},       {700, 50},     {1000, 60},
                {2000, 67},   {7000, 70},   {30000, 72},     {50000, 82},   {80000, 87},
                {120000, 90}, {300000, 95}, {1000000, 97.5}, {2000000, 99}, {10000000, 100}}}};

constexpr uint64_t LARGEST_FLOW = uint64_t{1} << 50; //!< whole numbers a double holds exactly

/** @return a number as it would be written */
std::string
Text(double value)
{
    std::ostringstream text;
    text << value;
    return text.str();
}

/** @return the point that a line holds */
FlowSizeDistribution::Point
ReadPoint(const AlgorithmLine& line)
{
    FlowSizeDistribution::Point point{};
    const std::string& bytes = line.GetWord(0, "a size in bytes");
    try
    {
        point.bytes = ScenarioValue::ParseCount(bytes, 0, LARGEST_FLOW);
    }
    catch (const UserError&)
    {
        throw line.MakeError(0,
                             AlgorithmLine::Quote(bytes) + " is not a size",
                             "write whole bytes without unit, 0 to 2^50");
    }
    const std::string& percent = line.GetWord(1, "a cumulative percent");
    try
    {
        point.percent = ScenarioValue::ParseNumber(percent, {0, false, 100});
    }
    catch (const UserError&)
    {
        throw line.MakeError(1,
                             AlgorithmLine::Quote(percent) + " is not a cumulative percent",
                             "allowed: 0 to 100, without unit");
    }
    line.CheckEnd(2);
    return point;
}

} // namespace

FlowSizeDistribution::FlowSizeDistribution(const std::vector<Point>& points)
    : m_points(points)
{
    for (std::size_t i = 0; i < m_points.size(); ++i)
    {
        CheckPoint(i > 0 ? &m_points[i - 1] : nullptr, m_points[i]);
    }
    CheckEnd(m_points);
}

void
FlowSizeDistribution::CheckPoint(const Point* before, const Point& point)
{
    if (!(point.percent >= 0 && point.percent <= 100))
    {
        throw UserError(Text(point.percent) + " % is no cumulative percent",
                        "",
                        "allowed: 0 to 100");
    }
    if (!before && point.bytes == 0 && point.percent > 0)
    {
        throw UserError(Text(point.percent) + " % of the flows have 0 bytes",
                        "",
                        "allowed: 0 0, or a first size above 0");
    }
    if (before && point.bytes <= before->bytes)
    {
        throw UserError(std::to_string(point.bytes) + " bytes do not rise above the " +
                            std::to_string(before->bytes) + " of the point before",
                        "",
                        "allowed: rising sizes");
    }
    if (before && point.percent < before->percent)
    {
        throw UserError(Text(point.percent) + " % is below the " + Text(before->percent) +
                            " % of the point before",
                        "",
                        "allowed: cumulative percents, which do not fall");
    }
}

void
FlowSizeDistribution::CheckEnd(const std::vector<Point>& points)
{
    if (points.empty())
    {
        throw UserError("there is no point", "", "write bytes and cumulative percent");
    }
    if (points.back().percent != 100)
    {
        throw UserError("the last point has " + Text(points.back().percent) + " %",
                        "",
                        "allowed: 100, so that every flow has a size");
    }
}

std::vector<std::string>
FlowSizeDistribution::GetPresets()
{
    std::vector<std::string> names;
    for (const auto& preset : PRESETS)
    {
        names.push_back(preset.first);
    }
    return names;
}

bool
FlowSizeDistribution::IsFile(const std::string& name)
{
    return name.find_first_of("/.") != std::string::npos;
}

FlowSizeDistribution
FlowSizeDistribution::Create(const std::string& name)
{
    for (const auto& [preset, points] : PRESETS)
    {
        if (preset == name)
        {
            return FlowSizeDistribution(points);
        }
    }
    if (!IsFile(name))
    {
        throw UserError("unknown distribution '" + name + "'" + SuggestWord(name, GetPresets()),
                        "",
                        "known: " + JoinWords(GetPresets()) +
                            ", or the path of a file, with '/' or '.' in it");
    }
    std::error_code error;
    errno = 0;
    std::ifstream file(name, std::ios::binary);
    if (!file || std::filesystem::is_directory(name, error))
    {
        throw UserError(std::string("the distribution can't be read (") +
                            (file ? "it is a folder" : std::strerror(errno)) + ")",
                        name,
                        "name a file that exists and that you may read, from the working folder");
    }
    return Read(file, name);
}

FlowSizeDistribution
FlowSizeDistribution::Read(std::istream& in, const std::string& name)
{
    std::vector<Point> points;
    std::string text;
    std::size_t number = 0;
    std::string place = name;
    while (std::getline(in, text))
    {
        const AlgorithmLine line(text);
        place = name + ":" + std::to_string(++number);
        if (line.GetSize() == 0)
        {
            continue;
        }
        try
        {
            const Point point = ReadPoint(line);
            CheckPoint(points.empty() ? nullptr : &points.back(), point);
            points.push_back(point);
        }
        catch (const UserError& error)
        {
            throw error.At(place + error.GetWhere()); // which is the column, or nothing
        }
    }
    try
    {
        return FlowSizeDistribution(points);
    }
    catch (const UserError& error)
    {
        throw error.At(place);
    }
}

double
FlowSizeDistribution::GetQuantile(double part) const
{
    const double percent = 100 * part;
    const auto end =
        std::lower_bound(m_points.begin(), m_points.end(), percent, [](const Point& p, double v) {
            return p.percent < v;
        });
    if (end == m_points.begin() || end == m_points.end())
    {
        return static_cast<double>(end == m_points.end() ? m_points.back().bytes
                                                         : m_points.front().bytes);
    }
    const Point& above = *end;
    const Point& below = *std::prev(end);
    const auto from = static_cast<double>(below.bytes);
    const double width = static_cast<double>(above.bytes) - from;
    return from + width * (percent - below.percent) / (above.percent - below.percent);
}

uint64_t
FlowSizeDistribution::GetSize(double uniform) const
{
    return static_cast<uint64_t>(std::max<int64_t>(1, std::llround(GetQuantile(uniform))));
}

double
FlowSizeDistribution::GetMean() const
{
    const Point& first = m_points.front();
    double sum = first.percent * static_cast<double>(first.bytes);
    for (std::size_t i = 1; i < m_points.size(); ++i)
    {
        const double middle =
            (static_cast<double>(m_points[i - 1].bytes) + static_cast<double>(m_points[i].bytes)) /
            2;
        sum += (m_points[i].percent - m_points[i - 1].percent) * middle;
    }
    return sum / 100;
}

} // namespace llmfabric
} // namespace ns3
