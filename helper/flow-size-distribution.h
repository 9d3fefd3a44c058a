/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_SIZE_DISTRIBUTION_H
#define FLOW_SIZE_DISTRIBUTION_H

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * How large flows are: a cumulative distribution given by points, with straight lines between them.
 *
 * @verbatim
     percent
      100 |              ____*     the inverse of 60 % is the size where the line reaches 60;
       60 |- - - - ,*----          what the first point has above 0 % is of exactly that size
        0 |____*--'____________ bytes
   @endverbatim
 *
 * A file has one point a line, `bytes cumulative%` (traces/SCHEMA.md). Presets have the points that
 * come with the traffic generator of HPCC's authors (Li et al., HPCC, SIGCOMM 2019; files of
 * traffic_gen/ of github.com/alibaba-edu/High-Precision-Congestion-Control):
 * - `web-search`: a web-search cluster (Alizadeh et al., DCTCP, SIGCOMM 2010), mean 1,711,250 B;
 *   WebSearch_distribution.txt;
 * - `storage`: storage of Alibaba, mean 40,869.8 B; AliStorage2019.txt;
 * - `hadoop`: a Hadoop cluster of Facebook (Roy et al., SIGCOMM 2015), mean 120,420.75 B;
 *   FbHdp_distribution.txt.
 */
class FlowSizeDistribution
{
  public:
    /** A point of the cumulative distribution. */
    struct Point
    {
        uint64_t bytes; //!< a size
        double percent; //!< part of the flows that are no larger, %
    };

    /**
     * @param points bytes rise, percents do not fall and end at 100; where the first percent is
     *        above 0, bytes are
     * @throws UserError, without a place, if they are not so
     */
    explicit FlowSizeDistribution(const std::vector<Point>& points);

    /**
     * @param name a preset, or the path of a file, with `/` or `.` in it
     * @return the distribution
     * @throws UserError for an unknown preset, or any mistake in the file
     */
    static FlowSizeDistribution Create(const std::string& name);

    /**
     * @param in what to read
     * @param name what to call it in messages, e.g. the path of the file
     * @return the distribution
     * @throws UserError for any mistake, with name and line
     */
    static FlowSizeDistribution Read(std::istream& in, const std::string& name);

    /** @return the names of the presets */
    static std::vector<std::string> GetPresets();

    /**
     * @param name a name
     * @return whether it stands for a file and not for a preset
     */
    static bool IsFile(const std::string& name);

    /**
     * @param part part of the flows, 0 to 1
     * @return the smallest size that this part does not exceed, bytes, by linear interpolation
     */
    double GetQuantile(double part) const;

    /**
     * @param uniform a number drawn evenly from 0 to 1
     * @return the size of a flow: the quantile in whole bytes, at least 1
     */
    uint64_t GetSize(double uniform) const;

    /**
     * @return the mean of the quantile in closed form, bytes: of each line between two points its
     *         percent times the mean of its ends
     */
    double GetMean() const;

    /** @return the points */
    const std::vector<Point>& GetPoints() const
    {
        return m_points;
    }

  private:
    /**
     * @param before the point before, or null
     * @param point the next point
     * @throws UserError, without a place, if it can't follow
     */
    static void CheckPoint(const Point* before, const Point& point);

    /**
     * @param points all points
     * @throws UserError, without a place, if they end too early
     */
    static void CheckEnd(const std::vector<Point>& points);

    std::vector<Point> m_points; //!< the distribution
};

} // namespace llmfabric
} // namespace ns3

#endif /* FLOW_SIZE_DISTRIBUTION_H */
