/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ring-run.h"

#include "ns3/collective-registry.h"
#include "ns3/payload-split.h"
#include "ns3/ring-all-reduce.h"
#include "ns3/user-error.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3::llmfabric;

namespace
{

/// The parameters are ranks and seed.
class RingAllReduceOfAllSizes : public testing::TestWithParam<std::tuple<uint32_t, uint32_t>>
{
  protected:
    /**
     * @return p
     */
    static uint32_t GetRanks()
    {
        return std::get<0>(GetParam());
    }

    /**
     * @param payload M, bytes
     * @return a run that has ended
     */
    static std::unique_ptr<RingRun> RunPayload(uint64_t payload)
    {
        SCOPED_TRACE(payload);
        auto run = std::make_unique<RingRun>(RingAllReduce(),
                                             GetRanks(),
                                             payload,
                                             std::get<1>(GetParam()));
        run->Run();
        return run;
    }

    /**
     * @return the payloads to try, bytes
     */
    static std::vector<uint64_t> GetPayloads()
    {
        return {0, 1, GetRanks() - 1, GetRanks(), 1000003, 5ULL << 30};
    }
};

TEST_P(RingAllReduceOfAllSizes, EveryRankHoldsEachContributionOnce)
{
    for (uint64_t payload : GetPayloads())
    {
        const auto run = RunPayload(payload);
        for (uint32_t rank = 0; rank < GetRanks(); ++rank)
        {
            EXPECT_TRUE(run->GetState(rank).IsDone()) << rank << " of " << payload << " bytes";
            EXPECT_TRUE(run->GetState(rank).GetWaits().empty());
            EXPECT_TRUE(run->HoldsAll(rank)) << rank << " of " << payload;
        }
    }
}

TEST_P(RingAllReduceOfAllSizes, RanksSendTwiceNMinusOnePayloads)
{
    for (uint64_t payload : GetPayloads())
    {
        const auto run = RunPayload(payload);
        uint64_t total = 0;
        for (uint32_t rank = 0; rank < GetRanks(); ++rank)
        {
            EXPECT_EQ(run->GetSent(rank), run->GetState(rank).GetBytesToSend());
            total += run->GetSent(rank);
        }
        EXPECT_EQ(total, 2 * (GetRanks() - 1) * payload);
    }
}

TEST_P(RingAllReduceOfAllSizes, TakesTwiceNMinusOneRounds)
{
    for (uint64_t payload : {uint64_t{GetRanks()}, uint64_t{1000003}, uint64_t{5} << 30})
    {
        const auto run = RunPayload(payload);
        EXPECT_EQ(run->GetRounds(), 2 * (GetRanks() - 1));
        EXPECT_EQ(run->GetState(0).GetStepCount(), run->GetRounds());
    }
}

TEST_P(RingAllReduceOfAllSizes, PeersAreTheNeighborsThatTheBytesGoTo)
{
    const uint32_t p = GetRanks();
    for (uint32_t rank = 0; rank < p; ++rank)
    {
        const auto state = RingAllReduce().CreateState({rank, p, 1000003});
        const bool alone = p == 1;
        EXPECT_EQ(state->GetPeersToSend(),
                  alone ? std::vector<uint32_t>{} : std::vector<uint32_t>{(rank + 1) % p});
        EXPECT_EQ(state->GetPeersToReceive(),
                  alone ? std::vector<uint32_t>{} : std::vector<uint32_t>{(rank + p - 1) % p});
    }
}

INSTANTIATE_TEST_SUITE_P(UpTo17Ranks,
                         RingAllReduceOfAllSizes,
                         testing::Combine(testing::Range(1u, 18u), testing::Values(1, 2, 3)));
INSTANTIATE_TEST_SUITE_P(ManyRanks,
                         RingAllReduceOfAllSizes,
                         testing::Combine(testing::Values(32, 64), testing::Values(1, 2, 3)));

TEST(RingAllReduce, NothingIsSentAndItIsDoneAtOnceWithoutPartnersOrBytes)
{
    for (const CollectiveTask& task : {CollectiveTask{0, 1, 1000}, CollectiveTask{2, 8, 0}})
    {
        const auto state = RingAllReduce().CreateState(task);
        EXPECT_FALSE(state->IsDone());
        std::vector<CollectiveSend> sends;
        state->Start(sends);
        EXPECT_TRUE(state->IsDone());
        EXPECT_TRUE(sends.empty());
        EXPECT_TRUE(state->GetPeersToSend().empty());
        EXPECT_TRUE(state->GetPeersToReceive().empty());
        EXPECT_EQ(state->GetBytesToSend(), 0u);
    }
}

TEST(RingAllReduce, EightRanksSend448MegabytesEachForThePaperExample)
{
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        EXPECT_EQ(RingAllReduce().CreateState({rank, 8, 256000000})->GetBytesToSend(), 448000000u);
    }
}

