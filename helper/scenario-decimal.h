/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_DECIMAL_H
#define SCENARIO_DECIMAL_H

#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A unit as a factor: 10^decimal * 2^binary.
 */
struct ScenarioFactor
{
    int decimal; //!< power of ten
    int binary;  //!< power of two
};

/**
 * @ingroup llm-fabric
 * A number as it is written: mantissa * 10^exponent, and what follows it.
 */
struct ScenarioDecimal
{
    /**
     * @param text a number with an optional unit, at most one space between them
     * @return its parts, or nothing when it does not begin with a non-negative number, or its
     *         digits are over 2^64 - 1
     */
    static std::optional<ScenarioDecimal> Split(const std::string& text);

    /**
     * @param factor what one unit is
     * @return this number * factor, or nothing when it is not whole or over 2^64 - 1
     */
    std::optional<uint64_t> ToWhole(const ScenarioFactor& factor) const;

    /// @return this number without its unit
    long double ToNumber() const;

    uint64_t mantissa{0}; //!< all digits, without zeros at the end
    int exponent{0};      //!< power of ten
    std::string unit;     //!< what follows the number
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCENARIO_DECIMAL_H */
