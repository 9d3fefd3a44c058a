/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What losses cost, by closed forms, and that no single loss makes anything hang.

#include "verbs-fixture.h"

#include "ns3/boolean.h"

#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

constexpr auto ACKNOWLEDGE = static_cast<uint8_t>(RoceOpcode::ACKNOWLEDGE);
constexpr auto CNP = static_cast<uint8_t>(RoceOpcode::CNP);

/** Queue pairs on links that lose frames. */
class LossRecoveryTest : public VerbsTest
{
  protected:
    /**
     * @param host the host whose arriving frames get lost at random
     * @param probability of each to get lost
     * @param stream number of the stream of random numbers
     */
    void LoseAtRandom(uint32_t host, double probability, int64_t stream) const
    {
        Ptr<RateErrorModel> model = CreateObject<RateErrorModel>();
        model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        model->SetRate(probability);
        model->AssignStreams(stream);
        Port(host)->SetAttribute("ReceiveErrorModel", PointerValue(model));
    }
};

/** Probability of a loss; go-back-N or selective repeat. */
class GoodputTest : public LossRecoveryTest,
                    public testing::WithParamInterface<std::tuple<double, std::string>>
{
  protected:
    static constexpr uint64_t MTU = 1024;
    static constexpr uint64_t PACKETS = 200000;
    static constexpr int64_t S = (MTU + 82) * TICKS_PER_BYTE; //!< time of a packet, ticks

    /**
     * Send one large message on a link that loses packets.
     *
     * @param probability of each packet to get lost
     * @param exponent of the retransmission timeout
     * @return packets delivered a packet time
     */
    double Goodput(double probability, uint64_t exponent)
    {
        SetNic("TimeoutExponent", exponent);
        Build(2, MTU);
        LoseAtRandom(1, probability, 17);
        const Connection& flow = RunOne(PACKETS * MTU);
        ExpectWhole(flow, PACKETS * MTU);
        const auto lost =
            Port(1)->GetCounters().drops.at(static_cast<std::size_t>(DropReason::LINK_ERROR));
        EXPECT_NEAR(static_cast<double>(lost),
                    probability * static_cast<double>(Sent(0, FrameKind::DATA)),
                    4 * std::sqrt(probability * static_cast<double>(Sent(0, FrameKind::DATA))));
        EXPECT_EQ(Sent(0, FrameKind::DATA), PACKETS + flow.Counters().retransmitted);
        const int64_t first = ArrivalOf(MTU, MTU) - S; // the way, but for one packet time
        return static_cast<double>(PACKETS * S) / static_cast<double>(flow.ReceivedAt() - first);
    }
};

TEST_P(GoodputTest, IsWhatTheRecoveryCosts)
{
    const auto [p, recovery] = GetParam();
    UseRecovery(recovery);
    constexpr uint64_t exponent = 2; // 16.4 us, above the round-trip time
    const double got = Goodput(p, exponent);
    if (recovery == "SelectiveRepeat")
    {
        // Each packet is sent 1 / (1 - p) times; only the end may wait for a timeout of 100 us.
        EXPECT_NEAR(got, 1 - p, 0.005);
        return;
    }
    // The packet that follows a lost one takes two links of one slot and 1 us each, its NAK the
    // same way back; then the packet on the wire ends. What left meanwhile is the loop, W packets.
    const int64_t round = 3 * S + PATH_DELAY + ACK_TIME;
    const double packets = std::ceil(static_cast<double>(round) / static_cast<double>(S)) - 1;
    // A gap is reported once: if the packet is lost again, only the timeout tells.
    const double timeout = (4.096e6 * (1 << exponent) + static_cast<double>(round)) / S;
    const double loop = packets + p * timeout;
    EXPECT_NEAR(got, (1 - p) / (1 + p * loop), 0.02 * (1 - p) / (1 + p * loop));
    UseRecovery("SelectiveRepeat");
    Simulator::Destroy();
    m_connections.clear();
    EXPECT_GE(Goodput(p, exponent), got);
}

INSTANTIATE_TEST_SUITE_P(Losses,
                         GoodputTest,
                         testing::Combine(testing::Values(1e-5, 1e-4, 1e-3, 1e-2),
                                          testing::Values("GoBackN", "SelectiveRepeat")),
                         [](const auto& info) {
                             return std::get<1>(info.param) + std::to_string(info.index / 2);
                         });

