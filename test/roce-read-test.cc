/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Reads: requests, responses, their order among answers, and their losses.

#include "verbs-fixture.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

constexpr auto FIRST = static_cast<uint8_t>(RoceOpcode::READ_RESPONSE_FIRST);
constexpr auto REQUEST = static_cast<uint8_t>(RoceOpcode::READ_REQUEST);

/** Reads of host 0 from host 1. */
class RoceReadTest : public VerbsTest
{
  protected:
    static constexpr int64_t REQUEST_WAY = 2 * 98 * TICKS_PER_BYTE + PATH_DELAY; //!< of a request

    /**
     * @param bytes size of a read at time 0 that has the network for itself
     * @return when its last byte comes, ticks; the first packet of the response, with an AETH, is
     *         the longest
     */
    static int64_t ReadTime(int64_t bytes)
    {
        const int64_t packets = std::max<int64_t>(1, (bytes + 4095) / 4096);
        const int64_t wire = (bytes + 3) / 4 * 4 + packets * 82 + (packets > 1 ? 8 : 4);
        const int64_t first = std::min<int64_t>((bytes + 3) / 4 * 4, 4096) + 82 + 4;
        return REQUEST_WAY + (wire + first) * TICKS_PER_BYTE + PATH_DELAY;
    }

    /** @return payload that host 1 has sent in responses */
    static uint64_t ResponseBytes(const VerbsPair& pair)
    {
        return pair.b->GetReadResponder().GetSentBytes();
    }
};

/** Sizes of a read. */
class ReadSizeTest : public RoceReadTest, public testing::WithParamInterface<uint64_t>
{
};

TEST_P(ReadSizeTest, CompletesWhenTheLastByteOfTheResponseComes)
{
    Build(2);
    VerbsPair& pair = MakePair();
    const auto& requests = Watch(Port(0));
    const auto& responses = Watch(Port(1));
    pair.a->PostRead(GetParam());
    Simulator::Run();
    ExpectDone(pair.atA, RoceVerb::READ, {GetParam()});
    EXPECT_EQ(pair.atA[0].tick, ReadTime(static_cast<int64_t>(GetParam())));
    ASSERT_EQ(requests.size(), 1u);
    EXPECT_EQ(requests[0].frame.wireBytes, DATA_OVERHEAD_BYTES + RETH_BYTES);
    const uint64_t packets = std::max<uint64_t>(1, (GetParam() + 4095) / 4096);
    ASSERT_EQ(responses.size(), packets);
    for (uint64_t psn = 0; psn < packets; ++psn)
    {
        EXPECT_EQ(responses[psn].frame.psn, psn); // they take the numbers of the request
    }
    EXPECT_TRUE(pair.atB.empty());
    EXPECT_EQ(ResponseBytes(pair), GetParam());
    EXPECT_EQ(pair.b->GetResponder().GetReceivedBytes(), 0u);
    EXPECT_TRUE(pair.a->GetRequester().IsIdle());
}

INSTANTIATE_TEST_SUITE_P(Bytes, ReadSizeTest, testing::Values(0, 1, 4096, 4097, 8192, 1000000));

TEST_F(RoceReadTest, AtMostMaxReadsAreUnderWay)
{
    for (uint32_t most : {1, 2, 3, 16})
    {
        SetNic("MaxReads", most);
        Build(2);
        VerbsPair& pair = MakePair();
        const auto& requests = Watch(Port(0));
        for (int i = 0; i < 6; ++i)
        {
            pair.a->PostRead(40960);
        }
        pair.a->PostWrite(100); // in order: behind them all
        Simulator::Run();
        ASSERT_EQ(requests.size(), 7u);
        ASSERT_EQ(pair.atA.size(), 7u);
        for (std::size_t i = 0; i < 6; ++i)
        {
            EXPECT_EQ(requests[i].frame.opcode, REQUEST);
            EXPECT_EQ(requests[i].frame.psn, 10 * i);
            EXPECT_EQ(pair.atA[i].what.number, i);
            if (i >= most)
            {
                EXPECT_EQ(requests[i].outcome.started, pair.atA[i - most].tick);
            }
        }
        EXPECT_EQ(requests[1].outcome.started<pair.atA[0].tick, most> 1);
        EXPECT_EQ(pair.atA[6].what.verb, RoceVerb::WRITE);
        Simulator::Destroy();
    }
}

