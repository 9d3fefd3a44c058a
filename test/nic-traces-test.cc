/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The trace sources of the NIC: what they say, and that listening changes nothing.

#include "nic-fixture.h"

#include "ns3/boolean.h"
#include "ns3/cc-dcqcn.h"
#include "ns3/double.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/** A value that a source has told. */
template <typename V>
struct Told
{
    int64_t tick;  //!< when
    uint64_t pair; //!< id of the queue pair
    V value;       //!< what

    bool operator==(const Told& other) const
    {
        return std::tie(tick, pair, value) == std::tie(other.tick, other.pair, other.value);
    }
};

/** The sources of the NIC of host 0, unless said otherwise. */
class NicTracesTest : public StarFixture
{
  protected:
    /**
     * @tparam V type of the value
     * @param name a source
     * @param host whose
     * @return what it tells from now on
     */
    template <typename V>
    std::vector<Told<V>>& Listen(const std::string& name, uint32_t host = 0)
    {
        auto log = std::make_shared<std::vector<Told<V>>>();
        m_logs.push_back(log);
        const bool found = m_fabric.nics.at(host)->TraceConnectWithoutContext(
            name,
            Callback<void, int64_t, uint64_t, V>([log](int64_t tick, uint64_t pair, V value) {
                log->push_back({tick, pair, value});
            }));
        EXPECT_TRUE(found) << name;
        return *log;
    }

    /**
     * @param name CnpSent or CnpReceived
     * @param host whose
     * @return when and for whom, the value being 0
     */
    std::vector<Told<int>>& ListenToCnps(const std::string& name, uint32_t host)
    {
        auto log = std::make_shared<std::vector<Told<int>>>();
        m_logs.push_back(log);
        const bool found = m_fabric.nics.at(host)->TraceConnectWithoutContext(
            name,
            Callback<void, int64_t, uint64_t>([log](int64_t tick, uint64_t pair) {
                log->push_back({tick, pair, 0});
            }));
        EXPECT_TRUE(found) << name;
        return *log;
    }

    std::vector<std::shared_ptr<void>> m_logs; //!< what was told
};

TEST_F(NicTracesTest, RttIsTheClosedFormOnAnIdleStar)
{
    SetNic("AckInterval", 1);
    Build(2);
    const auto& told = Listen<int64_t>("Rtt");
    const Connection& flow = RunOne(5 * 4096);
    ASSERT_EQ(told.size(), 5u);
    // The switch stores the first packet, 16 B longer; the others come behind it.
    const int64_t first = (2 * (4178 + 16)) * TICKS_PER_BYTE + PATH_DELAY + ACK_TIME;
    for (std::size_t i = 0; i < 5; ++i)
    {
        EXPECT_EQ(told[i].pair, flow.sender->GetId());
        EXPECT_EQ(told[i].value, first - (i > 0 ? 16 * TICKS_PER_BYTE : 0));
    }
    EXPECT_EQ(told.back().tick, flow.CompletedAt());
}

TEST_F(NicTracesTest, OnlyPacketsThatAskAndAreSentOnceGiveARtt)
{
    SetNic("AckInterval", 4);
    Build(2);
    LoseAt(1, [](uint32_t arrival, uint32_t) { return arrival == 10; });
    const auto& told = Listen<int64_t>("Rtt");
    ExpectWhole(RunOne(64 * 4096), 64 * 4096);
    const int64_t rtt = (2 * 4178 + 16) * TICKS_PER_BYTE + PATH_DELAY + ACK_TIME;
    // Two ACKs before the loss; behind it the packets that were sent twice give none.
    ASSERT_GT(told.size(), 2u);
    for (const auto& one : told)
    {
        EXPECT_LE(one.value, rtt);
        EXPECT_GE(one.value, rtt - 16 * TICKS_PER_BYTE);
    }
    EXPECT_LT(told.size(), 16u - 2);
}

TEST_F(NicTracesTest, BytesInFlightRiseByPacketAndFallByAck)
{
    Build(2);
    const auto& told = Listen<uint64_t>("BytesInFlight");
    const Connection& flow = RunOne(2 * 4096 + 100);
    const uint64_t id = flow.sender->GetId();
    const int64_t first = (4096 + 98) * TICKS_PER_BYTE;
    const std::vector<Told<uint64_t>> expected{{0, id, 4096},
                                               {first, id, 8192},
                                               {first + 4178 * TICKS_PER_BYTE, id, 8292},
                                               {flow.CompletedAt(), id, 0}};
    EXPECT_EQ(told, expected);
}

