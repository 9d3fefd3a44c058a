/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BINARY_LOG_H
#define BINARY_LOG_H

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @param x a number, at least 1
 * @return the largest k for which 2^k is not above x
 */
inline uint32_t
GetFloorLog2(uint32_t x)
{
    uint32_t log = 0;
    for (; x > 1; x /= 2)
    {
        ++log;
    }
    return log;
}

/**
 * @param x a number, at least 1
 * @return the smallest k for which 2^k is not below x
 */
inline uint32_t
GetCeilLog2(uint32_t x)
{
    return x == 1 ? 0 : GetFloorLog2(x - 1) + 1;
}

} // namespace llmfabric
} // namespace ns3

#endif /* BINARY_LOG_H */
