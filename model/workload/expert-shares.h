/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EXPERT_SHARES_H
#define EXPERT_SHARES_H

#include "training-spec.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Which part of the tokens each rank of an expert group gets.
 *
 * Expert e has the weight (e + 1)^-z (Zipf), or a given one; z = 0 is uniform. An expert takes at
 * most the capacity factor times 1 / E of all token copies (Switch Transformers, section 2.2);
 * what is above that is dropped and not sent. Rank r holds experts r E / p to (r + 1) E / p - 1.
 */
class ExpertShares
{
  public:
    /**
     * @param load how experts are loaded
     * @param experts E, at least 1
     * @param ranks p, a divisor of E
     * @throws UserError if there are not E weights, one is negative, all are 0, their sum is no
     *         number, or the factor or exponent is negative
     */
    ExpertShares(const ExpertLoad& load, uint64_t experts, uint32_t ranks);

    /**
     * @param rank index in the expert group
     * @return part of all token copies that it gets, 0 to 1
     */
    double GetShare(uint32_t rank) const;

    /**
     * @param rank index in the expert group
     * @return what it gets, in units of 1 / p; exactly 1 if nothing is uneven or dropped
     */
    double GetLoad(uint32_t rank) const;

    /**
     * @return part of all token copies that are not dropped, 0 to 1
     */
    double GetTotal() const;

    /**
     * @return whether all experts, and so all ranks, have the same weight
     */
    bool IsEven() const;

  private:
    std::vector<double> m_shares; //!< by rank
    double m_total{0};            //!< their sum
    bool m_even{true};            //!< whether they are equal
};

} // namespace llmfabric
} // namespace ns3

#endif /* EXPERT_SHARES_H */
