/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_SIZES_H
#define COLLECTIVE_SIZES_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The payloads of a bench of collectives, as the options -b, -e, -i and -f of nccl-tests give them:
 * from the smallest on, each the factor times the one before, or, with factor 1, larger by the
 * step.
 */
struct CollectiveSizes
{
    /// The most sizes of a bench.
    static constexpr std::size_t MAX_SIZES = 1000;

    uint64_t smallest{8ULL << 10}; //!< the first, bytes; 0 only if it is the only one
    uint64_t largest{64ULL << 20}; //!< none is larger, bytes
    uint64_t step{1ULL << 20};     //!< from one to the next with factor 1, bytes, at least 1
    uint64_t factor{2};            //!< from one to the next, at least 1

    /**
     * @return the sizes, ascending
     * @throws UserError if there are none, or more than MAX_SIZES
     */
    std::vector<uint64_t> List() const;

    /**
     * @param text a number, alone (bytes) or with K, M, G or T as in nccl-tests (powers of 1024),
     *        or with a unit as in scenarios, e.g. 1.5KiB or 400KB (KB is 1000 bytes)
     * @return bytes, at least 1
     * @throws UserError, without a place, if it is no size
     */
    static uint64_t Parse(const std::string& text);

    /**
     * @param text MIN:MAX, MIN:MAX:FACTOR, or one size
     * @return the sizes
     * @throws UserError, without a place, if it is not that
     */
    static CollectiveSizes ParseRange(const std::string& text);

    /**
     * @param bytes a size
     * @return it as Parse() reads it, as short as can be, e.g. "8K"
     */
    static std::string ToText(uint64_t bytes);
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_SIZES_H */
