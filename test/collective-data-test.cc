/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-run.h"
#include "made-layouts.h"

#include "ns3/collective-registry.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3::llmfabric;

namespace
{

/// An op and one of its algorithms, by name.
using Choice = std::pair<std::string, std::string>;

/**
 * @return all algorithms that the registry knows
 */
std::vector<Choice>
GetChoices()
{
    const CollectiveRegistry registry;
    std::vector<Choice> choices;
    for (const std::string& op : registry.GetOps())
    {
        for (const std::string& name : registry.GetNames(op))
        {
            choices.emplace_back(op, name);
        }
    }
    return choices;
}

/// Numbers of ranks to try.
const std::vector<uint32_t> RANKS{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 32, 64};

/// The parameter is an algorithm.
class CollectiveData : public testing::TestWithParam<Choice>
{
  protected:
    /**
     * @return the algorithm
     */
    static std::shared_ptr<const CollectiveAlgorithm> GetAlgorithm()
    {
        return CollectiveRegistry().Get(GetParam().first, GetParam().second);
    }

    /**
     * Run an op, if the algorithm can be done there, and see that each rank ends with its result.
     *
     * @param task the op
     * @param slots slots of a connection
     */
    static void Check(const CollectiveTask& task, uint32_t slots)
    {
        const auto algorithm = GetAlgorithm();
        if (!algorithm->GetObstacle(*task.layout).empty())
        {
            return;
        }
        SCOPED_TRACE(std::to_string(task.GetRanks()) + " ranks, " + std::to_string(task.payload) +
                     " bytes, " + std::to_string(task.layout->GetNodes()) + " nodes, root " +
                     std::to_string(task.root) + ", " + std::to_string(task.cut.channels) +
                     " channels of " + std::to_string(task.cut.slice) + ", " +
                     std::to_string(slots) + " slots");
        CollectiveRun run(*algorithm, task, slots, 1 + slots + task.root);
        run.Run();
        for (uint32_t rank = 0; rank < task.GetRanks(); ++rank)
        {
            EXPECT_TRUE(run.HoldsResult(rank)) << "rank " << rank;
            CollectiveTask own = task;
            own.rank = rank;
            EXPECT_EQ(run.GetSent(rank), GetBytesToSend(*algorithm, own));
        }
    }
};

TEST_P(CollectiveData, EveryRankEndsWithWhatTheOpPromisesEachContributionOnce)
{
    for (uint32_t p : RANKS)
    {
        for (uint32_t perNode : {1u, 4u, p})
        {
            for (uint64_t payload : {uint64_t{0}, uint64_t{1}, uint64_t{p - 1}, uint64_t{1000003}})
            {
                CollectiveTask task;
                task.layout = FillNodes(p, perNode, 2);
                task.payload = payload;
                task.cut = {2, 200000, 70001}; // several loops, several slices a chunk
                task.root = p / 3;
                Check(task, 4);
            }
        }
    }
}

TEST_P(CollectiveData, HugePayloadsArriveToo)
{
    for (uint32_t p : RANKS)
    {
        for (uint32_t perNode : {1u, 4u})
        {
            CollectiveTask task;
            task.layout = FillNodes(p, perNode, 2);
            task.payload = 5ULL << 30;
            task.cut = {1, 2ULL << 30, 1ULL << 30};
            Check(task, 2);
        }
    }
}

TEST_P(CollectiveData, OneSlotOfASmallSliceIsEnough)
{
    for (uint32_t p : RANKS)
    {
        for (uint32_t slots : {0u, 1u})
        {
            CollectiveTask task;
            task.layout = FillNodes(p, 2, 2);
            task.payload = 11 * p + 3;
            task.cut = {3, 7, 2}; // chunks of more slices than there are slots
            task.root = p - 1;
            Check(task, slots);
        }
    }
}

TEST_P(CollectiveData, LanesHaveTheSamePeersWhateverThePayload)
{
    const auto algorithm = GetAlgorithm();
    for (uint32_t p : RANKS)
    {
        CollectiveTask task;
        task.layout = FillNodes(p, p % 4 == 0 ? 4 : 1, 2);
        task.cut.channels = 2;
        for (task.rank = 0; task.rank < p; ++task.rank)
        {
            task.payload = 64ULL * p * p;
            const auto all = GetPeersToSend(*algorithm, task);
            task.payload = 1000;
            for (const LanePeer& one : GetPeersToSend(*algorithm, task))
            {
                const bool known = std::any_of(all.begin(), all.end(), [&](const LanePeer& other) {
                    return other.lane == one.lane && other.peer == one.peer;
                });
                EXPECT_TRUE(known) << "lane " << one.lane << " to " << one.peer << " of " << p;
            }
        }
    }
}

/**
 * @param info an algorithm
 * @return a name that CTest can show
 */
std::string
MakeName(const testing::TestParamInfo<Choice>& info)
{
    std::string name = info.param.first + "_" + info.param.second;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(AllAlgorithms, CollectiveData, testing::ValuesIn(GetChoices()), MakeName);

} // namespace
