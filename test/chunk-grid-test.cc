/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/chunk-grid.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <tuple>
#include <vector>

using namespace ns3::llmfabric;

namespace
{

/// The parameters are payload, owners, channels and chunk.
class ChunkGridOf
    : public testing::TestWithParam<std::tuple<uint64_t, uint32_t, uint32_t, uint64_t>>
{
  protected:
    /**
     * @return the grid
     */
    static ChunkGrid GetGrid()
    {
        const auto [payload, owners, channels, chunk] = GetParam();
        return ChunkGrid(payload, owners, channels, chunk);
    }
};

INSTANTIATE_TEST_SUITE_P(Each,
                         ChunkGridOf,
                         testing::Combine(testing::Values(0, 1, 7, 1000, 1003),
                                          testing::Values(1, 3, 8),
                                          testing::Values(1, 2, 5),
                                          testing::Values(1, 10, 64, 5000)));

TEST_P(ChunkGridOf, RangesCoverThePayloadExactlyOnce)
{
    const auto [payload, owners, channels, chunk] = GetParam();
    std::vector<uint32_t> seen(payload);
    for (uint64_t loop = 0; loop < GetGrid().GetLoops(); ++loop)
    {
        for (uint32_t owner = 0; owner < owners; ++owner)
        {
            for (uint32_t channel = 0; channel < channels; ++channel)
            {
                const ByteRange range = GetGrid().GetRange(owner, channel, loop);
                EXPECT_LE(range.bytes, chunk);
                for (uint64_t i = 0; i < range.bytes; ++i)
                {
                    ++seen.at(range.offset + i);
                }
            }
        }
    }
    EXPECT_EQ(seen, std::vector<uint32_t>(payload, 1));
}

TEST_P(ChunkGridOf, RangesLieInThePartOfTheirOwner)
{
    const auto [payload, owners, channels, chunk] = GetParam();
    const PayloadSplit split(payload, owners);
    for (uint64_t loop = 0; loop < GetGrid().GetLoops(); ++loop)
    {
        for (uint32_t owner = 0; owner < owners; ++owner)
        {
            const ByteRange range = GetGrid().GetRange(owner, channels - 1, loop);
            EXPECT_GE(range.offset, split.GetOffset(owner));
            EXPECT_LE(range.offset + range.bytes, split.GetOffset(owner + 1));
        }
    }
}

TEST_P(ChunkGridOf, NoLoopIsEmptyAndNoneIsMissing)
{
    const auto [payload, owners, channels, chunk] = GetParam();
    const uint64_t loops = GetGrid().GetLoops();
    const auto bytesOf = [&](uint64_t loop) {
        uint64_t bytes = 0;
        for (uint32_t owner = 0; owner < owners; ++owner)
        {
            for (uint32_t channel = 0; channel < channels; ++channel)
            {
                bytes += GetGrid().GetRange(owner, channel, loop).bytes;
            }
        }
        return bytes;
    };
    EXPECT_EQ(loops == 0, payload == 0);
    EXPECT_EQ(bytesOf(loops), 0u) << "beyond the end there is nothing";
    if (loops > 0)
    {
        EXPECT_GT(bytesOf(loops - 1), 0u);
    }
}

TEST(ChunkGrid, ALoopTakesAChunkOfEachOwnerOnEachChannel)
{
    const ChunkGrid grid(16ULL << 30, 8, 16, 2 << 20);
    EXPECT_EQ(grid.GetLoops(), 64u) << "8 owners * 16 channels * 2 MiB are 256 MiB";
    EXPECT_EQ(grid.GetRange(3, 5, 7).offset, (6ULL << 30) + (5ULL << 27) + (7ULL << 21));
    EXPECT_EQ(grid.GetRange(3, 5, 7).bytes, 2u << 20);
}

TEST(ChunkGrid, RunsAreTheFullLoopsAndTheLastOne)
{
    const std::vector<ChunkGrid::Run> runs = ChunkGrid(8000, 8, 2, 300).GetRuns();
    ASSERT_EQ(runs.size(), 2u); // shares of 500 in chunks of 300 and 200
    EXPECT_EQ(runs[0].loops, 1);
    EXPECT_EQ(runs[0].bytes, 2 * 300);
    EXPECT_EQ(runs[1].loops, 1);
    EXPECT_EQ(runs[1].bytes, 2 * 200);
    EXPECT_TRUE(ChunkGrid(0, 8, 2, 300).GetRuns().empty());
}

TEST(ChunkGrid, RunsTakeAllLoopsAndAllBytes)
{
    for (uint64_t payload : {1, 71, 81, 1000003})
    {
        for (uint32_t channels : {1u, 4u, 7u})
        {
            for (uint64_t chunk : {1u, 3u, 1000u})
            {
                const ChunkGrid grid(payload, 10, channels, chunk);
                double loops = 0;
                double bytes = 0;
                for (const ChunkGrid::Run& run : grid.GetRuns())
                {
                    EXPECT_GT(run.loops, 0);
                    EXPECT_GT(run.bytes, 0);
                    loops += run.loops;
                    bytes += run.loops * run.bytes;
                }
                EXPECT_EQ(loops, grid.GetLoops());
                EXPECT_NEAR(bytes, static_cast<double>(payload) / 10, 1e-6);
            }
        }
    }
}

TEST(ChunkGrid, CutsPiecesOneAfterTheOther)
{
    uint64_t next = 100;
    for (uint32_t i = 0; i < 4; ++i)
    {
        const ByteRange piece = Cut({100, 10}, 4, i);
        EXPECT_EQ(piece.offset, next);
        EXPECT_TRUE(piece.bytes == 2 || piece.bytes == 3);
        next += piece.bytes;
    }
    EXPECT_EQ(next, 110u);
}

} // namespace
