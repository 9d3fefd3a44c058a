/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nic-fixture.h"

namespace ns3
{
namespace llmfabric
{
namespace
{

using RetransmitTimerTest = StarFixture;

TEST_F(RetransmitTimerTest, RunsFromThePacketThatAskedAndNotFromTheFirst)
{
    // 2 MB at 100 Mb/s last 160 ms, longer than the timeout, and only the last packet asks.
    Config::SetDefault("ns3::llmfabric::FixedRate::Rate", StringValue("100Mbps"));
    SetNic("AckInterval", 1 << 30);
    Build(2);
    const Connection& flow = RunOne(2000000);
    ASSERT_EQ(flow.completions.size(), 1U);
    EXPECT_FALSE(flow.completions.front().second.failed);
    EXPECT_GT(flow.CompletedAt(), 2 * TIMEOUT);
    EXPECT_EQ(flow.Counters().timeouts, 0U);
    EXPECT_EQ(flow.Counters().retransmitted, 0U);
}

TEST_F(RetransmitTimerTest, LeavesNothingBehindAWholeTransfer)
{
    Build(2);
    const Connection& flow = RunOne(2000000);
    EXPECT_EQ(Simulator::Now().GetTimeStep(), flow.CompletedAt());
}

} // namespace
} // namespace llmfabric
} // namespace ns3
