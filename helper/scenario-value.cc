/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-value.h"

#include "scenario-decimal.h"

#include "ns3/user-error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <sstream>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// Largest value of uint64_t.
constexpr uint64_t MAX_UINT64 = std::numeric_limits<uint64_t>::max();

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
const std::map<std::string, ScenarioFactor>&
GetPrefixes()
{
    static const std::map<std::string, ScenarioFactor> prefixes{{"", {0, 0}},
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
std::optional<ScenarioFactor>
FindFactor(const std::string& unit, const std::map<std::string, ScenarioFactor>& bases)
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
            return ScenarioFactor{prefix->second.decimal + baseFactor.decimal,
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
ParseWhole(const std::string& text, const std::map<std::string, ScenarioFactor>& bases)
{
    const auto number = ScenarioDecimal::Split(text);
    const auto factor = number ? FindFactor(number->unit, bases) : std::nullopt;
    return factor ? number->ToWhole(*factor) : std::nullopt;
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

/**
 * @param range a range of numbers
 * @return the range in words
 */
std::string
ToText(const NumberRange& range)
{
    const auto number = [](double value) {
        std::ostringstream text;
        text << value;
        return text.str();
    };
    const std::string smallest = number(range.smallest);
    if (std::isinf(range.largest))
    {
        return range.isOpen ? "a number above " + smallest : "a number, " + smallest + " or more";
    }
    const std::string largest = number(range.largest);
    return range.isOpen ? "a number above " + smallest + ", up to " + largest
                        : "a number from " + smallest + " to " + largest;
}

} // namespace

uint64_t
ScenarioValue::ParseSize(const std::string& text, uint64_t smallest, uint64_t largest)
{
    const auto number = ScenarioDecimal::Split(text);
    const auto bytes = number && number->unit.empty() ? number->ToWhole({0, 0})
                                                      : ParseWhole(text, {{"B", {0, 0}}});
    if (!bytes)
    {
        Refuse(text,
               "a size of whole bytes",
               "write e.g. 400000, 400KB (1 KB = 1000 bytes) or 400KiB (1 KiB = 1024 bytes)");
    }
    if (*bytes < smallest || *bytes > largest)
    {
        throw UserError("'" + text + "' is out of range",
                        "",
                        "allowed: " + std::to_string(smallest) + " to " + std::to_string(largest) +
                            " bytes");
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
    const auto number = ScenarioDecimal::Split(text);
    const auto count = number && number->unit.empty() ? number->ToWhole({0, 0}) : std::nullopt;
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
    const auto number = ScenarioDecimal::Split(text);
    const bool isBareZero = number && number->mantissa == 0 && number->unit.empty();
    const auto unit = number ? FindSeconds(isBareZero ? "s" : number->unit) : std::nullopt;
    if (!unit)
    {
        Refuse(text, "a time", "write a number and one of ps, ns, us, ms, s, min, h, e.g. 1.5us");
    }
    const long double ticks =
        std::round(*unit * number->ToNumber() * Time(Seconds(1)).GetTimeStep());
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
ScenarioValue::ParseNumber(const std::string& text, const NumberRange& range)
{
    const bool negative = !text.empty() && text[0] == '-';
    const auto number = ScenarioDecimal::Split(negative ? text.substr(1) : text);
    const std::string allowed = "allowed: " + ToText(range);
    if (!number || !number->unit.empty())
    {
        throw UserError("'" + text + "' is not a number", "", allowed);
    }
    const auto value = static_cast<double>(number->ToNumber());
    const bool isTooSmall = value < range.smallest || (range.isOpen && value == range.smallest);
    if ((negative && value != 0) || isTooSmall || value > range.largest || std::isinf(value))
    {
        throw UserError("'" + text + "' is out of range", "", allowed);
    }
    return value;
}

double
ScenarioValue::ParseProbability(const std::string& text)
{
    const auto number = ScenarioDecimal::Split(text);
    const long double value = number && number->unit.empty() ? number->ToNumber() : -1;
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

std::vector<std::string>
ScenarioValue::ParseNames(const std::string& text)
{
    std::vector<std::string> names;
    std::istringstream in(text + ",");
    for (std::string name; std::getline(in, name, ',');)
    {
        if (name.empty() || std::count(names.begin(), names.end(), name) > 0)
        {
            throw UserError("'" + text + "' names " + (name.empty() ? "nothing" : name + " twice"),
                            "",
                            "write NAME,NAME");
        }
        names.push_back(name);
    }
    return names;
}

} // namespace llmfabric
} // namespace ns3
