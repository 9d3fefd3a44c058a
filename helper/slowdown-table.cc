/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "slowdown-table.h"

#include "nearest-rank.h"

#include "ns3/abort.h"

#include <algorithm>
#include <functional>
#include <iomanip>
#include <numeric>
#include <sstream>
#include <string>

namespace ns3
{
namespace llmfabric
{

namespace
{

void
PrintRow(std::ostream& out, const std::string& sizes, const SlowdownRow& row)
{
    std::ostringstream line; // the caller's number format stays as it is
    line << "  " << std::left << std::setw(26) << sizes << std::right << std::setw(8) << row.flows;
    line << std::fixed << std::setprecision(2);
    for (double value : {row.mean, row.median, row.p95, row.p99, row.largest})
    {
        line << std::setw(10);
        if (row.flows > 0)
        {
            line << value;
        }
        else
        {
            line << "-";
        }
    }
    out << line.str() << "\n";
}

} // namespace

SlowdownTable::SlowdownTable(const std::vector<uint64_t>& edges)
    : m_edges(edges),
      m_slowdowns(edges.size())
{
    NS_ABORT_MSG_IF(edges.empty(), "a table of slowdowns needs a bin");
    NS_ABORT_MSG_IF(std::adjacent_find(edges.begin(), edges.end(), std::greater_equal<>()) !=
                        edges.end(),
                    "the sizes of bins must rise");
}

std::vector<uint64_t>
SlowdownTable::GetDeciles(const FlowSizeDistribution& distribution)
{
    std::vector<uint64_t> edges;
    for (int tenths = 1; tenths <= 10; ++tenths)
    {
        const uint64_t size = distribution.GetSize(tenths / 10.0);
        if (edges.empty() || size > edges.back())
        {
            edges.push_back(size);
        }
    }
    return edges;
}

void
SlowdownTable::Add(uint64_t bytes, double slowdown)
{
    const auto edge = std::lower_bound(m_edges.begin(), m_edges.end() - 1, bytes);
    m_slowdowns[static_cast<std::size_t>(edge - m_edges.begin())].push_back(slowdown);
}

SlowdownRow
SlowdownTable::MakeRow(const std::vector<double>& slowdowns)
{
    SlowdownRow row;
    row.flows = slowdowns.size();
    if (slowdowns.empty())
    {
        return row;
    }
    const double sum = std::accumulate(slowdowns.begin(), slowdowns.end(), 0.0);
    row.mean = sum / static_cast<double>(slowdowns.size());
    row.median = GetPercentile(slowdowns, 50);
    row.p95 = GetPercentile(slowdowns, 95);
    row.p99 = GetPercentile(slowdowns, 99);
    row.largest = *std::max_element(slowdowns.begin(), slowdowns.end());
    return row;
}

std::vector<SlowdownRow>
SlowdownTable::GetRows() const
{
    std::vector<SlowdownRow> rows;
    uint64_t least = 1;
    for (std::size_t bin = 0; bin < m_edges.size(); ++bin)
    {
        rows.push_back(MakeRow(m_slowdowns[bin]));
        rows.back().least = least;
        rows.back().most = m_edges[bin];
        least = m_edges[bin] + 1;
    }
    return rows;
}

SlowdownRow
SlowdownTable::GetTotal() const
{
    std::vector<double> all;
    for (const std::vector<double>& bin : m_slowdowns)
    {
        all.insert(all.end(), bin.begin(), bin.end());
    }
    SlowdownRow total = MakeRow(all);
    total.least = 1;
    total.most = m_edges.back();
    return total;
}

void
SlowdownTable::Print(std::ostream& out) const
{
    out << "  " << std::left << std::setw(26) << "size, B" << std::right << std::setw(8) << "flows";
    for (const char* name : {"mean", "p50", "p95", "p99", "max"})
    {
        out << std::setw(10) << name;
    }
    out << "\n";
    for (const SlowdownRow& row : GetRows())
    {
        PrintRow(out, std::to_string(row.least) + " to " + std::to_string(row.most), row);
    }
    PrintRow(out, "all", GetTotal());
}

} // namespace llmfabric
} // namespace ns3