TEST_F(NicTracesTest, OneAckOfManyMessagesTakesTheBytesOfThemAll)
{
    Build(2);
    LoseAt(0, [](uint32_t arrival, uint32_t) { return arrival < 9; }); // all ACKs but the last
    const auto& told = Listen<uint64_t>("BytesInFlight");
    Connection& flow = Connect(0, 1);
    for (uint64_t message = 1; message <= 10; ++message)
    {
        flow.sender->PostWrite(1000 * message);
    }
    Simulator::Run();
    EXPECT_EQ(flow.completions.size(), 10u);
    ASSERT_EQ(told.size(), 4u + 4 * 2 + 2 * 3 + 1); // packets, and the one ACK
    EXPECT_EQ(told[told.size() - 2].value, 55000u);
    EXPECT_EQ(told.back().value, 0u);
}

TEST_F(NicTracesTest, RetransmissionsTellWhichPacket)
{
    Build(2);
    LoseAt(1, [](uint32_t arrival, uint32_t) { return arrival == 2; });
    const auto& told = Listen<uint32_t>("Retransmission");
    const Connection& flow = RunOne(5 * 4096);
    ASSERT_EQ(told.size(), 3u);
    // Packet 3 comes and is refused; its NAK takes the way of an ACK.
    const int64_t nak = (4 * 4178 + 16 + 4178 + 16) * TICKS_PER_BYTE + PATH_DELAY + ACK_TIME;
    for (std::size_t i = 0; i < 3; ++i)
    {
        EXPECT_EQ(told[i].pair, flow.sender->GetId());
        EXPECT_EQ(told[i].value, 2 + i);
        EXPECT_EQ(told[i].tick, nak + static_cast<int64_t>(i) * 4178 * TICKS_PER_BYTE);
    }
}

TEST_F(NicTracesTest, MessagesTellWhoPostedWhatAndWhen)
{
    Build(2);
    std::vector<MessageEvent> sent;
    std::vector<MessageEvent> received;
    m_fabric.nics[0]->TraceConnectWithoutContext(
        "MessageSent",
        Callback<void, int64_t, const MessageEvent&>(
            [&sent](int64_t, const MessageEvent& one) { sent.push_back(one); }));
    m_fabric.nics[1]->TraceConnectWithoutContext(
        "MessageReceived",
        Callback<void, int64_t, const MessageEvent&>(
            [&received](int64_t, const MessageEvent& one) { received.push_back(one); }));
    Connection& flow = Connect(0, 1);
    Post(flow, 100, NanoSeconds(5));
    Post(flow, 5000, NanoSeconds(6));
    Simulator::Run();
    ASSERT_EQ(sent.size(), 2u);
    ASSERT_EQ(received.size(), 2u);
    for (const std::vector<MessageEvent>* events : {&sent, &received})
    {
        const MessageEvent& one = events->back();
        EXPECT_EQ(one.queuePair, flow.sender->GetId());
        EXPECT_EQ(one.number, 1u);
        EXPECT_EQ(one.bytes, 5000u);
        EXPECT_EQ(one.source, FabricHelper::AddressOf(0).Get());
        EXPECT_EQ(one.destination, FabricHelper::AddressOf(1).Get());
        EXPECT_FALSE(one.failed);
    }
    EXPECT_EQ(sent[1].posted, 6000);
    EXPECT_EQ(received[1].posted, -1);
}

TEST_F(NicTracesTest, ACnpIsToldWhereItIsMadeAndWhereItCutsTheRate)
{
    MarkAll();
    UseControl("Dcqcn");
    Config::SetDefault("ns3::llmfabric::Dcqcn::InitialAlpha", DoubleValue(0.5));
    Build(2);
    const auto& sent = ListenToCnps("CnpSent", 1);
    const auto& received = ListenToCnps("CnpReceived", 0);
    const auto& rates = Listen<double>("Rate");
    const auto& targets = Listen<double>("TargetRate");
    const auto& alphas = Listen<double>("Alpha");
    const Connection& flow = RunOne(4096);
    const uint64_t id = flow.sender->GetId();
    const int64_t arrival = ArrivalOf(4096, 4096);
    const int64_t cut = arrival + 2 * 98 * TICKS_PER_BYTE + PATH_DELAY;
    EXPECT_EQ(sent, (std::vector<Told<int>>{{arrival, id, 0}}));
    EXPECT_EQ(received, (std::vector<Told<int>>{{cut, id, 0}}));
    ASSERT_GE(rates.size(), 1u);
    EXPECT_EQ(rates[0], (Told<double>{cut, id, 75e9})); // 1 - 0.5 / 2
    ASSERT_GE(targets.size(), 1u);
    EXPECT_EQ(targets[0], (Told<double>{0, id, 100e9}));
    ASSERT_GE(alphas.size(), 2u);
    EXPECT_EQ(alphas[0], (Told<double>{0, id, 0.5}));
    EXPECT_EQ(alphas[1], (Told<double>{cut, id, 0.5 * 255 / 256 + 1.0 / 256}));
}

