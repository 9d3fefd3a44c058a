/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-fixture.h"

#include "ns3/boolean.h"
#include "ns3/fabric-link.h"
#include "ns3/frame-codec.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// Headroom of a port at 100 Gb/s and 1 us with the default MTU of 4096 B, by the formula.
constexpr uint64_t HEADROOM = 25000 + 2 * (4096 + 82) + 84 + 25216;

/// Priority flow control.
class PfcTest : public FabricTest
{
  protected:
    /// Two ports 1 us apart, one of which has ten frames of 86.56 ns of priority 3 to send.
    void MakeBusyPair()
    {
        near = MakeBarePort();
        far = MakeBarePort();
        FabricLink::Connect(near, far, MicroSeconds(1));
        far->SetReceiver(&recorder);
        hops.Listen(near);
        for (int i = 0; i < 20; ++i)
        {
            Inject(near, MakeFrame(3, 1082));
        }
        far->Prepare();
    }

    /// @return the times at which the port at hand sent after it had waited, ticks
    std::vector<int64_t> FindStartsAfterGaps() const
    {
        std::vector<int64_t> starts;
        for (std::size_t i = 1; i < hops.rows.size(); ++i)
        {
            if (hops.rows[i].outcome.started > hops.rows[i - 1].outcome.ended)
            {
                starts.push_back(hops.rows[i].outcome.started);
            }
        }
        return starts;
    }

    /**
     * @param hosts hosts at the switch
     * @param shared what is left of the buffer when headroom is taken, bytes
     * @return a star of NICs at line rate, without ECN
     */
    Fabric MakeTightStar(uint32_t hosts, uint64_t shared)
    {
        helper.SetNicAttribute("CongestionControl", StringValue("ns3::llmfabric::FixedRate"));
        helper.SetSwitchAttribute("Ecn", BooleanValue(false));
        helper.SetSwitchAttribute("Buffer", UintegerValue(hosts * HEADROOM + shared));
        return MakeStar(hosts);
    }

    /// @return headroom of a switch with 17 ports, bytes
    uint64_t GetHeadroom()
    {
        const Fabric fabric = MakeStar(17);
        fabric.switches[0]->DivideBuffer();
        const uint64_t bytes = fabric.switches[0]->GetTotalHeadroom();
        EndSimulation();
        return bytes;
    }

    /**
     * @param buffer buffer of a switch with 17 ports, bytes
     * @return the complaint
     */
    std::string ComplaintAbout(uint64_t buffer)
    {
        helper.SetSwitchAttribute("Buffer", UintegerValue(buffer));
        try
        {
            MakeStar(17).switches[0]->DivideBuffer();
        }
        catch (const UserError& error)
        {
            return error.what();
        }
        return "none";
    }

    Ptr<FabricPort> near;   //!< sends
    Ptr<FabricPort> far;    //!< pauses it
    FrameRecorder recorder; //!< takes what comes to the far port
    HopRecorder hops;       //!< listens to the near port
};

/// When a pause that is sent at time 0 over 1 us at 100 Gb/s takes effect, ticks.
constexpr int64_t PAUSED_AT = 84 * 80 + 1000000;

} // namespace

TEST_F(PfcTest, APauseEndsByItselfAfterItsQuanta)
{
    MakeBusyPair();
    far->SendPause(3, 100);
    Simulator::Run();
    ASSERT_EQ(hops.rows.size(), 20U);
    EXPECT_EQ(FindStartsAfterGaps(), std::vector<int64_t>{PAUSED_AT + 100 * 5120});
    // the frame on the wire was completed: number 11 ran from 952.16 ns to 1038.72 ns
    EXPECT_EQ(hops.rows[11].outcome.ended, 12 * 86560);
    EXPECT_EQ(hops.rows[12].outcome.started, PAUSED_AT + 100 * 5120);
}

TEST_F(PfcTest, TheLongestPauseIs65535Quanta)
{
    MakeBusyPair();
    far->SendPause(3, 65535);
    Simulator::Run();
    EXPECT_EQ(FindStartsAfterGaps(), std::vector<int64_t>{PAUSED_AT + 335539200});
}

TEST_F(PfcTest, QuantaFollowTheLineRate)
{
    Ptr<FabricPort> slow = MakeBarePort("25Gbps");
    Ptr<FabricPort> other = MakeBarePort("25Gbps");
    FabricLink::Connect(slow, other, MicroSeconds(1));
    other->SetReceiver(&recorder);
    hops.Listen(slow);
    Inject(slow, MakeFrame(3, 1000));
    slow->GetTransmitter().Pause(3, 1000);
    Inject(slow, MakeFrame(3, 1000));
    Simulator::Run();
    EXPECT_EQ(FindStartsAfterGaps(), std::vector<int64_t>{1000 * 20480});
}

TEST_F(PfcTest, AResumeEndsThePause)
{
    MakeBusyPair();
    far->SendPause(3, 65535);
    Simulator::Schedule(MicroSeconds(2), [this]() { far->SendPause(3, 0); });
    Simulator::Run();
    EXPECT_EQ(FindStartsAfterGaps(), std::vector<int64_t>{2000000 + PAUSED_AT});
}