TEST_F(RoceReadTest, AnswersComeBehindTheResponsesOfEarlierReads)
{
    Build(2);
    VerbsPair& pair = MakePair();
    const auto& answers = Watch(Port(1));
    pair.a->PostRead(100 * 4096);
    pair.a->PostWrite(1);
    pair.a->PostRead(2 * 4096);
    pair.a->PostWrite(2);
    Simulator::Run();
    std::vector<uint64_t> numbers;
    for (const TimedCompletion& one : pair.atA)
    {
        EXPECT_FALSE(one.what.failed);
        numbers.push_back(one.what.number);
    }
    EXPECT_EQ(numbers, (std::vector<uint64_t>{0, 1, 2, 3}));
    uint32_t expected = 0;
    for (const SeenFrame& one : answers)
    {
        EXPECT_GE(one.frame.psn, expected); // rising, whatever the kind
        expected = one.frame.psn;
    }
    EXPECT_EQ(answers.back().frame.kind, FrameKind::ACK);
    EXPECT_EQ(answers.back().frame.psn, 103u);
    EXPECT_EQ(pair.a->GetRequester().GetCounters().retransmitted, 0u);
}

TEST_F(RoceReadTest, ReadsAndWritesOfBothEndsShareTheLinks)
{
    Build(2);
    VerbsPair& pair = MakePair();
    for (const Ptr<QueuePair>& end : {pair.a, pair.b})
    {
        for (int i = 0; i < 4; ++i)
        {
            end->PostRead(1000000);
            end->PostWrite(1000000);
        }
    }
    Simulator::Run();
    EXPECT_EQ(pair.atA.size(), 8u);
    EXPECT_EQ(pair.atB.size(), 8u);
    EXPECT_EQ(ResponseBytes(pair), 4000000u);
    EXPECT_EQ(pair.b->GetResponder().GetReceivedBytes(), 4000000u);
    EXPECT_EQ(pair.a->GetRequester().GetCounters().retransmitted, 0u);
    EXPECT_EQ(pair.b->GetRequester().GetCounters().retransmitted, 0u);
    // 8 MB each way with 2% overhead.
    EXPECT_LT(pair.atA.back().tick, 1.05 * 8e6 * TICKS_PER_BYTE);
}

TEST_F(RoceReadTest, AnEndThatWaitsForAReceiveStillAnswersReads)
{
    SetNic("RnrTimer", 31); // 491 ms
    Build(2);
    VerbsPair& pair = MakePair();
    pair.b->PostSend(10); // refused: no receive at A
    At(MicroSeconds(100), [&pair]() { pair.a->PostRead(10000); });
    At(MicroSeconds(200), [&pair]() { pair.a->PostReceive(10); });
    Simulator::Run();
    ExpectDone(pair.atB, RoceVerb::SEND, {10});
    ASSERT_EQ(pair.atA.size(), 2u);
    EXPECT_EQ(pair.atA[0].what.verb, RoceVerb::READ);
    EXPECT_EQ(pair.atA[0].tick, 100000000 + ReadTime(10000));
    EXPECT_EQ(pair.atA[1].tick, Way(10 + 2 + 82) * 2 + ACK_TIME + 491520000000);
}

TEST_F(RoceReadTest, ANewReadNeverWaitsForTheTransmitLatencyOfAWrite)
{
    m_helper.SetNicAttribute("TransmitLatency", StringValue("50us"));
    Build(2);
    VerbsPair& pair = MakePair();
    pair.a->PostRead(4096);
    At(MicroSeconds(51), [&pair]() { pair.b->PostWrite(1); }); // goes at 101 us
    Simulator::Run();
    ExpectDone(pair.atA, RoceVerb::READ, {4096});
    EXPECT_EQ(pair.atA[0].tick, 50000000 + ReadTime(4096));
}

