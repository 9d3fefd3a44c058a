/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rank-grid.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// All axes.
constexpr std::array<GridAxis, GRID_AXES> AXES{GridAxis::TENSOR,
                                               GridAxis::CONTEXT,
                                               GridAxis::EXPERT,
                                               GridAxis::DATA,
                                               GridAxis::PIPELINE};

/**
 * @param group a group
 * @return its ranks
 */
std::vector<uint32_t>
MembersOf(const RankGroup& group)
{
    std::vector<uint32_t> members;
    for (uint32_t i = 0; i < group.GetSize(); ++i)
    {
        members.push_back(group.GetRank(i));
    }
    return members;
}

/**
 * @return Megatron's example: 16 ranks, tensor 2, data 2, pipeline 4
 */
ParallelPlan
SixteenRanks()
{
    ParallelPlan plan;
    plan.tensor = 2;
    plan.data = 2;
    plan.pipeline = 4;
    return plan;
}

/**
 * @param random source of randomness
 * @return a plan of at most a few hundred ranks in any order
 */
ParallelPlan
RandomPlan(std::mt19937& random)
{
    std::uniform_int_distribution<uint32_t> degree(1, 3);
    ParallelPlan plan;
    plan.tensor = degree(random);
    plan.context = degree(random);
    plan.expert = degree(random);
    plan.data = plan.expert * degree(random);
    plan.pipeline = std::uniform_int_distribution<uint32_t>(1, 5)(random);
    std::shuffle(plan.order.begin(), plan.order.end(), random);
    return plan;
}

/**
 * @param plan a plan
 * @return the message with which it is refused
 */
std::string
ErrorOf(const ParallelPlan& plan)
{
    try
    {
        RankGrid grid(plan);
    }
    catch (const UserError& error)
    {
        return error.what();
    }
    return "no error";
}

/**
 * @param grid a grid
 * @param kind a kind of group
 * @param rank a rank
 * @return whether the rank is in a group of that kind
 */
bool
HasGroup(const RankGrid& grid, GroupKind kind, uint32_t rank)
{
    const uint32_t stage = grid.GetCoordinate(rank, GridAxis::PIPELINE);
    return kind != GroupKind::EMBEDDING || stage == 0 ||
           stage == grid.GetDegree(GridAxis::PIPELINE) - 1;
}

/**
 * Expect that the groups of a kind cut the ranks in disjoint sets, and that each is found again by
 * its id.
 *
 * @param grid a grid
 * @param kind a kind of group
 */
void
ExpectPartition(const RankGrid& grid, GroupKind kind)
{
    for (uint32_t rank = 0; rank < grid.GetRanks(); ++rank)
    {
        if (!HasGroup(grid, kind, rank))
        {
            continue;
        }
        const RankGroup group = grid.GetGroup(kind, rank);
        const std::vector<uint32_t> members = MembersOf(group);
        ASSERT_TRUE(std::is_sorted(members.begin(), members.end()));
        ASSERT_EQ(group.GetId(), static_cast<uint32_t>(kind) * grid.GetRanks() + members.front());
        ASSERT_EQ(grid.GetKind(group.GetId()), kind);
        ASSERT_EQ(MembersOf(grid.GetGroup(group.GetId())), members);
        ASSERT_EQ(group.GetRank(group.GetIndex(rank)), rank);
        for (uint32_t other = 0; other < grid.GetRanks(); ++other)
        {
            const bool listed = std::count(members.begin(), members.end(), other) == 1;
            ASSERT_EQ(group.Contains(other), listed);
            ASSERT_EQ(HasGroup(grid, kind, other) &&
                          grid.GetGroup(kind, other).GetId() == group.GetId(),
                      listed);
        }
    }
}

/**
 * @param grid a grid
 * @param kind a kind of group
 * @param rank a rank
 * @return the rank's group
 */
