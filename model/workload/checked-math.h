/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHECKED_MATH_H
#define CHECKED_MATH_H

#include <cstdint>
#include <initializer_list>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A product that never wraps.
 *
 * @param factors the factors; no factor gives 1
 * @param what the quantity that is computed, for the message, e.g. "gradient bytes"
 * @return the product
 * @throws UserError if the product does not fit 64 bits
 */
uint64_t CheckedProduct(std::initializer_list<uint64_t> factors, const std::string& what);

/**
 * @ingroup llm-fabric
 * A sum that never wraps.
 *
 * @param terms the terms; no term gives 0
 * @param what the quantity that is computed, for the message
 * @return the sum
 * @throws UserError if the sum does not fit 64 bits
 */
uint64_t CheckedSum(std::initializer_list<uint64_t> terms, const std::string& what);

/**
 * @ingroup llm-fabric
 * @param value what is divided
 * @param divisor by what, at least 1
 * @return the quotient, rounded up; it never wraps
 */
constexpr uint64_t
CeilDivide(uint64_t value, uint64_t divisor)
{
    return value / divisor + (value % divisor == 0 ? 0 : 1);
}

/**
 * @ingroup llm-fabric
 * Refuses a zero where only a positive number makes sense.
 *
 * @param value the number
 * @param key the scenario's key of the number, e.g. "model.layers"
 * @throws UserError if the number is zero
 */
void CheckPositive(uint64_t value, const std::string& key);

} // namespace llmfabric
} // namespace ns3

#endif /* CHECKED_MATH_H */
