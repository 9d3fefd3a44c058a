/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-corpus.h"

#include "checked-math.h"
#include "text-counter.h"

#include "ns3/user-error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param factor a conversion factor
 * @param key the scenario's key of the factor
 * @return the factor
 * @throws UserError if the factor is not a positive, finite number
 */
long double
CheckFactor(double factor, const std::string& key)
{
    if (!std::isfinite(factor) || factor <= 0)
    {
        throw UserError("the value " + std::to_string(factor) + " is not a positive number",
                        key,
                        "give a number above 0, e.g. 1.25");
    }
    return factor;
}

/**
 * A factor such as 2.3 is off by half a bit from what its writer meant, so 10 words of it would
 * give 22 tokens if a number that is whole but for such an error were rounded down.
 *
 * @param tokens a number of tokens, with a fraction
 * @return the whole tokens
 * @throws UserError if they do not fit 64 bits
 */
uint64_t
WholeTokens(long double tokens)
{
    static constexpr long double LIMIT = 18446744073709551616.0L; // 2^64
    static constexpr long double LARGEST_ERROR = 0.1L;            // tokens
    const long double nearest = std::round(tokens);
    const long double error =
        std::min(nearest * std::numeric_limits<double>::epsilon(), LARGEST_ERROR);
    const long double whole = std::abs(tokens - nearest) <= error ? nearest : std::floor(tokens);
    if (!(whole < LIMIT))
    {
        throw UserError("the tokens of the text do not fit 64 bits", "corpus", "make it smaller");
    }
    return static_cast<uint64_t>(whole);
}

/// @return the mistake that a text can't be read
UserError
Unreadable()
{
    return UserError("the text can't be read", "corpus.file", "name a file that can");
}

} // namespace

Corpus
Corpus::FromWords(uint64_t words, double tokensPerWord)
{
    return FromTokens(WholeTokens(words * CheckFactor(tokensPerWord, "corpus.tokens_per_word")));
}

Corpus
Corpus::FromBytes(uint64_t bytes, double bytesPerToken)
{
    return FromTokens(WholeTokens(bytes / CheckFactor(bytesPerToken, "corpus.bytes_per_token")));
}

Corpus
Corpus::FromTokens(uint64_t tokens)
{
    Corpus corpus;
    corpus.m_tokens = tokens;
    return corpus;
}

TextSize
Corpus::CountText(std::istream& text)
{
    static constexpr std::size_t PORTION = 1 << 16; // bytes
    if (!text)
    {
        throw Unreadable();
    }
    std::vector<char> portion(PORTION);
    TextCounter counter;
    while (text)
    {
        text.read(portion.data(), PORTION);
        std::for_each(portion.begin(), portion.begin() + text.gcount(), [&counter](char byte) {
            counter.Add(static_cast<uint8_t>(byte));
        });
    }
    if (text.bad())
    {
        throw Unreadable();
    }
    return counter.Finish();
}

void
Corpus::SetLastSequence(LastSequence last)
{
    m_last = last;
}

LastSequence
Corpus::GetLastSequence() const
{
    return m_last;
}

uint64_t
Corpus::GetTokens() const
{
    return m_tokens;
}

uint64_t
Corpus::GetSequences(uint64_t sequenceLength) const
{
    CheckPositive(sequenceLength, "model.sequence");
    const bool padded = m_last == LastSequence::PAD && m_tokens % sequenceLength != 0;
    return m_tokens / sequenceLength + (padded ? 1 : 0);
}

uint64_t
Corpus::GetTrainedTokens(uint64_t sequenceLength) const
{
    const uint64_t sequences = GetSequences(sequenceLength);
    return m_last == LastSequence::DROP ? sequences * sequenceLength : m_tokens;
}

double
Corpus::GetStepsPerEpoch(uint64_t sequenceLength, uint64_t globalTokens) const
{
    CheckPositive(globalTokens, "batch.global_tokens");
    const double sequences = static_cast<double>(GetSequences(sequenceLength));
    const double places =
        m_last == LastSequence::PACK ? static_cast<double>(m_tokens) : sequences * sequenceLength;
    return places / globalTokens;
}

} // namespace llmfabric
} // namespace ns3
