/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WORKLOAD_CORPUS_H
#define WORKLOAD_CORPUS_H

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Stage 1: a text and how many tokens and sequences it gives.
 *
 * |D| = S_text / beta_tok, or words times tokens per word, rounded down (Life of a Token, section
 * 3).
 */
class Corpus
{
  public:
    /// English text, tokens per word (Life of a Token, section 3).
    static constexpr double TOKENS_PER_WORD = 1.25;
    /// English text, bytes per token, beta_tok (Life of a Token, section 3).
    static constexpr double BYTES_PER_TOKEN = 4.0;

    /// An empty text.
    Corpus() = default;

    /**
     * @param words size of the text, words
     * @param tokensPerWord tokens per word, positive
     * @return the text
     * @throws UserError if the factor is not positive or the tokens do not fit 64 bits
     */
    static Corpus FromWords(uint64_t words, double tokensPerWord = TOKENS_PER_WORD);

    /**
     * @param bytes size of the text, bytes
     * @param bytesPerToken bytes per token, positive
     * @return the text
     * @throws UserError if the factor is not positive or the tokens do not fit 64 bits
     */
    static Corpus FromBytes(uint64_t bytes, double bytesPerToken = BYTES_PER_TOKEN);

    /**
     * @param tokens size of the tokenized text, tokens
     * @return the text
     */
    static Corpus FromTokens(uint64_t tokens);

    /**
     * @return |D|, tokens
     */
    uint64_t GetTokens() const;

    /**
     * N = |D| / T; a last incomplete sequence is dropped.
     *
     * @param sequenceLength T, tokens
     * @return N, sequences
     * @throws UserError if the sequence length is zero
     */
    uint64_t GetSequences(uint64_t sequenceLength) const;

  private:
    uint64_t m_tokens{0}; //!< |D|, tokens
};

} // namespace llmfabric
} // namespace ns3

#endif /* WORKLOAD_CORPUS_H */
