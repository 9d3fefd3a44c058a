/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What happens to Sends for which no receive is posted.

#include "nic-fixture.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

constexpr int64_t BYTES = 100;
constexpr int64_t RNR_WAIT = 640000000; //!< code 12 of the InfiniBand table, ticks

class ReceiverNotReadyTest : public StarFixture
{
  protected:
    /// When a Send of 100 B that is posted at 0 reaches the receiver, ticks.
    static constexpr int64_t ARRIVAL = 2 * (BYTES + 82) * TICKS_PER_BYTE + PATH_DELAY;
    /// From a Send's arrival to that of its next try, ticks.
    static constexpr int64_t ROUND = ACK_TIME + RNR_WAIT + ARRIVAL;

    /**
     * @param bytes size of a Send at time 0
     * @return its queue pair
     */
    Connection& SendOne(uint64_t bytes)
    {
        Build(2);
        Connection& made = Connect(0, 1);
        Simulator::Schedule(Time(0), [&made, bytes] { made.sender->PostSend(bytes); });
        return made;
    }
};

TEST_F(ReceiverNotReadyTest, ASendIsTriedAgainAfterTheTimeThatTheReceiverAsksFor)
{
    Connection& made = SendOne(BYTES);
    Simulator::Schedule(MilliSeconds(2), [&made] { made.receiver->PostReceive(BYTES); });
    Simulator::Run();
    ExpectWhole(made, BYTES);
    // Tries arrive at 0, 0.64, 1.29, 1.93 and 2.58 ms.
    EXPECT_EQ(made.ReceivedAt(), ARRIVAL + 4 * ROUND);
    EXPECT_EQ(made.Counters().rnrNaks, 4u);
    EXPECT_EQ(made.Counters().timeouts, 0u);
}

TEST_F(ReceiverNotReadyTest, ALongSendIsAnsweredOncePerTry)
{
    Connection& made = SendOne(40 * 4096);
    Simulator::Schedule(MilliSeconds(1), [&made] { made.receiver->PostReceive(40 * 4096); });
    Simulator::Run();
    ExpectWhole(made, 40 * 4096);
    EXPECT_EQ(made.Counters().rnrNaks, 2u);
    EXPECT_EQ(made.Counters().naks, 0u);
    EXPECT_EQ(made.Counters().timeouts, 0u);
}

TEST_F(ReceiverNotReadyTest, TheQueuePairGivesUpAfterItsRetries)
{
    SetNic("RnrRetryCount", 2);
    Connection& made = SendOne(BYTES);
    Simulator::Run();
    ASSERT_EQ(made.completions.size(), 1u);
    EXPECT_TRUE(made.completions[0].second.failed);
    EXPECT_NE(made.completions[0].second.reason.find("not ready 3 times in a row"),
              std::string::npos)
        << made.completions[0].second.reason;
    EXPECT_EQ(made.CompletedAt(), ARRIVAL + 2 * ROUND + ACK_TIME);
    EXPECT_EQ(made.Counters().rnrNaks, 3u);
}

TEST_F(ReceiverNotReadyTest, SelectiveRepeatWaitsAsWell)
{
    m_helper.SetNicAttribute("LossRecovery", StringValue("ns3::llmfabric::SelectiveRepeat"));
    Connection& made = SendOne(40 * 4096);
    Simulator::Schedule(MilliSeconds(1), [&made] { made.receiver->PostReceive(40 * 4096); });
    Simulator::Run();
    ExpectWhole(made, 40 * 4096);
    EXPECT_EQ(made.Counters().rnrNaks, 2u);
}

} // namespace
