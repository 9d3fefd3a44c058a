/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-fixture.h"

#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/fabric-link.h"
#include "ns3/pointer.h"
#include "ns3/tick-rate.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

using Wide = unsigned __int128;

/// Two ports and the link between them.
class FabricPortTest : public FabricTest
{
  protected:
    /**
     * @param rate line rate
     * @param delay propagation delay
     */
    void MakePair(const std::string& rate, Time delay)
    {
        near = MakeBarePort(rate);
        far = MakeBarePort(rate);
        FabricLink::Connect(near, far, delay);
        far->SetReceiver(&recorder);
        hops.Listen(near);
    }

    /**
     * @param reason a reason
     * @return frames that the port at hand lost for it
     */
    uint64_t DropsAtNear(DropReason reason) const
    {
        return near->GetCounters().drops[static_cast<std::size_t>(reason)];
    }

    /// @return priorities in the order in which frames came
    std::vector<int> ArrivedPriorities() const
    {
        std::vector<int> priorities;
        for (const FrameArrival& arrival : recorder.arrivals)
        {
            priorities.push_back(arrival.frame.priority);
        }
        return priorities;
    }

    /**
     * @param seed seed of the run
     * @return number of frames that got through an error model with rate 0.3
     */
    std::size_t CountSurvivors(uint32_t seed)
    {
        RngSeedManager::SetSeed(seed);
        MakePair("100Gbps", MicroSeconds(1));
        Ptr<RateErrorModel> model = CreateObject<RateErrorModel>();
        model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        model->SetRate(0.3);
        model->AssignStreams(7);
        far->SetAttribute("ReceiveErrorModel", PointerValue(model));
        for (int i = 0; i < 1000; ++i)
        {
            Inject(near, MakeFrame(3, 1082));
        }
        Simulator::Run();
        EXPECT_EQ(recorder.arrivals.size() + SumDrops({far})[DropReason::LINK_ERROR], 1000U);
        return recorder.arrivals.size();
    }

    Ptr<FabricPort> near;   //!< sends
    Ptr<FabricPort> far;    //!< receives
    FrameRecorder recorder; //!< takes what comes to the far port
    HopRecorder hops;       //!< listens to the near port
};

} // namespace

TEST_F(FabricPortTest, SerializesWireBytesAtLineRate)
{
    MakePair("100Gbps", MicroSeconds(1));
    int64_t end = 0;
    std::vector<int64_t> expected;
    for (const uint32_t wireBytes : {84U, 1082U, 4178U, 98U, 9038U})
    {
        Inject(near, MakeFrame(3, wireBytes));
        end += int64_t{wireBytes} * 80; // 80 ps a byte
        expected.push_back(end + 1000000);
    }
    Simulator::Run();
    ASSERT_EQ(recorder.arrivals.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
        EXPECT_EQ(recorder.arrivals[i].tick, expected[i]);
    }
    EXPECT_EQ(near->GetCounters().wireBytesSent, 84U + 1082U + 4178U + 98U + 9038U);
    EXPECT_EQ(near->GetCounters().framesSent[static_cast<std::size_t>(FrameKind::DATA)], 5U);
}

TEST_F(FabricPortTest, AnOddRateIsExactInTheLongRun)
{
    MakePair("33Gbps", NanoSeconds(5));
    constexpr int64_t FRAMES = 3300;
    for (int64_t i = 0; i < FRAMES; ++i)
    {
        Inject(near, MakeFrame(3, 1000));
    }
    Simulator::Run();
    ASSERT_EQ(recorder.arrivals.size(), static_cast<std::size_t>(FRAMES));
    for (int64_t i = 0; i < FRAMES; ++i)
    {
        EXPECT_EQ(recorder.arrivals[i].tick, (i + 1) * 8000000 / 33 + 5000);
    }
    EXPECT_EQ(recorder.arrivals.back().tick, 800000000 + 5000); // 3300 * 8000 bit / 33 Gb/s
}

TEST_F(FabricPortTest, TickRateRoundsTheSumNotTheParts)
{
    std::mt19937_64 random(5);
    for (int round = 0; round < 200; ++round)
    {
        const uint64_t rate = 1 + random() % 800000000000;
        TickRate ticks;
        ticks.Set(rate);
        uint64_t bytes = 0;
        int64_t sum = 0;
        for (int i = 0; i < 100; ++i)
        {
            const uint64_t size = random() % 10000;
            bytes += size;
            sum += ticks.Take(size);
            ASSERT_EQ(sum, static_cast<int64_t>(Wide{bytes} * 8000000000000 / rate)) << rate;
        }
    }
}