TEST_F(PfcTest, ARenewedPauseCountsFromItsRenewal)
{
    MakeBusyPair();
    far->SendPause(3, 200);
    Simulator::Schedule(NanoSeconds(500), [this]() { far->SendPause(3, 200); });
    Simulator::Run();
    EXPECT_EQ(FindStartsAfterGaps(), std::vector<int64_t>{500000 + PAUSED_AT + 200 * 5120});
}

TEST_F(PfcTest, APauseHoldsItsPriorityAlone)
{
    MakeBusyPair();
    Inject(near, MakeFrame(0, 1082));
    Inject(near, MakeFrame(2, 1082));
    far->SendPause(3, 1000);
    far->SendPause(2, 2000);
    Simulator::Run();
    ASSERT_EQ(hops.rows.size(), 22U);
    EXPECT_EQ(hops.rows[12].frame.priority, 0); // waits for none
    EXPECT_EQ(hops.rows[12].outcome.started, 12 * 86560);
    EXPECT_EQ(FindStartsAfterGaps(),
              (std::vector<int64_t>{PAUSED_AT + 1000 * 5120, PAUSED_AT + 6720 + 2000 * 5120}));
    EXPECT_EQ(hops.rows[21].frame.priority, 2);
}

TEST_F(PfcTest, APausedNicLosesExactlyTheTimeOfThePause)
{
    const std::vector<int64_t> free = RunFlows(MakeStar(2), MakeIncast(1, 1000000));
    EndSimulation();
    const Fabric fabric = MakeStar(2);
    Ptr<FabricPort> port = fabric.nics[1]->GetPort();
    port->Prepare();
    port->GetTransmitter().Pause(3, 1000);
    const std::vector<int64_t> paused = RunFlows(fabric, MakeIncast(1, 1000000));
    EXPECT_EQ(paused[0] - free[0], 1000 * 5120);
}

TEST_F(PfcTest, PfcFramesHaveTheBytesOfTheStandard)
{
    Frame frame;
    frame.kind = FrameKind::PFC;
    frame.wireBytes = PFC_WIRE_BYTES;
    frame.pausePriority = 3;
    frame.pauseQuanta = 0xabcd;
    Ptr<Packet> packet = PfcCodec::Get().MakePacket(frame);
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    std::vector<uint8_t> expected(60);
    const std::vector<uint8_t> destination{0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};
    std::copy(destination.begin(), destination.end(), expected.begin());
    std::copy(&bytes[6], &bytes[12], &expected[6]); // source
    const std::vector<uint8_t> body{0x88, 0x08, 0x01, 0x01, 0x00, 0x08};
    std::copy(body.begin(), body.end(), expected.begin() + 12);
    expected[18 + 2 * 3] = 0xab;
    expected[18 + 2 * 3 + 1] = 0xcd;
    EXPECT_EQ(bytes, expected);
}

TEST_F(PfcTest, AnIncastLosesNothing)
{
    const Fabric fabric = MakeTightStar(17, 200000);
    RunFlows(fabric, MakeIncast(16, 1000000));
    const FabricSwitch& device = *fabric.switches[0];
    EXPECT_TRUE(SumDrops(fabric.GetPorts()).empty());
    EXPECT_GE(device.GetPausesSent(), 16U);
    EXPECT_GE(device.GetResumesSent(), 16U);
    EXPECT_LE(device.GetResumesSent(), device.GetPausesSent());
    EXPECT_EQ(device.GetSharedUsed(), 0U);
    for (const Ptr<RoceNic>& nic : fabric.nics)
    {
        EXPECT_EQ(nic->GetCounters().requesters.retransmitted, 0U);
    }
}

TEST_F(PfcTest, APauseIsRenewedWhileTheCongestionLasts)
{
    helper.SetSwitchAttribute("PauseQuanta", UintegerValue(400));
    const Fabric fabric = MakeTightStar(17, 200000);
    RunFlows(fabric, MakeIncast(16, 1000000));
    EXPECT_TRUE(SumDrops(fabric.GetPorts()).empty());
    EXPECT_GT(fabric.switches[0]->GetPausesSent(), 2 * fabric.switches[0]->GetResumesSent());
    EXPECT_EQ(fabric.switches[0]->GetSharedUsed(), 0U);
}

TEST_F(PfcTest, PausesReachTheSendersThroughSeveralSwitches)
{
    helper.SetNicAttribute("CongestionControl", StringValue("ns3::llmfabric::FixedRate"));
    helper.SetSwitchAttribute("Ecn", BooleanValue(false));
    helper.SetSwitchAttribute("Buffer", UintegerValue(10 * HEADROOM + 100000));
    const Fabric fabric = MakeLeafSpine(2, 8);
    RunFlows(fabric, MakeIncast(15, 1000000));
    EXPECT_TRUE(SumDrops(fabric.GetPorts()).empty());
    for (const Ptr<FabricSwitch>& device : fabric.switches)
    {
        EXPECT_EQ(device->GetSharedUsed(), 0U);
    }
    EXPECT_GT(fabric.switches[1]->GetPausesSent(), 0U); // the leaf of hosts 8 to 15
}

