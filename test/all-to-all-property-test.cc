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
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3::llmfabric;

namespace
{

/// Bytes from each member (row) to each member (column).
using Matrix = std::vector<std::vector<uint64_t>>;

/// How the parts are drawn.
enum class Shape
{
    POSITIVE,   ///< none is empty
    WITH_ZEROS, ///< half of them are empty
    SPARSE,     ///< nearly all are empty
    HUGE_COLUMN ///< one member gets much more than the others
};

/// All of them.
const std::vector<Shape> SHAPES{Shape::POSITIVE,
                                Shape::WITH_ZEROS,
                                Shape::SPARSE,
                                Shape::HUGE_COLUMN};

/**
 * @param shape how the parts are drawn
 * @param ranks p
 * @param random draws them
 * @return the parts
 */
Matrix
Draw(Shape shape, uint32_t ranks, std::mt19937& random)
{
    const uint32_t hot = random() % ranks;
    Matrix matrix(ranks, std::vector<uint64_t>(ranks));
    for (uint32_t from = 0; from < ranks; ++from)
    {
        for (uint32_t to = 0; to < ranks; ++to)
        {
            const bool empty = (shape == Shape::WITH_ZEROS && random() % 2 == 0) ||
                               (shape == Shape::SPARSE && random() % 16 != 0);
            matrix[from][to] = empty ? 0 : 1 + random() % 40;
            if (shape == Shape::HUGE_COLUMN && to == hot)
            {
                matrix[from][to] += 1000;
            }
        }
    }
    return matrix;
}

/**
 * @param layout where the members are
 * @param matrix the parts
 * @param channels channels
 * @return an All-to-All with these parts
 */
CollectiveTask
MakeTask(const SharedLayout& layout, const Matrix& matrix, uint32_t channels)
{
    CollectiveTask task;
    task.layout = layout;
    task.cut = {channels, 40, 17};
    for (const auto& row : matrix)
    {
        task.payload = std::max(task.payload, std::accumulate(row.begin(), row.end(), uint64_t{0}));
    }
    const auto shared = std::make_shared<const Matrix>(matrix);
    task.bytes = [shared](uint32_t from, uint32_t to) { return (*shared)[from][to]; };
    return task;
}

/**
 * @return layouts of all kinds
 */
std::vector<SharedLayout>
GetLayouts()
{
    return {MakeNodes(1, 1),
            MakeNodes(2, 1),
            MakeNodes(7, 1),
            MakeNodes(1, 6),
            MakeNodes(3, 4, 2),
            MakeNodes(4, 2),
            MakeRoundRobin(4, 3),
            MakeNodes({5, 1, 3})};
}

/// The parameters are the name of an algorithm, and slots of a connection.
class AllToAllProperty : public testing::TestWithParam<std::tuple<std::string, uint32_t>>
{
  protected:
    /**
     * @return the algorithm
     */
    static std::shared_ptr<const CollectiveAlgorithm> GetAlgorithm()
    {
        return CollectiveRegistry().Get("alltoall", std::get<0>(GetParam()));
    }

