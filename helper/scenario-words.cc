/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-words.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param a a word
 * @param b another word
 * @return how many letters to insert, remove or replace to make one of the other, without regard
 *         to upper and lower case
 */
std::size_t
GetEditDistance(const std::string& a, const std::string& b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 1; i <= a.size(); ++i)
    {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j)
        {
            const bool same = std::tolower(static_cast<unsigned char>(a[i - 1])) ==
                              std::tolower(static_cast<unsigned char>(b[j - 1]));
            const std::size_t replaced = diagonal + (same ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

} // namespace

std::string
JoinWords(const std::vector<std::string>& words)
{
    std::string joined;
    for (const auto& word : words)
    {
        joined += (joined.empty() ? "" : ", ") + word;
    }
    return joined;
}

std::string
SuggestWord(const std::string& word, const std::vector<std::string>& known)
{
    // A third of the letters may be wrong, and two always.
    std::size_t best = std::max<std::size_t>(2, word.size() / 3) + 1;
    std::string suggestion;
    for (const auto& candidate : known)
    {
        const std::size_t distance = GetEditDistance(word, candidate);
        if (distance < best && distance < candidate.size())
        {
            best = distance;
            suggestion = ", did you mean '" + candidate + "'?";
        }
    }
    return suggestion;
}

} // namespace llmfabric
} // namespace ns3
