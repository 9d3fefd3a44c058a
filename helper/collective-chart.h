/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_CHART_H
#define COLLECTIVE_CHART_H

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Bandwidth against size, for a terminal: a line for each size. One series has bars; each of
 * several has a letter, which stands where its bar would end.
 *
 *     #   A ring
 *     #   B tree
 *     #            0         2         4         6
 *     #            +---------+---------+---------+
 *     #         8K |--B-------A 2.20 A
 *
 * All lines begin with '#' and are at most MAX_WIDTH wide, if the names of the series are short.
 */
class CollectiveChart
{
  public:
    /// Characters of a line.
    static constexpr std::size_t MAX_WIDTH = 80;
    /// Characters of the longest bar.
    static constexpr std::size_t BAR = 56;
    /// The most series that there are letters for.
    static constexpr std::size_t MAX_SERIES = 26;

    /**
     * @param title what is drawn
     * @param series names of the series, at least one, at most MAX_SERIES
     */
    CollectiveChart(const std::string& title, const std::vector<std::string>& series);

    /**
     * @param size payload, bytes; those of one size follow each other
     * @param series which series, by index
     * @param value bandwidth, GB/s
     */
    void Add(uint64_t size, std::size_t series, double value);

    /**
     * @param out gets the chart; nothing if all values are 0
     */
    void Draw(std::ostream& out) const;

  private:
    /// A line.
    struct Line
    {
        uint64_t size;              //!< payload, bytes
        std::vector<double> values; //!< by series, GB/s
    };

    /// @return the largest value, GB/s
    double GetLargest() const;
    /**
     * @param largest the largest value, above 0
     * @return from a mark of the scale to the next: 1, 2 or 5 times a power of 10
     */
    static double GetStep(double largest);
    /**
     * @param out gets the scale
     * @param step from a mark to the next, GB/s
     * @param top value at the end of the longest bar, GB/s
     */
    static void DrawScale(std::ostream& out, double step, double top);
    /**
     * @param out gets the line
     * @param line what to draw
     * @param top value at the end of the longest bar, GB/s
     */
    void DrawLine(std::ostream& out, const Line& line, double top) const;
    /**
     * @param series a series
     * @return its mark
     */
    char GetMark(std::size_t series) const;

    std::string m_title;               //!< what is drawn
    std::vector<std::string> m_series; //!< names
    std::vector<Line> m_lines;         //!< by size, in the order in which they were added
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_CHART_H */
