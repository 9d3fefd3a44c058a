/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "expert-shares.h"

#include "ns3/abort.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param value a number
 * @param key its key in the scenario
 * @throws UserError if it is negative or not finite
 */
void
CheckNotNegative(double value, const std::string& key)
{
    if (!std::isfinite(value) || value < 0)
    {
        throw UserError("the value " + std::to_string(value) + " is negative or no number",
                        key,
                        "give a number of 0 or more");
    }
}

/**
 * @param load how experts are loaded
 * @param experts E
 * @return the weight of each expert
 */
std::vector<double>
GetWeights(const ExpertLoad& load, uint64_t experts)
{
    if (load.weights.empty())
    {
        std::vector<double> weights;
        for (uint64_t e = 0; e < experts; ++e)
        {
            weights.push_back(std::pow(static_cast<double>(e + 1), -load.zipfExponent));
        }
        return weights;
    }
    if (load.weights.size() != experts)
    {
        throw UserError(std::to_string(load.weights.size()) + " weights are given for " +
                            std::to_string(experts) + " experts",
                        "parallel.imbalance",
                        "give one weight for each expert");
    }
    return load.weights;
}

} // namespace

ExpertShares::ExpertShares(const ExpertLoad& load, uint64_t experts, uint32_t ranks)
{
    NS_ABORT_MSG_IF(experts == 0 || ranks == 0 || experts % ranks != 0,
                    "ExpertShares: " << experts << " experts for " << ranks << " ranks");
    CheckNotNegative(load.capacityFactor, "parallel.capacity_factor");
    CheckNotNegative(load.zipfExponent, "parallel.imbalance.zipf");
    const std::vector<double> weights = GetWeights(load, experts);
    double sum = 0;
    for (double weight : weights)
    {
        CheckNotNegative(weight, "parallel.imbalance");
        sum += weight;
    }
    if (!(sum > 0 && std::isfinite(sum)))
    {
        throw UserError(sum > 0 ? "the sum of the weights is too large"
                                : "no expert gets any token",
                        "parallel.imbalance",
                        sum > 0 ? "give smaller ones" : "give a weight above 0");
    }
    const double most =
        load.capacityFactor > 0 ? load.capacityFactor / static_cast<double>(experts) : 1;
    m_even = std::all_of(weights.begin(), weights.end(), [&](double weight) {
        return weight == weights.front();
    });
    const uint64_t perRank = experts / ranks;
    // No rounding may make equal shares differ, or the whole be more than 1.
    const double even = load.capacityFactor > 0 ? std::min(1.0, load.capacityFactor) : 1;
    for (uint64_t first = 0; first < experts; first += perRank)
    {
        double share = 0;
        for (uint64_t e = first; e < first + perRank; ++e)
        {
            share += std::min(weights[e] / sum, most);
        }
        m_shares.push_back(m_even ? even / ranks : share);
        m_total += m_shares.back();
    }
    m_total = m_even ? even : std::min(m_total, 1.0);
}

double
ExpertShares::GetShare(uint32_t rank) const
{
    return m_shares.at(rank);
}

double
ExpertShares::GetLoad(uint32_t rank) const
{
    return m_even ? m_total : GetShare(rank) * static_cast<double>(m_shares.size());
}

double
ExpertShares::GetTotal() const
{
    return m_total;
}

bool
ExpertShares::IsEven() const
{
    return m_even;
}

} // namespace llmfabric
} // namespace ns3