std::vector<uint32_t>
MembersOf(const RankGrid& grid, GroupKind kind, uint32_t rank)
{
    return MembersOf(grid.GetGroup(kind, rank));
}

/// Members of a group, for comparisons.
using Ranks = std::vector<uint32_t>;

TEST(RankGrid, DefaultOrderNumbersAsMegatronDoes)
{
    const RankGrid grid(SixteenRanks());
    EXPECT_EQ(grid.GetRanks(), 16u);
    EXPECT_EQ(MembersOf(grid, GroupKind::TENSOR, 0), (Ranks{0, 1}));
    EXPECT_EQ(MembersOf(grid, GroupKind::TENSOR, 3), (Ranks{2, 3}));
    EXPECT_EQ(MembersOf(grid, GroupKind::DATA, 0), (Ranks{0, 2}));
    EXPECT_EQ(MembersOf(grid, GroupKind::DATA, 3), (Ranks{1, 3}));
    EXPECT_EQ(MembersOf(grid, GroupKind::DATA, 6), (Ranks{4, 6}));
    EXPECT_EQ(MembersOf(grid, GroupKind::EMBEDDING, 0), (Ranks{0, 12}));
    EXPECT_EQ(MembersOf(grid, GroupKind::EMBEDDING, 15), (Ranks{3, 15}));
    EXPECT_EQ(MembersOf(grid, GroupKind::MIRROR, 9), (Ranks{5, 9}));
    Ranks pipeline;
    for (uint32_t stage = 0; stage < 4; ++stage)
    {
        pipeline.push_back(grid.Move(0, GridAxis::PIPELINE, stage));
    }
    EXPECT_EQ(pipeline, (Ranks{0, 4, 8, 12}));
}

