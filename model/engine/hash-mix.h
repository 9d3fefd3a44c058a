/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HASH_MIX_H
#define HASH_MIX_H

#include <cstdint>
#include <initializer_list>

namespace ns3
{
namespace llmfabric
{

/**
 * A bijective mix of 64 bits in which each input bit reaches each output bit.
 *
 * The finalizer of MurmurHash3 (Appleby, public domain).
 *
 * @param x the value
 * @return the mixed value
 */
inline uint64_t
MixBits(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ULL;
    x ^= x >> 33;
    return x;
}

/**
 * Hash a short list of numbers; the order matters.
 *
 * @param values the numbers
 * @return 64 well mixed bits
 */
inline uint64_t
HashValues(std::initializer_list<uint64_t> values)
{
    uint64_t h = 0x9e3779b97f4a7c15ULL;
    for (uint64_t v : values)
    {
        h = MixBits(h ^ v) + 0x9e3779b97f4a7c15ULL;
    }
    return MixBits(h);
}

} // namespace llmfabric
} // namespace ns3

#endif /* HASH_MIX_H */
