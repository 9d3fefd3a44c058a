/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ALL_REDUCE_COST_H
#define ALL_REDUCE_COST_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * What an AllReduce of M bytes over p ranks costs, by formula (Life of a Token, section 6).
 *
 *                         sent by a rank     sent by all      steps one after the other
 *     naive (all to all)  (p - 1) M          p (p - 1) M      1
 *     ring                2 (p - 1) / p M    2 (p - 1) M      2 (p - 1)
 *     tree (binary)       as ring, on mean   2 (p - 1) M      2 floor(log2 p)
 */
struct AllReduceCost
{
    std::string algorithm;  //!< naive, ring or tree
    double bytesPerRank{0}; //!< sent by a rank, on mean, bytes
    double totalBytes{0};   //!< sent by all ranks, bytes
    uint64_t steps{0};      //!< steps one after the other

    /**
     * @param ranks p, at least 1
     * @param payload M, bytes
     * @return the costs of naive, ring and tree
     */
    static std::vector<AllReduceCost> GetAll(uint32_t ranks, uint64_t payload);
};

} // namespace llmfabric
} // namespace ns3

#endif /* ALL_REDUCE_COST_H */
