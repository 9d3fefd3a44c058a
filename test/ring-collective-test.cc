/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ring-run.h"

#include "ns3/direct-all-to-all.h"
#include "ns3/payload-split.h"
#include "ns3/ring-all-gather.h"
#include "ns3/ring-reduce-scatter.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3::llmfabric;

namespace
{

/// Numbers of ranks to try.
const std::vector<uint32_t> RANKS{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 32};

/**
 * @param ranks p
 * @return the payloads to try, bytes
 */
std::vector<uint64_t>
GetPayloads(uint32_t ranks)
{
    return {0, 1, ranks - 1, ranks, 1000003, 5ULL << 30};
}

/// The parameters are ranks and seed.
class HalfRing : public testing::TestWithParam<std::tuple<uint32_t, uint32_t>>
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
     * Runs an op and compares what is sent with (p - 1) / p M per rank.
     *
     * @param algorithm a half of the ring
     * @param payload M, bytes
     * @return the run, which has ended on all ranks
     */
    static std::unique_ptr<RingRun> RunPayload(const CollectiveAlgorithm& algorithm,
                                               uint64_t payload)
    {
        auto run =
            std::make_unique<RingRun>(algorithm, GetRanks(), payload, std::get<1>(GetParam()));
        run->Run();
        uint64_t total = 0;
        for (uint32_t rank = 0; rank < GetRanks(); ++rank)
        {
            EXPECT_TRUE(run->GetState(rank).IsDone());
            EXPECT_TRUE(run->GetState(rank).GetWaits().empty());
            EXPECT_EQ(run->GetSent(rank), run->GetState(rank).GetBytesToSend());
            EXPECT_LE(run->GetSent(rank), payload - payload / GetRanks());
            total += run->GetSent(rank);
        }
        EXPECT_EQ(total, (GetRanks() - 1) * payload);
        if (payload >= GetRanks())
        {
            EXPECT_EQ(run->GetRounds(), GetRanks() - 1);
            EXPECT_EQ(run->GetState(0).GetStepCount(), GetRanks() - 1);
        }
        return run;
    }
};

TEST_P(HalfRing, ReduceScatterLeavesEachRankItsChunkOfTheSum)
{
    for (uint64_t payload : GetPayloads(GetRanks()))
    {
        SCOPED_TRACE(payload);
        const auto run = RunPayload(RingReduceScatter(), payload);
        for (uint32_t rank = 0; rank < GetRanks(); ++rank)
        {
            EXPECT_TRUE(run->Holds(rank, rank)) << rank;
            const uint32_t other = (rank + 1) % GetRanks();
            const bool empty = PayloadSplit(payload, GetRanks()).GetBytes(other) == 0;
            EXPECT_EQ(run->Holds(rank, other), empty) << "more was sent than is needed";
        }
    }
}

TEST_P(HalfRing, AllGatherGivesEachRankTheChunksOfAll)
{
    for (uint64_t payload : GetPayloads(GetRanks()))
    {
        SCOPED_TRACE(payload);
        const auto run = RunPayload(RingAllGather(), payload);
        for (uint32_t rank = 0; rank < GetRanks(); ++rank)
        {
            EXPECT_TRUE(run->HoldsAll(rank)) << rank;
        }
    }
}

TEST_P(HalfRing, PeersAreThoseThatBytesGoTo)
{
    const uint32_t p = GetRanks();
    for (uint32_t rank = 0; rank < p; ++rank)
    {
        const auto state = RingReduceScatter().CreateState({rank, p, 1000003});
        EXPECT_EQ(state->GetPeersToSend(), (std::vector<uint32_t>{(rank + 1) % p}));
        EXPECT_EQ(state->GetPeersToReceive(), (std::vector<uint32_t>{(rank + p - 1) % p}));
    }
}

INSTANTIATE_TEST_SUITE_P(Each,
                         HalfRing,
                         testing::Combine(testing::ValuesIn(RANKS), testing::Values(1, 2)));

TEST(HalfRing, OneByteGoesRoundWithoutEmptyMessages)
{
    // Of 4 chunks the last one holds the byte: rank 3 ends with it, so rank 0 sends it first.
    std::vector<CollectiveSend> sends;
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        const auto state = RingReduceScatter().CreateState({rank, 4, 1});
        state->Start(sends);
        EXPECT_EQ(state->GetBytesToSend(), rank == 3 ? 0u : 1u);
        EXPECT_EQ(state->GetPeersToReceive().empty(), rank == 0);
        EXPECT_EQ(state->IsDone(), rank == 0);
    }
    ASSERT_EQ(sends.size(), 1u);
    EXPECT_EQ(sends[0].peer, 1u);
    EXPECT_EQ(sends[0].step, 0u);
}

