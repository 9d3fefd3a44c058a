/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-value.h"

#include "ns3/user-error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// Largest value of uint64_t.
constexpr uint64_t MAX_UINT64 = std::numeric_limits<uint64_t>::max();

/// A unit as a factor: 10^decimal * 2^binary.
struct Factor
{
    int decimal; //!< power of ten
    int binary;  //!< power of two
};

/// A number as it is written: mantissa * 10^exponent, and what follows it.
struct Decimal
{
    uint64_t mantissa{0}; //!< all digits, without zeros at the end
    int exponent{0};      //!< power of ten
    std::string unit;     //!< what follows the number
};

/**
 * @param digits decimal digits, maybe none
 * @return their value, or nothing when it is over 2^64 - 1
 */
std::optional<uint64_t>
DigitsToNumber(const std::string& digits)
{
    uint64_t number = 0;
    for (const char c : digits)
    {
        const uint64_t digit = c - '0';
        if (number > (MAX_UINT64 - digit) / 10)
        {
            return std::nullopt;
        }
        number = number * 10 + digit;
    }
    return number;
}

/**
 * @param text a text
 * @param [in,out] at where to begin; moved behind the digits
 * @return the digits that stand there, maybe none
 */
std::string
TakeDigits(const std::string& text, std::size_t& at)
{
    const std::size_t begin = at;
    at = std::min(text.find_first_not_of("0123456789", at), text.size());
    return text.substr(begin, at - begin);
}

/**
 * @param text a text
 * @param [in,out] at where to begin; moved behind the exponent when there is one
 * @return the exponent that stands there, e.g. "e-3"; 0 when there is none; nothing when it is
 *         longer than any value needs
 */
std::optional<int>
TakeExponent(const std::string& text, std::size_t& at)
{
    static constexpr std::size_t MAX_DIGITS = 3;
    std::size_t next = at + 1;
    const bool negative = next < text.size() && text[next] == '-';
    if (at >= text.size() || (text[at] != 'e' && text[at] != 'E'))
    {
        return 0;
    }
    if (next < text.size() && (text[next] == '-' || text[next] == '+'))
    {
        ++next;
    }
    const std::string digits = TakeDigits(text, next);
    if (digits.empty() || digits.size() > MAX_DIGITS)
    {
        return std::nullopt;
    }
    at = next;
    return negative ? -std::stoi(digits) : std::stoi(digits);
}

/**
 * @param text a number with an optional unit, at most one space between them
 * @return its parts, or nothing when it does not begin with a non-negative number
 */
std::optional<Decimal>
SplitNumber(const std::string& text)
{
    std::size_t at = !text.empty() && text[0] == '+' ? 1 : 0;
    std::string digits = TakeDigits(text, at);
    std::string fraction;
    if (at < text.size() && text[at] == '.')
    {
        fraction = TakeDigits(text, ++at);
    }
    digits += fraction;
    const auto exponent = TakeExponent(text, at);
    if (digits.empty() || !exponent)
    {
        return std::nullopt;
    }
    Decimal result;
    result.exponent = *exponent - static_cast<int>(fraction.size());
    while (digits.size() > 1 && digits.back() == '0')
    {
        digits.pop_back();
        ++result.exponent;
    }
    const auto mantissa = DigitsToNumber(digits);
    if (!mantissa)
    {
        return std::nullopt;
    }
    result.mantissa = *mantissa;
    const bool spaced = at + 1 < text.size() && text[at] == ' ';
    result.unit = text.substr(spaced ? at + 1 : at);
    return result;
}

/**
 * @param number number to multiply or divide
 * @param base 2, 5 or 10
 * @param power how often to multiply (above 0) or divide (below 0) by the base
 * @return the exact result, or nothing when it is not whole or over 2^64 - 1
 */
std::optional<uint64_t>
Scale(uint64_t number, uint64_t base, int power)
{
    for (; power > 0 && number > 0; --power)
    {
        if (number > MAX_UINT64 / base)
        {
            return std::nullopt;
        }
        number *= base;
    }
    for (; power < 0 && number > 0; ++power)
    {
        if (number % base != 0)
        {
            return std::nullopt;
        }
        number /= base;
    }
    return number;
}

/**
 * @param number the number
 * @param factor what one unit is
 * @return number * factor, or nothing when it is not whole or over 2^64 - 1
 */
std::optional<uint64_t>
ToWhole(const Decimal& number, const Factor& factor)
{
    const int tens = number.exponent + factor.decimal;
    if (tens >= 0)
    {
        const auto scaled = Scale(number.mantissa, 2, factor.binary);
        return scaled ? Scale(*scaled, 10, tens) : std::nullopt;
    }
    // Below 0 the binary factor may still make it whole: 0.5KiB.
    const auto scaled = Scale(number.mantissa, 5, tens);
    return scaled ? Scale(*scaled, 2, tens + factor.binary) : std::nullopt;
}

/**
 * @param text the bad text
 * @param kind what it should have been, e.g. "a time"
 * @param action how to write it rightly
 * @throws UserError always
 */
[[noreturn]] void
Refuse(const std::string& text, const std::string& kind, const std::string& action)
{
    const bool negative =
        text.size() > 1 && text[0] == '-' && (text[1] == '.' || (text[1] >= '0' && text[1] <= '9'));
    throw UserError("'" + text + "' is " + (negative ? "negative, not " : "not ") + kind,
                    "",
                    action);
}

