/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-corpus.h"

#include "checked-math.h"

#include "ns3/user-error.h"

#include <cmath>
#include <string>

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
 * @param tokens a number of tokens, with a fraction
 * @return the whole tokens
 * @throws UserError if they do not fit 64 bits
 */
uint64_t
WholeTokens(long double tokens)
{
    static constexpr long double LIMIT = 18446744073709551616.0L; // 2^64
    if (tokens >= LIMIT)
    {
        throw UserError("the tokens of the text do not fit 64 bits", "corpus", "make it smaller");
    }
    return static_cast<uint64_t>(tokens);
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

uint64_t
Corpus::GetTokens() const
{
    return m_tokens;
}

uint64_t
Corpus::GetSequences(uint64_t sequenceLength) const
{
    CheckPositive(sequenceLength, "model.sequence");
    return m_tokens / sequenceLength;
}

} // namespace llmfabric
} // namespace ns3