/** Go-back-N or selective repeat. */
class SingleLossTest : public LossRecoveryTest, public testing::WithParamInterface<std::string>
{
  protected:
    SingleLossTest()
    {
        UseRecovery(GetParam());
    }

    /** @return the retransmission timeout with one packet under way, ticks */
    static int64_t ShortTimeout()
    {
        return GetParam() == "GoBackN" ? TIMEOUT : 100000000; // IRN: 100 us
    }
};

TEST_P(SingleLossTest, ALostLastPacketComesAgainAfterTheTimeout)
{
    Build(2);
    LoseAt(1, [](uint32_t arrival, uint32_t) { return arrival == 2; });
    SetNic("AckInterval", 1);
    const Connection& flow = RunOne(3 * 4096);
    ExpectWhole(flow, 3 * 4096);
    EXPECT_EQ(flow.Counters().timeouts, 1u);
    EXPECT_EQ(flow.Counters().naks, 0u);
}

TEST_P(SingleLossTest, ALostLastAckIsAskedForAgain)
{
    Build(2);
    LoseHeadersAt(0, [done = false](const HeaderLoss::Header& header) mutable {
        const bool lose = !done && header.opcode == ACKNOWLEDGE;
        done = done || lose;
        return lose;
    });
    const Connection& flow = RunOne(4096);
    ExpectWhole(flow, 4096);
    EXPECT_EQ(flow.ReceivedAt(), ArrivalOf(4096, 4096));
    EXPECT_EQ(flow.CompletedAt(), ShortTimeout() + ArrivalOf(4096, 4096) + ACK_TIME);
}

TEST_P(SingleLossTest, ALostNakIsMadeUpFor)
{
    Build(2);
    LoseAt(1, [](uint32_t arrival, uint32_t) { return arrival == 5; });
    LoseHeadersAt(0, [done = false](const HeaderLoss::Header& header) mutable {
        const bool lose = !done && header.opcode == ACKNOWLEDGE && header.syndrome == 0x60;
        done = done || lose;
        return lose;
    });
    const Connection& flow = RunOne(40 * 4096);
    ExpectWhole(flow, 40 * 4096);
    // Selective repeat answers every early packet; go-back-N tells a gap once.
    EXPECT_EQ(flow.Counters().timeouts, GetParam() == "GoBackN" ? 1u : 0u);
}

TEST_P(SingleLossTest, ALostCnpCostsNothingButItsCut)
{
    UseControl("Dcqcn");
    MarkAll();
    Build(2);
    LoseHeadersAt(0, [done = false](const HeaderLoss::Header& header) mutable {
        const bool lose = !done && header.opcode == CNP;
        done = done || lose;
        return lose;
    });
    const Connection& flow = RunOne(2000000);
    ExpectWhole(flow, 2000000);
    EXPECT_GT(m_fabric.nics[1]->GetCounters().cnpSent, 2u);
    EXPECT_EQ(m_fabric.nics[0]->GetCounters().cnpReceived,
              m_fabric.nics[1]->GetCounters().cnpSent - 1);
}

/** Two hosts at line rate into one; the switch pauses them. */
class LostPauseTest : public SingleLossTest
{
  protected:
    static constexpr uint64_t QUANTA = 2000; //!< of a pause: 10.24 us at 100 Gb/s
    static constexpr int64_t PAUSE = QUANTA * 512 / 8 * TICKS_PER_BYTE;

    /**
     * Run two flows of 2 MB into host 2.
     *
     * @param rule which frames get lost at host 0
     */
    void RunIncast(HeaderLoss::Rule rule)
    {
        m_helper.SetSwitchAttribute("Ecn", BooleanValue(false));
        m_helper.SetSwitchAttribute("PauseQuanta", UintegerValue(QUANTA));
        m_helper.SetSwitchAttribute("Buffer", UintegerValue(500000));
        Build(3);
        LoseHeadersAt(0, std::move(rule));
        const Ptr<FabricPort> toHost =
            DynamicCast<FabricPort>(m_fabric.switchNodes.Get(0)->GetDevice(0));
        m_pauses = &Watch(toHost);
        m_data = &Watch(Port(0));
        for (uint32_t host : {0, 1})
        {
            Post(Connect(host, 2), 2000000);
        }
        Simulator::Run();
        for (const Connection& flow : m_connections)
        {
            ExpectWhole(flow, 2000000);
        }
    }

