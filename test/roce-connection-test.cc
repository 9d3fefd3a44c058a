/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Several queue pairs between two NICs that are used as one.

#include "nic-fixture.h"

#include "ns3/boolean.h"
#include "ns3/roce-connection.h"
#include "ns3/user-error.h"

#include <gtest/gtest.h>
#include <numeric>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

class RoceConnectionTest : public StarFixture
{
  protected:
    /**
     * @param queuePairs how many
     * @param spread how messages are spread
     */
    void Connect(uint32_t queuePairs, MessageSpread spread)
    {
        m_helper.SetSwitchAttribute("Ecn", BooleanValue(false));
        Build(2);
        m_connection =
            Create<RoceConnection>(m_fabric.nics[0], m_fabric.nics[1], queuePairs, spread);
        m_connection->SetCompletionCallback(Callback<void, const TransferResult&>(
            [this](const TransferResult& result) { m_complete.push_back(result); }));
        m_connection->SetReceiveCallback(Callback<void, uint64_t>([this](uint64_t bytes) {
            m_received.push_back(bytes);
            m_times.push_back(Simulator::Now().GetTimeStep());
        }));
    }

    void TearDown() override
    {
        m_connection = nullptr;
        StarFixture::TearDown();
    }

    /// @return payload that each queue pair has received
    std::vector<uint64_t> ReceivedByPair() const
    {
        std::vector<uint64_t> bytes;
        for (const auto& ends : m_connection->GetPairs())
        {
            bytes.push_back(ends.second->GetResponder().GetReceivedBytes());
        }
        return bytes;
    }

    /// @return numbers of complete messages, in order
    std::vector<uint64_t> CompleteNumbers() const
    {
        std::vector<uint64_t> numbers;
        for (const TransferResult& one : m_complete)
        {
            numbers.push_back(one.transfer);
        }
        return numbers;
    }

    Ptr<RoceConnection> m_connection;       //!< the connection
    std::vector<TransferResult> m_complete; //!< what completed
    std::vector<uint64_t> m_received;       //!< what came
    std::vector<int64_t> m_times;           //!< when it came, ticks
};

TEST_F(RoceConnectionTest, RoundRobinGivesWholeMessagesInTurn)
{
    Connect(3, MessageSpread::ROUND_ROBIN);
    Simulator::Schedule(Time(0), [this] {
        for (uint64_t bytes : {10000, 200, 3000, 400, 50})
        {
            m_connection->PostWrite(bytes);
        }
    });
    Simulator::Run();
    EXPECT_EQ(ReceivedByPair(), (std::vector<uint64_t>{10400, 250, 3000}));
    // Told in the order of posting, though the second has come first.
    EXPECT_EQ(m_received, (std::vector<uint64_t>{10000, 200, 3000, 400, 50}));
    EXPECT_EQ(m_times[0], m_times[1]);
    // Completed as they are acknowledged.
    ASSERT_EQ(m_complete.size(), 5u);
    EXPECT_EQ(m_complete[0].transfer, 1u);
    EXPECT_EQ(m_complete[0].bytes, 200u);
    EXPECT_EQ(m_connection->GetPending(), 0u);
}

TEST_F(RoceConnectionTest, SplitGivesEachQueuePairAnEqualPart)
{
    Connect(4, MessageSpread::SPLIT);
    Simulator::Schedule(Time(0), [this] {
        m_connection->PostWrite(1000003);
        m_connection->PostWrite(2);
        m_connection->PostWrite(0);
    });
    Simulator::Run();
    // 250001 * 3 + 250000, and the 2 bytes on the first two.
    EXPECT_EQ(ReceivedByPair(), (std::vector<uint64_t>{250002, 250002, 250001, 250000}));
    EXPECT_EQ(m_received, (std::vector<uint64_t>{1000003, 2, 0}));
    EXPECT_EQ(CompleteNumbers(), (std::vector<uint64_t>{0, 1, 2}));
    EXPECT_EQ(m_complete[0].bytes, 1000003u);
    // 248 packets in all, the first of each queue pair with a RETH, and one packet of switch delay.
    const int64_t wire = WireBytes(250001, 4096) * 3 + WireBytes(250000, 4096);
    EXPECT_EQ(m_times[0], (wire + 4096 + 98) * TICKS_PER_BYTE + PATH_DELAY);
}