TEST(RankGrid, ExpertsAreTakenFromData)
{
    ParallelPlan plan;
    plan.context = 2;
    plan.expert = 2;
    plan.data = 4;
    plan.pipeline = 2;
    const RankGrid grid(plan); // rank = context + 2 expert + 4 data + 8 pipeline
    EXPECT_EQ(grid.GetRanks(), 16u);
    EXPECT_EQ(grid.GetDegree(GridAxis::DATA), 2u);
    EXPECT_EQ(MembersOf(grid, GroupKind::CONTEXT, 7), (Ranks{6, 7}));
    EXPECT_EQ(MembersOf(grid, GroupKind::EXPERT, 7), (Ranks{5, 7}));
    EXPECT_EQ(MembersOf(grid, GroupKind::EXPERT_DATA, 7), (Ranks{2, 3, 6, 7}));
    EXPECT_EQ(MembersOf(grid, GroupKind::EXPERT_PARAMETER, 7), (Ranks{2, 3, 6, 7}));
    EXPECT_EQ(MembersOf(grid, GroupKind::DATA, 7), (Ranks{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(MembersOf(grid, GroupKind::PARAMETER, 8), (Ranks{8, 9, 10, 11, 12, 13, 14, 15}));
    EXPECT_NE(grid.GetGroup(GroupKind::DATA, 0).GetId(),
              grid.GetGroup(GroupKind::PARAMETER, 0).GetId());
}

TEST(RankGrid, AnyOrderOfTheAxesNumbersEachPlaceOnce)
{
    ParallelPlan plan;
    plan.tensor = 2;
    plan.context = 3;
    plan.expert = 2;
    plan.data = 4;
    plan.pipeline = 3;
    std::sort(plan.order.begin(), plan.order.end());
    uint32_t orders = 0;
    do
    {
        const RankGrid grid(plan);
        ASSERT_EQ(grid.GetRanks(), 72u);
        std::set<std::array<uint32_t, GRID_AXES>> places;
        for (uint32_t rank = 0; rank < grid.GetRanks(); ++rank)
        {
            std::array<uint32_t, GRID_AXES> place{};
            uint32_t back = 0;
            for (GridAxis axis : AXES)
            {
                place[static_cast<std::size_t>(axis)] = grid.GetCoordinate(rank, axis);
                back = grid.Move(back, axis, grid.GetCoordinate(rank, axis));
            }
            ASSERT_EQ(back, rank);
            places.insert(place);
        }
        ASSERT_EQ(places.size(), 72u);
        ASSERT_EQ(grid.Move(0, plan.order[0], 1), 1u);
        ++orders;
    } while (std::next_permutation(plan.order.begin(), plan.order.end()));
    EXPECT_EQ(orders, 120u);
}

TEST(RankGrid, MoveChangesOneCoordinateOnly)
{
    std::mt19937 random(1);
    for (int i = 0; i < 100; ++i)
    {
        const RankGrid grid(RandomPlan(random));
        const uint32_t rank = random() % grid.GetRanks();
        const GridAxis axis = AXES[random() % GRID_AXES];
        const uint32_t coordinate = random() % grid.GetDegree(axis);
        const uint32_t moved = grid.Move(rank, axis, coordinate);
        for (GridAxis other : AXES)
        {
            ASSERT_EQ(grid.GetCoordinate(moved, other),
                      other == axis ? coordinate : grid.GetCoordinate(rank, other));
        }
    }
}

TEST(RankGrid, GroupsOfEachKindPartitionTheRanks)
{
    std::mt19937 random(2);
    for (int i = 0; i < 40; ++i)
    {
        const RankGrid grid(RandomPlan(random));
        for (uint32_t kind = 0; kind < GROUP_KINDS; ++kind)
        {
            ExpectPartition(grid, static_cast<GroupKind>(kind));
        }
    }
}

TEST(RankGrid, GroupsHaveTheSizeThatIsSaidInAnyOrder)
{
    std::mt19937 random(3);
    for (int i = 0; i < 100; ++i)
    {
        const ParallelPlan plan = RandomPlan(random);
        const RankGrid grid(plan);
        ASSERT_EQ(grid.GetRanks(), plan.GetRanks());
        ASSERT_EQ(grid.GetGroupSize(GroupKind::DATA), plan.data * plan.context);
        ASSERT_EQ(grid.GetGroupSize(GroupKind::EXPERT_DATA),
                  plan.data / plan.expert * plan.context);
        ASSERT_EQ(grid.GetGroupSize(GroupKind::TENSOR), plan.tensor);
        ASSERT_EQ(grid.GetGroupSize(GroupKind::EMBEDDING), plan.pipeline > 1 ? 2u : 1u);
        for (uint32_t kind = 0; kind < GROUP_KINDS; ++kind)
        {
            const auto group = static_cast<GroupKind>(kind);
            ASSERT_EQ(grid.GetGroup(group, 0).GetSize(), grid.GetGroupSize(group));
        }
    }
}

TEST(RankGrid, MiddleOfAnOddPipelineIsItsOwnMirror)
{
    ParallelPlan plan;
    plan.tensor = 2;
    plan.pipeline = 5;
    const RankGrid grid(plan);
    EXPECT_EQ(MembersOf(grid, GroupKind::MIRROR, 5), (Ranks{5}));
    EXPECT_EQ(MembersOf(grid, GroupKind::MIRROR, 2), (Ranks{2, 6}));
}

TEST(RankGrid, ImpossiblePlansAreRefused)
{
    ParallelPlan zero = SixteenRanks();
    zero.context = 0;
    EXPECT_EQ(ErrorOf(zero), "parallel.context: the value is 0; give a number of at least 1");
    ParallelPlan expert = SixteenRanks();
    expert.expert = 3;
    EXPECT_EQ(ErrorOf(expert),
              "parallel.expert: the expert ranks are taken from the data-parallel ones, and 3 does "
              "not divide 2; make parallel.data a multiple of it");
    ParallelPlan order = SixteenRanks();
    order.order[1] = GridAxis::DATA;
    EXPECT_EQ(ErrorOf(order),
              "parallel.order: the order of the ranks does not name context; name each axis once");
    ParallelPlan large;
    large.tensor = 1 << 14;
    large.data = 1 << 14;
    EXPECT_EQ(ErrorOf(large), "no error");
    large.pipeline = 2;
    EXPECT_EQ(ErrorOf(large),
              "parallel: a job has at most 268435456 ranks; lower a degree of parallelism");
    large.pipeline = 1u << 31;
    large.context = 1u << 31;
    EXPECT_NE(ErrorOf(large), "no error");
}

TEST(RankGrid, GroupIdsOfTheLargestJobDiffer)
{
    ParallelPlan plan;
    plan.tensor = 1 << 14;
    plan.data = 1 << 14;
    const RankGrid grid(plan);
    const RankGroup group = grid.GetGroup(GroupKind::MIRROR, grid.GetRanks() - 1);
    EXPECT_EQ(group.GetId(), 9u * (1u << 28) - 1);
    EXPECT_EQ(grid.GetKind(group.GetId()), GroupKind::MIRROR);
    EXPECT_EQ(MembersOf(grid.GetGroup(group.GetId())), (Ranks{grid.GetRanks() - 1}));
}

TEST(RankGroup, MembersAscendWhateverTheOrderOfTheAxes)
{
    const RankGroup group(7, 3, {{12, 2}, {1, 1}, {2, 3}});
    EXPECT_EQ(MembersOf(group), (Ranks{3, 5, 7, 15, 17, 19}));
    EXPECT_EQ(group.GetIndex(17), 4u);
    EXPECT_FALSE(group.Contains(2));
    EXPECT_FALSE(group.Contains(9));
    EXPECT_FALSE(group.Contains(16));
    EXPECT_FALSE(group.Contains(27));
    EXPECT_EQ(MembersOf(RankGroup(7, 3, 5, 2)), (Ranks{3, 8}));
}

TEST(RankGroup, ListedMembersKeepTheirOrder)
{
    const RankGroup group(1, {9, 2, 5});
    EXPECT_EQ(MembersOf(group), (Ranks{9, 2, 5}));
    EXPECT_EQ(group.GetIndex(9), 0u);
    EXPECT_EQ(group.GetIndex(5), 2u);
    EXPECT_FALSE(group.Contains(3));
    EXPECT_FALSE(group.Contains(10));
}

TEST(RankGroup, WrongUseAborts)
{
    EXPECT_DEATH(RankGroup(0, 0, {{1, 3}, {2, 2}}), "does not nest");
    EXPECT_DEATH(RankGroup(0, 0, {{2, 2}, {2, 2}}), "does not nest");
    EXPECT_DEATH(RankGroup(0, 0, 0, 2), "at least 1");
    EXPECT_DEATH(RankGroup(0, 4000000000u, 1000000000u, 2), "too large");
    EXPECT_DEATH(RankGroup(0, std::vector<uint32_t>{}), "no members");
    EXPECT_DEATH(RankGroup(0, {1, 2, 1}), "is twice");
    EXPECT_DEATH(RankGroup(0, {1, 2}).GetIndex(3), "not in group");
    EXPECT_DEATH(RankGrid(SixteenRanks()).GetGroup(GroupKind::EMBEDDING, 4), "has no embedding");
    EXPECT_DEATH(RankGrid(SixteenRanks()).GetGroup(2), "no group");
}

TEST(GridNames, AreThoseOfScenariosAndReports)
{
    EXPECT_EQ(GetName(GridAxis::EXPERT), "expert");
    EXPECT_EQ(GetName(GroupKind::EXPERT_PARAMETER), "expert-parameter");
    std::set<std::string> names;
    for (uint32_t kind = 0; kind < GROUP_KINDS; ++kind)
    {
        names.insert(GetName(static_cast<GroupKind>(kind)));
    }
    EXPECT_EQ(names.size(), GROUP_KINDS);
}

} // namespace