    /** @return pauses (longer than 0) and resumes of the switch to host 0, in order */
    std::vector<SeenFrame> FindPfc() const
    {
        std::vector<SeenFrame> found;
        for (const SeenFrame& one : *m_pauses)
        {
            if (one.frame.kind == FrameKind::PFC)
            {
                found.push_back(one);
            }
        }
        return found;
    }

    const std::deque<SeenFrame>* m_pauses{nullptr}; //!< frames of the switch to host 0
    const std::deque<SeenFrame>* m_data{nullptr};   //!< frames of host 0
};

TEST_P(LostPauseTest, ALostPauseIsRenewedAtHalfItsTime)
{
    RunIncast([done = false](const HeaderLoss::Header& header) mutable {
        const bool lose = !done && header.pfc;
        done = done || lose;
        return lose;
    });
    const std::vector<SeenFrame> pfc = FindPfc();
    ASSERT_GT(pfc.size(), 1u);
    EXPECT_EQ(pfc[0].outcome.reason, DropReason::LINK_ERROR);
    EXPECT_EQ(pfc[0].frame.pauseQuanta, QUANTA);
    EXPECT_EQ(pfc[1].frame.pauseQuanta, QUANTA);
    EXPECT_EQ(pfc[1].frame.enqueued - pfc[0].frame.enqueued, PAUSE / 2);
    // In between host 0 kept sending, from the second on it was quiet for a while.
    bool sent = false;
    for (const SeenFrame& one : *m_data)
    {
        sent = sent || (one.outcome.started > pfc[0].tick && one.outcome.started < pfc[1].tick);
        EXPECT_FALSE(one.frame.kind == FrameKind::DATA && one.outcome.started > pfc[1].tick &&
                     one.outcome.started < pfc[1].tick + PAUSE / 4);
    }
    EXPECT_TRUE(sent);
}

TEST_P(LostPauseTest, ALostResumeLeavesThePauseToRunOut)
{
    auto lost = std::make_shared<int64_t>(-1);
    auto pausedAt = std::make_shared<int64_t>(-1);
    RunIncast([lost, pausedAt](const HeaderLoss::Header& header) {
        if (!header.pfc || *lost >= 0)
        {
            return false;
        }
        if (header.quanta > 0)
        {
            *pausedAt = header.tick;
            return false;
        }
        *lost = header.tick;
        return true;
    });
    ASSERT_GE(*lost, 0) << "there was no resume";
    int64_t next = -1;
    for (const SeenFrame& one : *m_data)
    {
        if (one.frame.kind == FrameKind::DATA && one.outcome.started >= *lost)
        {
            next = one.outcome.started;
            break;
        }
    }
    EXPECT_EQ(next, *pausedAt + PAUSE);
}

INSTANTIATE_TEST_SUITE_P(Recoveries,
                         LostPauseTest,
                         testing::Values("GoBackN", "SelectiveRepeat"),
                         [](const auto& info) { return info.param; });

TEST_P(SingleLossTest, AnIncastWithoutPfcLosesPacketsAndComesThrough)
{
    for (const char* control : {"FixedRate", "Dcqcn"})
    {
        UseControl(control);
        SetNic("TimeoutExponent", 8); // 1 ms
        m_helper.SetSwitchAttribute("Pfc", BooleanValue(false));
        m_helper.SetSwitchAttribute("Buffer", UintegerValue(300000));
        Build(9);
        for (uint32_t host = 1; host <= 8; ++host)
        {
            Post(Connect(host, 0), 1000000);
        }
        Simulator::Run();
        uint64_t again = 0;
        for (const Connection& flow : m_connections)
        {
            ExpectWhole(flow, 1000000);
            again += flow.Counters().retransmitted;
        }
        EXPECT_GT(again, 0u) << control;
        Simulator::Destroy();
        m_connections.clear();
    }
}

INSTANTIATE_TEST_SUITE_P(Recoveries,
                         SingleLossTest,
                         testing::Values("GoBackN", "SelectiveRepeat"),
                         [](const auto& info) { return info.param; });

} // namespace
