/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/payload-split.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3::llmfabric;

namespace
{

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

} // namespace