TEST_F(RoceConnectionTest, OneQueuePairIsThatQueuePair)
{
    for (const MessageSpread spread : {MessageSpread::ROUND_ROBIN, MessageSpread::SPLIT})
    {
        m_times.clear();
        Connect(1, spread);
        Simulator::Schedule(Time(0), [this] { m_connection->PostWrite(123456); });
        Simulator::Run();
        EXPECT_EQ(m_times, std::vector<int64_t>{ArrivalOf(123456, 4096)});
        m_connection = nullptr;
        m_fabric = Fabric();
        EndSimulation();
    }
}

TEST_F(RoceConnectionTest, ReceivesMeetTheMessagesThatTakeThem)
{
    for (const MessageSpread spread : {MessageSpread::ROUND_ROBIN, MessageSpread::SPLIT})
    {
        m_received.clear();
        m_complete.clear();
        Connect(3, spread);
        m_connection->PostReceive(50000, 2);
        m_connection->PostReceive(50000, 3);
        Simulator::Schedule(Time(0), [this] {
            m_connection->PostSend(50000);
            m_connection->PostWrite(7); // takes no receive and moves no turn of those that do
            m_connection->PostSend(40000);
            m_connection->Post({RoceVerb::WRITE, 30000, 77});
            m_connection->PostRead(100000);
            m_connection->PostSend(20000);
            m_connection->PostSend(10000);
        });
        Simulator::Run();
        EXPECT_EQ(m_received, (std::vector<uint64_t>{50000, 7, 40000, 30000, 20000, 10000}));
        ASSERT_EQ(m_complete.size(), 7u);
        for (const auto& [near, far] : m_connection->GetPairs())
        {
            EXPECT_EQ(near->GetRequester().GetCounters().rnrNaks, 0u);
            EXPECT_EQ(far->GetResponder().GetReceives(), 0u);
        }
        m_connection = nullptr;
        m_fabric = Fabric();
        EndSimulation();
    }
}

TEST_F(RoceConnectionTest, AMessageFailsIfOneOfItsPartsDoes)
{
    SetNic("TimeoutExponent", 4);
    SetNic("RetryCount", 1);
    Connect(2, MessageSpread::SPLIT);
    Simulator::Schedule(Time(0), [this] { m_connection->PostWrite(8192); });
    Simulator::Schedule(MilliSeconds(10), [this] { m_connection->PostWrite(100); });
    // The packet of the second queue pair, and again.
    LoseAt(1, [](uint32_t arrival, uint32_t) { return arrival == 1 || arrival == 2; });
    Simulator::Run();
    ASSERT_EQ(m_complete.size(), 2u);
    EXPECT_TRUE(m_complete[0].failed);
    EXPECT_EQ(m_complete[0].bytes, 8192u);
    EXPECT_NE(m_complete[0].reason.find("retries"), std::string::npos) << m_complete[0].reason;
    EXPECT_TRUE(m_complete[1].failed); // the queue pair is in error
    EXPECT_TRUE(m_received.empty());
}

TEST_F(RoceConnectionTest, TwoNicsHaveAtMost65536QueuePairs)
{
    Build(2);
    StarFixture::Connect(0, 1, 65530);
    EXPECT_NO_THROW(
        Create<RoceConnection>(m_fabric.nics[0], m_fabric.nics[1], 5, MessageSpread::SPLIT));
    EXPECT_THROW(
        Create<RoceConnection>(m_fabric.nics[0], m_fabric.nics[1], 1, MessageSpread::SPLIT),
        UserError);
}

} // namespace
