/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NEAREST_RANK_H
#define NEAREST_RANK_H

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A percentile by nearest rank: no value between two is made up.
 *
 * @param values some values, in any order
 * @param percent which percentile, 0 to 100
 * @return the value at rank ceil(percent n / 100), the least for 0; 0 if there is none
 */
inline double
GetPercentile(std::vector<double> values, std::size_t percent)
{
    if (values.empty())
    {
        return 0;
    }
    const std::size_t rank = std::max<std::size_t>((percent * values.size() + 99) / 100, 1);
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

} // namespace llmfabric
} // namespace ns3

#endif /* NEAREST_RANK_H */
