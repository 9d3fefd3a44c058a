/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-table.h"

#include "explain-table.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// Widths of the columns that nccl-tests has, and of those after them.
const std::vector<int> WIDTHS{12, 12, 8, 6, 6, 7, 6, 6, 6, 7, 6, 6, 6, 20, 6, 8, 9};

/**
 * @param time a time
 * @return microseconds, with as many digits as nccl-tests has
 */
std::string
ToMicroseconds(const Time& time)
{
    const double us = ToUs(time);
    return ToFixed(us, us >= 10000 ? 0 : us >= 100 ? 1 : 2);
}

/**
 * @param count a number
 * @param what what it counts
 * @return e.g. "1 GPU", "8 GPUs"
 */
std::string
Count(uint64_t count, const std::string& what)
{
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

} // namespace

CollectiveTable::CollectiveTable(std::ostream& out, const CollectiveBench& bench)
    : m_out(out),
      m_bench(bench)
{
}

void
CollectiveTable::WriteHeader(const CollectiveSizes& sizes)
{
    const CollectiveBenchSpec& spec = m_bench.GetSpec();
    const bool grows = sizes.factor > 1;
    m_out << "# nThread 1 nGpus " << m_bench.GetScenario().cluster.gpusPerNode << " minBytes "
          << sizes.smallest << " maxBytes " << sizes.largest
          << " step: " << (grows ? sizes.factor : sizes.step) << (grows ? "(factor)" : "(bytes)")
          << " warmup iters: " << spec.warmups << " iters: " << spec.iterations
          << " agg iters: 1 validation: 0 graph: 0\n#\n";
    WriteCluster();
    WriteSlots();
    m_out << "# in-place: the same transfers as out-of-place, so the same values; #wrong: N/A, no "
             "data is moved\n#\n";
    WriteColumns();
}

void
CollectiveTable::WriteCluster()
{
    const CollectiveBenchSpec& spec = m_bench.GetSpec();
    const Scenario::Cluster& cluster = m_bench.GetScenario().cluster;
    m_out << "# " << spec.op.GetName() << " on " << Count(m_bench.GetRanks(), "rank") << ": "
          << Count(cluster.nodes, "node") << " of " << Count(cluster.gpusPerNode, "GPU") << " and "
          << Count(cluster.nicsPerNode, "NIC") << ", " << cluster.topology << ", links of "
          << static_cast<double>(cluster.rate.GetBitRate()) / 1e9 << " Gb/s and "
          << static_cast<double>(cluster.delay.GetPicoSeconds()) / 1e6 << " us\n"
          << "# congestion control " << m_bench.GetScenario().nic.congestionControl << ", PFC "
          << (m_bench.GetScenario().sw.pfc ? "on" : "off") << "\n";
    if (spec.op.IsUneven())
    {
        m_out << "# parts: rank j gets a share of each payload in proportion to 1 / (j + 1)^"
              << spec.zipf << "\n";
    }
}

void
CollectiveTable::WriteSlots()
{
    const CollectiveConfig& config = m_bench.GetConfig();
    if (config.slots == 0)
    {
        m_out << "# slots unlimited: no clear-to-sends\n";
        return;
    }
    m_out << "# slots " << config.slots << " of ";
    if (config.slice || config.protocol)
    {
        const auto protocol = config.protocol.value_or(CollectiveProtocol::NONE);
        const uint64_t slice = config.slice.value_or(ProtocolProfile::Get(protocol).GetSlice());
        const bool isMiB = slice % (1 << 20) == 0;
        const bool isKiB = slice % 1024 == 0;
        m_out << (isMiB   ? slice >> 20
                  : isKiB ? slice >> 10
                          : slice)
              << (isMiB   ? " MiB"
                  : isKiB ? " KiB"
                          : " bytes");
    }
    else
    {
        m_out << "a slice of the protocol";
    }
    m_out << "\n";
}

void
CollectiveTable::WriteColumns()
{
    const auto write = [this](const std::vector<std::string>& cells) {
        std::string line = MakeLine(cells);
        line[0] = '#'; // the first column is wide enough
        line.erase(line.find_last_not_of(' ') + 1);
        m_out << line << "\n";
    };
    write({"", "", "", "", "", "out-of-place", "", "", "", "in-place", "", "", "", "", "", "", ""});
    write({"size",
           "count",
           "type",
           "redop",
           "root",
           "time",
           "algbw",
           "busbw",
           "#wrong",
           "time",
           "algbw",
           "busbw",
           "#wrong",
           "algo",
           "proto",
           "channels",
           "model"});
    write({"(B)",
           "(elements)",
           "",
           "",
           "",
           "(us)",
           "(GB/s)",
           "(GB/s)",
           "",
           "(us)",
           "(GB/s)",
           "(GB/s)",
           "",
           "",
           "",
           "",
           "(us)"});
}

std::string
CollectiveTable::MakeLine(const std::vector<std::string>& cells)
{
    std::ostringstream line;
    for (std::size_t i = 0; i < cells.size(); ++i)
    {
        line << (i == 0 ? "" : "  ") << std::setw(WIDTHS.at(i)) << cells[i];
    }
    return line.str();
}

void
CollectiveTable::WriteRow(const CollectiveBenchRow& row)
{
    const CollectiveBenchSpec& spec = m_bench.GetSpec();
    std::vector<std::string> cells{std::to_string(row.size),
                                   std::to_string(row.count),
                                   spec.datatype,
                                   spec.op.GetReduction(),
                                   spec.op.HasRoot() ? std::to_string(spec.root) : "-1"};
    for (int half = 0; half < 2; ++half)
    {
        cells.push_back(ToMicroseconds(row.time));
        cells.push_back(ToFixed(row.algorithmBandwidth, 2));
        cells.push_back(ToFixed(row.busBandwidth, 2));
        cells.push_back("N/A");
    }
    cells.push_back(row.algorithm);
    cells.push_back(GetName(row.protocol));
    cells.push_back(std::to_string(row.channels));
    cells.push_back(row.model ? ToMicroseconds(*row.model) : "N/A");
    m_out << MakeLine(cells) << std::endl; // a larger size may take a while
    m_rows.push_back(row);
}

double
CollectiveTable::GetMean(const std::string& series) const
{
    double sum = 0;
    uint64_t count = 0;
    for (const CollectiveBenchRow& row : m_rows)
    {
        if (series.empty() || row.series == series)
        {
            sum += row.busBandwidth;
            ++count;
        }
    }
    return count > 0 ? sum / static_cast<double>(count) : 0;
}

void
CollectiveTable::WriteFooter()
{
    m_out << "# Out of bounds values : N/A\n# Avg bus bandwidth    : " << GetMean("") << "\n";
    const std::vector<std::string> series = m_bench.GetSeries();
    for (std::size_t i = 0; series.size() > 1 && i < series.size(); ++i)
    {
        m_out << "#   " << std::left << std::setw(18) << series[i] << std::right << " : "
              << GetMean(series[i]) << "\n";
    }
    m_out << "#" << std::endl;
}

} // namespace llmfabric
} // namespace ns3
