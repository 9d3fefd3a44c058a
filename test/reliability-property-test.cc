/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Whatever is posted and whatever gets lost: everything comes once and in order.

#include "verbs-fixture.h"

#include "ns3/boolean.h"
#include "ns3/random-variable-stream.h"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/** Number of a case; go-back-N or selective repeat. */
class ReliabilityPropertyTest
    : public VerbsTest,
      public testing::WithParamInterface<std::tuple<uint32_t, std::string>>
{
  protected:
    /** What one end does, and what the other shall see of it. */
    struct Plan
    {
        std::vector<WorkRequest> requests; //!< in order
        std::vector<uint64_t> receives;    //!< bytes of those that take a receive at the peer
        std::vector<uint64_t> messages;    //!< bytes of those that come to the peer
        uint64_t payload{0};               //!< their sum
    };

    ReliabilityPropertyTest()
    {
        m_random->SetStream(1000 + std::get<0>(GetParam()));
    }

    /** @return a random number from 0 to most */
    uint32_t Draw(uint32_t most)
    {
        return m_random->GetInteger(0, most);
    }

    /**
     * @param mtu path MTU
     * @return 60 random transfers
     */
    Plan DrawPlan(uint32_t mtu)
    {
        Plan plan;
        for (int i = 0; i < 60; ++i)
        {
            WorkRequest request;
            request.verb = std::array{RoceVerb::WRITE, RoceVerb::SEND, RoceVerb::READ}.at(Draw(2));
            // From nothing to 40 packets, often whole ones.
            request.bytes = Draw(3) == 0 ? Draw(40) * mtu : Draw(Draw(2) == 0 ? 40 * mtu : mtu);
            const bool read = request.verb == RoceVerb::READ;
            if (!read && Draw(1) == 0)
            {
                request.immediate = static_cast<uint32_t>(i);
            }
            if (request.verb == RoceVerb::SEND || (request.immediate && !read))
            {
                plan.receives.push_back(request.bytes);
            }
            if (!read)
            {
                plan.messages.push_back(request.bytes);
                plan.payload += request.bytes;
            }
            plan.requests.push_back(request);
        }
        return plan;
    }

    /**
     * Post transfers, and the receives for them, some of them late.
     *
     * @param end who posts
     * @param peer who receives
     * @param plan what
     */
    void PostPlan(const Ptr<QueuePair>& end, const Ptr<QueuePair>& peer, const Plan& plan)
    {
        uint32_t when = 0;
        for (const WorkRequest& request : plan.requests)
        {
            when += Draw(2) == 0 ? Draw(20000) : 0;
            At(NanoSeconds(when), [end, request]() { end->Post(request); });
        }
        for (std::size_t i = 0; i < plan.receives.size(); ++i)
        {
            At(NanoSeconds(Draw(3) == 0 ? Draw(400000) : 0),
               [peer]() { peer->PostReceive(1 << 20); });
        }
    }

    /**
     * @param host whose arriving messages to record
     * @return their sizes
     */
    std::vector<uint64_t>& RecordMessages(uint32_t host)
    {
        std::vector<uint64_t>& sizes = m_messages.at(host);
        m_fabric.nics[host]->TraceConnectWithoutContext(
            "MessageReceived",
            Callback<void, int64_t, const MessageEvent&>(
                [&sizes](int64_t, const MessageEvent& message) {
                    sizes.push_back(message.bytes);
                }));
        return sizes;
    }

    /**
     * Check what an end's completion queue has told.
     *
     * @param log what it told
     * @param own what this end has posted
     * @param other what its peer has posted
     */
    static void ExpectLog(const std::vector<TimedCompletion>& log,
                          const Plan& own,
                          const Plan& other)
    {
        std::size_t done = 0;
        std::size_t taken = 0;
        for (const TimedCompletion& one : log)
        {
            EXPECT_FALSE(one.what.failed) << one.what.reason;
            if (one.what.verb == RoceVerb::RECEIVE)
            {
                ASSERT_LT(taken, other.receives.size());
                EXPECT_EQ(one.what.number, taken);
                EXPECT_EQ(one.what.bytes, other.receives[taken]);
                ++taken;
                continue;
            }
            ASSERT_LT(done, own.requests.size());
            EXPECT_EQ(one.what.number, done);
            EXPECT_EQ(one.what.bytes, own.requests[done].bytes);
            EXPECT_EQ(one.what.verb, own.requests[done].verb);
            ++done;
        }
        EXPECT_EQ(done, own.requests.size());
        EXPECT_EQ(taken, other.receives.size());
    }

    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()}; //!< the dice
    std::array<std::vector<uint64_t>, 2> m_messages;                            //!< by host
};

