/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-sizes.h"

#include "scenario-value.h"

#include "ns3/user-error.h"

#include <sstream>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// Units of nccl-tests, from 1024 on.
const std::string UNITS = "KMGT";

/// Sizes above this are no payloads; so sums of a few of them fit 64 bits.
constexpr uint64_t LARGEST_SIZE = 1ULL << 50;

/**
 * @param unit a letter
 * @return its place in UNITS, whatever its case, or npos
 */
std::size_t
FindUnit(char unit)
{
    const bool isLower = unit >= 'a' && unit <= 'z';
    return UNITS.find(static_cast<char>(isLower ? unit - 'a' + 'A' : unit));
}

} // namespace

uint64_t
CollectiveSizes::Parse(const std::string& text)
{
    std::string known = text;
    const std::size_t unit = text.empty() ? std::string::npos : FindUnit(text.back());
    if (unit != std::string::npos)
    {
        known.back() = UNITS[unit];
        known += "iB"; // scenarios write KiB
    }
    try
    {
        return ScenarioValue::ParseSize(known, 1, LARGEST_SIZE);
    }
    catch (const UserError&)
    {
        throw UserError("'" + text + "' is no size of 1 byte to 1024T",
                        "",
                        "write e.g. 8192, 8K, 64M or 1G (powers of 1024), or 400KB (1000 bytes)");
    }
}

CollectiveSizes
CollectiveSizes::ParseRange(const std::string& text)
{
    std::vector<std::string> parts;
    std::istringstream in(text + ":");
    for (std::string part; std::getline(in, part, ':');)
    {
        parts.push_back(part);
    }
    if (parts.size() > 3)
    {
        throw UserError("'" + text + "' has too many parts", "", "write MIN:MAX or MIN:MAX:FACTOR");
    }
    CollectiveSizes sizes;
    sizes.smallest = Parse(parts[0]);
    sizes.largest = Parse(parts.size() > 1 ? parts[1] : parts[0]);
    if (parts.size() > 2)
    {
        sizes.factor = ScenarioValue::ParseCount(parts[2], 2, 1U << 30);
    }
    return sizes;
}

std::vector<uint64_t>
CollectiveSizes::List() const
{
    if (smallest > largest)
    {
        throw UserError("the smallest size " + ToText(smallest) + " is over the largest " +
                            ToText(largest),
                        "",
                        "let the smallest be at most the largest");
    }
    std::vector<uint64_t> list;
    for (uint64_t size = smallest; size <= largest;)
    {
        if (list.size() == MAX_SIZES)
        {
            throw UserError("there are more than " + std::to_string(MAX_SIZES) + " sizes",
                            "",
                            "take a larger step or factor");
        }
        list.push_back(size);
        const bool isLast =
            size == largest || (factor > 1 ? size > largest / factor : step > largest - size);
        size = isLast ? largest + 1 : factor > 1 ? size * factor : size + step;
    }
    return list;
}

std::string
CollectiveSizes::ToText(uint64_t bytes)
{
    std::string unit;
    for (std::size_t i = 0; i < UNITS.size() && bytes > 0 && bytes % 1024 == 0; ++i)
    {
        bytes /= 1024;
        unit = UNITS[i];
    }
    return std::to_string(bytes) + unit;
}

} // namespace llmfabric
} // namespace ns3