TEST_F(FabricPortTest, TwoPortsOfOneNodeHaveDistinctFrameIds)
{
    MakePair("100Gbps", NanoSeconds(10));
    Ptr<FabricPort> second = helper.AddPort(near->GetNode(), DataRate("100Gbps"));
    near->SetAttribute("FabricId", UintegerValue(1048575));
    near->SetAttribute("Index", UintegerValue(3));
    second->SetAttribute("FabricId", UintegerValue(1048575));
    second->SetAttribute("Index", UintegerValue(1023));
    near->Prepare();
    second->Prepare();
    std::set<uint64_t> ids;
    for (uint64_t i = 0; i < 100; ++i)
    {
        const uint64_t id = near->NextFrameId();
        EXPECT_EQ(id >> 44, 1048575U);
        EXPECT_EQ(id >> 34 & 1023, 3U);
        EXPECT_EQ(id & ((uint64_t{1} << 34) - 1), i);
        ids.insert(id);
        ids.insert(second->NextFrameId());
    }
    EXPECT_EQ(ids.size(), 200U);
}

TEST_F(FabricPortTest, IdAndIndexComeFromTheNodeUnlessTheyAreSet)
{
    CreateObject<Node>();
    Ptr<Node> node = CreateObject<Node>();
    Ptr<FabricPort> first = helper.AddPort(node, DataRate("1Gbps"));
    Ptr<FabricPort> second = helper.AddPort(node, DataRate("1Gbps"));
    EXPECT_EQ(first->GetFabricId(), node->GetId());
    EXPECT_EQ(first->GetPortIndex(), 0U);
    EXPECT_EQ(second->GetPortIndex(), 1U);
    EXPECT_FALSE(first->IsLinkUp());
    EXPECT_EQ(first->GetPeer(), nullptr);
}

TEST_F(FabricPortTest, PortsWithoutAnAddressHaveMacAddressesOfTheirOwn)
{
    const Ptr<FabricPort> one = MakeBarePort();
    const Ptr<FabricPort> other = MakeBarePort();
    EXPECT_NE(one->GetAddress(), other->GetAddress());
    one->SetAttribute("Address", Ipv4AddressValue("10.0.0.7"));
    EXPECT_EQ(one->GetAddress(), Address(Mac48Address("02:00:0a:00:00:07")));
}

TEST_F(FabricPortTest, TheErrorModelLosesAFrameWithAReason)
{
    MakePair("100Gbps", MicroSeconds(1));
    Ptr<ReceiveListErrorModel> model = CreateObject<ReceiveListErrorModel>();
    model->SetList({1});
    far->SetAttribute("ReceiveErrorModel", PointerValue(model));
    uint32_t lost = 0;
    far->TraceConnectWithoutContext(
        "PhyRxDrop",
        Callback<void, Ptr<const Packet>>([&lost](Ptr<const Packet>) { ++lost; }));
    for (int i = 0; i < 3; ++i)
    {
        Inject(near, MakeFrame(3, 1082));
    }
    Simulator::Run();
    EXPECT_EQ(recorder.arrivals.size(), 2U);
    EXPECT_EQ(lost, 1U);
    EXPECT_EQ(SumDrops({near, far}), (std::map<DropReason, uint64_t>{{DropReason::LINK_ERROR, 1}}));
    ASSERT_EQ(hops.rows.size(), 3U);
    EXPECT_EQ(hops.rows[0].outcome.reason, DropReason::NONE);
    EXPECT_EQ(hops.rows[1].outcome.reason, DropReason::LINK_ERROR);
    EXPECT_EQ(hops.rows[1].outcome.ended, 2 * 1082 * 80); // it did cross the wire
    EXPECT_EQ(hops.rows[2].outcome.reason, DropReason::NONE);
    EXPECT_STREQ(DropReasonName(hops.rows[1].outcome.reason), "link_error");
}

TEST_F(FabricPortTest, RandomLossFollowsRateAndSeed)
{
    const std::size_t first = CountSurvivors(1);
    EXPECT_NEAR(static_cast<double>(first), 700, 5 * 14.5); // 5 sigma
    recorder.arrivals.clear();
    EndSimulation();
    EXPECT_EQ(CountSurvivors(1), first);
}

