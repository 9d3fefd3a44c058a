/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_TABLE_H
#define COLLECTIVE_TABLE_H

#include "collective-bench.h"
#include "collective-sizes.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The table of nccl-tests, with more columns at its right end:
 *
 *     size count type redop root   time algbw busbw #wrong   time algbw busbw #wrong
 *     algo proto channels model
 *
 * All other lines begin with '#'. Times are in microseconds, bandwidths in GB/s (10^9 bytes).
 */
class CollectiveTable
{
  public:
    /**
     * @param out gets the table
     * @param bench what is run; must outlive this
     */
    CollectiveTable(std::ostream& out, const CollectiveBench& bench);

    /**
     * Write what is run, and the names of the columns.
     *
     * @param sizes the sizes
     */
    void WriteHeader(const CollectiveSizes& sizes);

    /** @param row what to write */
    void WriteRow(const CollectiveBenchRow& row);

    /** Write the mean of the bus bandwidths, of all rows and of each series. */
    void WriteFooter();

  private:
    /** Write where the op is run. */
    void WriteCluster();
    /** Write how slices are moved. */
    void WriteSlots();
    /** Write the names of the columns. */
    void WriteColumns();
    /**
     * @param cells a row
     * @return it as a line, each cell right in its column
     */
    static std::string MakeLine(const std::vector<std::string>& cells);
    /**
     * @param series a series; empty: all rows
     * @return mean of their bus bandwidths, GB/s
     */
    double GetMean(const std::string& series) const;

    std::ostream& m_out;                    //!< gets the table
    const CollectiveBench& m_bench;         //!< what is run
    std::vector<CollectiveBenchRow> m_rows; //!< written so far
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_TABLE_H */