/** What the queue pairs do about losses. */
class ReadLossTest : public RoceReadTest, public testing::WithParamInterface<std::string>
{
  protected:
    ReadLossTest()
    {
        UseRecovery(GetParam());
    }

    /** @return the retransmission timeout with one packet under way, ticks */
    static int64_t ShortTimeout()
    {
        return GetParam() == "GoBackN" ? TIMEOUT : 100000000; // IRN: 100 us
    }

    /**
     * Lose frames once each.
     *
     * @param host where they get lost
     * @param opcode of the frames
     * @param psns their sequence numbers
     */
    void LoseOnce(uint32_t host, uint8_t opcode, std::set<uint32_t> psns)
    {
        LoseHeadersAt(host, [opcode, psns](const HeaderLoss::Header& header) mutable {
            const bool response = header.opcode >= FIRST && header.opcode <= FIRST + 3;
            const bool same = opcode == FIRST ? response : header.opcode == opcode;
            return same && psns.erase(header.psn) > 0;
        });
    }
};

TEST_P(ReadLossTest, ALostRequestWithNothingBehindItIsRepairedByTimeout)
{
    Build(2);
    LoseOnce(1, REQUEST, {0});
    VerbsPair& pair = MakePair();
    pair.a->PostRead(4096);
    Simulator::Run();
    ExpectDone(pair.atA, RoceVerb::READ, {4096});
    EXPECT_EQ(pair.atA[0].tick, ShortTimeout() + ReadTime(4096));
    EXPECT_EQ(pair.a->GetRequester().GetCounters().timeouts, 1u);
}

TEST_P(ReadLossTest, ALostRequestIsMissedByWhatFollows)
{
    Build(2);
    LoseOnce(1, REQUEST, {0});
    VerbsPair& pair = MakePair();
    pair.a->PostRead(100 * 4096);
    pair.a->PostWrite(10 * 4096);
    pair.a->PostRead(4096);
    Simulator::Run();
    ASSERT_EQ(pair.atA.size(), 3u);
    EXPECT_EQ(pair.atA[0].what.number, 0u);
    EXPECT_EQ(pair.a->GetRequester().GetCounters().timeouts, 0u);
    EXPECT_EQ(pair.b->GetResponder().GetReceivedBytes(), 10 * 4096u);
    EXPECT_GE(ResponseBytes(pair), 101 * 4096u);
}

TEST_P(ReadLossTest, AHoleInAResponseIsAskedForOnceFromThereOn)
{
    for (uint32_t lost : {0, 1, 57, 98})
    {
        Build(2);
        LoseOnce(0, FIRST, {lost});
        const auto& requests = Watch(Port(0));
        VerbsPair& pair = MakePair();
        pair.a->PostRead(100 * 4096);
        Simulator::Run();
        ExpectDone(pair.atA, RoceVerb::READ, {100 * 4096});
        ASSERT_EQ(requests.size(), 2u) << lost;
        EXPECT_EQ(requests[1].frame.psn, lost);
        EXPECT_EQ(requests[1].frame.offset, lost * 4096);
        EXPECT_EQ(requests[1].frame.messageBytes, (100 - lost) * 4096);
        EXPECT_EQ(pair.a->GetRequester().GetCounters().timeouts, 0u);
        EXPECT_EQ(pair.a->GetRequester().GetCounters().retransmitted, 1u);
        Simulator::Destroy();
    }
}

TEST_P(ReadLossTest, ALostEndOfAResponseIsRepairedByTimeout)
{
    Build(2);
    LoseOnce(0, FIRST, {9});
    VerbsPair& pair = MakePair();
    pair.a->PostRead(10 * 4096);
    Simulator::Run();
    ExpectDone(pair.atA, RoceVerb::READ, {10 * 4096});
    // The packet before came a slot, and the first of the two AETHs, earlier than the last.
    const int64_t before = ReadTime(10 * 4096) - (4096 + 86) * TICKS_PER_BYTE;
    EXPECT_EQ(pair.atA[0].tick, before + ShortTimeout() + ReadTime(4096));
    EXPECT_EQ(pair.a->GetRequester().GetCounters().timeouts, 1u);
}