TEST_F(FabricPortTest, TheHopTraceHasTheTimesOfEachFrame)
{
    MakePair("100Gbps", MicroSeconds(1));
    for (int i = 0; i < 3; ++i)
    {
        Inject(near, MakeFrame(3, 1082));
    }
    Simulator::Run();
    ASSERT_EQ(hops.rows.size(), 3U);
    for (int64_t i = 0; i < 3; ++i)
    {
        const HopRow& row = hops.rows[i];
        EXPECT_EQ(row.outcome.enqueued, 0);
        EXPECT_EQ(row.outcome.started, i * 86560);
        EXPECT_EQ(row.outcome.ended, (i + 1) * 86560);
        EXPECT_EQ(row.tick, row.outcome.ended + 1000000);
        EXPECT_EQ(row.outcome.reason, DropReason::NONE);
        EXPECT_TRUE(row.outcome.lastHop);
        // in the queue when it came, without itself; the first one found the wire free
        EXPECT_EQ(row.frame.queueBytes, i == 2 ? 1062U : 0U);
    }
}

TEST_F(FabricPortTest, EachFrameAndHopIsTracedOnce)
{
    const Fabric fabric = MakeLeafSpine(2, 2);
    HopRecorder all;
    for (const Ptr<FabricPort>& port : fabric.GetPorts())
    {
        all.Listen(port);
    }
    RunFlows(fabric, {{0, 2, 100000, Time(0)}, {1, 3, 100000, Time(0)}, {3, 2, 5000, Time(0)}});
    uint64_t sent = 0;
    for (const Ptr<FabricPort>& port : fabric.GetPorts())
    {
        const auto& frames = port->GetCounters().framesSent;
        sent += std::accumulate(frames.begin(), frames.end(), uint64_t{0});
    }
    EXPECT_EQ(all.rows.size(), sent);
    std::set<std::pair<uint64_t, FabricPort*>> seen;
    for (const HopRow& row : all.rows)
    {
        EXPECT_TRUE(seen.insert({row.frame.id, row.port}).second);
        EXPECT_LE(row.outcome.enqueued, row.outcome.started);
        EXPECT_LT(row.outcome.started, row.outcome.ended);
        EXPECT_EQ(row.tick, row.outcome.ended + 1000000);
        EXPECT_EQ(row.outcome.lastHop, !row.port->GetPeer()->IsSwitchPort());
    }
}

TEST_F(FabricPortTest, APacketThatCannotBeSentIsLostWithItsReason)
{
    MakePair("100Gbps", MicroSeconds(1));
    uint32_t lost = 0;
    near->TraceConnectWithoutContext(
        "MacTxDrop",
        Callback<void, Ptr<const Packet>>([&lost](Ptr<const Packet>) { ++lost; }));
    const Address anyone = near->GetBroadcast();
    EXPECT_FALSE(near->Send(Create<Packet>(100), anyone, 0x0806));
    EXPECT_FALSE(near->Send(Create<Packet>(100), anyone, 0x0800)); // zeros are no IPv4 header
    EXPECT_FALSE(near->Send(Create<Packet>(3), anyone, 0x0800));
    EXPECT_EQ(DropsAtNear(DropReason::NOT_IPV4), 3U);
    EXPECT_EQ(lost, 3U);
    ASSERT_EQ(hops.rows.size(), 3U);
    for (const HopRow& row : hops.rows)
    {
        EXPECT_EQ(row.outcome.enqueued, 0);
        EXPECT_EQ(row.outcome.started, -1);
        EXPECT_EQ(row.outcome.ended, -1);
        EXPECT_EQ(row.outcome.reason, DropReason::NOT_IPV4);
    }
}

TEST_F(FabricPortTest, PrioritiesAreStrictWithSixFirst)
{
    MakePair("100Gbps", MicroSeconds(1));
    for (const uint8_t priority : {0, 1, 2, 3, 4, 5, 6, 7, 6, 0})
    {
        Inject(near, MakeFrame(priority, 1082));
    }
    Simulator::Run();
    // the first one found the wire free
    EXPECT_EQ(ArrivedPriorities(), (std::vector<int>{0, 6, 6, 7, 5, 4, 3, 2, 1, 0}));
}

TEST_F(FabricPortTest, PfcFramesPassAllPriorities)
{
    MakePair("100Gbps", MicroSeconds(1));
    for (const uint8_t priority : {0, 6, 6})
    {
        Inject(near, MakeFrame(priority, 1082));
    }
    near->SendPause(3, 100);
    Simulator::Run();
    ASSERT_EQ(hops.rows.size(), 4U);
    EXPECT_EQ(hops.rows[1].frame.kind, FrameKind::PFC);
    EXPECT_EQ(hops.rows[1].outcome.ended, (1082 + 84) * 80);
    EXPECT_EQ(recorder.arrivals.size(), 3U); // the port itself takes the PFC frame
}