/// Bytes from one rank to another.
using Parts = std::vector<std::vector<uint64_t>>;

/**
 * All ranks of a direct All-to-All in memory. Ranks start and messages come in an order drawn at
 * random.
 */
class AllToAllRun
{
  public:
    /**
     * @param task the op; its rank does not matter
     * @param seed seed of the order in which things happen
     */
    AllToAllRun(const CollectiveTask& task, uint32_t seed)
        : m_received(task.ranks, std::vector<uint64_t>(task.ranks)),
          m_random(seed)
    {
        CollectiveTask one = task;
        for (one.rank = 0; one.rank < task.ranks; ++one.rank)
        {
            m_states.push_back(DirectAllToAll().CreateState(one));
        }
    }

    /// Starts all ranks and delivers all messages.
    void Run()
    {
        std::vector<uint32_t> order(m_states.size());
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), m_random);
        for (uint32_t rank : order)
        {
            std::vector<CollectiveSend> sends;
            m_states[rank]->Start(sends);
            for (const CollectiveSend& send : sends)
            {
                m_early.emplace_back(rank, send);
            }
            DeliverSome(m_random() % (m_early.size() + 1), rank);
        }
        DeliverSome(m_early.size(), 0);
        EXPECT_TRUE(m_early.empty());
    }

    /**
     * @param rank a rank
     * @return its state
     */
    const CollectiveState& GetState(uint32_t rank) const
    {
        return *m_states[rank];
    }

    /**
     * @return what came: bytes from one rank to another
     */
    const Parts& GetReceived() const
    {
        return m_received;
    }

    /**
     * @return what was sent, in no order: sender and message
     */
    const std::vector<std::pair<uint32_t, CollectiveSend>>& GetSent() const
    {
        return m_sent;
    }

  private:
    /**
     * @param count messages to look at
     * @param started a rank that has started
     */
    void DeliverSome(std::size_t count, uint32_t started)
    {
        m_started.resize(m_states.size());
        m_started[started] = true;
        std::shuffle(m_early.begin(), m_early.end(), m_random);
        for (; count > 0; --count)
        {
            const auto [from, send] = m_early.back();
            m_early.pop_back();
            if (!m_started[send.peer])
            {
                m_early.insert(m_early.begin(), {from, send});
                continue;
            }
            EXPECT_TRUE(m_states[send.peer]->Expects(from));
            EXPECT_FALSE(m_states[send.peer]->IsDone());
            std::vector<CollectiveSend> none;
            m_states[send.peer]->OnReceive(from, none);
            EXPECT_TRUE(none.empty());
            EXPECT_FALSE(m_states[send.peer]->Expects(from))
                << "a second message is of the next op";
            m_received[from][send.peer] += send.bytes;
            m_sent.emplace_back(from, send);
        }
    }

    std::vector<std::unique_ptr<CollectiveState>> m_states;   //!< of each rank
    Parts m_received;                                         //!< what came
    std::vector<bool> m_started;                              //!< ranks that have started
    std::vector<std::pair<uint32_t, CollectiveSend>> m_early; //!< sent and not received
    std::vector<std::pair<uint32_t, CollectiveSend>> m_sent;  //!< received
    std::mt19937 m_random;                                    //!< draws the order
};

/**
 * @param ranks p
 * @param part what there is from one rank to another
 * @return bytes from one rank to another, none to oneself
 */
template <typename Part>
Parts
MakeParts(uint32_t ranks, Part part)
{
    Parts parts(ranks, std::vector<uint64_t>(ranks));
    for (uint32_t from = 0; from < ranks; ++from)
    {
        for (uint32_t to = 0; to < ranks; ++to)
        {
            parts[from][to] = from == to ? 0 : part(from, to);
        }
    }
    return parts;
}

/**
 * @param parts bytes from one rank to another
 * @param from a rank
 * @return what it sends, bytes
 */
uint64_t
SumOf(const Parts& parts, uint32_t from)
{
    return std::accumulate(parts[from].begin(), parts[from].end(), uint64_t{0});
}