    /**
     * @return slots of a connection
     */
    static uint32_t GetSlots()
    {
        return std::get<1>(GetParam());
    }
};

TEST_P(AllToAllProperty, UnequalPartsReachTheirReceivers)
{
    const auto algorithm = GetAlgorithm();
    std::mt19937 random(GetSlots());
    for (const SharedLayout& layout : GetLayouts())
    {
        for (Shape shape : SHAPES)
        {
            if (!algorithm->GetObstacle(*layout).empty())
            {
                continue;
            }
            SCOPED_TRACE(std::to_string(layout->GetSize()) + " ranks, " +
                         std::to_string(layout->GetNodes()) + " nodes, shape " +
                         std::to_string(static_cast<int>(shape)));
            const Matrix matrix = Draw(shape, layout->GetSize(), random);
            for (uint32_t channels : {1u, 3u})
            {
                CollectiveRun run(*algorithm,
                                  MakeTask(layout, matrix, channels),
                                  GetSlots(),
                                  static_cast<uint32_t>(random()));
                run.Run();
                for (uint32_t rank = 0; rank < layout->GetSize(); ++rank)
                {
                    EXPECT_TRUE(run.HoldsResult(rank)) << "rank " << rank;
                }
            }
        }
    }
}

TEST_P(AllToAllProperty, NoLessIsSentThanTheParts)
{
    const auto algorithm = GetAlgorithm();
    std::mt19937 random(7);
    const SharedLayout layout = MakeNodes(4, 3);
    for (Shape shape : SHAPES)
    {
        const Matrix matrix = Draw(shape, 12, random);
        uint64_t parts = 0;
        for (uint32_t from = 0; from < 12; ++from)
        {
            parts += std::accumulate(matrix[from].begin(), matrix[from].end(), uint64_t{0}) -
                     matrix[from][from];
        }
        CollectiveRun run(*algorithm, MakeTask(layout, matrix, 1), GetSlots(), 5);
        run.Run();
        EXPECT_GE(run.GetTotal(), parts);
        EXPECT_LE(run.GetTotal(), 4 * parts) << "no block takes more than log2 p hops";
    }
}

TEST_P(AllToAllProperty, ThePayloadIsOfNoConcernWhereThePartsAreTold)
{
    const auto algorithm = GetAlgorithm();
    std::mt19937 random(3);
    CollectiveTask task = MakeTask(MakeNodes(2, 3), Draw(Shape::POSITIVE, 6, random), 2);
    const uint64_t sent = GetBytesToSend(*algorithm, task);
    for (uint64_t payload : {0, 7})
    {
        task.payload = payload;
        EXPECT_EQ(GetBytesToSend(*algorithm, task), sent);
        EXPECT_FALSE(algorithm->GetCost(task)->empty());
    }
}

TEST_P(AllToAllProperty, EmptyPartsNeedNoMessages)
{
    const auto algorithm = GetAlgorithm();
    const SharedLayout layout = MakeNodes(2, 3);
    const CollectiveTask task = MakeTask(layout, Matrix(6, std::vector<uint64_t>(6)), 2);
    CollectiveRun run(*algorithm, task, GetSlots(), 1);
    run.Run();
    EXPECT_EQ(run.GetMessages(), 0u);
    EXPECT_TRUE(algorithm->GetCost(task)->empty());
}

TEST(AllToAllPropertyOfOne, PairwiseSendsItsPartsAndNoMore)
{
    const auto algorithm = CollectiveRegistry().Get("alltoall", "pairwise");
    std::mt19937 random(1);
    for (const SharedLayout& layout : GetLayouts())
    {
        const Matrix matrix = Draw(Shape::WITH_ZEROS, layout->GetSize(), random);
        CollectiveRun run(*algorithm, MakeTask(layout, matrix, 2), random() % 3, 3);
        run.Run();
        for (uint32_t rank = 0; rank < layout->GetSize(); ++rank)
        {
            const auto& row = matrix[rank];
            EXPECT_EQ(run.GetSent(rank),
                      std::accumulate(row.begin(), row.end(), uint64_t{0}) - row[rank]);
        }
    }
}

TEST(AllToAllPropertyOfOne, BruckSendsALogarithmOfMessages)
{
    const auto algorithm = CollectiveRegistry().Get("alltoall", "bruck");
    std::mt19937 random(2);
    for (uint32_t ranks = 2; ranks <= 20; ++ranks)
    {
        uint32_t steps = 0;
        while (1u << steps < ranks)
        {
            ++steps;
        }
        CollectiveTask task =
            MakeTask(MakeNodes(ranks, 1), Draw(Shape::POSITIVE, ranks, random), 1);
        task.cut.slice = 1 << 20; // a step in one slice
        CollectiveRun run(*algorithm, task, random() % 3, ranks);
        run.Run();
        EXPECT_EQ(run.GetMessages(), ranks * steps);
    }
}

/**
 * @param info an algorithm and slots
 * @return a name that CTest can show
 */
std::string
MakeName(const testing::TestParamInfo<std::tuple<std::string, uint32_t>>& info)
{
    const auto& [name, slots] = info.param;
    return name + "_" + std::to_string(slots);
}

INSTANTIATE_TEST_SUITE_P(
    AllAlgorithms,
    AllToAllProperty,
    testing::Combine(testing::ValuesIn(CollectiveRegistry().GetNames("alltoall")),
                     testing::Values(0, 1, 4)),
    MakeName);

} // namespace