/// @return the prefixes of units
const std::map<std::string, Factor>&
GetPrefixes()
{
    static const std::map<std::string, Factor> prefixes{{"", {0, 0}},
                                                        {"k", {3, 0}},
                                                        {"K", {3, 0}},
                                                        {"M", {6, 0}},
                                                        {"G", {9, 0}},
                                                        {"T", {12, 0}},
                                                        {"Ki", {0, 10}},
                                                        {"Mi", {0, 20}},
                                                        {"Gi", {0, 30}},
                                                        {"Ti", {0, 40}}};
    return prefixes;
}

/**
 * @param unit a prefix and a base unit
 * @param bases the base units and what each is
 * @return what the unit is, or nothing when it is unknown
 */
std::optional<Factor>
FindFactor(const std::string& unit, const std::map<std::string, Factor>& bases)
{
    for (const auto& [base, baseFactor] : bases)
    {
        if (unit.size() < base.size() ||
            unit.compare(unit.size() - base.size(), base.size(), base) != 0)
        {
            continue;
        }
        const auto prefix = GetPrefixes().find(unit.substr(0, unit.size() - base.size()));
        if (prefix != GetPrefixes().end())
        {
            return Factor{prefix->second.decimal + baseFactor.decimal,
                          prefix->second.binary + baseFactor.binary};
        }
    }
    return std::nullopt;
}

/**
 * @param text a number with a unit
 * @param bases the base units and what each is
 * @return the value in the base, or nothing when the text is no such value
 */
std::optional<uint64_t>
ParseWhole(const std::string& text, const std::map<std::string, Factor>& bases)
{
    const auto number = SplitNumber(text);
    const auto factor = number ? FindFactor(number->unit, bases) : std::nullopt;
    return factor ? ToWhole(*number, *factor) : std::nullopt;
}

/**
 * @param unit the unit of a time
 * @return its length in seconds, or nothing when it is unknown
 */
std::optional<long double>
FindSeconds(const std::string& unit)
{
    static const std::map<std::string, long double> units{{"ps", 1e-12L},
                                                          {"ns", 1e-9L},
                                                          {"us", 1e-6L},
                                                          {"ms", 1e-3L},
                                                          {"s", 1.0L},
                                                          {"min", 60.0L},
                                                          {"h", 3600.0L}};
    const auto found = units.find(unit);
    return found == units.end() ? std::nullopt : std::optional<long double>(found->second);
}

} // namespace

uint64_t
ScenarioValue::ParseSize(const std::string& text)
{
    const auto number = SplitNumber(text);
    if (number && number->unit.empty())
    {
        const auto bytes = ToWhole(*number, {0, 0});
        if (bytes)
        {
            return *bytes;
        }
    }
    const auto bytes = ParseWhole(text, {{"B", {0, 0}}});
    if (!bytes)
    {
        Refuse(text,
               "a size of whole bytes",
               "write e.g. 400000, 400KB (1 KB = 1000 bytes) or 400KiB (1 KiB = 1024 bytes)");
    }
    return *bytes;
}

uint64_t
ScenarioValue::ParseCount(const std::string& text, uint64_t smallest, uint64_t largest)
{
    const std::string range =
        "allowed: " + (largest == MAX_UINT64
                           ? std::to_string(smallest) + " or more"
                           : std::to_string(smallest) + " to " + std::to_string(largest));
    const auto number = SplitNumber(text);
    const auto count = number && number->unit.empty() ? ToWhole(*number, {0, 0}) : std::nullopt;
    if (!count)
    {
        Refuse(text, "a whole number", range);
    }
    if (*count < smallest || *count > largest)
    {
        throw UserError("'" + text + "' is out of range", "", range);
    }
    return *count;
}

Time
ScenarioValue::ParseTime(const std::string& text)
{
    const auto number = SplitNumber(text);
    const bool isBareZero = number && number->mantissa == 0 && number->unit.empty();
    const auto unit = number ? FindSeconds(isBareZero ? "s" : number->unit) : std::nullopt;
    if (!unit)
    {
        Refuse(text, "a time", "write a number and one of ps, ns, us, ms, s, min, h, e.g. 1.5us");
    }
    const long double ticks =
        std::round(*unit * number->mantissa * std::pow(10.0L, number->exponent) *
                   Time(Seconds(1)).GetTimeStep());
    if (ticks >= static_cast<long double>(Time::Max().GetTimeStep()))
    {
        throw UserError("'" + text + "' is longer than simulated time can be", "", "make it less");
    }
    if (ticks < 1 && number->mantissa != 0)
    {
        throw UserError("'" + text + "' is shorter than the time resolution", "", "make it more");
    }
    return TimeStep(static_cast<uint64_t>(ticks));
}

DataRate
ScenarioValue::ParseRate(const std::string& text)
{
    const auto rate =
        ParseWhole(text, {{"bps", {0, 0}}, {"b/s", {0, 0}}, {"Bps", {0, 3}}, {"B/s", {0, 3}}});
    if (!rate || *rate == 0)
    {
        Refuse(text,
               "a rate above 0",
               "write a number and bps or Bps (bytes) with a prefix, e.g. 100Gbps or 50GBps");
    }
    return DataRate(*rate);
}

double
ScenarioValue::ParseProbability(const std::string& text)
{
    const auto number = SplitNumber(text);
    const long double value =
        number && number->unit.empty() ? number->mantissa * std::pow(10.0L, number->exponent) : -1;
    if (value < 0 || value > 1)
    {
        Refuse(text, "a probability", "allowed: a number from 0 to 1");
    }
    return static_cast<double>(value);
}

bool
ScenarioValue::ParseBool(const std::string& text)
{
    if (text != "true" && text != "false")
    {
        Refuse(text, "a boolean", "allowed: true, false");
    }
    return text == "true";
}

} // namespace llmfabric
} // namespace ns3