TEST(RingAllReduce, SendsFollowTheChunksAroundTheRing)
{
    const auto state = RingAllReduce().CreateState({1, 4, 400});
    std::vector<CollectiveSend> sends;
    state->Start(sends);
    for (uint32_t step = 1; step <= 6; ++step)
    {
        ASSERT_EQ(sends.size(), std::min(step, 6u)) << "one send per receive";
        state->OnReceive(0, sends);
    }
    std::vector<uint64_t> offsets;
    for (const CollectiveSend& send : sends)
    {
        EXPECT_EQ(send.peer, 2u);
        EXPECT_EQ(send.bytes, 100u);
        EXPECT_EQ(send.step, offsets.size());
        offsets.push_back(send.offset);
    }
    EXPECT_EQ(offsets, (std::vector<uint64_t>{100, 0, 300, 200, 100, 0}));
    EXPECT_TRUE(state->IsDone());
}

TEST(RingAllReduce, AWaitingRankSaysForWhomItWaits)
{
    const auto state = RingAllReduce().CreateState({0, 8, 800});
    EXPECT_EQ(state->DescribeWait(), "waits for nothing");
    std::vector<CollectiveSend> sends;
    state->Start(sends);
    state->OnReceive(7, sends);
    EXPECT_EQ(state->DescribeWait(), "waits for step 1 of 14 from index 7");
}

TEST(PayloadSplit, ChunksOfHugePayloadsAreExact)
{
    const uint64_t payload = ~uint64_t{0} - 58; // a prime
    const uint32_t chunks = 4294967291;         // the largest prime of 32 bits
    const PayloadSplit split(payload, chunks);
    EXPECT_EQ(split.GetOffset(0), 0u);
    EXPECT_EQ(split.GetOffset(chunks), payload);
    for (uint32_t chunk : {1u, 2u, 65537u, chunks / 2, chunks - 1})
    {
        const auto exact = static_cast<unsigned __int128>(payload) * chunk / chunks;
        EXPECT_EQ(split.GetOffset(chunk), static_cast<uint64_t>(exact));
        EXPECT_LE(split.GetBytes(chunk), payload / chunks + 1);
    }
}

TEST(PayloadSplit, FewerBytesThanChunksLeaveEmptyChunks)
{
    const PayloadSplit split(2, 5);
    std::vector<uint64_t> bytes;
    for (uint32_t chunk = 0; chunk < 5; ++chunk)
    {
        bytes.push_back(split.GetBytes(chunk));
    }
    EXPECT_EQ(bytes, (std::vector<uint64_t>{0, 0, 1, 0, 1}));
}

/**
 * @param op an op
 * @param name an algorithm
 * @return what the registry says of them
 */
std::string
ErrorOf(const std::string& op, const std::string& name)
{
    try
    {
        CollectiveRegistry().Get(op, name);
    }
    catch (const UserError& error)
    {
        return error.what();
    }
    return "no error";
}

TEST(CollectiveRegistry, FindsEachAlgorithmByTheScenarioWords)
{
    for (const std::string op : {"allreduce", "reducescatter", "allgather", "alltoall"})
    {
        const std::string name = op == "alltoall" ? "direct" : "ring";
        EXPECT_EQ(CollectiveRegistry().GetNames(op), std::vector<std::string>{name});
        EXPECT_EQ(CollectiveRegistry().Get(op, name)->GetOp(), op);
        EXPECT_EQ(CollectiveRegistry().Get(op, name)->GetName(), name);
    }
}

TEST(CollectiveRegistry, UnknownNamesListTheKnownOnes)
{
    EXPECT_EQ(ErrorOf("allreduce", "rign"),
              "collective.allreduce: unknown algorithm 'rign'; known: ring");
    EXPECT_EQ(ErrorOf("allredcue", "ring"),
              "collective: unknown collective op 'allredcue'; known: allgather, allreduce, "
              "alltoall, reducescatter");
}

TEST(CollectiveRegistry, TakesAlgorithmsOfUsers)
{
    /// A ring by another name.
    class MyRing : public RingAllReduce
    {
        std::string GetName() const override
        {
            return "mine";
        }
    };

    CollectiveRegistry registry;
    registry.Add(std::make_shared<MyRing>());
    EXPECT_EQ(registry.GetNames("allreduce"), (std::vector<std::string>{"mine", "ring"}));
    EXPECT_EQ(registry.Get("allreduce", "mine")->GetName(), "mine");
}

} // namespace
