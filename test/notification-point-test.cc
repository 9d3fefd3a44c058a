/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Among which packets the least time between two CNPs counts, and how long a CNP takes.

#include "nic-fixture.h"

#include "ns3/user-error.h"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

constexpr int64_t INTERVAL = 50000000; //!< attribute CnpInterval, ticks

/** Marked packets of two hosts with two queue pairs each come to host 2. */
class NotificationPointTest : public StarFixture
{
  protected:
    NotificationPointTest()
    {
        MarkAll();
    }

    /**
     * Run four flows, which take 653 us together.
     *
     * @param scope attribute CnpScope
     * @return when the CNPs of host 2 were sent, by queue pair
     */
    std::map<uint64_t, std::vector<int64_t>> RunFlows(const std::string& scope)
    {
        m_helper.SetNicAttribute("CnpScope", StringValue(scope));
        Build(3);
        std::map<uint64_t, std::vector<int64_t>> sent;
        m_fabric.nics[2]->TraceConnectWithoutContext(
            "CnpSent",
            Callback<void, int64_t, uint64_t>(
                [&sent](int64_t tick, uint64_t pair) { sent[pair].push_back(tick); }));
        for (uint32_t flow = 0; flow < 4; ++flow)
        {
            Post(Connect(flow / 2, 2, flow % 2), 2000000);
        }
        Simulator::Run();
        return sent;
    }

    /**
     * Expect that a series begins early, and goes on as soon as the interval lets it.
     *
     * @param times the series, ticks, in any order
     */
    static void ExpectOnePerInterval(std::vector<int64_t> times)
    {
        std::sort(times.begin(), times.end());
        EXPECT_GE(times.size(), 13u); // at 0, 50, ... of 653 us, each a few packets late
        EXPECT_LE(times.size(), 14u);
        for (std::size_t i = 1; i < times.size(); ++i)
        {
            EXPECT_GE(times[i] - times[i - 1], INTERVAL);
            EXPECT_LT(times[i] - times[i - 1], INTERVAL + 6 * 4194 * TICKS_PER_BYTE);
        }
    }

    /** @return the time series of some queue pairs as one */
    static std::vector<int64_t> Join(const std::map<uint64_t, std::vector<int64_t>>& sent,
                                     const std::vector<uint64_t>& ids)
    {
        std::vector<int64_t> all;
        for (uint64_t id : ids)
        {
            const auto found = sent.find(id);
            if (found != sent.end())
            {
                all.insert(all.end(), found->second.begin(), found->second.end());
            }
        }
        return all;
    }

    /** @return the ids of the flows of a host */
    std::vector<uint64_t> IdsOf(uint32_t host) const
    {
        return {m_connections.at(2 * host).sender->GetId(),
                m_connections.at(2 * host + 1).sender->GetId()};
    }
};

TEST_F(NotificationPointTest, QueuePairsAreToldEachOnItsOwn)
{
    const auto sent = RunFlows("queue-pair");
    ASSERT_EQ(sent.size(), 4u);
    for (const auto& [pair, times] : sent)
    {
        ExpectOnePerInterval(times);
    }
}

TEST_F(NotificationPointTest, AnAddressIsToldOnceAnInterval)
{
    const auto sent = RunFlows("address");
    for (uint32_t host : {0, 1})
    {
        ExpectOnePerInterval(Join(sent, IdsOf(host)));
    }
}

TEST_F(NotificationPointTest, APortTellsOnceAnInterval)
{
    const auto sent = RunFlows("port");
    std::vector<uint64_t> ids = IdsOf(0);
    const std::vector<uint64_t> others = IdsOf(1);
    ids.insert(ids.end(), others.begin(), others.end());
    ExpectOnePerInterval(Join(sent, ids));
}

TEST_F(NotificationPointTest, AnUnknownScopeIsRefused)
{
    m_helper.SetNicAttribute("CnpScope", StringValue("node"));
    Build(2);
    EXPECT_THROW(Connect(0, 1), UserError);
}

TEST_F(NotificationPointTest, ACnpIsSentAfterItsDelayToTheTick)
{
    for (int64_t delay : {0, 1, 4000000, 85000000})
    {
        m_helper.SetNicAttribute("CnpDelay", TimeValue(PicoSeconds(delay)));
        m_helper.SetNicAttribute("CnpInterval", StringValue("3us"));
        Build(2);
        std::vector<int64_t> sent;
        std::vector<int64_t> received;
        for (auto [host, name, log] :
             {std::make_tuple(1, "CnpSent", &sent), std::make_tuple(0, "CnpReceived", &received)})
        {
            m_fabric.nics[host]->TraceConnectWithoutContext(
                name,
                Callback<void, int64_t, uint64_t>(
                    [log = log](int64_t tick, uint64_t) { log->push_back(tick); }));
        }
        const Connection& flow = RunOne(20 * 4096);
        ExpectWhole(flow, 20 * 4096);
        // Packets come one slot apart; each ninth is the first that is 3 us behind the last told.
        constexpr int64_t slot = 4178 * TICKS_PER_BYTE;
        constexpr int64_t step = (3000000 + slot - 1) / slot * slot;
        ASSERT_EQ(sent.size(), 3u);
        ASSERT_EQ(received.size(), 3u);
        for (int64_t i = 0; i < 3; ++i)
        {
            EXPECT_EQ(sent[i], ArrivalOf(4096, 4096) + i * step + delay);
        }
        // Nothing else is on its way back but the ACKs of packets 15 and 19.
        EXPECT_EQ(received[0], sent[0] + 2 * 98 * TICKS_PER_BYTE + PATH_DELAY);
        Simulator::Destroy();
        m_connections.clear();
    }
}

} // namespace
