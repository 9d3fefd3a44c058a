/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SLOWDOWN_TABLE_H
#define SLOWDOWN_TABLE_H

#include "flow-size-distribution.h"

#include <cstdint>
#include <ostream>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/** Slowdowns of the flows of a range of sizes. */
struct SlowdownRow
{
    uint64_t least{0}; //!< smallest size of the range, bytes
    uint64_t most{0};  //!< largest size of the range, bytes
    uint64_t flows{0}; //!< that have ended
    double mean{0};    //!< of their slowdowns; 0 without flows, as the next ones
    double median{0};  //!< half of them are no larger (p50)
    double p95{0};     //!< 95 % of them are no larger
    double p99{0};     //!< 99 % of them are no larger
    double largest{0}; //!< the largest
};

/**
 * @ingroup llm-fabric
 * Slowdowns of flows by their size.
 *
 * A slowdown is the time from the start of a flow to its last byte at the receiver, over the time
 * that it takes alone (IdealCompletion). A percentile p of n slowdowns is the one at rank
 * ceil(p n / 100), without interpolation.
 *
 * Figures of the papers have a point for each tenth or twentieth of the flows by size, as those of
 * HPCC (Li et al., SIGCOMM 2019, section 5); GetDeciles() gives such bins.
 */
class SlowdownTable
{
  public:
    /**
     * @param edges largest size of each bin, bytes, rising; what is larger than the last counts in
     *        the last bin
     */
    explicit SlowdownTable(const std::vector<uint64_t>& edges);

    /**
     * @param distribution a distribution of sizes
     * @return the sizes that 10 %, 20 %, ... 100 % of the flows do not exceed; equal ones once
     */
    static std::vector<uint64_t> GetDeciles(const FlowSizeDistribution& distribution);

    /**
     * @param bytes size of a flow that has ended
     * @param slowdown its slowdown
     */
    void Add(uint64_t bytes, double slowdown);

    /** @return a row for each bin */
    std::vector<SlowdownRow> GetRows() const;

    /** @return the row of all sizes */
    SlowdownRow GetTotal() const;

    /** @param out where to print the rows and the total */
    void Print(std::ostream& out) const;

  private:
    /**
     * @param slowdowns of a range of sizes
     * @return its row, without the sizes
     */
    static SlowdownRow MakeRow(const std::vector<double>& slowdowns);

    std::vector<uint64_t> m_edges;                //!< largest size of each bin
    std::vector<std::vector<double>> m_slowdowns; //!< by bin
};

} // namespace llmfabric
} // namespace ns3

#endif /* SLOWDOWN_TABLE_H */
