/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nic-fixture.h"

#include "ns3/data-rate.h"
#include "ns3/fixed-rate.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

class FixedRateTest : public StarFixture
{
  protected:
    /** @param rate attribute Rate of queue pairs made from now on */
    static void SetRate(const std::string& rate)
    {
        Config::SetDefault("ns3::llmfabric::FixedRate::Rate", DataRateValue(DataRate(rate)));
    }

    /** @return the rate of a new instance on a line of 100 Gb/s, bit/s */
    static double RateOfNew()
    {
        Ptr<FixedRate> made = CreateObject<FixedRate>();
        made->Start(0, {100e9});
        return made->GetRate(0);
    }
};

TEST_F(FixedRateTest, IsTheLineRateByDefault)
{
    EXPECT_EQ(AttributeOf<DataRateValue>(CreateObject<FixedRate>(), "Rate"), DataRate(0));
    EXPECT_EQ(RateOfNew(), 100e9);
}

TEST_F(FixedRateTest, IsTheAttributeUpToTheLineRate)
{
    SetRate("40Gbps");
    EXPECT_EQ(RateOfNew(), 40e9);
    SetRate("400Gbps");
    EXPECT_EQ(RateOfNew(), 100e9);
}

TEST_F(FixedRateTest, DoesNotHeedCongestionOrLoss)
{
    Ptr<FixedRate> made = CreateObject<FixedRate>();
    made->Start(0, {100e9});
    made->OnCnp(1);
    made->OnLoss(2, false);
    EXPECT_EQ(made->GetRate(1000000000), 100e9);
}

TEST_F(FixedRateTest, AtLineRateAFlowFillsTheLine)
{
    Build(2, 1000);
    EXPECT_EQ(RunOne(1000000).ReceivedAt(), ArrivalOf(1000000, 1000));
}

TEST_F(FixedRateTest, PacedPacketsLeaveWireBytesAtTheRateApart)
{
    SetRate("40Gbps");
    Build(2, 1000);
    const Connection& flow = RunOne(1000000);
    // The last packet starts when all before it have taken their time at 200 ps a byte; then it
    // crosses two links of 80 ps a byte.
    const int64_t start = (WireBytes(1000000, 1000) - 1082) * 200;
    EXPECT_EQ(flow.ReceivedAt(), start + 2 * 1082 * TICKS_PER_BYTE + PATH_DELAY);
}

TEST_F(FixedRateTest, AFlowTakesItsWireBytesAtTheRateWithinAPacket)
{
    for (const char* rate : {"40Gbps", "33333333333bps", "7Gbps", "99999999999bps"})
    {
        SetRate(rate);
        Build(2, 1000);
        const double bit = 1e12 / static_cast<double>(DataRate(rate).GetBitRate());
        const int64_t took = RunOne(1000000).ReceivedAt() - PATH_DELAY;
        const double expected = static_cast<double>(WireBytes(1000000, 1000)) * 8 * bit;
        EXPECT_NEAR(static_cast<double>(took), expected, 1098 * 8 * bit) << rate;
        Simulator::Destroy();
    }
}

TEST_F(FixedRateTest, TheRateHoldsFromOneTransferToTheNext)
{
    SetRate("40Gbps");
    Build(2, 1000);
    Connection& flow = Connect(0, 1);
    Post(flow, 10000);
    Post(flow, 10000);
    Simulator::Run();
    ASSERT_EQ(flow.received.size(), 2u);
    EXPECT_EQ(flow.received[1].first - flow.received[0].first, WireBytes(10000, 1000) * 200);
}

} // namespace