TEST_F(PfcTest, HeadroomHoldsForANeighborThatStopsAtOnce)
{
    // Host 1 fills the queue to host 0. Its sixth frame is over the limit (5 + 5 of 9 frames); at
    // that moment a full frame of host 2 is on the way to host 1, and the pause behind it comes to
    // host 1 just after it has started a frame.
    constexpr int64_t FRAME = 4178 * 80;
    helper.SetSwitchAttribute("PauseResponse", UintegerValue(1));
    const Fabric fabric = MakeTightStar(3, 9 * 4158 + 100 - 3 * 25215);
    auto port = [&fabric](uint32_t host) { return fabric.nics[host]->GetPort(); };
    for (const Ptr<FabricPort>& each : fabric.GetPorts())
    {
        each->Prepare();
    }
    port(0)->GetPeer()->GetTransmitter().Pause(3, 10000);
    for (int i = 0; i < 30; ++i)
    {
        Inject(port(1), MakeFrame(3, 4178, 0));
    }
    Simulator::Schedule(TimeStep(5 * FRAME - 500),
                        [&port]() { Inject(port(2), MakeFrame(0, 4178, 1)); });
    Simulator::Run();
    EXPECT_EQ(SumDrops(fabric.GetPorts())[DropReason::HEADROOM_OVERFLOW], 0U);
    EXPECT_EQ(SumDrops(fabric.GetPorts())[DropReason::NO_RECEIVER], 31U); // all came
    EXPECT_GT(fabric.switches[0]->GetResumesSent(), 0U);
    EXPECT_EQ(fabric.switches[0]->GetSharedUsed(), 0U);
}

TEST_F(PfcTest, HeadroomFollowsTheFormula)
{
    EXPECT_EQ(GetHeadroom(), 17 * HEADROOM);
    helper.SetSwitchAttribute("RoceMtu", UintegerValue(1000));
    EXPECT_EQ(GetHeadroom(), 17 * 52464U);
    helper.SetSwitchAttribute("Latency", StringValue("500ns"));
    EXPECT_EQ(GetHeadroom(), 17 * (52464U + 6250U));
    helper.SetSwitchAttribute("Latency", StringValue("0ns"));
    helper.SetSwitchAttribute("PauseResponse", UintegerValue(1000));
    helper.SetSwitchAttribute("LosslessPriorities", UintegerValue(0b11000));
    EXPECT_EQ(GetHeadroom(), 17 * 2 * 28248U);
    helper.SetSwitchAttribute("Pfc", BooleanValue(false));
    EXPECT_EQ(GetHeadroom(), 0U);
}

TEST_F(PfcTest, HeadroomThatDoesNotFitIsAUserErrorWithTheSum)
{
    const std::string sum = std::to_string(17 * HEADROOM);
    EXPECT_NE(ComplaintAbout(17 * HEADROOM).find(sum), std::string::npos);
    EXPECT_NE(ComplaintAbout(500000).find(sum), std::string::npos);
    EXPECT_NE(ComplaintAbout(500000).find("500000"), std::string::npos);
    EXPECT_EQ(ComplaintAbout(17 * HEADROOM + 1), "none");
}

TEST_F(PfcTest, ThePauseResponseIsThatOfTheStandard)
{
    const std::vector<std::pair<uint64_t, uint64_t>> table{{10, 4288},
                                                           {25, 5120},
                                                           {40, 7552},
                                                           {50, 9408},
                                                           {100, 25216},
                                                           {200, 28992},
                                                           {400, 57920},
                                                           {800, 57920}};
    for (const auto& [gigabits, bytes] : table)
    {
        EXPECT_EQ(FabricSwitch::StandardPauseResponse(gigabits * 1000000000), bytes) << gigabits;
    }
    EXPECT_EQ(FabricSwitch::StandardPauseResponse(1), 4288U);
    EXPECT_EQ(FabricSwitch::StandardPauseResponse(100000000001), 28992U);
}

TEST_F(PfcTest, WithoutPfcTheIncastLosesFramesAndCompletes)
{
    helper.SetSwitchAttribute("Pfc", BooleanValue(false));
    helper.SetSwitchAttribute("Buffer", UintegerValue(200000));
    const Fabric fabric = MakeStar(17);
    RunFlows(fabric, MakeIncast(16, 300000));
    const std::map<DropReason, uint64_t> drops = SumDrops(fabric.GetPorts());
    EXPECT_EQ(fabric.switches[0]->GetPausesSent(), 0U);
    EXPECT_EQ(fabric.switches[0]->GetSharedUsed(), 0U);
    EXPECT_FALSE(drops.empty());
    for (const auto& [reason, count] : drops)
    {
        EXPECT_TRUE(reason == DropReason::BUFFER_FULL || reason == DropReason::EGRESS_THRESHOLD)
            << DropReasonName(reason);
    }
    uint64_t retransmitted = 0;
    for (const Ptr<RoceNic>& nic : fabric.nics)
    {
        retransmitted += nic->GetCounters().requesters.retransmitted;
    }
    EXPECT_GT(retransmitted, 0U);
}