/// The parameter is the number of ranks.
class DirectAllToAllOfAllSizes : public testing::TestWithParam<uint32_t>
{
};

INSTANTIATE_TEST_SUITE_P(Each, DirectAllToAllOfAllSizes, testing::ValuesIn(RANKS));

TEST_P(DirectAllToAllOfAllSizes, EachRankGetsItsPartOfEachOther)
{
    const uint32_t p = GetParam();
    for (uint64_t payload : GetPayloads(p))
    {
        SCOPED_TRACE(payload);
        const PayloadSplit split(payload, p);
        AllToAllRun run({0, p, payload}, p);
        run.Run();
        const Parts parts = MakeParts(p, [&](uint32_t, uint32_t to) { return split.GetBytes(to); });
        EXPECT_EQ(run.GetReceived(), parts);
        uint64_t total = 0;
        for (uint32_t rank = 0; rank < p; ++rank)
        {
            EXPECT_TRUE(run.GetState(rank).IsDone()) << rank;
            EXPECT_EQ(run.GetState(rank).GetStepCount(), payload == 0 ? 0u : 1u);
            EXPECT_EQ(run.GetState(rank).GetBytesToSend(), SumOf(parts, rank));
            total += SumOf(parts, rank);
        }
        EXPECT_EQ(total, (p - 1) * payload);
        for (const auto& [from, send] : run.GetSent())
        {
            EXPECT_EQ(send.offset, split.GetOffset(send.peer)) << from;
        }
    }
}

TEST_P(DirectAllToAllOfAllSizes, UnequalPartsGoAsTheyAreGiven)
{
    const uint32_t p = GetParam();
    std::mt19937 random(p);
    const Parts parts = MakeParts(p, [&](uint32_t, uint32_t) { return random() % 4 * 1000003; });
    const auto bytes = [&](uint32_t from, uint32_t to) { return parts[from][to]; };
    AllToAllRun run({0, p, 5ULL << 30, bytes}, p);
    run.Run();
    EXPECT_EQ(run.GetReceived(), parts);
    for (uint32_t rank = 0; rank < p; ++rank)
    {
        EXPECT_TRUE(run.GetState(rank).IsDone()) << rank;
        EXPECT_EQ(run.GetState(rank).GetBytesToSend(), SumOf(parts, rank));
        for (uint32_t peer : run.GetState(rank).GetPeersToSend())
        {
            EXPECT_GT(parts[rank][peer], 0u);
        }
        for (uint32_t peer : run.GetState(rank).GetPeersToReceive())
        {
            EXPECT_GT(parts[peer][rank], 0u);
        }
    }
}

TEST(DirectAllToAll, SendsAllAtOnceAndToTheNextRankFirst)
{
    const auto state = DirectAllToAll().CreateState({2, 4, 400});
    std::vector<CollectiveSend> sends;
    state->Start(sends);
    ASSERT_EQ(sends.size(), 3u);
    EXPECT_EQ(sends[0].peer, 3u);
    EXPECT_EQ(sends[1].peer, 0u);
    EXPECT_EQ(sends[2].peer, 1u);
    EXPECT_EQ(sends[0].offset, 300u);
    EXPECT_EQ(state->GetPeersToReceive(), (std::vector<uint32_t>{3, 0, 1}));
}

TEST(DirectAllToAll, NamesThePeersThatHaveNotSent)
{
    const auto state = DirectAllToAll().CreateState({0, 4, 400});
    std::vector<CollectiveSend> sends;
    EXPECT_TRUE(state->GetWaits().empty());
    state->Start(sends);
    state->OnReceive(2, sends);
    EXPECT_EQ(state->DescribeWait(),
              "waits for step 0 of 1 from index 1, step 0 of 1 from index 3");
}

TEST(DirectAllToAll, IsOverAtOnceWithoutPartnersOrBytes)
{
    for (const CollectiveTask& task : {CollectiveTask{0, 1, 1000}, CollectiveTask{2, 8, 0}})
    {
        const auto state = DirectAllToAll().CreateState(task);
        EXPECT_FALSE(state->IsDone());
        std::vector<CollectiveSend> sends;
        state->Start(sends);
        EXPECT_TRUE(state->IsDone());
        EXPECT_TRUE(sends.empty());
        EXPECT_EQ(state->GetStepCount(), 0u);
        EXPECT_EQ(state->GetBytesToSend(), 0u);
    }
}

} // namespace