TEST_P(ReadLossTest, ALostEndOfAResponseIsMissedWhenALaterAnswerComes)
{
    Build(2);
    LoseOnce(0, FIRST, {9});
    VerbsPair& pair = MakePair();
    pair.a->PostRead(10 * 4096);
    pair.a->PostWrite(1);
    Simulator::Run();
    ASSERT_EQ(pair.atA.size(), 2u);
    EXPECT_EQ(pair.atA[0].what.verb, RoceVerb::READ);
    EXPECT_FALSE(pair.atA[0].what.failed);
    EXPECT_EQ(pair.a->GetRequester().GetCounters().timeouts, 0u);
    EXPECT_EQ(pair.b->GetResponder().GetReceivedBytes(), 1u);
}

TEST_P(ReadLossTest, AResponseThatComesLateAcknowledgesWhatWasWrittenBefore)
{
    SetNic("AckInterval", 1000);
    Build(2);
    // The ACK of the write and the first packet of the response.
    LoseHeadersAt(0, [n = 0](const HeaderLoss::Header&) mutable { return n++ < 2; });
    const auto& requests = Watch(Port(0));
    VerbsPair& pair = MakePair();
    pair.a->PostWrite(5 * 4096);
    pair.a->PostRead(20 * 4096);
    Simulator::Run();
    ASSERT_EQ(pair.atA.size(), 2u);
    EXPECT_EQ(pair.atA[0].what.verb, RoceVerb::WRITE);
    EXPECT_EQ(requests.size(), 5u + 1 + 1); // only the read again
    EXPECT_EQ(requests.back().frame.psn, 5u);
    EXPECT_EQ(pair.a->GetRequester().GetCounters().timeouts, 0u);
    // The second packet of the response tells of both.
    EXPECT_EQ(pair.atA[0].tick, requests.back().outcome.started);
}

TEST_P(ReadLossTest, ANetworkThatIsDownForAWhileHoldsUpNothingForEver)
{
    SetNic("TimeoutExponent", 5); // 131 us
    Build(2);
    for (uint32_t host : {0, 1})
    {
        LoseHeadersAt(host, [](const HeaderLoss::Header& header) {
            return header.tick > 20000000 && header.tick < 300000000; // from 20 to 300 us
        });
    }
    VerbsPair& pair = MakePair();
    for (const Ptr<QueuePair>& end : {pair.a, pair.b})
    {
        end->PostRead(100 * 4096);
        end->PostWrite(50 * 4096);
        end->PostRead(0);
        end->PostRead(10 * 4096);
    }
    Simulator::Run();
    for (const auto* log : {&pair.atA, &pair.atB})
    {
        ASSERT_EQ(log->size(), 4u);
        for (std::size_t i = 0; i < 4; ++i)
        {
            EXPECT_EQ((*log)[i].what.number, i);
            EXPECT_FALSE((*log)[i].what.failed) << (*log)[i].what.reason;
        }
    }
    EXPECT_EQ(pair.b->GetResponder().GetReceivedBytes(), 50 * 4096u);
    EXPECT_EQ(pair.a->GetResponder().GetReceivedBytes(), 50 * 4096u);
}

TEST_P(ReadLossTest, AReadFromADeadPeerFails)
{
    SetNic("TimeoutExponent", 5);
    Build(2);
    LoseHeadersAt(0, [](const HeaderLoss::Header& header) { return header.psn > 3; });
    VerbsPair& pair = MakePair();
    pair.a->PostRead(10 * 4096);
    pair.a->PostRead(10);
    Simulator::Run();
    ASSERT_EQ(pair.atA.size(), 2u);
    EXPECT_TRUE(pair.atA[0].what.failed);
    EXPECT_TRUE(pair.atA[1].what.failed);
    EXPECT_EQ(pair.atA[0].what.reason, "no progress after 7 retries, the last ones timeouts");
    EXPECT_TRUE(pair.a->GetRequester().IsFailed());
}

INSTANTIATE_TEST_SUITE_P(Recoveries,
                         ReadLossTest,
                         testing::Values("GoBackN", "SelectiveRepeat"),
                         [](const auto& info) { return info.param; });

} // namespace
