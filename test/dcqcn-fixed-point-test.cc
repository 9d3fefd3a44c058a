/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dcqcn-fixed-point.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace llmfabric
{
namespace
{

/// A row of numbers that were computed apart from this code, by two programs.
struct KnownPoint
{
    double gbps;          //!< link, Gb/s
    uint32_t flows;       //!< N
    double probability;   //!< p
    double approximation; //!< p by the approximation for small p
    double alpha;         //!< alpha
    double queue;         //!< packets; 0: there is none, p > Pmax
};

class DcqcnFixedPointTest : public testing::TestWithParam<KnownPoint>
{
  protected:
    /**
     * @param known a link and its flows
     * @return the same with the paper's parameters
     */
    static DcqcnParameters ParametersOf(const KnownPoint& known)
    {
        DcqcnParameters parameters;
        parameters.flows = known.flows;
        parameters.capacity = known.gbps * 1e9 / 8000;
        return parameters;
    }
};

TEST_P(DcqcnFixedPointTest, AgreesWithNumbersComputedElsewhere)
{
    const KnownPoint& known = GetParam();
    const DcqcnFixedPoint point(ParametersOf(known));
    EXPECT_NEAR(point.GetProbability(), known.probability, 0.0000051);
    EXPECT_NEAR(point.GetApproximation(), known.approximation, 0.0000051);
    EXPECT_NEAR(point.GetAlpha(), known.alpha, 0.000051);
    EXPECT_EQ(point.GetQueue().has_value(), known.queue > 0);
    EXPECT_NEAR(point.GetQueue().value_or(0), known.queue, 0.051);
}

INSTANTIATE_TEST_SUITE_P(Paper,
                         DcqcnFixedPointTest,
                         testing::Values(KnownPoint{40, 2, 0.00078, 0.00092, 0.1014, 20.15},
                                         KnownPoint{40, 4, 0.00189, 0.00232, 0.1218, 41.81},
                                         KnownPoint{40, 8, 0.00455, 0.00583, 0.1452, 93.77},
                                         KnownPoint{40, 16, 0.01087, 0.01468, 0.1713, 0},
                                         KnownPoint{100, 2, 0.00024, 0.00028, 0.0788, 9.65},
                                         KnownPoint{100, 8, 0.00142, 0.00172, 0.1149, 32.68},
                                         KnownPoint{100, 16, 0.00343, 0.00433, 0.1373, 71.92},
                                         KnownPoint{100, 64, 0.01948, 0.02746, 0.1905, 0},
                                         KnownPoint{400, 16, 0.00058, 0.00069, 0.0954, 16.37},
                                         KnownPoint{400, 128, 0.00823, 0.01090, 0.1626, 165.4}));

TEST_F(DcqcnFixedPointTest, DependsOnTheRateOfAFlowAlone)
{
    const DcqcnFixedPoint slow(ParametersOf({100, 16, 0, 0, 0, 0}));
    const DcqcnFixedPoint fast(ParametersOf({400, 64, 0, 0, 0, 0}));
    EXPECT_DOUBLE_EQ(slow.GetProbability(), fast.GetProbability());
    EXPECT_DOUBLE_EQ(slow.GetAlpha(), fast.GetAlpha());
}

TEST_F(DcqcnFixedPointTest, MarksMoreWhereFlowsAreGreedier)
{
    DcqcnParameters parameters;
    const double before = DcqcnFixedPoint(parameters).GetProbability();
    parameters.additive *= 2;
    EXPECT_GT(DcqcnFixedPoint(parameters).GetProbability(), before);
}

} // namespace
} // namespace llmfabric
} // namespace ns3
