/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-bench-op.h"

#include "ns3/user-error.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// Parts of a payload are multiples of this, bytes.
constexpr uint64_t PART = 16;

/// The op that is an All-to-All with unequal parts.
const char* const UNEVEN = "alltoallv";

/// The datatypes of nccl-tests and their bytes.
const std::vector<std::pair<std::string, uint64_t>> DATATYPES{{"int8", 1},
                                                              {"uint8", 1},
                                                              {"int32", 4},
                                                              {"uint32", 4},
                                                              {"int64", 8},
                                                              {"uint64", 8},
                                                              {"half", 2},
                                                              {"float", 4},
                                                              {"double", 8},
                                                              {"bfloat16", 2},
                                                              {"f8e4m3", 1},
                                                              {"f8e5m2", 1}};

/// @return the ops and what their groups do
std::vector<std::pair<std::string, CollectiveKind>>
GetOps()
{
    std::vector<std::pair<std::string, CollectiveKind>> ops;
    for (uint32_t i = 0; i < COLLECTIVE_KINDS; ++i)
    {
        const auto kind = static_cast<CollectiveKind>(i);
        ops.emplace_back(GetName(kind), kind);
    }
    ops.emplace_back(UNEVEN, CollectiveKind::ALL_TO_ALL);
    return ops;
}

/**
 * @tparam Pairs pairs with a name first
 * @param pairs what there is
 * @return "known: " and the names
 */
template <typename Pairs>
std::string
Known(const Pairs& pairs)
{
    std::string list;
    for (const auto& entry : pairs)
    {
        list += (list.empty() ? "known: " : ", ") + entry.first;
    }
    return list;
}

/**
 * @param name a name
 * @return it in small letters, without '_' and '-'
 */
std::string
Normalize(const std::string& name)
{
    std::string text;
    for (const char c : name)
    {
        if (c != '_' && c != '-')
        {
            text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return text;
}

} // namespace

CollectiveBenchOp::CollectiveBenchOp(const std::string& name)
    : m_name(Normalize(name)),
      m_kind(CollectiveKind::ALL_REDUCE)
{
    const auto ops = GetOps();
    const auto found =
        std::find_if(ops.begin(), ops.end(), [this](const auto& op) { return op.first == m_name; });
    if (found == ops.end())
    {
        throw UserError("unknown op '" + name + "'", "", Known(ops));
    }
    m_kind = found->second;
}

bool
CollectiveBenchOp::IsUneven() const
{
    return m_name == UNEVEN;
}

bool
CollectiveBenchOp::HasRoot() const
{
    return m_kind == CollectiveKind::BROADCAST || m_kind == CollectiveKind::REDUCE;
}

bool
CollectiveBenchOp::HasParts() const
{
    return m_kind == CollectiveKind::ALL_GATHER || m_kind == CollectiveKind::REDUCE_SCATTER ||
           m_kind == CollectiveKind::ALL_TO_ALL;
}

std::string
CollectiveBenchOp::GetReduction() const
{
    const bool sums = m_kind == CollectiveKind::ALL_REDUCE ||
                      m_kind == CollectiveKind::REDUCE_SCATTER || m_kind == CollectiveKind::REDUCE;
    return sums ? "sum" : "none";
}

uint64_t
CollectiveBenchOp::GetCount(uint64_t size, uint64_t element, uint32_t ranks) const
{
    if (m_kind == CollectiveKind::BARRIER)
    {
        return 0;
    }
    return HasParts() ? size / element / ranks * element / PART * PART / element : size / element;
}

uint64_t
CollectiveBenchOp::GetSize(uint64_t size, uint64_t element, uint32_t ranks) const
{
    return GetCount(size, element, ranks) * element * (HasParts() ? ranks : 1);
}

double
CollectiveBenchOp::GetBusFactor(uint32_t ranks) const
{
    return llmfabric::GetBusFactor(m_kind, ranks);
}

uint64_t
CollectiveBenchOp::GetElementBytes(const std::string& datatype)
{
    for (const auto& [name, bytes] : DATATYPES)
    {
        if (name == datatype)
        {
            return bytes;
        }
    }
    throw UserError("unknown datatype '" + datatype + "'", "", Known(DATATYPES));
}

} // namespace llmfabric
} // namespace ns3
