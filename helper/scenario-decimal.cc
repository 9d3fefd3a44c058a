/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-decimal.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// Largest value of uint64_t.
constexpr uint64_t MAX_UINT64 = std::numeric_limits<uint64_t>::max();

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

} // namespace

std::optional<ScenarioDecimal>
ScenarioDecimal::Split(const std::string& text)
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
    ScenarioDecimal result;
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

std::optional<uint64_t>
ScenarioDecimal::ToWhole(const ScenarioFactor& factor) const
{
    const int tens = exponent + factor.decimal;
    if (tens >= 0)
    {
        const auto scaled = Scale(mantissa, 2, factor.binary);
        return scaled ? Scale(*scaled, 10, tens) : std::nullopt;
    }
    // Below 0 the binary factor may still make it whole: 0.5KiB.
    const auto scaled = Scale(mantissa, 5, tens);
    return scaled ? Scale(*scaled, 2, tens + factor.binary) : std::nullopt;
}

long double
ScenarioDecimal::ToNumber() const
{
    if (mantissa == 0)
    {
        return 0; // also where the power is out of range
    }
    // Powers of ten up to 10^27 are exact, those below 1 are not: so divide.
    const long double power = std::pow(10.0L, std::abs(exponent));
    return exponent < 0 ? mantissa / power : mantissa * power;
}

} // namespace llmfabric
} // namespace ns3