TEST_P(ReliabilityPropertyTest, EverythingComesOnceAndInOrder)
{
    UseRecovery(std::get<1>(GetParam()));
    UseControl(Draw(1) == 0 ? "FixedRate" : "Dcqcn");
    Config::SetDefault("ns3::llmfabric::SelectiveRepeat::Window",
                       UintegerValue(std::array{2, 9, 64, 512}.at(Draw(3))));
    m_helper.SetNicAttribute("StepEvents", BooleanValue(Draw(1) == 0));
    m_helper.SetNicAttribute("TransmitLatency", TimeValue(NanoSeconds(Draw(1) * 700)));
    m_helper.SetNicAttribute("ReceiveLatency", TimeValue(NanoSeconds(Draw(1) * 300)));
    SetNic("TimeoutExponent", 5); // 131 us
    SetNic("RnrTimer", 1 + Draw(4));
    SetNic("AckInterval", std::array{1, 3, 16, 1000}.at(Draw(3)));
    SetNic("MaxReads", 1 + Draw(3));
    SetNic("InitialPsn", 0xffffff - Draw(1000));
    const uint32_t mtu = 256U << Draw(4);
    Build(2, mtu);
    for (uint32_t host : {0, 1})
    {
        Ptr<RateErrorModel> model = CreateObject<RateErrorModel>();
        model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        model->SetRate(std::array{0.002, 0.01, 0.05}.at(Draw(2)));
        model->AssignStreams(2000 + 2 * std::get<0>(GetParam()) + host);
        Port(host)->SetAttribute("ReceiveErrorModel", PointerValue(model));
        RecordMessages(host);
    }
    VerbsPair& pair = MakePair();
    const Plan fromA = DrawPlan(mtu);
    const Plan fromB = DrawPlan(mtu);
    PostPlan(pair.a, pair.b, fromA);
    PostPlan(pair.b, pair.a, fromB);
    Simulator::Run();
    ExpectLog(pair.atA, fromA, fromB);
    ExpectLog(pair.atB, fromB, fromA);
    EXPECT_EQ(m_messages[1], fromA.messages);
    EXPECT_EQ(m_messages[0], fromB.messages);
    EXPECT_EQ(pair.b->GetResponder().GetReceivedBytes(), fromA.payload);
    EXPECT_EQ(pair.a->GetResponder().GetReceivedBytes(), fromB.payload);
    for (const Ptr<QueuePair>& end : {pair.a, pair.b})
    {
        EXPECT_TRUE(end->GetRequester().IsIdle());
        EXPECT_EQ(end->GetRequester().GetBytesInFlight(), 0u);
        EXPECT_FALSE(end->GetReadResponder().IsPending());
        EXPECT_EQ(end->GetResponder().GetReceives(), 0u);
    }
    EXPECT_GT(Sent(0, FrameKind::DATA) + Sent(1, FrameKind::DATA), 120u);
}

INSTANTIATE_TEST_SUITE_P(Seeds,
                         ReliabilityPropertyTest,
                         testing::Combine(testing::Range(0U, 40U),
                                          testing::Values("GoBackN", "SelectiveRepeat")),
                         [](const auto& info) {
                             return std::get<1>(info.param) +
                                    std::to_string(std::get<0>(info.param));
                         });

} // namespace
