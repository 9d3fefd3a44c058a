/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_VALUE_H
#define SCENARIO_VALUE_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Which numbers a key takes; none is below 0.
 */
struct NumberRange
{
    double smallest{0};                                      //!< smallest number
    bool isOpen{false};                                      //!< the smallest itself is refused
    double largest{std::numeric_limits<double>::infinity()}; //!< largest number
};

/**
 * @ingroup llm-fabric
 * The text of one scenario value becomes a typed value.
 *
 * Numbers are decimal, with or without fraction and exponent ("128e6", "1.5"), and are converted
 * exactly; ns3::Time and ns3::DataRate abort or misread on a bad text, so they never see one.
 * Each method throws UserError, without a place, when the text is not what it should be.
 */
class ScenarioValue
{
  public:
    /**
     * @param text a number, alone (bytes) or with B, KB, MB, GB, TB (powers of 1000) or KiB, MiB,
     *        GiB, TiB (powers of 1024)
     * @param smallest smallest size allowed, in bytes
     * @param largest largest size allowed, in bytes
     * @return bytes
     */
    static uint64_t ParseSize(const std::string& text, uint64_t smallest, uint64_t largest);

    /**
     * @param text a whole number without unit
     * @param smallest smallest value allowed
     * @param largest largest value allowed
     * @return the number
     */
    static uint64_t ParseCount(const std::string& text, uint64_t smallest, uint64_t largest);

    /**
     * @param text NAME,NAME...
     * @return the names, each once
     */
    static std::vector<std::string> ParseNames(const std::string& text);

    /**
     * @param text a number with ps, ns, us, ms, s, min or h; 0 needs no unit
     * @return the time, rounded to the nearest tick of the time resolution that is set now
     */
    static Time ParseTime(const std::string& text);

    /**
     * @param text a number with bps or b/s (bits) or Bps or B/s (bytes), after none or one of the
     *        prefixes k, K, M, G, T (powers of 1000), Ki, Mi, Gi, Ti (powers of 1024)
     * @return the rate, above 0
     */
    static DataRate ParseRate(const std::string& text);

    /**
     * @param text a number without unit
     * @param range the numbers that are allowed
     * @return the number, rounded to the nearest double
     */
    static double ParseNumber(const std::string& text, const NumberRange& range);

    /**
     * @param text a number from 0 to 1
     * @return the number
     */
    static double ParseProbability(const std::string& text);

    /**
     * @param text true or false
     * @return the boolean
     */
    static bool ParseBool(const std::string& text);
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCENARIO_VALUE_H */