/** How timer steps are applied. */
enum class Stepping
{
    ON_READING, //!< when a rate is read
    EVENTS,     //!< by events of their own
    SINK        //!< the same, since somebody listens
};

/** What a run of an incast gives. */
struct IncastRun
{
    std::vector<std::pair<int64_t, int64_t>> ends; //!< of each flow: received, completed
    std::vector<double> rates;                     //!< sampled
    std::vector<double> alphas;                    //!< sampled
    uint64_t cnps{0};                              //!< received
    uint64_t events{0};                            //!< fabric events
    int64_t end{0};                                //!< time of the last event, ticks
};

/** Eight hosts of one switch send to a ninth under DCQCN. */
class SteppingTest : public NicTracesTest
{
  protected:
    /**
     * @param stepping how steps are applied
     * @param sample true to sample rates
     * @return what it gives
     */
    IncastRun RunIncast(Stepping stepping, bool sample)
    {
        UseControl("Dcqcn");
        m_helper.SetNicAttribute("StepEvents", BooleanValue(stepping == Stepping::EVENTS));
        Build(9, 1024);
        for (uint32_t host = 0; host < 8 && stepping == Stepping::SINK; ++host)
        {
            Listen<double>("Rate", host);
        }
        for (uint32_t host = 0; host < 8; ++host)
        {
            Post(Connect(host, 8), 500000 * (1 + host), MicroSeconds(7 * host));
            Post(m_connections.back(), 300000, MicroSeconds(1500)); // some have a rest before
        }
        IncastRun run;
        for (int64_t us = 1; us < 2500 && sample; us += 3)
        {
            Simulator::Schedule(PicoSeconds(us * 1000000 + 77), [this, &run]() {
                const int64_t now = Simulator::Now().GetTimeStep();
                for (const Connection& flow : m_connections)
                {
                    auto control = DynamicCast<Dcqcn>(flow.sender->GetCongestionControl());
                    run.rates.push_back(control->GetRate(now));
                    run.alphas.push_back(control->GetAlpha(now));
                }
            });
        }
        Simulator::Run();
        for (const Connection& flow : m_connections)
        {
            EXPECT_EQ(flow.received.size(), 2u);
            EXPECT_EQ(flow.completions.size(), 2u);
            for (std::size_t i = 0; i < 2; ++i)
            {
                run.ends.emplace_back(flow.received.at(i).first, flow.completions.at(i).first);
            }
            run.cnps += flow.sender->GetCnps();
        }
        run.events = FabricEngine::Get()->GetEventCount();
        run.end = Simulator::Now().GetTimeStep();
        EndSimulation();
        m_connections.clear();
        m_logs.clear();
        return run;
    }
};

TEST_F(SteppingTest, StepsByEventsOrOnReadingGiveTheSameRatesToTheTick)
{
    const IncastRun plain = RunIncast(Stepping::ON_READING, true);
    EXPECT_GT(plain.cnps, 50u);
    for (Stepping stepping : {Stepping::EVENTS, Stepping::SINK})
    {
        const IncastRun other = RunIncast(stepping, true);
        EXPECT_EQ(other.ends, plain.ends);
        EXPECT_EQ(other.rates, plain.rates);
        EXPECT_EQ(other.alphas, plain.alphas);
        EXPECT_EQ(other.cnps, plain.cnps);
        EXPECT_GT(other.events, plain.events);
    }
}

TEST_F(SteppingTest, NeitherEventsNorSinksNorSamplesChangeOrProlongARun)
{
    const IncastRun plain = RunIncast(Stepping::ON_READING, false);
    for (Stepping stepping : {Stepping::EVENTS, Stepping::SINK})
    {
        const IncastRun other = RunIncast(stepping, false);
        EXPECT_EQ(other.ends, plain.ends);
        EXPECT_EQ(other.end, plain.end);
    }
    EXPECT_EQ(RunIncast(Stepping::ON_READING, true).ends, plain.ends);
}

} // namespace
